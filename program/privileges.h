// SPDX-License-Identifier: GPL-2.0-or-later
// Sockets for raw frames need the system's rights; what is read from them does not.
#pragma once

#include <string>

#include "program/command_line.h"

namespace fabricscope::cli {

class Privileges {
public:
    /// -Z. This has to live as long as the command.
    void add_option(const Command& command);

    /// To be called when all sockets are open. The process becomes the user of -Z, or else whoever called sudo; root,
    /// if there is neither, keeps the right to read and write all files, and no other. Why that cannot be done; empty
    /// if it was.
    std::string relinquish() const;
    /// What the complaint says further if a file cannot be written, which root perhaps could.
    std::string hint() const;

private:
    std::string user_;
};

}  // namespace fabricscope::cli
