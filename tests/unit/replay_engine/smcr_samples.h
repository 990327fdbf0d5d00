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
    /// `without`: a frame that was not captured; 0: all were.
    explicit Sample(const std::string& name, std::uint64_t without = 0);

    std::vector<SessionInfo> sessions() const { return reader_->sessions(*engine_); }
    std::unique_ptr<Session> session(const std::string& id) const { return reader_->session(*engine_, id); }
    std::uint64_t frames() const { return frames_; }
    /// What is different, a line each; the obstacle if it cannot be played; nothing if the run was the same.
    std::string play(const SessionInfo& info, Side side) const;

private:
    std::unique_ptr<Reader> reader_;
    std::unique_ptr<engine::Engine> engine_;
    std::uint64_t frames_ = 0;
};

const Protocol& smcr_protocol();
/// The run of one side of a session against the emulated other one.
std::unique_ptr<Session> played(const Session& session, Side side, Run* run = nullptr, Pace pace = {});

/// What is not clean, and why.
struct Exception {
    std::string_view played;  ///< how it begins: "real/smcr_v2_echo.pcap smcr-1 client"
    std::string_view told;    ///< part of what is told of it
    std::string_view why;
};
inline constexpr std::string_view midstream = "nothing tells the connection's RMB elements, keys and alert tokens";
inline constexpr std::string_view no_link_left = "the last link fails, and TCP connections are reset without a word";
inline constexpr std::string_view working_link =
    "a link that works is deleted: to the emulated host it is a link that is lost, and the order of things is another";
inline constexpr std::string_view later_device = "when the server got another device does not show in a recording";
inline constexpr std::string_view coincidence = "what collided then need not collide again";
inline constexpr std::array exceptions{
    Exception{"real/smcr_v2_midstream.pcap lg-1", "smcr-1: its begin was not captured", midstream},
    Exception{"real/smcr_v2_midstream.pcap smcr-1", "its begin was not captured", midstream},
    Exception{"scenarios/smcr_rfc7609_collisions.scenario", ":", coincidence},
    Exception{"scenarios/smcr_rfc7609_delete_link.scenario", "LLC DELETE LINK", working_link},
    Exception{"scenarios/smcr_rfc7609_last_link.scenario", "aborted", no_link_left},
    Exception{"scenarios/smcr_rfc7609_uneven_devices.scenario", "LLC ADD LINK : not sent / sent", later_device},
    Exception{"scenarios/smcr_v2_delete_link.scenario", "LLC", working_link},
    Exception{"scenarios/smcr_v2_last_link.scenario", "close: abnormal / open", no_link_left},
};
inline const Exception* exception_for(std::string_view played) {
    for (const Exception& exception : exceptions)
        if (played.starts_with(exception.played)) return &exception;
    return nullptr;
}

}  // namespace fabricscope::replay::smcr
