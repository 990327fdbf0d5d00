// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/families.h"

#include <algorithm>
#include <array>

#include "replay/synth/fc_ae_rdma.h"
#include "replay/synth/fcvi.h"
#include "replay/synth/messages.h"
#include "replay/synth/rdma_cm.h"
#include "replay/synth/smcr.h"

namespace fabricscope::synth {
namespace {

constexpr std::array known{
    Family{
        "fc-ae-rdma", "FC-AE-RDMA: reads and writes of a Target's memory",
        [](const Scenario& s) { return run_fc_ae_rdma(s, nullptr); }},
    Family{"fcvi", "FC-VI connections and their Messages", [](const Scenario& s) { return run_fcvi(s, nullptr); }},
    Family{
        messages_protocol, "Messages of any of these protocols, one by one, with their fields",
        [](const Scenario& s) { return run_messages(s, nullptr); }},
    Family{
        "rdma-cm", "RDMA CM connections and what is sent over them",
        [](const Scenario& s) { return run_rdma_cm(s, nullptr); }},
    Family{
        "smc-r", "SMC-R connections, link groups and their data",
        [](const Scenario& s) { return run_smcr(s, nullptr); }},
};

Recording run_alone(const Scenario& scenario) {
    const auto family = std::ranges::find(known, scenario.protocol, &Family::protocol);
    if (family == known.end()) throw ScenarioError("nobody plays the protocol " + scenario.protocol);
    return family->run(scenario);
}

/// Interfaces of one name and kind are one.
std::uint32_t place_of(const capture::CaptureInterface& interface, std::vector<capture::CaptureInterface>& among) {
    const auto same = std::ranges::find_if(among, [&](const capture::CaptureInterface& one) {
        return one.name == interface.name && one.link == interface.link && one.description == interface.description;
    });
    const auto place = static_cast<std::uint32_t>(same - among.begin());
    if (same == among.end()) among.push_back(interface);
    return place;
}

void add(Recording& recording, Recording more) {
    std::vector<std::uint32_t> places;
    for (const capture::CaptureInterface& interface : more.interfaces)
        places.push_back(place_of(interface, recording.interfaces));
    for (RecordedFrame& frame : more.frames) {
        frame.interface = places[frame.interface];
        recording.frames.push_back(std::move(frame));
    }
    std::ranges::stable_sort(recording.frames, {}, &RecordedFrame::time);
    std::ranges::move(more.account, std::back_inserter(recording.account));
    recording.complete = recording.complete && more.complete;
}

}  // namespace

std::span<const Family> families() { return known; }

Recording run(const Scenario& scenario) {
    Recording recording = run_alone(scenario);
    for (const Scenario& more : scenario.beside) add(recording, run_alone(more));
    return recording;
}

}  // namespace fabricscope::synth
