// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/link/program.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <utility>

namespace fabricscope::viewer {

const char* const fabricscope_is_missing = "fabricscope is not installed beside the viewer, or on the PATH.";

QString fabricscope_program() {
    const QString beside = QCoreApplication::applicationDirPath() + "/fabricscope";
    return QFileInfo(beside).isExecutable() ? beside : "fabricscope";
}

Annotation::~Annotation() {
    constexpr int time_to_end = 2000;  // milliseconds
    on_end_ = nullptr;
    process_.terminate();
    if (is_running() && !process_.waitForFinished(time_to_end)) process_.kill();
}

void Annotation::start(const QStringList& captures, const QString& file, std::function<void(const QString&)> on_end) {
    if (is_running()) return on_end("Another capture is being annotated.");
    on_end_ = std::move(on_end);
    process_.disconnect();
    QObject::connect(&process_, &QProcess::errorOccurred, &process_, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(fabricscope_is_missing);
    });
    QObject::connect(&process_, &QProcess::finished, &process_, [this, file] {
        // What stands out makes no failure of it.
        const QString said = QString::fromLocal8Bit(process_.readAllStandardError()).trimmed();
        end(QFileInfo::exists(file) && said.isEmpty() ? QString() : said);
    });
    process_.setStandardOutputFile(QProcess::nullDevice());
    process_.start(fabricscope_program(), QStringList{"analyze", "--annotate", file, "--"} + captures);
}

void Annotation::end(const QString& complaint) {
    if (on_end_) std::exchange(on_end_, nullptr)(complaint);
}

}  // namespace fabricscope::viewer
