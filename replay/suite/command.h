// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that a suite has run by /bin/sh, on this host or through a shell on the peer.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace fabricscope::replay {

/// A running command, in a process group of its own. What it writes to standard output goes to standard error.
class RunningCommand {
public:
    /// `environment`: "NAME=value", besides that of this process. Throws std::system_error.
    RunningCommand(const std::string& command, const std::vector<std::string>& environment);
    RunningCommand(const RunningCommand&) = delete;
    RunningCommand& operator=(const RunningCommand&) = delete;
    /// Ends it, and all that it has started in its group.
    ~RunningCommand();

    /// Its exit status, 128 and the number of the signal that ended it, or -1 if it goes on for longer than `seconds`.
    int wait(double seconds);

private:
    pid_t group_ = 0;
    std::optional<int> over_{};  ///< its exit status
};

/// How `shell` ("ssh root@peer") runs the command: it is its last word. Without a shell, the command itself.
std::string through(const std::string& shell, const std::string& command);

/// As a shell reads it as one word: with quotes, where it needs them.
std::string shell_word(const std::string& text);

}  // namespace fabricscope::replay
