// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "program/commands.h"
#include "program/output.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

constexpr const char* viewer = "fabricscope-viewer";

/// Where this program lies, the viewer that was built with it does, too.
std::string beside_this_program() {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : (self.parent_path() / viewer).string();
}

int run(std::vector<std::string>& files) {
    std::vector<char*> words;
    std::string name = viewer, end_of_options = "--";
    words.push_back(name.data());
    words.push_back(end_of_options.data());
    for (std::string& file : files) words.push_back(file.data());
    words.push_back(nullptr);
    if (const std::string beside = beside_this_program(); !beside.empty()) ::execv(beside.c_str(), words.data());
    ::execvp(viewer, words.data());
    complain(
        "the viewer is not installed: there is no fabricscope-viewer beside this program or on the PATH. It is built "
        "where Qt 6 and QCustomPlot are; see docs/viewer.md");
    return wrong_usage;
}

}  // namespace

void add_view(CommandLine& program) {
    auto files = std::make_shared<std::vector<std::string>>();
    const Command command = program.add_command("view", "Show captures in a window");
    command.option("FILE", *files, "Captures; several are one timeline").placeholder("...");
    command.on_run([files] { return run(*files); });
}

}  // namespace fabricscope::cli
