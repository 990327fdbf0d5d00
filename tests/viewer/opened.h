// SPDX-License-Identifier: GPL-2.0-or-later
// A window with a capture in it, for tests, and what `analyze` says of the same capture.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "analyzer/viewer/main_window.h"

namespace fabricscope::viewer {

inline const QString samples = FABRICSCOPE_ALL_SAMPLES "/";

/// What `analyze --json` says of a capture.
inline QJsonObject analysed(const QString& file) {
    QProcess program;
    program.start(FABRICSCOPE_PROGRAM, {"analyze", "--json", "--", file});
    program.waitForFinished();
    return QJsonDocument::fromJson(program.readAllStandardOutput()).object();
}

/// The capture of a scenario.
inline QString made_by_synth(const QString& scenario, const QTemporaryDir& folder) {
    const QString file = folder.filePath(scenario + ".pcapng");
    QProcess program;
    program.start(FABRICSCOPE_PROGRAM, {"synth", scenario, "-o", file});
    program.waitForFinished();
    return file;
}

/// A window in which captures have been opened.
struct Opened {
    explicit Opened(const QStringList& files) {
        QSignalSpy loaded(&window.loader(), &Loader::loaded);
        std::vector<std::string> names;
        for (const QString& file : files) names.push_back(file.toStdString());
        window.QMainWindow::show();
        window.open(names);
        [&] { QVERIFY(loaded.wait(20'000)); }();
    }
    template <class Widget> Widget& find(const char* name) { return *window.findChild<Widget*>(name); }
    QString message() { return find<QLabel>("message").text(); }

    MainWindow window;
};

/// The texts of a column, all branches.
inline QStringList column(const QAbstractItemModel& model, int number, const QModelIndex& parent = {}) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        texts << model.index(row, number, parent).data().toString();
        texts << column(model, number, model.index(row, 0, parent));
    }
    return texts;
}

inline QModelIndex row_of(const QAbstractItemModel& model, const QString& name, const QModelIndex& parent = {}) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (index.data().toString() == name) return index;
        if (const QModelIndex below = row_of(model, name, index); below.isValid()) return below;
    }
    return {};
}

// ---- the tests, for main.cc ------------------------------------------------------------------------

std::unique_ptr<QObject> viewer_test();
std::unique_ptr<QObject> save_test();
std::unique_ptr<QObject> fabric_test();
std::unique_ptr<QObject> picture_test();
std::unique_ptr<QObject> time_test();
std::unique_ptr<QObject> compare_test();
std::unique_ptr<QObject> detail_test();
std::unique_ptr<QObject> line_test();

}  // namespace fabricscope::viewer
