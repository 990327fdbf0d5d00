// SPDX-License-Identifier: GPL-2.0-or-later
// Where results, complaints and progress go.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "analyzer/report/style.h"
#include "program/new_file.h"

namespace fabricscope::cli {

/// "fabricscope: " and the text, on stderr.
void complain(std::string_view text);
/// Complains that something cannot be done as asked; returns the exit status for that.
int refuse(std::string_view reason);

/// Writes what is left in the stream's buffer. Why not all that went into it could be written; empty if it was.
std::string why_not_written(std::ostream& stream);
/// Streams turn the exception into a state that could have other reasons; from now on it is known which it was.
void remember_lack_of_memory();
bool memory_was_short();

/// What may be written to standard output.
report::Style output_style();

/// A file, or standard output for "-" and "". A file takes its name when it is whole: whatever goes wrong before, what
/// had that name stays as it was. Devices and pipes are written to as they are.
class Output {
public:
    explicit Output(const std::string& path);

    std::ostream& stream() { return file_.is_open() ? file_ : standard_; }
    /// False, after a complaint, if not everything could be written.
    bool finish();

private:
    std::string path_;
    std::optional<NewFile> whole_;  ///< nothing: written to as it is
    std::ofstream file_;
    std::string problem_;  ///< why nothing, or not all, can be written
    std::ostream standard_;
};

}  // namespace fabricscope::cli
