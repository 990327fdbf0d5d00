// SPDX-License-Identifier: GPL-2.0-or-later
// Panes as files.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QImage>
#include <QJsonArray>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QXmlStreamReader>

#include "analyzer/viewer/panes/numbers.h"
#include "analyzer/viewer/panes/save.h"
#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

QByteArray octets_of(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The text in a picture; nothing if it is no XML.
QString text_in(const QByteArray& svg) {
    QXmlStreamReader xml(svg);
    QString words;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::Characters) words += xml.text();
    return xml.hasError() ? QString() : words;
}

}  // namespace

class SaveTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void every_pane_is_saved();
    void tables_hold_what_analyze_says();
    void what_cannot_be_saved_is_a_sentence();
    void what_is_saved_from_the_menu_comes_to_the_front();
};

void SaveTest::every_pane_is_saved() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    opened.window.navigator().go(
        {.node = opened.window.recording()->node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    QTemporaryDir folder;
    const auto docks = opened.window.findChildren<QDockWidget*>();
    QVERIFY(docks.size() >= 8);
    for (QDockWidget* dock : docks) {
        dock->raise();
        QTest::qWait(1);  // until it is drawn
        QWidget& pane = *dock->widget();
        const QByteArray name = pane.objectName().toUtf8();
        const QString base = folder.filePath(pane.objectName());
        for (const char* kind : {".svg", ".png", ".csv"}) QCOMPARE(save_pane(pane, base + kind), QString());
        QVERIFY2(!text_in(octets_of(base + ".svg")).isEmpty(), name);
        QCOMPARE(QImage(base + ".png").size(), pane.size() * pane.devicePixelRatio());
        // Nothing has been laid beside it yet.
        QVERIFY2(octets_of(base + ".csv").count("\r\n") > (name == "compare" ? 0 : 1), name);
        // Text and plots stay what they are: no picture in the picture but the marks of check boxes and the like.
        QVERIFY2(octets_of(base + ".svg").size() < 2'000'000, name);
    }
}

void SaveTest::tables_hold_what_analyze_says() {
    const QString file = samples + "real/smcr_v2_echo.pcap";
    Opened opened({file});
    opened.window.navigator().go(
        {.node = opened.window.recording()->node_of("smcr-1"), .session = "smcr-1", .frame = {}, .time = {}});
    const auto rows_of = [&](const char* pane) {
        std::vector<std::vector<std::string>> rows;
        dynamic_cast<const Numbers&>(opened.find<QWidget>(pane)).write_rows([&](const auto& row) {
            rows.push_back(row);
        });
        return rows;
    };
    const QJsonObject expected = analysed(file);
    QCOMPARE(rows_of("verdict").size(), static_cast<std::size_t>(expected["observations"].toArray().size()) + 1);
    QCOMPARE(rows_of("packets").size(), static_cast<std::size_t>(expected["capture"].toObject()["frames"].toInt()) + 1);
    const QJsonObject connection = expected["smcr"].toObject()["connections"].toArray()[0].toObject();
    const QJsonObject direction = connection["client_to_server"].toObject();
    std::string produced;
    for (const auto& row : rows_of("sequence"))
        if (row[0] == "client → server" && row[1] == "produced") produced = row[3];
    QCOMPARE(produced, std::to_string(direction["bytes_announced"].toInteger()));
    QCOMPARE(rows_of("ladder")[1][3], std::string("SYN"));
}

void SaveTest::what_cannot_be_saved_is_a_sentence() {
    Opened opened({samples + "real/smcr_v2_echo.pcap"});
    QWidget& pane = opened.find<QWidget>("ladder");
    QTemporaryDir folder;
    QVERIFY(save_pane(pane, folder.filePath("a.gif")).contains("has to end in"));
    QVERIFY(save_pane(pane, folder.filePath("no such folder/a.svg")).contains("no such folder"));
    QVERIFY(!QFile::exists(folder.filePath("a.gif")));
}

void SaveTest::what_is_saved_from_the_menu_comes_to_the_front() {
    Opened opened({samples + "real/rdmacm_rping_v4.pcap"});
    QTemporaryDir folder;
    const auto actions = opened.window.findChildren<QAction*>();
    QAction& save = **std::ranges::find(actions, "Latency...", &QAction::text);
    QTimer::singleShot(200, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog != nullptr);
        dialog->findChild<QLineEdit*>()->setText(folder.filePath("name"));
        QMetaObject::invokeMethod(dialog, "accept");
    });
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    save.trigger();
    QCOMPARE(opened.message(), QString());
    const QString words = text_in(octets_of(folder.filePath("name.svg")));
    QVERIFY2(words.contains("operations") && words.contains("longest"), qPrintable(words));
}

std::unique_ptr<QObject> save_test() { return std::make_unique<SaveTest>(); }

}  // namespace fabricscope::viewer

#include "save_test.moc"
