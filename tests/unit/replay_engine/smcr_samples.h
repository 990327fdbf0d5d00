// SPDX-License-Identifier: GPL-2.0-or-later
// The samples that hold SMC-R, read for replay.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/engine/comparison.h"
#include "replay/engine/run.h"

namespace fabricscope::replay::smcr {

/// "real/smcr_v2_echo.pcap", "scenarios/smcr_v2_echo.scenario", in order.
std::vector<std::string> samples();

/// A capture, or what comes of a scenario.
class Sample {
public:
    explicit Sample(const std::string& name);

    std::vector<SessionInfo> sessions() const { return reader_->sessions(*engine_); }
    std::unique_ptr<Session> session(const std::string& id) const { return reader_->session(*engine_, id); }
    /// What is different, a line each; the obstacle if it cannot be played; nothing if the run was the same.
    std::string play(const SessionInfo& info, Side side) const;

private:
    std::unique_ptr<Reader> reader_;
    std::unique_ptr<engine::Engine> engine_;
};

const Protocol& smcr_protocol();
/// The run of one side of a session against the emulated other one.
std::unique_ptr<Session> played(const Session& session, Side side, Run* run = nullptr);

/// What is not clean, and why.
struct Exception {
    std::string_view played;  ///< how it begins: "real/smcr_v2_echo.pcap smcr-1 client"
    std::string_view told;    ///< part of what is told of it
    std::string_view why;
};
inline constexpr std::string_view vanished = "a host or its device went away, and its TCP connections ended long after";
inline constexpr std::string_view cut_off =
    "one connection out of a link group ends with its last message; a key is withdrawn after that";
inline constexpr std::string_view keys_in_lists = "in which order keys are listed for a new link, and whose";
inline constexpr std::string_view no_link_left = "the last link fails, and TCP connections are reset without a word";
inline constexpr std::array exceptions{
    Exception{"real/smcr_fallback_roce_blocked.pcap", "outcome: fallback", "RoCE reaches an emulated server"},
    Exception{"real/smcr_v1_ipv6_echo.pcap lg-1", "begin was not captured", "midstream"},
    Exception{"real/smcr_v2_lgr_netdev_down.pcap", "close: abnormal / open", vanished},
    Exception{"real/smcr_v2_lgr_rdma_link_delete.pcap", "close: abnormal / open", vanished},
    Exception{"real/smcr_v2_midstream.pcap", "begin was not captured", "midstream"},
    Exception{"real/smcr_v2_module_unload.pcap", "delete_link.orderly", "a kernel module's end is not emulated"},
    Exception{"real/smcr_v2_peer_frozen.pcap", "close: abnormal / open", vanished},
    Exception{"real/smcr_v2_tiny_writes.pcap lg-1", "begin was not captured", "midstream"},
    Exception{"real/smcr_v2_two_links.pcapng", "LLC ADD LINK", keys_in_lists},
    Exception{"real/smcr_v2_two_links_b.pcapng", "LLC ADD LINK", keys_in_lists},
    Exception{"real/smcr_v2_urgent_inline.pcap lg-1", "begin was not captured", "midstream"},
    Exception{"real/smcr_v2_urgent_stall.pcap", "urgent", "when an urgent octet that waits for room is announced"},
    Exception{"scenarios/smcr_rfc7609_two_links.scenario lg-1", "not sent", keys_in_lists},
    Exception{"scenarios/smcr_v2_asymmetric.scenario smcr-1", "LLC DELETE LINK : not sent", cut_off},
    Exception{"scenarios/smcr_v2_two_links.scenario smcr-1", "LLC DELETE LINK : not sent", cut_off},
    Exception{"scenarios/smcr_v2_last_link.scenario", "aborted", no_link_left},
    Exception{"scenarios/smcr_v2_server_failover.scenario smcr-1 client", "data of the server", cut_off},
};
inline const Exception* exception_for(std::string_view played) {
    for (const Exception& exception : exceptions)
        if (played.starts_with(exception.played)) return &exception;
    return nullptr;
}

}  // namespace fabricscope::replay::smcr
