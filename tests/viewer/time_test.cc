// SPDX-License-Identifier: GPL-2.0-or-later
// What went on over time: arrows and pinned lanes of Tracks, rates and what was in flight, latencies and set-ups.
#include <QAction>
#include <QDockWidget>
#include <QJsonArray>
#include <QTableWidget>
#include <QTest>

#include "analyzer/viewer/model/flow.h"
#include "analyzer/viewer/model/latencies.h"
#include "analyzer/viewer/panes/custom_plot.h"
#include "analyzer/viewer/panes/latency_pane.h"
#include "analyzer/viewer/panes/sequence_pane.h"
#include "analyzer/viewer/panes/track_view.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

const QString echo = samples + "real/smcr_v2_echo.pcap";

Place place_of(const Recording& recording, const std::string& session) {
    return {.node = recording.node_of(session), .session = session, .frame = {}, .time = {}};
}

const Lane& lane_of(const Recording& recording, const std::string& session, const char* name) {
    const auto& lanes = recording.overview.nodes[*recording.node_of(session)].lanes;
    return *std::ranges::find(lanes, name, &Lane::name);
}

}  // namespace

class TimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void arrows_lead_from_writes_to_updates();
    void arrows_can_be_followed();
    void lanes_are_pinned();
    void what_is_in_flight_is_the_difference();
    void rates_add_up();
    void a_second_capture_point_is_laid_over();
    void a_second_capture_point_of_queue_pairs_is_laid_over();
    void boxes_take_pinned_lanes();
    void percentiles_are_those_of_all();
    void the_tail_is_listed();
    void set_ups_are_those_of_analyze();
};

void TimeTest::arrows_lead_from_writes_to_updates() {
    Opened opened({echo});
    const Recording& recording = *opened.window.recording();
    const Slice& data = lane_of(recording, "smcr-1", "client → server").slices.front();
    const auto arrows = recording.arrows("smcr-1", data.frame);
    std::uint64_t written = 0;
    bool is_consumed = false;
    for (const report::Arrow& arrow : arrows) {
        QVERIFY(arrow.from.time <= arrow.to.time);
        if (arrow.to.frame == data.frame) {
            QCOMPARE(arrow.from.lane, std::string("client writes"));
            const auto& writes = lane_of(recording, "smcr-1", "client writes").slices;
            written += std::ranges::find(writes, arrow.from.frame, &Slice::frame)->octets;
        } else {
            QCOMPARE(arrow.from.frame, data.frame);
            QCOMPARE(arrow.to.time, data.end);
            is_consumed = true;
        }
    }
    QCOMPARE(written, data.octets);
    QVERIFY(is_consumed);
    // By any of its frames the same operation is found.
    for (const report::Arrow& arrow : arrows)
        QCOMPARE(recording.arrows("smcr-1", arrow.from.frame).size(), arrows.size());
    QVERIFY(recording.arrows("smcr-1", 1).empty());
    QVERIFY(recording.arrows("lg-1", data.frame).empty());
}

void TimeTest::arrows_can_be_followed() {
    Opened opened({echo});
    const Recording& recording = *opened.window.recording();
    const Slice& write = lane_of(recording, "smcr-1", "client writes").slices.front();
    Place place = place_of(recording, "smcr-1");
    place.frame = write.frame;
    place.time = write.begin;
    Navigator& navigator = opened.window.navigator();
    navigator.go(place);
    QWidget& view = opened.find<QWidget>("tracks");
    QTest::keyClick(&view, Qt::Key_BracketRight);
    const Slice& data = lane_of(recording, "smcr-1", "client → server").slices.front();
    QCOMPARE(*navigator.place().frame, data.frame);
    QTest::keyClick(&view, Qt::Key_BracketRight);
    QCOMPARE(*navigator.place().time, data.end);
    QTest::keyClick(&view, Qt::Key_BracketLeft);
    QTest::keyClick(&view, Qt::Key_BracketLeft);
    QCOMPARE(*navigator.place().frame, write.frame);
}

