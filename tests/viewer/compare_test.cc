// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions beside each other, held against what `replay` says.
#include <QJsonArray>
#include <QTableView>
#include <QTest>

#include "analyzer/viewer/panes/compare_pane.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

const auto never = [] { return false; };

QJsonObject replayed(const QString& file, const char* session, const char* side) {
    QProcess program;
    program.start(FABRICSCOPE_PROGRAM, {"replay", file, "--session", session, "--play", side, "--json"});
    program.waitForFinished();
    return QJsonDocument::fromJson(program.readAllStandardOutput()).object();
}

std::string sample(const char* name) { return (samples + name).toStdString(); }

}  // namespace

class CompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void a_capture_is_the_same_as_itself_data();
    void a_capture_is_the_same_as_itself();
    void other_sessions_differ();
    void runs_are_what_replay_says();
    void the_pane_shows_them();
    void a_row_leads_to_the_session_that_is_compared();
    void bad_input_is_a_sentence();
};

void CompareTest::a_capture_is_the_same_as_itself_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("session");
    QTest::addRow("smcr") << "real/smcr_v2_echo.pcap"
                          << "smcr-1";
    QTest::addRow("cm") << "real/rdmacm_rping_v4.pcap"
                        << "cm-1";
    QTest::addRow("fcvi") << "fcvi/client_server_iso.pcap"
                          << "fcvi-1";
}

void CompareTest::a_capture_is_the_same_as_itself() {
    QFETCH(const QString, file);
    QFETCH(const QString, session);
    const Conversations one({(samples + file).toStdString()}, never), other(one.files(), never);
    const std::string name = session.toStdString();
    QCOMPARE(other.session_like(one, name), name);
    const Compared compared = compare(one, name, other, name);
    QCOMPARE(compared.complaint, std::string());
    QVERIFY(compared.same);
    QVERIFY(!compared.rows.empty());
    QCOMPARE(compared.differences, std::size_t{0});
    for (const ComparedRow& row : compared.rows) {
        QVERIFY(row.one && row.other && !row.differs);
        QCOMPARE(row.one->frame, row.other->frame);
    }
}

void CompareTest::other_sessions_differ() {
    const Conversations one({sample("fcvi/client_server_iso.pcap")}, never);
    const Conversations other({sample("fcvi/retried_setup_fails.pcap")}, never);
    const Compared compared = compare(one, "fcvi-1", other, other.session_like(one, "fcvi-1"));
    QCOMPARE(compared.complaint, std::string());
    QVERIFY(!compared.same);
    QVERIFY(compared.differences > 0);
    QVERIFY(std::ranges::any_of(compared.rows, &ComparedRow::differs));
}

void CompareTest::runs_are_what_replay_says() {
    const Conversations recorded({sample("real/smcr_v2_echo.pcap")}, never);
    for (const Side side : {Side::client, Side::server}) {
        const Compared compared = compare_with_run(recorded, "smcr-1", side, never);
        QCOMPARE(compared.complaint, std::string());
        const QJsonObject expected = replayed(samples + "real/smcr_v2_echo.pcap", "smcr-1", name_of(side));
        QCOMPARE(compared.same, expected["result"].toString() == "same");
        QCOMPARE(static_cast<qsizetype>(compared.rows.size()), expected["messages"].toArray().size());
    }
}

void CompareTest::the_pane_shows_them() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    auto& pane = dynamic_cast<ComparePane&>(opened.find<QWidget>("compare"));
    opened.window.navigator().go(
        {.node = opened.window.recording()->node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    pane.compare_with({sample("real/smcr_v2_echo.pcap")});
    QTRY_VERIFY_WITH_TIMEOUT(!pane.is_busy(), 20'000);
    QVERIFY(pane.compared()->same);
    const QString summary = opened.find<QLabel>("compareSummary").text();
    QVERIFY2(summary.contains("smcr-1 of smcr_v2_echo.pcap: the same"), qPrintable(summary));
    QTableView& table = opened.find<QTableView>("compareTable");
    QCOMPARE(static_cast<std::size_t>(table.model()->rowCount()), pane.compared()->rows.size());
    pane.play(Side::client);
    QTRY_VERIFY_WITH_TIMEOUT(!pane.is_busy(), 20'000);
    QVERIFY(opened.find<QLabel>("compareSummary").text().contains("played from it"));
    pane.play(Side::server);  // and the window is closed meanwhile
}

void CompareTest::a_row_leads_to_the_session_that_is_compared() {
    Opened opened({samples + "real/smcr_v2_20conns.pcap"});
    const Recording& recording = *opened.window.recording();
    auto& pane = dynamic_cast<ComparePane&>(opened.find<QWidget>("compare"));
    const auto select = [&](const char* session) {
        opened.window.navigator().go({.node = recording.node_of(session), .session = session, .frame = {}, .time = {}});
    };
    select("smcr-1");
    pane.play(Side::client);
    QTRY_VERIFY_WITH_TIMEOUT(!pane.is_busy(), 20'000);
    select("smcr-4");
    QTableView& table = opened.find<QTableView>("compareTable");
    table.setCurrentIndex(table.model()->index(0, 0));
    QCOMPARE(opened.window.navigator().place().session, std::string("smcr-1"));
    QCOMPARE(opened.window.navigator().place().node, recording.node_of("smcr-1"));
}

void CompareTest::bad_input_is_a_sentence() {
    const Conversations one({sample("real/smcr_v2_echo.pcap")}, never), none({"/no such file.pcap"}, never);
    QVERIFY(!compare(one, "smcr-1", none, "smcr-1").complaint.empty());
    QVERIFY(!compare(none, "smcr-1", one, "smcr-1").complaint.empty());
    QVERIFY(!compare(one, "smcr-99", one, "smcr-1").complaint.empty());
    QVERIFY(!compare_with_run(one, "smcr-99", Side::client, never).complaint.empty());
    QVERIFY(!compare_with_run(none, "smcr-1", Side::client, never).complaint.empty());
}

std::unique_ptr<QObject> compare_test() { return std::make_unique<CompareTest>(); }

}  // namespace fabricscope::viewer

#include "compare_test.moc"
