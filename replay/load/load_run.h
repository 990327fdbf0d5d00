// SPDX-License-Identifier: GPL-2.0-or-later
// A load on the real clock.
#pragma once

#include <functional>

#include "replay/load/load.h"

namespace fabricscope::replay {

struct LoadRun {
    LoadAccount account;
    std::uint64_t open = 0;  ///< sessions that did not end
    double seconds = 0;      ///< until nothing new was begun
    std::uint64_t frames_sent = 0, frames_received = 0;
    std::uint64_t frames_retransmitted = 0;  ///< of RDMA, among those sent
    std::uint64_t frames_dropped = 0;        ///< that this side did not take in time
    bool interrupted = false;
    std::string broken_off;  ///< why it ended before its time; empty if it did not
};

/// Between whom.
struct LoadWay {
    std::string peer;                     ///< IP address; empty: this is the server
    std::string address;                  ///< of the first of this side's hosts, which nobody else has
    unsigned hosts = 1;                   ///< a server is one
    std::string interface;                ///< empty: found by the addresses
    bool limited = true;                  ///< false: a server goes on until it is stopped
    Time timeout = 10 * capture::second;  ///< for the peer's answer to ARP
    bool join = false;                    ///< packets that are sent go to the kernel together
};

/// `ready`: called once frames can be sent. `stop`: asked now and then, whether the load is to end. Throws as
/// open_transport().
LoadRun run_load(
    LoadPlan plan, const LoadWay& way, const std::function<void()>& ready, const std::function<bool()>& stop);

}  // namespace fabricscope::replay