void TimeTest::lanes_are_pinned() {
    Opened opened({echo});
    auto& view = dynamic_cast<TrackView&>(opened.find<QWidget>("tracks"));
    const int before = view.content_top();
    // The third line from the top is a lane's: hosts and the link group come first.
    const QPoint lane(30, before + view.line_height() * 5 / 2);
    QTest::mouseMove(view.viewport(), lane);
    QMouseEvent move(
        QEvent::MouseMove, lane, view.viewport()->mapToGlobal(lane), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &move);
    QTest::keyClick(&view, Qt::Key_P);
    QVERIFY(view.content_top() > before);
    // What is pinned can be let go where it is now.
    const QPoint pinned(30, before + view.line_height() / 2);
    QMouseEvent to_pinned(
        QEvent::MouseMove, pinned, view.viewport()->mapToGlobal(pinned), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &to_pinned);
    QTest::keyClick(&view, Qt::Key_P);
    QCOMPARE(view.content_top(), before);
}

void TimeTest::what_is_in_flight_is_the_difference() {
    const CurvePanel panel{
        "x",
        {{"window", {}, true, {{0, 100}}},
         {"produced", {}, false, {{1, 10}, {3, 30}}},
         {"consumed", {}, false, {{2, 10}, {3, 20}, {5, 30}}}}};
    const auto flight = in_flight_of(panel);
    const std::vector<std::pair<Time, std::uint64_t>> expected{{1, 10}, {2, 0}, {3, 10}, {5, 0}};
    QCOMPARE(flight.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(flight[i].time, expected[i].first);
        QCOMPARE(flight[i].value, expected[i].second);
    }
    QVERIFY(in_flight_of({"x", {}}).empty());
}

void TimeTest::rates_add_up() {
    constexpr Time second = capture::second;
    const std::vector<StepValue> steps{{0, 100}, {second, 300}, {3 * second, 1000}};
    double sum = 0;
    for (const Rate& rate : rates_of(steps, {-second, 4 * second}, 5)) sum += rate.octets_per_second;
    QCOMPARE(sum, 1000.0);  // parts of a second each
    const auto rates = rates_of(steps, {second / 2, second * 3 / 2}, 1);
    QCOMPARE(rates.size(), 1U);
    QCOMPARE(rates[0].octets_per_second, 200.0);
}

