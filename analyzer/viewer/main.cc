// SPDX-License-Identifier: GPL-2.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>

#include "analyzer/viewer/main_window.h"

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName("fabricscope-viewer");
    QApplication::setOrganizationName("fabricscope");
    QApplication::setApplicationVersion(FABRICSCOPE_VERSION);
    QCommandLineParser line;
    line.setApplicationDescription("Shows what happened on an RDMA fabric: time, memory and cause.");
    line.addHelpOption();
    line.addVersionOption();
    line.addPositionalArgument("FILE", "Captures; several are one timeline.", "[FILE...]");
    line.process(application);

    fabricscope::viewer::MainWindow window;
    QSettings settings;
    window.restoreGeometry(settings.value("geometry").toByteArray());
    window.restoreState(settings.value("panes").toByteArray());
    QObject::connect(&application, &QApplication::aboutToQuit, &window, [&] {
        settings.setValue("geometry", window.saveGeometry());
        settings.setValue("panes", window.saveState());
    });
    window.QMainWindow::show();
    std::vector<std::string> files;
    for (const QString& file : line.positionalArguments()) files.push_back(file.toStdString());
    window.open(std::move(files));
    return QApplication::exec();
}
