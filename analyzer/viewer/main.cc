// SPDX-License-Identifier: GPL-2.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QSettings>
#include <cstdio>
#include <cstdlib>

#include "analyzer/viewer/link/request.h"
#include "analyzer/viewer/main_window.h"

namespace {

using namespace fabricscope::viewer;

const QCommandLineOption frame_option("frame", "Go to that frame.", "NUMBER");
const QCommandLineOption session_option("session", "Select that session.", "ID");
const QCommandLineOption interface_option({"i", "interface"}, "Capture there, and show what comes.", "IFACE");
const QCommandLineOption write_option({"w", "write"}, "Keep what is captured in this file.", "FILE");
const QCommandLineOption follow_option("follow", "Look whether the captures grow, and show what came.");
const QCommandLineOption reuse_option("reuse", "Show it in a viewer that runs already, if there is one.");

Request request_of(const QCommandLineParser& line) {
    Request request;
    // Another viewer may run in another folder.
    for (const QString& file : line.positionalArguments())
        request.files.push_back(QFileInfo(file).absoluteFilePath().toStdString());
    request.session = line.value(session_option).toStdString();
    if (const qulonglong frame = line.value(frame_option).toULongLong(); frame != 0) request.frame = frame;
    return request;
}

/// Ends the program for --help, --version and what it does not understand: none of these needs a screen.
void parse(QCommandLineParser& line, const QStringList& arguments) {
    int argc = 1;
    char name[] = "fabricscope-viewer";
    char* argv[] = {name, nullptr};
    const QCoreApplication application(argc, argv);  // whose name the texts have
    line.setApplicationDescription("Shows what happened on an RDMA fabric: time, memory and cause.");
    line.addHelpOption();
    line.addVersionOption();
    line.addOptions({frame_option, session_option, interface_option, write_option, follow_option, reuse_option});
    line.addPositionalArgument("FILE", "Captures; several are one timeline.", "[FILE...]");
    line.process(arguments);
}

/// Qt would dump core where it finds no display.
void end_without_display(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtFatalMsg) {
        std::fputs(
            "fabricscope-viewer: there is no display to show a window on; DISPLAY or WAYLAND_DISPLAY names it\n",
            stderr);
        std::_Exit(2);
    }
    std::fprintf(stderr, "%s\n", qPrintable(text));
}

}  // namespace

int main(int argc, char** argv) {
    QStringList arguments;
    for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    QCoreApplication::setApplicationName("fabricscope-viewer");
    QCoreApplication::setOrganizationName("fabricscope");
    QCoreApplication::setApplicationVersion(FABRICSCOPE_VERSION);
    QCommandLineParser line;
    parse(line, arguments);
    // Qt takes --session for its own and away: it gets no argument but the program's name.
    int qt_argc = 1;
    qInstallMessageHandler(end_without_display);
    QApplication application(qt_argc, argv);
    qInstallMessageHandler(nullptr);
    const Request request = request_of(line);
    if (line.isSet(reuse_option) && hand_over(request, socket_name())) return 0;

    MainWindow window;
    QSettings settings;
    window.restoreGeometry(settings.value("geometry").toByteArray());
    window.restoreState(settings.value("panes").toByteArray());
    QObject::connect(&application, &QApplication::aboutToQuit, &window, [&] {
        settings.setValue("geometry", window.saveGeometry());
        settings.setValue("panes", window.saveState());
    });
    const RequestServer server(socket_name(), [&](const Request& asked) {
        window.open(asked);
        window.raise();
        window.activateWindow();
    });
    window.QMainWindow::show();
    if (line.isSet(follow_option)) window.follow();
    window.open(request);
    std::vector<std::string> interfaces;
    for (const QString& interface : line.values(interface_option)) interfaces.push_back(interface.toStdString());
    if (!interfaces.empty()) window.capture(interfaces, line.value(write_option));
    return QApplication::exec();
}
