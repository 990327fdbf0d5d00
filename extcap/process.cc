// SPDX-License-Identifier: GPL-2.0-or-later
#include "extcap/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace fabricscope::extcap {
namespace {

constexpr int could_not_start = 127;

int status_of(pid_t child) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return could_not_start;
    return WIFEXITED(status) ? WEXITSTATUS(status) : could_not_start;
}

}  // namespace

std::string fabricscope_program() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : {"fabricscope", "../bin/fabricscope"})
        if (const auto program = folder / place; ::access(program.c_str(), X_OK) == 0) return program;
    return "fabricscope";
}

void become(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
}

std::optional<std::string> output_of(const std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        become(words);
        ::_exit(could_not_start);
    }
    ::close(ends[1]);
    std::string output;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;)
        output.append(part.data(), static_cast<std::size_t>(count));
    ::close(ends[0]);
    if (child < 0 || status_of(child) != 0) return std::nullopt;
    return output;
}

int run(const std::vector<std::string>& words) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        become(words);
        ::_exit(could_not_start);
    }
    return child < 0 ? could_not_start : status_of(child);
}

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') text += "'\\''";
        else text += c;
    }
    return text += '\'';
}

}  // namespace fabricscope::extcap