void TimeTest::a_second_capture_point_is_laid_over() {
    Opened opened({echo});
    QSignalSpy loaded(&opened.window.loader_beside(), &Loader::loaded);
    opened.window.open_beside({echo.toStdString()});
    QVERIFY(loaded.wait(20'000));
    const Recording& recording = *opened.window.recording();
    const Place place = place_of(recording, "smcr-1");
    QCOMPARE(place_beside(recording, place, recording).session, std::string("smcr-1"));
    QVERIFY(place_beside(recording, {}, recording).session.empty());
    opened.window.navigator().go(place);
    const QString title = opened.find<QLabel>("sequenceTitle").text();
    QVERIFY2(title.contains("at smcr_v2_echo.pcap"), qPrintable(title));
    QVERIFY2(title.contains("in flight") && title.contains("rate"), qPrintable(title));
    opened.find<QAction>("withoutBeside").trigger();
    QVERIFY(!opened.find<QLabel>("sequenceTitle").text().contains("at smcr_v2_echo.pcap"));
}

void TimeTest::a_second_capture_point_of_queue_pairs_is_laid_over() {
    const QString loss = samples + "real/roce_read_loss.pcap";
    Opened opened({loss});
    QSignalSpy loaded(&opened.window.loader_beside(), &Loader::loaded);
    opened.window.open_beside({loss.toStdString()});
    QVERIFY(loaded.wait(20'000));
    opened.window.navigator().go(place_of(*opened.window.recording(), "rdma-1"));
    const auto& plot = opened.find<QCustomPlot>("sequencePlot");
    const auto dotted = [&] {
        int count = 0;
        for (int i = 0; i < plot.graphCount(); ++i) count += plot.graph(i)->pen().style() == Qt::DotLine;
        return count;
    };
    QTRY_VERIFY_WITH_TIMEOUT(dotted() >= 2, 20'000);
    opened.window.open_beside({echo.toStdString()});
    QTRY_VERIFY_WITH_TIMEOUT(opened.find<QLabel>("sequenceTitle").text().contains("not in smcr_v2_echo.pcap"), 20'000);
    // It belongs to the capture that was open.
    opened.window.open({echo.toStdString()});
    QTRY_VERIFY_WITH_TIMEOUT(!opened.find<QAction>("withoutBeside").isEnabled(), 20'000);
}

void TimeTest::boxes_take_pinned_lanes() {
    Opened opened({echo});
    auto& view = dynamic_cast<TrackView&>(opened.find<QWidget>("tracks"));
    const int ruler = view.content_top();
    const auto drag = [&](QEvent::Type type, QPoint at) {
        QMouseEvent event(type, at, view.viewport()->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &event);
    };
    drag(QEvent::MouseMove, {30, ruler + view.line_height() * 5 / 2});
    QTest::keyClick(&view, Qt::Key_P);
    std::vector<const Lane*> boxed;
    view.on_box = [&](Stretch, const std::vector<const Lane*>& lanes) { boxed = lanes; };
    const QPoint from(view.viewport()->width() / 2, ruler + 2);
    drag(QEvent::MouseButtonPress, from);
    drag(QEvent::MouseMove, from + QPoint(100, view.line_height() / 2));
    drag(QEvent::MouseButtonRelease, from + QPoint(100, view.line_height() / 2));
    QCOMPARE(boxed.size(), 1U);
}

void TimeTest::percentiles_are_those_of_all() {
    std::vector<Latency> latencies;
    for (Time time = 100; time >= 1; --time) latencies.push_back({time, nullptr, 0});
    QCOMPARE(percentile_of(latencies, 0.5), 50);
    QCOMPARE(percentile_of(latencies, 0.99), 99);
    QCOMPARE(percentile_of(latencies, 1), 100);
    QCOMPARE(percentile_of({{7, nullptr, 0}}, 0.001), 7);
}

void TimeTest::the_tail_is_listed() {
    Opened opened({samples + "real/rdmacm_rping_v4.pcap"});
    opened.find<QDockWidget>("dockLatency").raise();
    auto& pane = dynamic_cast<LatencyPane&>(opened.find<QWidget>("latency"));
    auto& table = opened.find<QTableWidget>("slowest");
    QTRY_VERIFY(table.rowCount() > 2);
    const auto latencies = latencies_of(*opened.window.recording(), {});
    QCOMPARE(static_cast<std::size_t>(table.rowCount()), latencies.size());
    const Time least = latencies[1].time;
    pane.select_tail(least);
    const auto expected = std::ranges::count_if(latencies, [&](const Latency& each) { return each.time >= least; });
    QCOMPARE(static_cast<std::ptrdiff_t>(table.rowCount()), expected);
    QCOMPARE(*opened.window.navigator().place().frame, latencies[0].slice->frame);
    QCOMPARE(table.item(0, 4)->text(), QString::number(latencies[0].slice->frame));
}

void TimeTest::set_ups_are_those_of_analyze() {
    Opened opened({echo});
    const auto set_ups = set_ups_of(*opened.window.recording(), opened.window.recording()->node_of("smcr-1"));
    QCOMPARE(set_ups.size(), 1U);
    const QJsonObject setup =
        analysed(echo)["smcr"].toObject()["connections"].toArray()[0].toObject()["setup"].toObject();
    const double took = static_cast<double>(set_ups[0].end - set_ups[0].begin) / 1e9;
    double last = 0;
    for (const auto& step : setup) last = std::max(last, step.toDouble());
    QVERIFY(std::abs(took - (last - setup["syn"].toDouble())) < 2e-9);

    // How a connection ends is no step of its set-up.
    Opened cm({samples + "real/rdmacm_rping_v4.pcap"});
    const auto of_cm = set_ups_of(*cm.window.recording(), cm.window.recording()->node_of("cm-1"));
    QCOMPARE(of_cm.size(), 1U);
    for (const Slice* step : of_cm[0].steps) {
        const std::string& label = cm.window.recording()->overview.labels[step->label];
        QVERIFY2(!label.starts_with("DISCONNECT") && !label.starts_with("Disconnect"), label.c_str());
    }
}

std::unique_ptr<QObject> time_test() { return std::make_unique<TimeTest>(); }

}  // namespace fabricscope::viewer

#include "time_test.moc"
