// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "program/analysis.h"
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

struct ViewOptions {
    std::vector<std::string> files;
    std::optional<std::uint64_t> frame;
    std::string session;
    std::vector<std::string> interfaces;
    std::string written_file;
    bool follow = false;
    bool reuse = false;
};

std::vector<std::string> arguments_of(const ViewOptions& options) {
    std::vector<std::string> arguments{viewer};
    if (options.frame) arguments.push_back("--frame=" + std::to_string(*options.frame));
    if (!options.session.empty()) arguments.push_back("--session=" + options.session);
    for (const std::string& interface : options.interfaces) arguments.push_back("--interface=" + interface);
    if (!options.written_file.empty()) arguments.push_back("--write=" + options.written_file);
    if (options.follow) arguments.emplace_back("--follow");
    if (options.reuse) arguments.emplace_back("--reuse");
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), options.files.begin(), options.files.end());
    return arguments;
}

int run(const ViewOptions& options) {
    if (const std::string reason = why_not_twice(options.files, "view"); !reason.empty()) return refuse(reason);
    std::vector<std::string> arguments = arguments_of(options);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    if (const std::string beside = beside_this_program(); !beside.empty()) ::execv(beside.c_str(), words.data());
    ::execvp(viewer, words.data());
    return refuse(
        "the viewer is not installed: there is no fabricscope-viewer beside this program or on the PATH. It is built "
        "where Qt 6 and QCustomPlot are; see docs/viewer.md");
}

}  // namespace

void add_view(CommandLine& program) {
    auto options = std::make_shared<ViewOptions>();
    const Command command = program.add_command("view", "Show captures in a window");
    command.option("FILE", options->files, "Captures; several are one timeline").reads().placeholder("...");
    command.option("--frame", options->frame, "Go to that frame").positive().placeholder("NUMBER");
    command.option("--session", options->session, "Select that session, as analyze names it").placeholder("ID");
    command.option("-i,--interface", options->interfaces, "Capture there, and show what comes").placeholder("IFACE");
    command.option("-w,--write", options->written_file, "Keep what is captured in this file")
        .writes()
        .placeholder("FILE");
    command.flag("--follow", options->follow, "Look whether the captures grow, and show what came");
    command.flag("--reuse", options->reuse, "Show it in a viewer that runs already, if there is one");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
