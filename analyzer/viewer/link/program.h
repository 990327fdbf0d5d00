// SPDX-License-Identifier: GPL-2.0-or-later
// The command line, which does for the viewer what takes rights or writes captures.
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>
#include <functional>

namespace fabricscope::viewer {

/// Beside this program, else on the PATH.
QString fabricscope_program();

/// What is said if that cannot be started.
extern const char* const fabricscope_is_missing;

/// `fabricscope analyze --annotate`, in a process of its own.
class Annotation {
public:
    /// Gives up what has not been finished; no half a file is left.
    ~Annotation();

    /// `on_end` is told a sentence if it failed, an empty one if the file is there. One at a time.
    void start(const QStringList& captures, const QString& file, std::function<void(const QString&)> on_end);
    bool is_running() const { return process_.state() != QProcess::NotRunning; }

private:
    void end(const QString& complaint);

    QProcess process_;
    std::function<void(const QString&)> on_end_;
};

}  // namespace fabricscope::viewer
