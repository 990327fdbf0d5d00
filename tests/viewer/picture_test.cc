// SPDX-License-Identifier: GPL-2.0-or-later
// Every pane with every protocol, small and large, light and dark. With FABRICSCOPE_PICTURES=FOLDER the pictures are
// kept there: those of docs/images/ are made so.
#include <QApplication>
#include <QDockWidget>
#include <QScreen>
#include <QSet>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>

#include "tests/viewer/opened.h"

namespace fabricscope::viewer {
namespace {

struct Subject {
    const char* name;
    const char* file;     ///< below samples/, or a scenario of synth
    const char* session;  ///< that is selected
};
constexpr Subject subjects[] = {
    {"smcr", "smcr_v2_failover", "smcr-1"},
    {"rdma-cm", "real/rdmacm_rping_v4.pcap", "cm-1"},
    {"rdma", "rc_loss", "rdma-1"},
    {"fcvi", "fcvi/retried_setup_fails.pcap", "fcvi-1"},
    {"fc-ae-rdma", "fc_ae_rdma/several_exchanges.pcap", "fc-ae-rdma-region-1"},
};

QPalette dark_palette(const QPalette& light) {
    QPalette dark = light;
    dark.setColor(QPalette::Window, QColor(45, 45, 50));
    dark.setColor(QPalette::Base, QColor(30, 30, 34));
    dark.setColor(QPalette::AlternateBase, QColor(38, 38, 43));
    dark.setColor(QPalette::Button, QColor(58, 58, 64));
    dark.setColor(QPalette::ToolTipBase, QColor(58, 58, 64));
    dark.setColor(QPalette::Highlight, QColor(60, 110, 170));
    for (const auto role :
         {QPalette::Text, QPalette::WindowText, QPalette::ButtonText, QPalette::ToolTipText, QPalette::HighlightedText})
        dark.setColor(role, QColor(230, 230, 230));
    dark.setColor(QPalette::PlaceholderText, QColor(150, 150, 150));
    for (const auto& [role, lightness] :
         {std::pair{QPalette::Light, 90}, {QPalette::Midlight, 70}, {QPalette::Mid, 40}, {QPalette::Dark, 25}})
        dark.setColor(role, QColor(lightness, lightness, lightness));
    return dark;
}

/// How many colours there are: a pane that shows nothing has next to none.
qsizetype colours_in(const QImage& picture) {
    QSet<QRgb> colours;
    for (int y = 0; y < picture.height(); y += 2)
        for (int x = 0; x < picture.width(); x += 2) colours.insert(picture.pixel(x, y));
    return colours.size();
}

}  // namespace

class PictureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStyleFactory::create("Fusion")); }
    void panes_show_something_data();
    void panes_show_something();
};

void PictureTest::panes_show_something_data() {
    QTest::addColumn<int>("subject");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("is_dark");
    for (int subject = 0; subject < static_cast<int>(std::size(subjects)); ++subject)
        for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)})
            for (const bool is_dark : {false, true})
                QTest::addRow("%s-%d%s", subjects[subject].name, size.width(), is_dark ? "-dark" : "")
                    << subject << size << is_dark;
}

void PictureTest::panes_show_something() {
    QFETCH(const int, subject);
    QFETCH(const QSize, size);
    QFETCH(const bool, is_dark);
    const Subject& shown = subjects[subject];
    QTemporaryDir folder;
    const QString file = QString(shown.file).contains('/') ? samples + shown.file : made_by_synth(shown.file, folder);
    const QPalette light = QGuiApplication::palette();
    if (is_dark) QGuiApplication::setPalette(dark_palette(light));
    {
        Opened opened({file});
        opened.window.resize(size);
        const Recording& recording = *opened.window.recording();
        const auto node = recording.node_of(shown.session);
        QVERIFY(node.has_value());
        const report::Node& selected = recording.overview.nodes[*node];
        const Time middle = (*selected.first + *selected.last) / 2;
        opened.window.navigator().go(
            {.node = node, .session = shown.session, .frame = selected.first_frame, .time = middle});
        const QString kept = qEnvironmentVariable("FABRICSCOPE_PICTURES");
        for (QDockWidget* dock : opened.window.findChildren<QDockWidget*>()) {
            dock->raise();
            QTest::qWait(kept.isEmpty() ? 30 : 400);  // until it has settled, and has read what it shows
            QWidget& pane = *dock->widget();
            QVERIFY2(colours_in(pane.grab().toImage()) > 8, qPrintable(dock->windowTitle()));
            if (kept.isEmpty()) continue;
            const QString name = QString("%1/%2-%3.png").arg(kept, QTest::currentDataTag(), pane.objectName());
            QVERIFY(opened.window.grab().save(name));
        }
    }
    QGuiApplication::setPalette(light);
}

std::unique_ptr<QObject> picture_test() { return std::make_unique<PictureTest>(); }

}  // namespace fabricscope::viewer

#include "picture_test.moc"
