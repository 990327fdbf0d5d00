// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/peer_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/units.h"
#include "program/output.h"
#include "replay/transport/transport.h"

namespace fabricscope::cli {

void add_peer_options(const Command& command, PeerOptions& options) {
    command.option("--profile", options.profile, "emulated: the side's own parameters, instead of the recorded ones")
        .one_of({"linux", "strict"})
        .placeholder("linux|strict");
    command.option("--address", options.address, "smc: IP address of the played side, which nobody else has")
        .placeholder("IP");
    command.option("--interface", options.interface, "smc: where the peer is; found by its address")
        .placeholder("NAME");
}

std::vector<Word> targets() { return {{"emulated", "the emulated stack"}}; }

std::string check_target(const std::string& target) {
    std::string problem;
    replay::parse_target(target, problem);
    return problem;
}

replay::Recording read_sessions(const InputOptions& input) {
    return replay::read_recording(
        [&](const engine::Options& options, const engine::Observers& observers) {
            return analyse(input.files, options, observers);
        },
        input.forced_cursor_base());
}

const replay::Candidate* playable(const std::vector<replay::Candidate>& candidates, const std::string& id) {
    const auto found = std::ranges::find_if(
        candidates, [&](const replay::Candidate& one) { return one.info.id == id; });
    if (found == candidates.end()) {
        complain(fmt::format(
            "no session {}; the capture has {}, see fabricscope replay --list", id,
            candidates.empty() ? "none" : report::counted(candidates.size(), "session")));
        return nullptr;
    }
    if (!found->info.obstacle.empty()) {
        complain(fmt::format("{} cannot be replayed: {}", id, found->info.obstacle));
        return nullptr;
    }
    return &*found;
}

}  // namespace fabricscope::cli
