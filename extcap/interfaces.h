// SPDX-License-Identifier: GPL-2.0-or-later
// What stands in Wireshark's list of interfaces: its dialog, and the command that makes its frames.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fabricscope::extcap {

/// What the user chose, by name without "--". What is empty has not been chosen.
using Values = std::map<std::string, std::string>;

/// An entry of a dialog.
struct Argument {
    enum class Type : std::uint8_t { text, percent, file, choice };

    const char* name;   ///< "seed"
    const char* title;  ///< "Seed"
    const char* tooltip;
    Type type = Type::text;
    const char* value = "";  ///< at first
    const char* group = "";  ///< its page of the dialog; empty: the first
    bool required = false;
    /// Of a choice: values, each with what it is called.
    std::vector<std::pair<std::string, std::string>> (*choices)() = nullptr;
};

/// Frames go to standard output, as pcapng.
struct Interface {
    std::string name;  ///< "fabricscope-scenario"
    std::string title;
    std::span<const Argument> arguments;
    /// Becomes the program that makes the frames, or makes them. Returns a sentence if that fails, nothing if all is
    /// done.
    std::string (*capture)(const std::string& name, const Values& values);
};

/// Those of every machine, and the RDMA adapters of this one.
std::vector<Interface> interfaces();

}  // namespace fabricscope::extcap
