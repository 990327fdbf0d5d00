// SPDX-License-Identifier: GPL-2.0-or-later
// Captures come from anybody: whoever reads them may touch little else. Linux' Landlock holds to it, whatever a fault
// in a reader is made to do; where the system has none, nothing is kept out.
#pragma once

#include <string>
#include <vector>

#include "program/command_line.h"

namespace fabricscope::cli {

/// What a command still needs once it begins to read.
struct Access {
    std::vector<std::string> inputs;   ///< files; "-" is standard input
    std::vector<std::string> outputs;  ///< files and folders, which need not be there yet; "" and "-" are none
};

class Sandbox {
public:
    /// --no-sandbox. This has to live as long as the command.
    void add_option(const Command& command);

    /// From now on this process and its children open these files, what the system brings, devices and temporary files
    /// only; they start no program, open no TCP connection, and send no signal to others. To be called before there are
    /// threads. Files and sockets that are open stay so.
    void close(const Access& access) const;

private:
    bool off_ = false;
};

}  // namespace fabricscope::cli
