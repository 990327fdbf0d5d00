// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/output.h"

#include <langinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "program/status.h"

namespace fabricscope::cli {

void complain(std::string_view text) { std::cerr << "fabricscope: " << text << std::endl; }

int refuse(std::string_view reason) {
    complain(reason);
    return wrong_usage;
}

report::Style output_style() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value != nullptr ? value : "");
    };
    const bool terminal = ::isatty(STDOUT_FILENO) != 0 && variable("TERM") != "dumb";
    return {
        .colour = terminal && variable("NO_COLOR").empty(),
        .unicode = std::string_view(::nl_langinfo(CODESET)) == "UTF-8"};
}

Output::Output(const std::string& path) : path_(path), standard_(std::cout.rdbuf()) {
    if (path.empty() || path == "-") return;
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) standard_.setstate(std::ios::badbit);
}

bool Output::finish() {
    stream().flush();
    if (stream()) return true;
    complain("cannot write " + (path_.empty() ? "standard output" : path_) + ": " + std::strerror(errno));
    return false;
}

}  // namespace fabricscope::cli
