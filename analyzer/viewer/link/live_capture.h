// SPDX-License-Identifier: GPL-2.0-or-later
// `fabricscope capture` beside the window, whose file the window follows.
#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope::viewer {

class LiveCapture {
public:
    /// Ends it. What was captured is gone, unless a file was named for it.
    ~LiveCapture();

    /// `file`: empty: one that is forgotten in the end. False if there is no place for it.
    bool start(const std::vector<std::string>& interfaces, const QString& file);
    bool is_running() const { return process_.state() != QProcess::NotRunning; }
    void stop();
    QString file() const { return file_; }

    /// It has ended; a sentence if that was not asked for.
    std::function<void(const QString& complaint)> on_end;

private:
    QTemporaryDir folder_;
    QString file_;
    bool stopped_ = false;
    QProcess process_;
};

}  // namespace fabricscope::viewer
