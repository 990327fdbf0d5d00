// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/suite/command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

namespace fabricscope::replay {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto look_interval = 20ms;
constexpr int of_signal = 128;
/// That a command has to end itself before it is killed.
constexpr double grace = 2;

/// This process's environment, and more.
std::vector<char*> environment_with(const std::vector<std::string>& more) {
    std::vector<char*> all;
    for (char** one = environ; *one != nullptr; ++one) all.push_back(*one);
    for (const std::string& one : more) all.push_back(const_cast<char*>(one.c_str()));
    all.push_back(nullptr);
    return all;
}

int status_of(int status) { return WIFSIGNALED(status) ? of_signal + WTERMSIG(status) : WEXITSTATUS(status); }

std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
    return word + "'";
}

}  // namespace

RunningCommand::RunningCommand(const std::string& command, const std::vector<std::string>& environment) {
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", 0, 0);
    ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    std::string text = command, shell = "sh", option = "-c";
    char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
    std::vector<char*> variables = environment_with(environment);
    const int error = ::posix_spawn(&group_, "/bin/sh", &files, &attributes, words, variables.data());
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "/bin/sh");
}

RunningCommand::~RunningCommand() {
    ::kill(-group_, SIGTERM);
    if (wait(grace) < 0) {
        ::kill(-group_, SIGKILL);
        wait(grace);
    }
}

int RunningCommand::wait(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!over_) {
        int status = 0;
        if (::waitpid(group_, &status, WNOHANG) == group_) over_ = status_of(status);
        else if (Clock::now() >= end) return -1;
        else std::this_thread::sleep_for(look_interval);
    }
    return *over_;
}

std::string through(const std::string& shell, const std::string& command) {
    return shell.empty() ? command : shell + " " + quoted(command);
}

std::string shell_word(const std::string& text) {
    constexpr std::string_view harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:-";
    return !text.empty() && text.find_first_not_of(harmless) == std::string::npos ? text : quoted(text);
}

}  // namespace fabricscope::replay
