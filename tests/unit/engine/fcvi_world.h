// SPDX-License-Identifier: GPL-2.0-or-later
// Two FC-VI ports whose frames go straight into a tracker.
#pragma once

#include "analyzer/engine/fcvi/tracker.h"
#include "protocols/fc/els.h"
#include "tests/traffic/fcvi_dialogue.h"

namespace fabricscope::engine::fcvi::test {

using traffic::Octets;
using Ids = std::vector<std::string>;
using wire::IuType;
using wire::Reliability;
using wire::Version;
using Spec = traffic::FcviSpec;
using Change = traffic::FcviDialogue::Change;

constexpr std::uint32_t handle_of(Side side) { return traffic::FcviDialogue::handle_of(side); }
constexpr Time r_a_tov = 10 * capture::second;

class World : public traffic::FcviDialogue, public Observer {
public:
    explicit World(Version the_version = Version::iso, Reliability the_level = Reliability::reliable_reception)
        : World(the_version, the_level, {.limits = {}, .version = {}, .r_a_tov = r_a_tov}) {}
    World(Version the_version, Reliability the_level, Options options)
        : FcviDialogue(the_version, the_level), tracker(options, this) {}

    void login(Side side, std::uint64_t name, bool s = true, bool c = true) {
        tracker.on_login({port(side), port(other(side)), name, s, c});
    }
    void login() { login(Side::client, 0x2000'0000'0000'0002), login(Side::server, 0x2000'0000'0000'0001); }
    void logout(Side from) { tracker.on_logout(port(from), port(other(from)), {now, frames, 0}); }

    const Model& model() {
        tracker.finish();
        return tracker.model();
    }
    const Connection& connection(std::size_t i = 0) { return model().connections.at(i); }
    const Message& message(std::size_t i = 0) { return model().messages.at(i); }
    Ids found() {
        Ids ids;
        for (const Finding& finding : model().findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    std::string text() { return model().findings.empty() ? "" : model().findings.front().text; }

    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_data(const DataPiece& piece) override {
        Octets& octets = streams[piece.message.id];
        if (octets.size() < piece.offset + piece.octets.size()) octets.resize(piece.offset + piece.octets.size());
        std::copy(piece.octets.begin(), piece.octets.end(), octets.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    }

    static Port port(Side side) { return {0, port_id(side)}; }

    std::uint64_t frames = 0;
    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, Octets> streams;
    Tracker tracker;

protected:
    void on_frame(const traffic::FcFrame& frame) override {
        tracker.on_frame({++frames, now, 0, 0, fc::parse_frame(frame.octets, frame.octets.size())});
    }
    void on_lost() override { ++frames; }
};

}  // namespace fabricscope::engine::fcvi::test
