// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "capture/wiretap_file.h"
#include "program/commands.h"
#include "program/output.h"
#include "program/status.h"

namespace {

using namespace fabricscope;
using namespace fabricscope::cli;

int run(int argc, char** argv) {
    CommandLine program("Says what happened on an RDMA fabric, from captures.", "fabricscope", application);
    add_analyze(program);
    add_capture(program);
    add_stream(program);
    add_timeline(program);
    add_fields(program);
    add_rules(program);
    add_explain(program);
    add_tables(program);
    add_replay(program);
    add_verify(program);
    add_load(program);
    add_script(program);
    add_mutate(program);
    add_synth(program);
    add_view(program);
    add_report(program);
    add_partition(program);
    add_merge(program);
    const int status = program.run(argc, argv);
    const std::string reason = why_not_written(std::cout);  // --help, lists
    return status == wrong_usage || reason.empty() ? status : refuse("cannot write standard output: " + reason);
}

/// Where there is no way to report it: in libraries written in C, behind noexcept.
[[noreturn]] void give_up() {
    constexpr std::string_view complaint = "fabricscope: out of memory\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, complaint.data(), complaint.size());
    std::_Exit(wrong_usage);
}

}  // namespace

/// What is closed would be given to the first file that is opened, and get what is told there. So that writing to it
/// fails as before, it can only be read.
void fill_standard_descriptors() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
}

int main(int argc, char** argv) {
    fill_standard_descriptors();
    std::signal(SIGCHLD, SIG_DFL);  // whoever starts children without waiting for them may have it ignored
    capture::when_wiretap_lacks_memory(give_up);
    remember_lack_of_memory();
    std::set_terminate([] {
        if (memory_was_short()) give_up();
        std::abort();
    });
    std::setlocale(LC_CTYPE, "");  // decides which characters the terminal can show
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return refuse("out of memory");
    } catch (const std::exception& error) {
        return refuse(error.what());
    }
}
