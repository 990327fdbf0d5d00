// SPDX-License-Identifier: GPL-2.0-or-later
// Files that come into being whole or not at all, and never in the place of something that is not ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// Which existing file may be replaced.
struct Replaceable {
    const char* kind;                                   ///< "a database of fabricscope"
    std::function<bool(std::string_view octets)> ours;  ///< from the first octets of the file, at most 64 KiB
};

/// Captures that the program has written.
extern const Replaceable our_captures;

/// "" and "-".
bool is_standard_output(const std::string& path);

/// Where an option has something written to, perhaps standard output.
struct OutputFile {
    std::string option;  ///< "--svg"
    std::string path;
};

/// Why these files cannot be written: one is an input, two are the same, or there is no place for one. Empty if they
/// can.
std::string why_not_written(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs);

/// That the file is one of the inputs, empty if it is not.
std::string why_no_output(const std::string& path, const std::vector<std::string>& inputs);

/// Why no file may be written there; empty if one may. An empty file may be replaced.
std::string why_not_replace(const std::string& path, const Replaceable& what);

/// Why no files can be written in a folder, which need not be there yet; empty if they can.
std::string why_no_folder(const std::string& path);

/// A file with another name in the same folder, which takes its place at the end.
class NewFile {
public:
    /// False for what cannot be replaced: devices, pipes, open descriptors by their names in /proc.
    static bool can_stand_for(const std::string& path);

    /// Complains if there can be none.
    explicit NewFile(const std::string& path);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    /// Removes it, unless it has been put in its place.
    ~NewFile();

    explicit operator bool() const { return !temporary_.empty(); }
    /// What to write to: an empty file.
    const std::string& temporary() const { return temporary_; }
    /// False, after a complaint, if that is not possible.
    bool put_in_place();

private:
    std::string path_;
    std::string temporary_;  ///< empty: there is none
};

}  // namespace fabricscope::cli
