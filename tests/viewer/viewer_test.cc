// SPDX-License-Identifier: GPL-2.0-or-later
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDirIterator>
#include <QDockWidget>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <set>

#include "analyzer/viewer/link/request.h"
#include "analyzer/viewer/link/wireshark.h"
#include "analyzer/viewer/model/packet_model.h"
#include "analyzer/viewer/model/session_model.h"
#include "analyzer/viewer/model/tracks.h"
#include "analyzer/viewer/model/verdict_model.h"
#include "analyzer/viewer/panes/ladder_pane.h"
#include "analyzer/viewer/panes/latency_pane.h"
#include "analyzer/viewer/panes/memory_pane.h"
#include "analyzer/viewer/panes/sequence_pane.h"
#include "analyzer/viewer/panes/track_view.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

report::Slice slice(Time begin, Time end, Activity activity = Activity::operation) {
    return {.begin = begin, .end = end, .frame = 1, .octets = 10, .label = 0, .activity = activity};
}

}  // namespace

class ViewerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slices_that_overlap_get_rows_of_their_own();
    void summaries_keep_all_slices_and_the_worst();
    void nearest_slice_is_found();
    void statistics_are_of_what_ended();
    void places_can_be_gone_back_to();
    void view_stays_within_the_capture();
    void panes_agree_with_analyze_data();
    void panes_agree_with_analyze();
    void a_window_without_a_capture_can_be_typed_in();
    void cursors_are_plotted();
    void click_on_a_finding_moves_all_panes();
    void keys_move_all_panes_as_clicks_do();
    void exchanges_are_found_in_their_branch();
    void filter_and_search();
    void operations_are_below_their_connection();
    void of_many_operations_the_first_ones_are_listed();
    void addresses_are_sorted_by_their_numbers();
    void sentences_can_be_read_in_a_small_window();
    void ladders_and_memory_are_those_of_the_report();
    void packets_are_linked_both_ways();
    void responses_belong_to_their_stream();
    void fibre_channel_frames_say_what_they_are();
    void frames_of_a_flow_belong_to_what_they_have_in_common();
    void what_there_is_no_room_for_is_said();
    void a_capture_of_other_traffic_says_what_there_is();
    void wireshark_is_told_the_frame_and_the_session();
    void of_several_files_wireshark_is_told_the_right_one();
    void annotated_captures_are_opened();
    void lists_get_a_quarter_of_what_a_window_gains();
    void every_sample_can_be_looked_at();
    void requests_reach_a_viewer_that_runs();
    void colours_follow_the_palette();
    void bad_input_is_a_sentence();
    void growing_files_are_followed();
    void columns_widen_with_what_comes_into_them();
    void a_file_that_grew_is_shown_at_the_same_place();
    void a_file_that_changed_is_read_again();
    void reading_can_be_cancelled();
};

void ViewerTest::slices_that_overlap_get_rows_of_their_own() {
    report::Overview overview;
    overview.add(report::Node::none, "a")
        .lanes.push_back({.name = "x", .slices = {slice(0, 10), slice(5, 8), slice(9, 12), slice(10, 20)}});
    const std::vector<Track> tracks = tracks_of(overview);
    QCOMPARE(tracks.size(), 1U);
    QCOMPARE(tracks[0].rows.size(), 2U);
    QCOMPARE(tracks[0].rows[0].size(), 2U);
    QCOMPARE(tracks[0].rows[1].size(), 2U);
}

void ViewerTest::summaries_keep_all_slices_and_the_worst() {
    constexpr std::uint32_t count = 100'000;
    Lane lane{.name = "x"};
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < count; ++i) {
        lane.slices.push_back(slice(i * 100, i * 100 + 50, i == 777 ? Activity::trouble : Activity::operation));
        all.push_back(i);
    }
    const Row row(lane, all);
    std::uint64_t slices = 0, pieces = 0, troubled = 0;
    row.visit(0, count * 100, count * 100 / 1000, [&](const Piece& piece) {
        ++pieces;
        slices += piece.count;
        if (piece.activity == Activity::trouble) ++troubled;
    });
    QCOMPARE(slices, std::uint64_t{count});
    QCOMPARE(troubled, 1U);
    QVERIFY2(pieces < 20'000, qPrintable(QString::number(pieces)));
    QVERIFY(row.memory() / count < 16);

    pieces = 0;
    row.visit(77'700, 77'750, 1, [&](const Piece& piece) {
        ++pieces;
        QCOMPARE(piece.slice, 777U);
        QCOMPARE(piece.count, 1U);
    });
    QCOMPARE(pieces, 1U);
}

void ViewerTest::nearest_slice_is_found() {
    const Lane lane{.name = "x", .slices = {slice(100, 200), slice(300, 300)}};
    const Row row(lane, {0, 1});
    QCOMPARE(row.slice_at(150, 10), 0U);
    QCOMPARE(row.slice_at(205, 10), 0U);
    QCOMPARE(row.slice_at(295, 10), 1U);
    QCOMPARE(row.slice_at(250, 10), SIZE_MAX);
}

