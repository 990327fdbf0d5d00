// SPDX-License-Identifier: GPL-2.0-or-later
// What a second look at the captures tells: PSNs and NAKs, octets in memory, the fields of single frames.
#include <QDirIterator>
#include <QDockWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>
#include <QTreeWidget>

#include "analyzer/viewer/panes/memory_pane.h"
#include "analyzer/viewer/panes/sequence_pane.h"
#include "capture/source.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

bool go_on() { return false; }  // nobody asks to stop

std::size_t count_of(const std::vector<report::CurvePanel>& panels, std::string_view name) {
    std::size_t count = 0;
    for (const report::CurvePanel& panel : panels)
        for (const report::CurveMarks& marks : panel.marks)
            if (marks.name == name) count += marks.at.size();
    return count;
}

QByteArray stream_of(const QString& file, const char* session, const char* from) {
    QProcess program;
    program.start(FABRICSCOPE_PROGRAM, {"stream", "--connection", session, "--from", from, "--", file});
    program.waitForFinished();
    return program.readAllStandardOutput();
}

QStringList all_fields(const std::vector<report::FrameField>& fields) {
    QStringList texts;
    for (const report::FrameField& field : fields)
        texts << QString::fromStdString(field.text) << all_fields(field.fields);
    return texts;
}

/// The first field that lies beyond; empty: there is none.
std::string beyond(const std::vector<report::FrameField>& fields, std::size_t size) {
    for (const report::FrameField& field : fields) {
        if (field.offset + field.length > size) return field.text;
        if (std::string below = beyond(field.fields, size); !below.empty()) return below;
    }
    return {};
}

}  // namespace

class DetailTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void naks_and_retransmissions_are_those_of_the_model();
    void a_cm_connection_shows_its_queue_pairs();
    void octets_in_an_rmb_element_are_those_that_were_sent();
    void memory_of_queue_pairs_is_known_by_address();
    void offsets_of_fibre_channel_are_shown();
    void state_of_memory_counts_what_was_not_read();
    void fields_of_frames_are_those_of_the_layouts();
    void fields_of_every_frame_lie_within_it();
    void panes_show_it();
    void files_that_are_gone_are_a_sentence();
};

void DetailTest::naks_and_retransmissions_are_those_of_the_model() {
    const QTemporaryDir folder;
    const auto recording = load({made_by_synth("rc_loss", folder).toStdString()}, [](auto, auto) { return true; });
    const auto panels = detail_of(*recording, "rdma-1", go_on).panels;
    QCOMPARE(panels.size(), 2U);
    const engine::rdma::Stream& stream = recording->reading.engine->rdma().streams[0];
    std::uint64_t naks = 0, again = 0;
    for (const auto& direction : stream.from) {
        naks += direction.naks;
        again += direction.retransmitted.packets;
    }
    QVERIFY(naks > 0 && again > 0);
    QCOMPARE(count_of(panels, "NAK"), naks);
    QCOMPARE(count_of(panels, "retransmitted"), again);
    for (const report::CurvePanel& panel : panels) {
        QVERIFY(panel.counts_packets);
        QCOMPARE(panel.curves[0].steps.back().value, panel.curves[1].steps.back().value);  // all was acknowledged
    }
}

void DetailTest::a_cm_connection_shows_its_queue_pairs() {
    const std::string file = (samples + "real/rdmacm_lossy_rping.pcap").toStdString();
    const auto recording = load({file}, [](auto, auto) { return true; });
    const auto& streams = recording->reading.engine->rdma().streams;
    const auto stream = std::ranges::find(streams, 1U, &engine::rdma::Stream::cm_connection);
    QVERIFY(stream != streams.end());
    const report::Detail own = detail_of(*recording, "cm-1", go_on);
    const report::Detail of_stream = detail_of(*recording, engine::rdma::stream_name(stream->id), go_on);
    QCOMPARE(own.panels.size(), 2U);
    QVERIFY(own.panels[0].counts_packets);
    QCOMPARE(own.panels[0].curves[0].steps.size(), of_stream.panels[0].curves[0].steps.size());
    QCOMPARE(count_of(own.panels, "retransmitted"), count_of(of_stream.panels, "retransmitted"));
    QVERIFY(count_of(own.panels, "retransmitted") != 0);
    QCOMPARE(own.memories, of_stream.memories);
    QVERIFY(!own.memories.empty());
    // Without queue pairs there is nothing, and no harm.
    const auto refused = load(
        {(samples + "real/rdmacm_reject_no_listener.pcap").toStdString()}, [](auto, auto) { return true; });
    QVERIFY(detail_of(*refused, "cm-1", go_on).panels.empty());
}

