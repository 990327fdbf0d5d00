// SPDX-License-Identifier: GPL-2.0-or-later
// Captures, read for replay: which sessions there are, and runs of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/report/reading.h"
#include "replay/report/run_report.h"
#include "replay/transport/live.h"

namespace fabricscope::replay {

struct ProtocolReader {
    const Protocol* protocol;
    std::unique_ptr<Reader> reader;
};

struct Recording {
    std::vector<ProtocolReader> readers;
    report::Reading reading;
};

/// Reads files with these options and observers: report::read(), or more.
using ReadFiles = std::function<report::Reading(const engine::Options&, const engine::Observers&)>;
Recording read_recording(const ReadFiles& read, std::optional<std::uint8_t> cursor_base = {});

/// A session, which may be one that cannot be replayed.
struct Candidate {
    const ProtocolReader* reader;
    SessionInfo info;
};
/// Of all protocols, in order of their first frames. They point into the recording, which has an engine.
std::vector<Candidate> candidates_of(const Recording& recording);

/// SMC-R and RDMA CM: hosts with IP addresses play it.
bool is_over_ip(const SessionInfo& info);

// ---- runs ----------------------------------------------------------------------------------------

struct PlaySettings {
    Target target;
    std::string target_name;  ///< as the user calls it
    std::string speed = "fast";
    Pace pace;                       ///< the same as a number
    std::string address, interface;  ///< TransportOptions
    Time timeout = 10 * capture::second;
    Time most = LiveLimits{}.most;  ///< of a live run, besides what the recorded pace takes
    const Masks* masks = nullptr;
    std::function<void(Conversation&)> change{};  ///< made to the recording before it is played; may be empty
    std::function<bool()> stop{};                 ///< whether the run is to be broken off
    std::function<void()> on_ready{};             ///< before the first message of a live run
    /// What becomes of frames on their way, by who sends them; may be empty.
    std::function<stack::Delivery(Side, const stack::FrameInFlight&, capture::LinkType, stack::Random&)> faults{};
    std::uint64_t seed = 1;  ///< of chance in that
};

/// A run, and what it is compared with.
struct Played {
    SessionInfo info;
    Side side{};
    std::unique_ptr<Session> recorded_session, actual_session;
    Conversation nothing;  ///< said in the run, if there is no session in it
    Run run;
    Comparison comparison;

    const Conversation& recorded() const { return recorded_session->conversation(); }
    const Conversation& actual() const { return actual_session ? actual_session->conversation() : nothing; }
};

/// Throws NotPlayable, TransportError, capture::InterfaceError.
std::unique_ptr<Played> play(
    const Recording& recording, const Candidate& candidate, Side side, const PlaySettings& settings);

/// Points into `played`.
RunReport report_of(const Played& played, const PlaySettings& settings);

}  // namespace fabricscope::replay
