// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a player against a peer until all of the player's messages have been sent.
#pragma once

#include "replay/engine/comparison.h"
#include "replay/engine/player.h"
#include "replay/stack/core/fabric.h"

namespace fabricscope::replay {

/// In a FaultPolicy: who sends the frame.
inline constexpr stack::PortId from_player = 0, from_peer = 1;

/// A frame that was sent or received at one of the player's ports.
struct RunFrame {
    Time time = 0;
    std::size_t port = 0;
    bool sent = false;  ///< by the player
    Octets octets;
    std::string note;  ///< the sender's, why it was sent; may be empty
};

struct Run {
    capture::LinkType link = capture::LinkType::ethernet;
    std::size_t ports = 1;
    std::vector<RunFrame> frames;  ///< in order of time
    /// How many of them are judged. Those behind only leave the peer as it was found.
    std::size_t judged = 0;
    bool over = false;  ///< false: the time limit was reached while something was waited for
    std::string waiting_for;
    std::string broken_off;  ///< why it ended before its time, if it did: "interrupted"
    std::string refusal;     ///< why there was no peer to speak of; empty: there was one
    std::vector<std::string> notes;
};

struct RunLimits {
    Time start = 0;  ///< of the clock, nanoseconds since 1970
    Time most = 3'600 * capture::second;
    std::size_t frames = 10'000'000;
    std::uint64_t octets = std::uint64_t{1} << 29;  ///< of all frames
    std::function<bool()> stop{};  ///< asked now and then: whether the run is to be broken off; may be empty
    stack::FaultPolicy faults{};   ///< on the way, both ways; may be empty
};

/// The session of that name, with something to play. Throws NotPlayable.
std::unique_ptr<Session> playable_session(const Reader& reader, const engine::Engine& engine, std::string_view id);

/// On a virtual clock, over a perfect wire.
Run run_emulated(AttachedPlayer player, AttachedEndpoint peer, const RunLimits& limits);

/// The run as a capture's frame, number `index` from 0; its views point into `run`.
capture::Frame frame_of(const Run& run, std::size_t index);

/// As compare(), and tells what the peer did to the rules from what the played side did.
Comparison compare(const Conversation& recorded, const Conversation& actual, Side played, const Run& run);

/// The session of the run. nullptr: nothing of the recorded session's kind happened.
std::unique_ptr<Session> session_of(const Run& run, const Protocol& protocol, const Conversation& recorded);

}  // namespace fabricscope::replay
