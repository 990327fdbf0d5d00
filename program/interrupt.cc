// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/interrupt.h"

#include <csignal>

namespace fabricscope::cli {
namespace {
volatile std::sig_atomic_t seen = 0;
}

void listen_to_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { seen = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        // Who started it with nohup(1) does not want it to end with the terminal.
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        ::sigaction(signal, &action, nullptr);
    }
}

bool interrupted() { return seen != 0; }

}  // namespace fabricscope::cli
