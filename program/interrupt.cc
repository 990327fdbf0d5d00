// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace fabricscope::cli {
namespace {

/// When the first signal came, in milliseconds of a clock that began long before; 0: none has.
std::atomic<std::int64_t> seen = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// timeout(1) signals the program, and at once its whole process group: both are one request.
constexpr std::int64_t one_request_ms = 500;

std::int64_t milliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

void on_signal(int signal) {
    const std::int64_t now = milliseconds();
    std::int64_t none = 0;
    if (seen.compare_exchange_strong(none, now) || now - none < one_request_ms) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

void listen_to_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        // Who started it with nohup(1) does not want it to end with the terminal.
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        ::sigaction(signal, &action, nullptr);
    }
}

bool interrupted() { return seen != 0; }

}  // namespace fabricscope::cli
