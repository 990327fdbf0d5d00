// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/output.h"

#include <langinfo.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include "program/status.h"

namespace fabricscope::cli {
namespace {

std::atomic<bool> lacked_memory = false;

}  // namespace

void complain(std::string_view text) { std::cerr << "fabricscope: " << text << std::endl; }

int refuse(std::string_view reason) {
    complain(reason);
    return wrong_usage;
}

std::string why_not_written(std::ostream& stream) {
    if (stream && stream.flush()) return {};
    if (lacked_memory) return "out of memory";
    return errno != 0 ? std::strerror(errno) : "not all could be written";
}

void remember_lack_of_memory() {
    std::set_new_handler([] {
        lacked_memory = true;
        throw std::bad_alloc();
    });
}

bool memory_was_short() { return lacked_memory; }

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
    if (is_standard_output(path)) return;
    if (NewFile::can_stand_for(path)) whole_.emplace(path);
    file_.open(whole_ ? whole_->temporary() : path, std::ios::binary | std::ios::trunc);
    if (file_) return;
    problem_ = std::strerror(errno);
    standard_.setstate(std::ios::badbit);
}

bool Output::finish() {
    if (whole_ && !*whole_) return false;  // there has been a complaint
    if (problem_.empty()) problem_ = why_not_written(stream());
    if (problem_.empty()) return !whole_ || whole_->put_in_place();
    complain("cannot write " + (path_.empty() ? "standard output" : path_) + ": " + problem_);
    return false;
}

}  // namespace fabricscope::cli