void ViewerTest::statistics_are_of_what_ended() {
    Lane lane{.name = "x", .slices = {slice(0, 10), slice(20, 50), slice(60, 60), slice(500, 600)}};
    lane.slices[2].ended = false;
    const std::vector<Statistics> all = statistics_of({&lane}, 0, 100);
    QCOMPARE(all.size(), 1U);
    QCOMPARE(all[0].count, 3U);
    QCOMPARE(all[0].octets, 30U);
    QCOMPARE(all[0].durations, (std::vector<Time>{10, 30}));
    QCOMPARE(*all[0].percentile(0.5), 10);
    QCOMPARE(*all[0].percentile(1), 30);
}

void ViewerTest::places_can_be_gone_back_to() {
    Navigator navigator;
    navigator.reset({0, 1000});
    navigator.go({.node = 1, .session = "a", .frame = {}, .time = 5});
    navigator.go({.node = 2, .session = "b", .frame = {}, .time = 6});
    navigator.back();
    QCOMPARE(navigator.place().session, std::string("a"));
    navigator.forward();
    QCOMPARE(navigator.place().session, std::string("b"));
    navigator.back();
    navigator.go({.node = 3, .session = "c", .frame = {}, .time = 7});
    QVERIFY(!navigator.can_go_forward());
    navigator.back();
    navigator.back();
    QCOMPARE(navigator.place(), Place{});
    QVERIFY(!navigator.can_go_back());
}

void ViewerTest::view_stays_within_the_capture() {
    Navigator navigator;
    navigator.reset({0, 1'000'000});
    navigator.zoom(0.001, 500'000);
    QVERIFY(navigator.stretch().begin <= 500'000 && navigator.stretch().end >= 500'000);
    navigator.pan(1e6);
    QCOMPARE(navigator.stretch().end, navigator.whole().end);
    navigator.zoom(1e9, 0);
    QCOMPARE(navigator.stretch(), navigator.whole());
}

void ViewerTest::panes_agree_with_analyze_data() {
    QTest::addColumn<QString>("file");
    for (const char* file :
         {"real/smcr_v2_echo.pcap", "real/rdmacm_rping_v4.pcap", "fcvi/client_server_iso.pcap",
          "fc_ae_rdma/several_exchanges.pcap", "fc_ae_rdma/residual_under.pcap"})
        QTest::newRow(file) << samples + file;
}

void ViewerTest::panes_agree_with_analyze() {
    QFETCH(const QString, file);
    QVERIFY(QFile::exists(file));
    Opened opened({file});
    const QJsonObject expected = analysed(file);
    QCOMPARE(opened.message(), QString());

    QStringList observations;
    for (const auto& observation : expected["observations"].toArray())
        observations.append(observation.toObject()["id"].toString());
    QCOMPARE(column(*opened.find<QTableView>("verdictTable").model(), VerdictModel::kind), observations);

    const QStringList sessions = column(*opened.find<QTreeView>("sessionTree").model(), 0);
    const auto holds = [&](const char* protocol, const char* list) {
        for (const auto& session : expected[protocol].toObject()[list].toArray()) {
            const QString name = session.toObject()["id"].toString();
            QVERIFY2(!name.isEmpty() && sessions.contains(name), qPrintable(name));
        }
    };
    holds("smcr", "connections");
    holds("smcr", "link_groups");
    holds("rdma_cm", "connections");
    holds("fcvi", "connections");
    holds("fc_ae_rdma", "regions");
    QVERIFY(opened.window.recording()->operations() > 0);
}

void ViewerTest::cursors_are_plotted() {
    const QString file = samples + "real/smcr_v2_echo.pcap";
    Opened opened({file});
    const Recording& recording = *opened.window.recording();
    const Place place{.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}};
    const auto panels = panels_of(recording, place);
    QCOMPARE(panels.size(), 2U);
    const auto produced = std::ranges::find(panels[0].curves, std::string_view("produced"), &report::Curve::name);
    const QJsonObject connection = analysed(file)["smcr"].toObject()["connections"].toArray()[0].toObject();
    const qint64 expected = connection["client_to_server"].toObject()["bytes_announced"].toInteger();
    QVERIFY(expected > 0);
    QCOMPARE(produced->steps.back().value, static_cast<std::uint64_t>(expected));
}

void ViewerTest::click_on_a_finding_moves_all_panes() {
    Opened opened({samples + "fcvi/retried_setup_fails.pcap"});
    QTableView& table = opened.find<QTableView>("verdictTable");
    QVERIFY(table.model()->rowCount() > 0);
    const Observation& first = opened.window.recording()->observations().front();
    table.scrollTo(table.model()->index(0, 0));
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(0, 1)).center());
    const Place& place = opened.window.navigator().place();
    QVERIFY(place.frame == first.frames.back());
    QVERIFY(place.time == opened.window.recording()->time_of(first.frames.back()));
    const QString words = opened.find<QLabel>("place").text();
    QVERIFY2(words.contains(QString("frame %1").arg(first.frames.back())), qPrintable(words));
    QTest::keyClick(&opened.window, Qt::Key_Left, Qt::AltModifier);
    QVERIFY(!opened.window.navigator().place().frame);
}