void DetailTest::octets_in_an_rmb_element_are_those_that_were_sent() {
    const QString file = samples + "real/smcr_v2_echo.pcap";
    const auto recording = load({file.toStdString()}, [](auto, auto) { return true; });
    const report::Detail detail = detail_of(*recording, "smcr-1", go_on);
    const auto memories = memories_of(
        *recording, {.node = recording->node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    QVERIFY(!memories.empty());
    const report::Access& first = memories[0].accesses.front();
    QVERIFY(first.writes);
    const QByteArray sent = stream_of(file, "smcr-1", "client");
    const auto count = static_cast<std::size_t>(first.octets);
    QVERIFY(sent.size() >= static_cast<qsizetype>(count));
    const auto known = octets_at(detail, memories[0].title, first.end, first.address, count);
    for (std::size_t i = 0; i < count; ++i) {
        QVERIFY(known[i].frame != 0 && known[i].frame <= first.frame);
        QCOMPARE(known[i].value, static_cast<std::uint8_t>(sent[static_cast<qsizetype>(i)]));
    }
    for (const report::KnownOctet& octet :
         octets_at(detail, memories[0].title, recording->start(), first.address, count))
        QCOMPARE(octet.frame, 0U);
}

void DetailTest::memory_of_queue_pairs_is_known_by_address() {
    const auto recording = load(
        {(samples + "real/rdmacm_rping_v4.pcap").toStdString()}, [](auto, auto) { return true; });
    const report::Detail detail = detail_of(*recording, "rdma-1", go_on);
    QVERIFY(!detail.memories.empty());
    QVERIFY(detail.memories[0].find("R_Key 0x") != std::string::npos);
    QVERIFY(std::ranges::any_of(detail.moved, [](const auto& each) { return !each.writes; }));
    // rping reads from the client what it then writes back.
    const auto read = std::ranges::find(detail.moved, false, &report::MovedOctets::writes);
    const auto written = std::ranges::find(detail.moved, true, &report::MovedOctets::writes);
    QVERIFY(written != detail.moved.end());
    QVERIFY(std::ranges::equal(read->octets, written->octets));
    const std::string text(read->octets.begin(), read->octets.end());
    QVERIFY2(text.starts_with("rdma-ping-"), text.c_str());
}

void DetailTest::offsets_of_fibre_channel_are_shown() {
    const auto recording = load(
        {(samples + "fc_ae_rdma/several_exchanges.pcap").toStdString()}, [](auto, auto) { return true; });
    const auto& messages = recording->reading.engine->fc_ae_rdma().messages;
    for (const auto& message : messages) {
        const auto panels = detail_of(*recording, "fc-ae-rdma-" + std::to_string(message.id), go_on).panels;
        QCOMPARE(panels.size(), 1U);
        QCOMPARE(panels[0].curves[0].steps.back().value, message.bytes);
    }
    const report::Detail region = detail_of(*recording, "fc-ae-rdma-region-1", go_on);
    QVERIFY(!region.moved.empty());
    for (const report::MovedOctets& each : region.moved) QVERIFY(each.frame != 0 && each.time != 0);

    const auto fcvi = load({(samples + "fcvi/client_server_iso.pcap").toStdString()}, [](auto, auto) { return true; });
    std::uint64_t sent = 0;
    for (const report::CurvePanel& panel : detail_of(*fcvi, "fcvi-1", go_on).panels)
        sent += panel.curves[0].steps.back().value;
    std::uint64_t expected = 0;
    for (const auto& traffic : fcvi->reading.engine->fcvi().connections[0].from.values) expected += traffic.bytes;
    QVERIFY(expected > 0);
    QCOMPARE(sent, expected);
}

void DetailTest::state_of_memory_counts_what_was_not_read() {
    report::Memory memory{.title = "", .size = 100, .accesses = {}};
    const auto add = [&](Time time, std::uint64_t address, std::uint64_t octets, bool writes) {
        memory.accesses.push_back(
            {.begin = time, .end = time, .address = address, .octets = octets, .frame = 1, .writes = writes, .by = {}});
    };
    add(1, 0, 50, true);
    add(2, 10, 20, false);
    add(3, 40, 20, true);
    QCOMPARE(state_at(memory, 0).written, 0U);
    QCOMPARE(state_at(memory, 1).not_read, 50U);
    QCOMPARE(state_at(memory, 2).not_read, 30U);
    const MemoryState last = state_at(memory, 3);
    QCOMPARE(last.written, 70U);
    QCOMPARE(last.overwritten, 10U);
    QCOMPARE(last.not_read, 40U);
}

void DetailTest::fields_of_frames_are_those_of_the_layouts() {
    const auto fields = [](const char* file, const char* session, std::uint64_t frame) {
        const auto recording = load({(samples + file).toStdString()}, [](auto, auto) { return true; });
        return all_fields(whole_frame(*recording, frame, session, go_on).fields).join('\n');
    };
    QString smcr;
    for (std::uint64_t frame = 1; frame < 20; ++frame) smcr += fields("real/smcr_v2_echo.pcap", "smcr-1", frame);
    for (const char* words : {"Ethernet", "TCP", "SMC-R CLC", "Eye catcher: 0xe2d4c3d9", "SMC-R LLC"})
        QVERIFY2(smcr.contains(words), qPrintable(smcr));
    const QString cm = fields("real/rdmacm_rping_v4.pcap", "cm-1", 3);
    for (const char* words : {"UDP", "InfiniBand: UD SEND Only", "Communication Management", "Private data"})
        QVERIFY2(cm.contains(words), qPrintable(cm));
    const QString fcvi = fields("fcvi/retried_setup_fails.pcap", "fcvi-1", 7);
    for (const char* words : {"Fibre Channel", "FCVI_CONNECT_RQST", "Local address"})
        QVERIFY2(fcvi.contains(words), qPrintable(fcvi));
    const QString command = fields("fc_ae_rdma/several_exchanges.pcap", "fc-ae-rdma-region-1", 9);
    QVERIFY2(command.contains("FCP_CMND"), qPrintable(command));
}

/// Whole, and cut anywhere.
void DetailTest::fields_of_every_frame_lie_within_it() {
    const engine::Engine nothing;
    std::uint64_t frames = 0;
    for (QDirIterator file(samples, {"*.pcap", "*.pcapng"}, QDir::Files, QDirIterator::Subdirectories);
         file.hasNext();) {
        const auto opened = capture::open(file.next().toStdString());
        QVERIFY(opened.source);
        std::uint64_t of_file = 0;
        for (capture::Frame frame; ++of_file < 200 && opened.source->next(frame); ++frames) {
            const ByteView whole = frame.data;
            for (const std::size_t cut : {std::size_t{0}, std::size_t{9}, std::size_t{frames % 60}}) {
                frame.data = whole.first(whole.size() - std::min(whole.size(), cut));
                for (const char* session : {"", "smcr-1", "fcvi-1", "fc-ae-rdma-1"}) {
                    const std::string field = beyond(report::fields_of(frame, nothing, session), frame.data.size());
                    QVERIFY2(field.empty(), qPrintable(file.fileName() + ": " + QString::fromStdString(field)));
                }
            }
        }
    }
    QVERIFY(frames > 5'000);
}

void DetailTest::panes_show_it() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    const Recording& recording = *opened.window.recording();
    const auto memories = memories_of(
        recording, {.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    const report::Access& first = memories.front().accesses.front();
    opened.find<QDockWidget>("dockMemory").raise();
    opened.window.navigator().go(
        {.node = recording.node_of("smcr-1"), .session = "smcr-1", .frame = first.frame, .time = first.end});
    QTRY_VERIFY(opened.find<QTextEdit>("memoryOctets")
                    .toPlainText()
                    .contains(QString("%1").arg(first.address / 16 * 16, 4, 16, QChar('0'))));
    QVERIFY(opened.find<QLabel>("memoryState").text().contains("not read since"));

    opened.find<QDockWidget>("dockPackets").raise();
    QTreeWidget& fields = opened.find<QTreeWidget>("packetFields");
    QTRY_VERIFY(fields.topLevelItemCount() > 2);
    const QTreeWidgetItem* field = fields.topLevelItem(1)->child(0);
    fields.setCurrentItem(fields.topLevelItem(1)->child(0));
    QVERIFY2(field->text(0).contains("estination"), qPrintable(field->text(0)));
    QVERIFY(opened.find<QTextEdit>("packetOctets").toHtml().contains("font-weight"));

    opened.find<QDockWidget>("dockSequence").raise();
    opened.window.navigator().go({.node = recording.node_of("rdma-1"), .session = "rdma-1", .frame = {}, .time = {}});
    QTRY_VERIFY(opened.find<QLabel>("sequenceTitle").text().contains("acknowledged"));
}

void DetailTest::files_that_are_gone_are_a_sentence() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("gone.pcap");
    QVERIFY(QFile::copy(samples + "real/smcr_v2_echo.pcap", file));
    const auto recording = load({file.toStdString()}, [](auto, auto) { return true; });
    QVERIFY(QFile::remove(file));
    QCOMPARE(whole_frame(*recording, 1, "", go_on).complaint, std::string("The capture cannot be read any more."));
    const report::Detail detail = detail_of(*recording, "smcr-1", go_on);
    QVERIFY(detail.panels.empty() && detail.moved.empty());
}

std::unique_ptr<QObject> detail_test() { return std::make_unique<DetailTest>(); }

}  // namespace fabricscope::viewer

#include "detail_test.moc"
