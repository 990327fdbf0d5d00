// SPDX-License-Identifier: GPL-2.0-or-later
// Where results, complaints and progress go.
#pragma once

#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "analyzer/report/style.h"

namespace fabricscope::cli {

/// "fabricscope: " and the text, on stderr.
void complain(std::string_view text);
/// Complains that something cannot be done as asked; returns the exit status for that.
int refuse(std::string_view reason);

/// What may be written to standard output.
report::Style output_style();

/// A file, or standard output for "-" and "".
class Output {
public:
    explicit Output(const std::string& path);

    std::ostream& stream() { return file_.is_open() ? file_ : standard_; }
    /// False, after a complaint, if not everything could be written.
    bool finish();

private:
    std::string path_;
    std::ofstream file_;
    std::ostream standard_;
};

}  // namespace fabricscope::cli