void ViewerTest::a_window_without_a_capture_can_be_typed_in() {
    MainWindow window;
    window.QMainWindow::show();
    for (const char* box : {"sessionSearch", "verdictFilter", "packetFilter"})
        QTest::keyClicks(window.findChild<QLineEdit*>(box), "ab");
    QCOMPARE(window.focusWidget()->objectName(), QString("tracks"));
}

void ViewerTest::keys_move_all_panes_as_clicks_do() {
    Opened opened({samples + "fcvi/retried_setup_fails.pcap"});
    QTableView& table = opened.find<QTableView>("verdictTable");
    QVERIFY(table.model()->rowCount() > 1);
    table.setCurrentIndex(table.model()->index(0, VerdictModel::sentence));
    QTest::keyClick(&table, Qt::Key_Down);
    const Observation& second = opened.window.recording()->observations()[1];
    QCOMPARE(opened.window.navigator().place().session, second.session);
    QVERIFY(opened.window.navigator().place().frame == second.frames.back());
    // What is typed into the filter moves nothing.
    const Place before = opened.window.navigator().place();
    opened.find<QLineEdit>("verdictFilter")
        .setText(QString::fromStdString(opened.window.recording()->observations()[0].id));
    QCOMPARE(opened.window.navigator().place(), before);
}

void ViewerTest::exchanges_are_found_in_their_branch() {
    Opened opened({samples + "real/fcoe_vn2vn.pcap"});
    const auto observations = opened.window.recording()->observations();
    const auto of_an_exchange = std::ranges::find_if(
        observations, [](const Observation& o) { return o.session.starts_with("xchg-"); });
    QVERIFY(of_an_exchange != observations.end());
    QTableView& table = opened.find<QTableView>("verdictTable");
    table.setCurrentIndex(table.model()->index(static_cast<int>(of_an_exchange - observations.begin()), 0));
    const Place& place = opened.window.navigator().place();
    QCOMPARE(place.session, of_an_exchange->session);
    QVERIFY(place.node.has_value());
    opened.window.open(Request{opened.window.recording()->files, {}, of_an_exchange->frames.back()});
    QVERIFY(opened.window.navigator().place().node.has_value());
    QVERIFY(!opened.window.navigator().place().session.empty());
}

void ViewerTest::filter_and_search() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    QTreeView& tree = opened.find<QTreeView>("sessionTree");
    opened.find<QLineEdit>("sessionSearch").setText("smcr-1");
    QVERIFY(row_of(*tree.model(), "smcr-1").isValid());
    tree.setCurrentIndex(row_of(*tree.model(), "smcr-1"));
    QCOMPARE(opened.window.navigator().place().session, std::string("smcr-1"));
    opened.find<QLineEdit>("sessionSearch").setText("no such words");
    QCOMPARE(tree.model()->rowCount(), 0);
    opened.find<QLineEdit>("verdictFilter").setText("no such words");
    QCOMPARE(opened.find<QTableView>("verdictTable").model()->rowCount(), 0);
}

void ViewerTest::operations_are_below_their_connection() {
    const QString file = samples + "real/smcr_v2_echo.pcap";
    Opened opened({file});
    QTreeView& tree = opened.find<QTreeView>("sessionTree");
    const QModelIndex connection = row_of(*tree.model(), "smcr-1");
    QVERIFY(!tree.isExpanded(connection));
    tree.expand(connection);
    const int operations = tree.model()->rowCount(connection);
    QCOMPARE(operations, 10);  // five messages, and each sent back
    qint64 octets = 0;
    for (int row = 0; row < operations; ++row)
        octets += tree.model()->index(row, SessionModel::octets, connection).data(SessionModel::sort_role).toLongLong();
    const QJsonObject told = analysed(file)["smcr"].toObject()["connections"].toArray()[0].toObject();
    QCOMPARE(
        octets, told["client_to_server"].toObject()["bytes_announced"].toInteger() +
                    told["server_to_client"].toObject()["bytes_announced"].toInteger());

    const QModelIndex last = tree.model()->index(operations - 1, 0, connection);
    tree.setCurrentIndex(last);
    const Place place = opened.window.navigator().place();
    QCOMPARE(place.session, std::string("smcr-1"));
    QVERIFY(place.frame && *place.frame > 1);
    QCOMPARE(tree.currentIndex(), last);
    opened.window.navigator().back();
    QVERIFY(tree.currentIndex() != last);
}

void ViewerTest::of_many_operations_the_first_ones_are_listed() {
    constexpr int most = static_cast<int>(SessionModel::most_operations);
    const auto recording = std::make_shared<Recording>();
    Lane lane{.name = "x"};
    for (int i = most; i >= 0; --i) lane.slices.push_back(slice(i * 100, i * 100 + 50));
    recording->overview.add(report::Node::none, "smcr-1").lanes.push_back(std::move(lane));
    SessionModel model;
    model.show(recording);
    const QModelIndex connection = model.index_of(0);
    model.fetchMore(connection);
    QCOMPARE(model.rowCount(connection), most);
    QCOMPARE(model.operation_at(model.index(most - 1, 0, connection))->begin, Time{most - 1} * 100);
}

