// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/link/live_capture.h"

#include "analyzer/viewer/link/program.h"

namespace fabricscope::viewer {
namespace {

constexpr int time_to_end = 2000;  // milliseconds

}  // namespace

LiveCapture::~LiveCapture() {
    on_end = nullptr;
    stop();
    if (is_running() && !process_.waitForFinished(time_to_end)) process_.kill();
}

void LiveCapture::stop() {
    stopped_ = true;
    process_.terminate();
}

bool LiveCapture::start(const std::vector<std::string>& interfaces, const QString& file) {
    if (file.isEmpty() && !folder_.isValid()) return false;
    file_ = file.isEmpty() ? folder_.filePath("live.pcapng") : file;
    QStringList words{"capture", "-w", file_, "--json", "/dev/null"};
    for (const std::string& interface : interfaces) words << "-i" << QString::fromStdString(interface);
    QObject::connect(&process_, &QProcess::errorOccurred, &process_, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart && on_end) on_end(fabricscope_is_missing);
    });
    QObject::connect(&process_, &QProcess::finished, &process_, [this] {
        const QString said = QString::fromLocal8Bit(process_.readAllStandardError()).trimmed();
        if (on_end) on_end(stopped_ ? QString() : "The capture has ended. " + said);
    });
    stopped_ = false;
    process_.start(fabricscope_program(), words);
    return true;
}

}  // namespace fabricscope::viewer
