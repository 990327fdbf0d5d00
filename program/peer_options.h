// SPDX-License-Identifier: GPL-2.0-or-later
// The options of the commands that play recordings to a peer: how it is made, or reached.
#pragma once

#include <string>
#include <vector>

#include "program/analysis.h"
#include "program/command_line.h"
#include "replay/suite/recording.h"

namespace fabricscope::cli {

struct PeerOptions {
    std::string profile;    ///< of an emulated peer; empty: its parameters are those of the recording
    std::string address;    ///< of the played side
    std::string interface;  ///< empty: found by the peer's address
};
/// `options` has to live as long as the command.
void add_peer_options(const Command& command, PeerOptions& options);

/// What completion offers as a TARGET: addresses are the user's.
std::vector<Word> targets();
/// What is wrong with a TARGET, empty if nothing is.
std::string check_target(const std::string& target);

/// What can be replayed of files.
replay::Recording read_sessions(const InputOptions& input);

/// The session of that name; nullptr after a complaint: there is none, or it cannot be played.
const replay::Candidate* playable(const std::vector<replay::Candidate>& candidates, const std::string& id);

}  // namespace fabricscope::cli