void ViewerTest::addresses_are_sorted_by_their_numbers() {
    const auto recording = std::make_shared<Recording>();
    const QStringList sorted{"10.1.2.0 - 10.1.10.9", "10.1.10.0 - 10.1.2.9", "smcr-9", "smcr-10"};
    for (const QString& name : sorted) recording->overview.add(report::Node::none, name.toStdString()).about = "x";
    SessionModel model;
    model.show(recording);
    QStringList keys;
    for (std::size_t i = 0; i < recording->overview.nodes.size(); ++i)
        keys << model.index_of(i).data(SessionModel::sort_role).toString();
    QVERIFY2(std::ranges::is_sorted(keys), qPrintable(keys.join('\n')));
}

void ViewerTest::sentences_can_be_read_in_a_small_window() {
    Opened opened({samples + "real/roce_read_loss.pcap"});
    opened.window.resize(800, 600);
    const QTableView& table = opened.find<QTableView>("verdictTable");
    QTRY_VERIFY(table.width() < 300);
    QVERIFY(table.columnWidth(VerdictModel::sentence) > 15 * table.fontMetrics().averageCharWidth());
}

void ViewerTest::ladders_and_memory_are_those_of_the_report() {
    Opened smcr({samples + "real/smcr_v2_echo.pcap"});
    const Recording& recording = *smcr.window.recording();
    const Place place{.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}};
    const auto ladder = ladder_of(recording, place);
    QVERIFY(ladder && !ladder->rungs.empty());
    QCOMPARE(ladder->rungs.front().text, std::string("SYN"));
    for (const report::Memory& memory : memories_of(recording, place))
        for (const report::Access& access : memory.accesses) QVERIFY(access.address + access.octets <= *memory.size);
    QVERIFY(!latencies_of(recording, place.node).empty());

    Opened region({samples + "fc_ae_rdma/several_exchanges.pcap"});
    const std::string name = "fc-ae-rdma-region-1";
    const auto memories = memories_of(
        *region.window.recording(),
        {.node = region.window.recording()->node_of(name), .session = name, .frame = {}, .time = {}});
    QCOMPARE(memories.size(), 1U);
    QVERIFY(std::ranges::any_of(memories[0].accesses, &report::Access::writes));
}

