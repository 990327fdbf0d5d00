// SPDX-License-Identifier: GPL-2.0-or-later
// Lines about frames: what Packets says is what Wireshark's Info column says.
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>

#include "analyzer/viewer/model/line_table.h"
#include "analyzer/viewer/model/packet_model.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

constexpr const char* captures[] = {
    "real/smcr_v2_echo.pcap",
    "real/smcr_v1_ipv6_echo.pcap",
    "real/smcr_v2_lossy.pcap",
    "real/smcr_v2_close.pcap",
    "real/smcr_v2_two_links.pcapng",
    "real/smcr_fallback_eid_mismatch.pcap",
    "real/rdmacm_rping_v6.pcap",
    "real/rdmacm_lossy_rping.pcap",
    "real/rdmacm_reject_private_data.pcap",
    "real/rdmacm_udaddy.pcap",
    "real/rdmacm_rocev1_rping.pcap",
    "real/roce_send_rnr.pcap",
    "real/roce_atomic_loss.pcap",
    "real/roce_uc_loss.pcap",
    "fcvi/client_server_iso.pcap",
    "fcvi/retried_setup_fails.pcap",
    "fc_ae_rdma/several_exchanges.pcap",
};

constexpr const char* captured_twice[] = {
    "real/roce_send_rnr.pcap",
    "fcvi/client_server_iso.fcoe.pcap",
    "fc_ae_rdma/several_exchanges.fcoe.pcap",
};

/// Protocol and Info of each frame, as tshark with the plugin of this build shows them when it has read all.
QList<QStringList> columns_of(const QString& file, const QTemporaryDir& home) {
    const QString build = QFileInfo(FABRICSCOPE_PROGRAM).dir().absoluteFilePath("..");
    QProcess tshark;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", home.path());
    environment.insert("XDG_CONFIG_HOME", home.path());
    tshark.setProcessEnvironment(environment);
    tshark.start(
        build + "/with-plugins", {"tshark", "-2", "-n", "-r", file, "-T", "fields", "-E", "separator=/t", "-e",
                                  "_ws.col.Protocol", "-e", "_ws.col.Info", "-e", "rdma.stream"});
    tshark.waitForFinished(60'000);
    QList<QStringList> rows;
    for (const QString& line : QString::fromUtf8(tshark.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts))
        rows << line.split('\t');
    return rows;
}

/// Whether the plugin has written what stands in Info.
bool is_ours(const QStringList& columns) {
    static const QStringList protocols{"SMC-R", "SMC-D", "RDMA CM", "FC-VI", "FC-AE-RDMA"};
    return protocols.contains(columns[0]) || (columns[0].contains("RoCE") && !columns.value(2).isEmpty());
}

}  // namespace

class LineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lines_come_back_as_they_were();
    void words_and_numbers_are_found();
    void lines_are_those_of_wireshark_data();
    void lines_are_those_of_wireshark();
    void packets_shows_and_finds_them();

private:
    QTemporaryDir folder_;
};

void LineTest::lines_come_back_as_they_were() {
    const std::vector<std::string> lines{
        "",
        "0",
        "WRITE 65536 bytes, first packet, QP 0x000014, PSN 1005",
        "WRITE 7 bytes, first packet, QP 0x000014, PSN 0",
        "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 0-2047 of 9000, 0x1000-0x17ff",
        "18446744073709551615 18446744073709551616 0xffffffffffffffff 0x0 007 1.02",
        "0xg 0x 12a34 a12 CDC smcr-1 client→server produced 100 (+100)"};
    LineTable table;
    for (std::size_t i = 0; i < lines.size(); ++i) table.set(2 * i + 1, lines[i]);
    for (std::size_t i = 0; i < lines.size(); ++i) QCOMPARE(table.line(2 * i + 1), lines[i]);
    QCOMPARE(table.line(2), std::string());
    QCOMPARE(table.line(1000), std::string());
    table.set(3, "another 12");
    QCOMPARE(table.line(3), std::string("another 12"));
}

void LineTest::words_and_numbers_are_found() {
    LineTable table;
    table.set(1, "WRITE 65536 bytes, first packet, QP 0x000014, PSN 1005");
    table.set(2, "ACK, QP 0x000011, PSN 1006");
    table.set(3, "FCP_CMND 0x1a00-0x1bff");
    const auto frames = [&](const char* words) {
        std::vector<int> found;
        const std::vector<bool> all = table.with(words);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i]) found.push_back(static_cast<int>(i));
        return found;
    };
    using Frames = std::vector<int>;
    QCOMPARE(frames("write"), Frames{1});
    QCOMPARE(frames("psn 1006"), Frames{2});
    QCOMPARE(frames("bytes, FIRST"), Frames{1});
    QCOMPARE(frames("1bff"), Frames{3});
    QCOMPARE(frames("BFF"), Frames{3});
    QCOMPARE(frames(", qp 0x0000"), (Frames{1, 2}));
    QCOMPARE(frames("100"), (Frames{1, 2}));
    QCOMPARE(frames("read"), Frames{});
}

void LineTest::lines_are_those_of_wireshark_data() {
    QTest::addColumn<QString>("file");
    for (const char* capture : captures) QTest::newRow(capture) << samples + capture;
    for (const char* capture : captured_twice) {
        const QString file = folder_.filePath(QFileInfo(capture).baseName() + ".pcapng");
        QProcess::execute("mergecap", {"-I", "none", "-w", file, samples + capture, samples + capture});
        QTest::newRow(qPrintable(QString("%1, by two interfaces").arg(capture))) << file;
    }
}

void LineTest::lines_are_those_of_wireshark() {
    if (QStandardPaths::findExecutable("tshark").isEmpty()) QSKIP("tshark is not installed");
    QFETCH(const QString, file);
    QTemporaryDir home;
    const QList<QStringList> expected = columns_of(file, home);
    const auto recording = load({file.toStdString()}, [](auto, auto) { return true; });
    const auto lines = lines_of(*recording, [] { return false; });
    QVERIFY(lines != nullptr);
    QCOMPARE(static_cast<std::size_t>(expected.size()), recording->frames.rows.size());
    qsizetype count = 0;
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const QString line = QString::fromStdString(lines->line(static_cast<std::uint64_t>(i) + 1));
        if (!is_ours(expected[i])) {
            QVERIFY2(line.isEmpty(), qPrintable(QString("%1: %2").arg(i + 1).arg(line)));
            continue;
        }
        ++count;
        QVERIFY2(
            line == expected[i][1], qPrintable(QString("%1: %2, not %3").arg(i + 1).arg(line).arg(expected[i][1])));
    }
    QVERIFY(count != 0);
}

void LineTest::packets_shows_and_finds_them() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    opened.find<QWidget>("dockPackets").raise();
    const auto& table = *opened.find<QTableView>("packetTable").model();
    const auto packets = [&] { return column(table, PacketModel::summary); };
    QTRY_VERIFY(packets().filter("LLC CONFIRM LINK request, link 1").size() == 1);
    opened.find<QLineEdit>("packetFilter").setText("confirm link");
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(packets().last(), QString("LLC CONFIRM LINK reply, link 1"));
}

std::unique_ptr<QObject> line_test() { return std::make_unique<LineTest>(); }

}  // namespace fabricscope::viewer

#include "line_test.moc"
