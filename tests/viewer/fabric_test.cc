// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts, ports and links, and how they are drawn.
#include <QJsonArray>
#include <QTest>

#include "analyzer/viewer/model/fabric_model.h"
#include "analyzer/viewer/panes/fabric_pane.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

using report::FabricLink;
using report::LinkEvent;

FabricLink link_between(std::size_t one, std::size_t other) {
    return {.name = "link", .session = "lg-1", .ends = {{{one}, {other}}}, .packets = 1};
}

}  // namespace

class FabricTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void links_come_and_go();
    void many_links_are_drawn_as_one();
    void failover_is_seen_happening();
    void a_link_is_not_older_than_what_brought_it();
    void links_are_those_of_analyze_data();
    void links_are_those_of_analyze();
    void a_click_selects();
};

void FabricTest::links_come_and_go() {
    FabricLink link = link_between(0, 1);
    QVERIFY(condition_of(link, 5).is_up);  // nothing else is known
    link.events = {
        {10, LinkEvent::Kind::up, 1},
        {15, LinkEvent::Kind::retransmission, 2, 3},
        {20, LinkEvent::Kind::failure, 4},
        {20, LinkEvent::Kind::down, 4}};
    QVERIFY(!condition_of(link, 9).is_up);
    QVERIFY(condition_of(link, 10).is_up);
    QCOMPARE(condition_of(link, 14).retransmitted, 0U);
    QCOMPARE(condition_of(link, 15).retransmitted, 3U);
    QCOMPARE(condition_of(link, {}).failures, 1U);
    QVERIFY(!condition_of(link, {}).is_up);
    link.events.erase(link.events.begin());  // its beginning was not captured
    QVERIFY(condition_of(link, 9).is_up);
    link.packets = 0;  // it was offered, and never came up
    QVERIFY(!condition_of(link, 9).is_up);
}

void FabricTest::many_links_are_drawn_as_one() {
    report::Fabric fabric;
    for (int i = 0; i < 6; ++i) fabric.add(link_between(0, 1));
    QCOMPARE(bundles_of(fabric).size(), 6U);
    fabric.add(link_between(1, 0));
    fabric.add(link_between(1, 2));
    const auto bundles = bundles_of(fabric);
    QCOMPARE(bundles.size(), 2U);
    QCOMPARE(bundles[0].links.size(), 7U);
    QCOMPARE(state_of(bundles[0], {}).up, 7U);
    QCOMPARE(name_of(bundles[0]), std::string("7 links"));
}

void FabricTest::failover_is_seen_happening() {
    QTemporaryDir folder;
    Opened opened({made_by_synth("smcr_rfc7609_failover", folder)});
    const Recording& recording = *opened.window.recording();
    const auto& links = recording.fabric.links;
    QCOMPARE(links.size(), 3U);  // the device comes back, and a link of the same number with it
    QCOMPARE(recording.fabric.hosts.size(), 2U);
    const auto up_at = [&](Time time) {
        return std::ranges::count_if(links, [&](const FabricLink& link) { return condition_of(link, time).is_up; });
    };
    std::vector<Time> changes;
    for (const FabricLink& link : links)
        for (const LinkEvent& event : link.events)
            if (event.kind == LinkEvent::Kind::up || event.kind == LinkEvent::Kind::down) changes.push_back(event.time);
    std::ranges::sort(changes);
    QCOMPARE(changes.size(), 4U);
    QCOMPARE(up_at(recording.start()), 0);
    QCOMPARE(up_at(changes[0]), 1);  // the first contact's
    QCOMPARE(up_at(changes[1]), 2);  // ADD LINK
    QCOMPARE(up_at(changes[2]), 1);  // one of them is lost
    QCOMPARE(up_at(changes[3]), 2);  // and comes back
}

void FabricTest::a_link_is_not_older_than_what_brought_it() {
    Opened opened({samples + "real/smcr_v2_two_links.pcapng"});
    const Recording& recording = *opened.window.recording();
    QVERIFY(recording.reading.engine->smcr().link_groups[0].from_start);
    std::size_t came_up = 0;
    for (const FabricLink& link : recording.fabric.links) {
        if (link.group != "lg-1") continue;
        QVERIFY2(!condition_of(link, recording.start()).is_up, link.name.c_str());
        came_up += std::ranges::any_of(
            link.events, [](const LinkEvent& event) { return event.kind == LinkEvent::Kind::up; });
    }
    QVERIFY(came_up >= 2);
}

void FabricTest::links_are_those_of_analyze_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"real/smcr_v2_echo.pcap", "real/rdmacm_rping_v4.pcap", "fcvi/client_server_iso.pcap"})
        QTest::newRow(file) << samples + file;
}

void FabricTest::links_are_those_of_analyze() {
    QFETCH(const QString, file);
    QVERIFY(QFile::exists(file));
    Opened opened({file});
    const QJsonObject expected = analysed(file);
    std::map<QString, qint64> packets;  // of each session
    for (const FabricLink& link : opened.window.recording()->fabric.links)
        packets[QString::fromStdString(link.session)] += static_cast<qint64>(link.packets);
    const auto list = [&](const char* protocol, const char* name) {
        return expected[protocol].toObject()[name].toArray();
    };
    qsizetype found = 0;
    for (const auto& group : list("smcr", "link_groups")) {
        qint64 sum = 0;
        for (const auto& link : group.toObject()["links"].toArray()) sum += link.toObject()["packets"].toInteger();
        QVERIFY(packets[group.toObject()["id"].toString()] >= sum);
        ++found;
    }
    for (const auto& connection : list("rdma_cm", "connections")) {
        QVERIFY(packets.contains(connection.toObject()["id"].toString()));
        ++found;
    }
    for (const auto& connection : list("fcvi", "connections")) {
        QVERIFY(packets.contains(connection.toObject()["id"].toString()));
        ++found;
    }
    QVERIFY(found > 0);
}

void FabricTest::a_click_selects() {
    QTemporaryDir folder;
    Opened opened({made_by_synth("smcr_v2_two_links", folder)});
    auto& pane = dynamic_cast<FabricPane&>(opened.find<QWidget>("fabric"));
    pane.resize(800, 400);
    QCOMPARE(pane.line_count(), 2U);
    const QPoint middle = pane.middle_of(1).toPoint();
    QTest::mouseClick(&pane, Qt::LeftButton, {}, middle + QPoint(0, 60));
    QCOMPARE(opened.window.navigator().place().session, std::string());
    QTest::mouseClick(&pane, Qt::LeftButton, {}, middle + QPoint(0, 5));  // a hand may be that far off
    QCOMPARE(opened.window.navigator().place().session, std::string("lg-1"));
    QVERIFY(!pane.grab().isNull());
}

std::unique_ptr<QObject> fabric_test() { return std::make_unique<FabricTest>(); }

}  // namespace fabricscope::viewer

#include "fabric_test.moc"