void ViewerTest::packets_are_linked_both_ways() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    const Recording& recording = *opened.window.recording();
    QTableView& table = opened.find<QTableView>("packetTable");
    QCOMPARE(static_cast<std::uint64_t>(table.model()->rowCount()), recording.results->capture.frames);
    Navigator& navigator = opened.window.navigator();
    navigator.go({.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = 7, .time = {}});
    QCOMPARE(table.currentIndex().row(), 6);
    QCOMPARE(navigator.place().session, std::string("smcr-1"));
    opened.window.open(Request{opened.window.recording()->files, "smcr-1", 30});
    QCOMPARE(navigator.place().session, std::string("smcr-1"));
    table.setCurrentIndex(table.model()->index(9, 0));
    QVERIFY(navigator.place().frame == 10U);
    QVERIFY(navigator.place().time == recording.time_of(10));
    navigator.go({.node = {}, .session = {}, .frame = 1, .time = {}});
    const auto row_of_session = static_cast<int>(column(*table.model(), PacketModel::session).lastIndexOf("smcr-1"));
    table.setCurrentIndex(table.model()->index(row_of_session, 0));
    QCOMPARE(navigator.place().session, std::string("smcr-1"));
    QCOMPARE(navigator.place().node, recording.node_of("smcr-1"));

    const QModelIndex last = table.model()->index(table.model()->rowCount() - 1, 0);
    const auto is_seen = [&](const QModelIndex& row) {
        return table.viewport()->rect().intersects(table.visualRect(row));
    };
    navigator.go({.node = {}, .session = {}, .frame = recording.results->capture.frames, .time = {}});
    opened.find<QDockWidget>("dockPackets").raise();
    QTRY_VERIFY(is_seen(last));
    QVERIFY(!is_seen(table.model()->index(0, 0)));

    opened.find<QLineEdit>("packetFilter").setText("RDMA WRITE");
    QVERIFY(table.model()->rowCount() > 0);
    QVERIFY(static_cast<std::uint64_t>(table.model()->rowCount()) < recording.results->capture.frames);
    for (const QString& words : column(*table.model(), PacketModel::summary)) QVERIFY(words.contains("RDMA WRITE"));
    opened.find<QLineEdit>("packetFilter").setText("12");
    QVERIFY(column(*table.model(), PacketModel::number).contains("12"));
    opened.find<QLineEdit>("packetFilter").setText("no such words");
    QCOMPARE(table.model()->rowCount(), 0);
    opened.find<QLineEdit>("packetFilter").clear();

    opened.find<QCheckBox>("packetsOfSelection").setChecked(true);
    navigator.go({.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    const QStringList sessions = column(*table.model(), PacketModel::session);
    QVERIFY(!sessions.empty());
    for (const QString& session : sessions) QCOMPARE(session, "smcr-1");
    const QString all = column(*table.model(), PacketModel::summary).join('\n');
    for (const char* words : {"SYN", "RDMA WRITE Only", "SEND Only"}) QVERIFY2(all.contains(words), qPrintable(all));
}

void ViewerTest::responses_belong_to_their_stream() {
    Opened opened({samples + "real/roce_read_loss.pcap"});
    const Recording& recording = *opened.window.recording();
    const engine::rdma::Stream& stream = recording.reading.engine->rdma().streams[0];
    const auto node = recording.node_of("rdma-1");
    const auto frames = std::ranges::count(
        recording.frames.rows, node, [](const FrameRow& row) { return std::optional<std::size_t>(row.node); });
    QCOMPARE(static_cast<std::uint64_t>(frames), stream.packets());
}

void ViewerTest::fibre_channel_frames_say_what_they_are() {
    Opened opened({samples + "fcvi/client_server_iso.pcap"});
    const QStringList words = column(*opened.find<QTableView>("packetTable").model(), PacketModel::summary);
    QVERIFY2(words.contains("FC-VI, unsolicited control"), qPrintable(words.join('\n')));
    QVERIFY2(words.contains("Extended Link Services, ELS request"), qPrintable(words.join('\n')));
}

void ViewerTest::frames_of_a_flow_belong_to_what_they_have_in_common() {
    report::Overview overview;
    overview.add(report::Node::none, "link");
    for (const std::uint64_t frame : {1U, 3U}) {
        report::Slice begin = slice(0, 1);
        begin.frame = frame;
        overview.add(0, "connection").lanes.push_back({.name = "x", .slices = {begin}});
    }
    FrameTable frames;
    const std::vector<std::uint8_t> octets(60);
    for (const std::uint64_t number : {3U, 2U, 1U, 70'000U})
        frames.add(capture::decode(
            {.number = number, .wire_length = 60, .data = octets, .link = capture::LinkType::ethernet}));
    frames.sort();
    frames.take_nodes_from(overview, {});
    QCOMPARE(frames.rows[0].node, 1U);
    QCOMPARE(frames.rows[1].node, 0U);
    QCOMPARE(frames.rows[2].node, 2U);
    QCOMPARE(frames.row_of(70'000), 3U);
    QCOMPARE(frames.row_of(4), frames.rows.size());
}

void ViewerTest::what_there_is_no_room_for_is_said() {
    Recording recording;
    recording.frames.most = 2;
    const std::vector<std::uint8_t> octets(60);
    for (const std::uint64_t number : {1U, 2U, 3U, 4U, 5U})
        recording.frames.add(capture::decode(
            {.number = number, .wire_length = 60, .data = octets, .link = capture::LinkType::ethernet}));
    QCOMPARE(recording.frames.rows.size(), 2U);
    QCOMPARE(recording.frames.row_of(5), 2U);
    QVERIFY(!recording.time_of(5).has_value());
    QCOMPARE(recording.complaint(), std::string("Packets lists the first 2 frames; 3 more were read."));
}

void ViewerTest::a_capture_of_other_traffic_says_what_there_is() {
    Opened opened({samples + "real/smcr_fallback_plain_client.pcap"});
    QVERIFY(opened.message().startsWith("Nothing in this capture belongs to a protocol that fabricscope follows.\n"));
    QVERIFY(opened.message().contains("\n1 TCP connection began without offering SMC: "));
}

void ViewerTest::wireshark_is_told_the_frame_and_the_session() {
    const QTemporaryDir config;
    QVERIFY(QDir(config.path()).mkpath("profiles/SMC-R"));
    qputenv("WIRESHARK_CONFIG_DIR", config.path().toLocal8Bit());
    const QString file = samples + "real/smcr_v2_echo.pcap";
    Opened opened({file});
    const Recording& recording = *opened.window.recording();
    const Place place{.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = 30, .time = {}};
    QCOMPARE(
        wireshark_arguments(recording, place),
        (QStringList{"-r", file, "-g", "30", "-Y", "smcr.connection == \"smcr-1\"", "-C", "SMC-R"}));
    QCOMPARE(display_filter(recording, {.node = {}, .session = "rdma-1", .frame = 7, .time = {}}), "rdma.stream == 1");
    QCOMPARE(display_filter(recording, {.node = {}, .session = "", .frame = 7, .time = {}}), "frame.number == 7");
    QVERIFY(display_filter(recording, {}).isEmpty());
}

void ViewerTest::of_several_files_wireshark_is_told_the_right_one() {
    const QString first = samples + "real/smcr_v2_two_links.pcapng",
                  second = samples + "real/smcr_v2_two_links_b.pcapng";
    Opened opened({first, second});
    const Recording& recording = *opened.window.recording();
    QApplication::clipboard()->setText("before");
    const auto actions = opened.window.findChildren<QAction*>();
    QAction& copy = **std::ranges::find(actions, QKeySequence("Ctrl+Shift+C"), &QAction::shortcut);
    copy.trigger();
    QVERIFY(opened.message().startsWith("Nothing is selected"));
    std::set<QString> files;
    for (const auto& connection : recording.reading.engine->smcr().connections) {
        const std::string name = "smcr-" + std::to_string(connection.id);
        const Place place{.node = recording.node_of(name), .session = name, .frame = {}, .time = {}};
        const QStringList words = wireshark_arguments(recording, place);
        const auto origin = recording.reading.origins.of({connection.first_frame}).begin()->second;
        QCOMPARE(words[1].toStdString(), recording.reading.opened[origin.source]);
        QCOMPARE(words[3], QString::number(origin.number));
        files.insert(words[1]);
        opened.window.navigator().go(place);
        copy.trigger();
        QVERIFY(opened.message().contains("numbered over all files"));
    }
    QCOMPARE(QApplication::clipboard()->text(), "before");
}

/// The stand-in writes down how it was called.
void ViewerTest::annotated_captures_are_opened() {
    const QTemporaryDir folder;
    const QString told = folder.filePath("arguments"), annotated = folder.filePath("annotated.pcapng");
    QFile wireshark(folder.filePath("wireshark"));
    QVERIFY(wireshark.open(QIODevice::WriteOnly));
    wireshark.write(("#!/bin/sh\necho \"$@\" >" + told + ".new && mv " + told + ".new " + told + "\n").toLocal8Bit());
    wireshark.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    wireshark.close();
    const QByteArray path = qgetenv("PATH");
    Opened opened({samples + "fcvi/retried_setup_fails.pcap"});
    opened.window.navigator().go({.node = {}, .session = "fcvi-1", .frame = 7, .time = {}});

    qputenv("PATH", folder.path().toLocal8Bit() + ":" + path);
    opened.window.annotate(annotated);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(told), 20'000);
    QFile arguments(told);
    QVERIFY(arguments.open(QIODevice::ReadOnly));
    QVERIFY(arguments.readAll().startsWith(("-r " + annotated + " -g 7 -Y fcvi.connection").toLocal8Bit()));
    QFile written(annotated);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().contains("fcvi-1"));
    QTRY_COMPARE(opened.message(), QString());

    qputenv("PATH", "/nonexistent");
    opened.window.annotate(annotated + "2");
    QTRY_COMPARE_WITH_TIMEOUT(opened.message(), QString("Wireshark is not installed, or not on the PATH."), 20'000);
    opened.window.annotate("/nonexistent/x.pcapng");
    QTRY_VERIFY_WITH_TIMEOUT(opened.message().contains("/nonexistent"), 20'000);
    qputenv("PATH", path);
}

void ViewerTest::lists_get_a_quarter_of_what_a_window_gains() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    QTest::qWait(50);
    const int before = opened.find<QDockWidget>("dockVerdict").width();
    const int window = opened.window.width();
    const auto gained_at = [&](int width) {
        opened.window.resize(width, 1440);
        QTest::qWait(50);
        return opened.find<QDockWidget>("dockVerdict").width() - before;
    };
    constexpr int about = 20;
    const int gained = gained_at(2560), left = gained_at(window);
    QVERIFY2(std::abs(gained - (2560 - window) / 4) <= about, qPrintable(QString::number(gained)));
    QVERIFY2(std::abs(left) <= about, qPrintable(QString::number(left)));
}

void ViewerTest::every_sample_can_be_looked_at() {
    constexpr std::size_t most_nodes = 8;
    int files = 0;
    for (QDirIterator file(samples, {"*.pcap", "*.pcapng"}, QDir::Files, QDirIterator::Subdirectories);
         file.hasNext();) {
        if (file.next().endsWith(".fcoe.pcap")) continue;  // the same frames as beside it
        Opened opened({file.filePath()});
        ++files;
        const Recording& recording = *opened.window.recording();
        QVERIFY2(recording.reading.problems.empty(), qPrintable(file.fileName()));
        const auto& nodes = recording.overview.nodes;
        QCOMPARE(nodes.empty(), !opened.message().isEmpty());
        for (std::size_t i = 0; i < std::min(nodes.size(), most_nodes); ++i) {
            opened.window.navigator().go(
                {.node = i, .session = nodes[i].name, .frame = nodes[i].first_frame, .time = nodes[i].first});
            for (const char* pane : {"tracks", "sequence", "ladder", "memory", "latency", "packets"})
                QVERIFY(!opened.find<QWidget>(pane).grab().isNull());
        }
        for (const Track& track : recording.tracks)
            for (const Slice& slice : nodes[track.node].lanes[track.lane].slices) {
                QVERIFY2(slice.begin <= slice.end && slice.frame != 0, qPrintable(file.fileName()));
                QVERIFY2(slice.begin >= recording.start() && slice.end <= recording.end(), qPrintable(file.fileName()));
            }
    }
    QVERIFY(files > 100);
}

void ViewerTest::requests_reach_a_viewer_that_runs() {
    const std::string file = (samples + "real/smcr_v2_echo.pcap").toStdString();
    const Request request{{file}, "smcr-1", 30};
    QCOMPARE(*request_in(octets_of(request)), request);
    for (const char* octets : {"", "{", "[]", "{\"files\": 7}", "\xff\xfe"}) QVERIFY(!request_in(octets));

    const QString socket = QString("fabricscope-viewer-test-%1").arg(QCoreApplication::applicationPid());
    QVERIFY(!hand_over(request, socket));
    Opened opened({QString::fromStdString(file)});
    const RequestServer server(socket, [&](const Request& asked) { opened.window.open(asked); });
    QVERIFY(hand_over(request, socket));
    QTRY_COMPARE(opened.window.navigator().place().session, std::string("smcr-1"));
    QVERIFY(opened.window.navigator().place().frame == 30U);
    QVERIFY(!opened.window.loader().is_busy());
}

void ViewerTest::colours_follow_the_palette() {
    const QPalette light = QGuiApplication::palette();
    QPalette dark = light;
    dark.setColor(QPalette::Base, QColor(30, 30, 34));
    dark.setColor(QPalette::Window, QColor(45, 45, 50));
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) dark.setColor(role, Qt::white);
    QGuiApplication::setPalette(dark);
    {
        Opened opened({samples + "real/smcr_v2_echo.pcap"});
        opened.window.navigator().go(
            {.node = opened.window.recording()->node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
        for (const char* pane : {"tracks", "ladder"}) {
            QWidget& widget = opened.find<QWidget>(pane);
            const QImage picture = widget.grab().toImage();
            int bright = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x) bright += picture.pixelColor(x, y).lightness() > 128;
            QVERIFY2(bright * 4 < picture.width() * picture.height(), pane);
            QVERIFY2(bright > 0, pane);
        }
    }
    QGuiApplication::setPalette(light);
}

void ViewerTest::bad_input_is_a_sentence() {
    QTemporaryDir folder;
    const auto file_of = [&](const char* name, const QByteArray& octets) {
        QFile file(folder.filePath(name));
        [&] { QVERIFY(file.open(QIODevice::WriteOnly)); }();
        file.write(octets);
        return file.fileName();
    };
    QVERIFY(Opened({folder.filePath("missing.pcap")}).message().contains("missing.pcap"));
    QVERIFY(Opened({file_of("empty.pcap", "")}).message().contains("empty.pcap"));
    QVERIFY(Opened({file_of("words.pcap", "these are no frames at all")}).message().contains("words.pcap"));
    QVERIFY(Opened({folder.path()}).message().contains(folder.path()));

    QFile whole(samples + "real/smcr_v2_echo.pcap");
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray octets = whole.readAll();
    QCOMPARE(
        Opened({file_of("header.pcap", octets.left(24))}).message(), QString("There is no frame in this capture."));
    Opened cut({file_of("cut.pcap", octets.left(octets.size() - 7))});
    QVERIFY2(cut.message().contains("cut.pcap"), qPrintable(cut.message()));
    QVERIFY(cut.window.recording()->operations() > 0);
}

namespace {

/// The first half of a sample in a file of its own, to which the rest can be written.
struct HalfWritten {
    QByteArray octets;  ///< all of the sample
    QTemporaryDir folder;
    QFile file;

    explicit HalfWritten(const char* sample) : file(folder.filePath("grows.pcap")) {
        QFile whole(samples + sample);
        if (!whole.open(QIODevice::ReadOnly) || !file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) return;
        octets = whole.readAll();
        file.write(octets.left(octets.size() / 2));
    }
};

}  // namespace

void ViewerTest::growing_files_are_followed() {
    HalfWritten half("real/smcr_v2_echo.pcap");
    QVERIFY(!half.octets.isEmpty() && half.file.isOpen());
    const QByteArray& octets = half.octets;
    QFile& file = half.file;
    Opened opened({file.fileName()});
    const std::size_t before = opened.window.recording()->frames.rows.size();
    opened.window.navigator().go({.node = {}, .session = "smcr-1", .frame = 3, .time = {}});
    QAction& follow = opened.find<QAction>("follow");
    follow.setChecked(true);
    file.write(octets.mid(octets.size() / 2));
    QTRY_VERIFY_WITH_TIMEOUT(opened.window.recording()->frames.rows.size() > before, 20'000);
    QCOMPARE(opened.message(), QString());
    QVERIFY(opened.window.navigator().place().frame == 3U);

    QVERIFY(file.resize(octets.size() / 3));
    QTRY_VERIFY_WITH_TIMEOUT(opened.message().contains("became shorter"), 20'000);
    QVERIFY(!follow.isChecked());
    QVERIFY(file.remove());
    follow.setChecked(true);
    QTRY_VERIFY_WITH_TIMEOUT(opened.message().contains("is gone"), 20'000);
    QVERIFY(opened.window.recording()->frames.rows.size() > before);
}

void ViewerTest::columns_widen_with_what_comes_into_them() {
    HalfWritten half("real/smcr_v2_echo.pcap");
    QVERIFY(!half.octets.isEmpty() && half.file.isOpen());
    Opened opened({half.file.fileName()});
    QTreeView& tree = opened.find<QTreeView>("sessionTree");
    const int before = tree.columnWidth(SessionModel::outcome);
    tree.setColumnWidth(SessionModel::packets, 30);
    opened.find<QAction>("follow").setChecked(true);
    half.file.write(half.octets.mid(half.octets.size() / 2));
    QTRY_VERIFY_WITH_TIMEOUT(column(*tree.model(), SessionModel::outcome).contains("smc-r, orderly"), 20'000);
    QVERIFY(tree.columnWidth(SessionModel::outcome) > before);
    QVERIFY(tree.columnWidth(SessionModel::outcome) >= tree.fontMetrics().horizontalAdvance("smc-r, orderly"));
    QCOMPARE(tree.columnWidth(SessionModel::packets), 30);  // as the user wants it
}

void ViewerTest::a_file_that_grew_is_shown_at_the_same_place() {
    HalfWritten half("real/smcr_v2_20conns.pcap");
    QVERIFY(!half.octets.isEmpty() && half.file.isOpen());
    const QByteArray& octets = half.octets;
    QFile& file = half.file;
    Opened opened({file.fileName()});
    auto& view = dynamic_cast<TrackView&>(opened.find<QWidget>("tracks"));
    QTreeView& tree = opened.find<QTreeView>("sessionTree");
    // A lane is pinned, a connection unfolded, and the time cursor is where no frame is.
    const int ruler = view.content_top();
    const QPoint lane(30, ruler + view.line_height() * 5 / 2);
    QMouseEvent move(
        QEvent::MouseMove, lane, view.viewport()->mapToGlobal(lane), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(view.viewport(), &move);
    QTest::keyClick(&view, Qt::Key_P);
    QVERIFY(view.content_top() > ruler);
    tree.expand(row_of(*tree.model(), "smcr-1"));
    const Recording& before = *opened.window.recording();
    const Time between = before.start() + 12'345'678;
    opened.window.navigator().go(
        {.node = before.node_of("lg-1"), .session = "lg-1", .frame = 3, .time = before.start()});
    opened.window.navigator().go({.node = before.node_of("smcr-2"), .session = "smcr-2", .frame = 3, .time = between});
    const std::size_t frames = before.frames.rows.size();
    opened.find<QAction>("follow").setChecked(true);
    const qsizetype written = octets.size() / 2;
    file.write(octets.mid(written, octets.size() - written - 7));  // to the middle of the last frame
    QTRY_VERIFY_WITH_TIMEOUT(opened.window.recording()->frames.rows.size() > frames, 20'000);
    const Place& place = opened.window.navigator().place();
    QCOMPARE(place.node, opened.window.recording()->node_of("smcr-2"));
    QVERIFY(place.time == between);
    QVERIFY(view.content_top() > ruler);
    QVERIFY(tree.isExpanded(row_of(*tree.model(), "smcr-1")));
    QVERIFY(!tree.isExpanded(row_of(*tree.model(), "smcr-2")));
    opened.window.navigator().back();
    QCOMPARE(opened.window.navigator().place().session, std::string("lg-1"));
    QCOMPARE(opened.message(), QString());
    QVERIFY(!column(*opened.find<QTableView>("verdictTable").model(), VerdictModel::kind).contains("CAPTURE-O-unread"));
    // Nobody follows it any more: now it is cut off.
    opened.find<QAction>("follow").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(opened.message().contains("grows.pcap"), 20'000);
}

void ViewerTest::a_file_that_changed_is_read_again() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.pcap");
    QVERIFY(QFile::copy(samples + "real/smcr_v2_echo.pcap", file));
    Opened opened({file});
    const std::size_t frames = opened.window.recording()->frames.rows.size();
    QVERIFY(QFile::remove(file) && QFile::copy(samples + "real/rdmacm_rping_v4.pcap", file));
    opened.window.open(Request{opened.window.recording()->files, {}, {}});
    QTRY_VERIFY_WITH_TIMEOUT(opened.window.recording()->frames.rows.size() != frames, 20'000);
    QVERIFY(opened.window.recording()->node_of("cm-1").has_value());
}

void ViewerTest::reading_can_be_cancelled() {
    const auto recording = load({(samples + "real/smcr_v2_echo.pcap").toStdString()}, [](auto, auto) { return false; });
    QVERIFY(recording->results);
    Loader loader;
    loader.load({(samples + "real/smcr_v2_echo.pcap").toStdString()});  // and is destroyed at once
}

std::unique_ptr<QObject> viewer_test() { return std::make_unique<ViewerTest>(); }

}  // namespace fabricscope::viewer

#include "viewer_test.moc"
