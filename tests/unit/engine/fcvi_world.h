// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine makes of a scenario of FC-VI, once it has been edited.
#pragma once

#include <map>

#include "analyzer/engine/engine.h"
#include "tests/traffic/edit.h"
#include "tests/unit/engine/fc_cut.h"

namespace fabricscope::engine::fcvi::test {

using Octets = std::vector<std::uint8_t>;
using Ids = std::vector<std::string>;
using Edits = std::vector<std::string>;
using engine::test::Cut;
using wire::Reliability;
using wire::Version;

class World : public Observer {
public:
    explicit World(
        const traffic::Recording& scenario, const Edits& edits = {}, Options options = {}, const Cut& cut = {})
        : engine_(engine_options(std::move(options)), {.fcvi = this}) {
        traffic::Recording recording = scenario;
        for (const std::string& line : edits) traffic::edit(recording, line);
        engine::test::analyze(engine_, recording, cut);
    }
    /// A scenario of samples/scenarios.
    explicit World(std::string_view name, const Edits& edits = {}, Options options = {})
        : World(traffic::play(name), edits, std::move(options)) {}

    const Model& model() const { return engine_.fcvi(); }
    const Connection& connection(std::size_t i = 0) const { return model().connections.at(i); }
    Message message(std::size_t i = 0) const { return model().messages.at(i); }
    Ids found() const {
        Ids ids;
        for (const Finding& finding : model().findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    std::string text() const { return model().findings.empty() ? "" : model().findings.front().text; }

    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_data(const DataPiece& piece) override {
        Octets& octets = streams[piece.message.id];
        if (octets.size() < piece.offset + piece.octets.size()) octets.resize(piece.offset + piece.octets.size());
        std::copy(piece.octets.begin(), piece.octets.end(), octets.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    }

    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, Octets> streams;

private:
    static engine::Options engine_options(Options options) {
        engine::Options whole{.smcr = false};
        whole.fc_protocols.fcvi = true;
        whole.fc_protocols.fcvi_options = std::move(options);
        return whole;
    }
    Engine engine_;
};

/// One connection, and the Messages of its client and its server: statements of docs/scenarios.md.
inline traffic::Recording connection(
    Version version, Reliability level, const std::string& of_client, const std::string& of_server = "",
    const std::string& providers = "") {
    static constexpr std::array levels{"unreliable-delivery", "reliable-delivery", "reliable-reception"};
    const std::string at_level = std::string(" level=") + levels.at(static_cast<std::size_t>(level)) + ' ';
    return traffic::play_text(
        "protocol fcvi\nproviders version=" + std::string(version == Version::iso ? "iso" : "1.0") + ' ' + providers +
        "\nlisten" + at_level + '\n' + of_server + "\nconnect" + at_level + "hold=20ms\n" + of_client);
}

}  // namespace fabricscope::engine::fcvi::test
