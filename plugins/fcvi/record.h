// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame of the capture, kept for whenever Wireshark shows the frame.
//
// Wireshark dissects a frame again and again, in any order. What is shown of a frame is what was said
// when the engine came past it; only what becomes of its connection and Message is told as far as it is known.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/flat_map.h"
#include "plugins/fc/record.h"

namespace fabricscope::plugin::fcvi {

namespace wire = fabricscope::fcvi;

using engine::fcvi::Connection;
using engine::fcvi::Message;
using engine::fcvi::Side;

struct FrameEntry : FcEntry {
    std::uint32_t connection;  ///< id; 0 = none that is known
    bool readable : 1;         ///< its Device_Header is there
    bool iso : 1;              ///< the version that it is read with
    bool from_server : 1;

    wire::Version version() const { return iso ? wire::Version::iso : wire::Version::rev_1_0; }
    Side from() const { return from_server ? Side::server : Side::client; }
};

class Record final : public FcRecord, public engine::fcvi::Observer {
public:
    using Entry = FrameEntry;

    /// What the frame carries of FC-VI.
    std::span<const FrameEntry> entries(std::uint64_t frame) const { return entries_in(entries_, frame); }

    /// nullptr for id 0
    const Connection* connection(std::uint32_t id) const;
    /// Nothing for id 0.
    std::optional<Message> message(std::uint32_t id) const;
    /// Payload of a connect IU in several frames, in the frame that completes it; otherwise empty.
    ByteView long_payload(std::uint32_t frame) const;

    /// A connection's two ports: "01.02.03".
    using Parties = engine::PerSide<std::string>;
    const Parties& parties(std::uint32_t connection) const;

private:
    /// Of an Exchange that is going on: for frames that FC-VI does not see.
    struct Place {
        std::uint32_t connection;
        std::uint32_t message;
        bool originator_is_server;
    };

    // wire::Observer
    void on_facts(const engine::fcvi::FrameFacts& facts) override { facts_ = facts; }
    void on_data(const engine::fcvi::DataPiece& piece) override;
    void on_finding(const engine::Finding& finding) override { notes_.note_finding(finding); }
    // FcRecord
    bool wants_data(const capture::Packet& packet) override;
    void on_frame(const FcFacts& fc) override;
    void on_exchange_over(const engine::fibre_channel::Exchange& exchange) override { places_.erase(exchange.id); }

    void take_iu(const FcFacts& fc, FrameEntry& entry);
    void take_facts(const FcFacts& fc, FrameEntry& entry);
    void take_other(const FcFacts& fc);

    FrameList<FrameEntry> entries_;
    engine::FlatMap<std::uint32_t, Place> places_;  ///< by Exchange
    std::unordered_map<std::uint32_t, std::vector<std::uint8_t>> long_payloads_;
    std::optional<engine::fcvi::FrameFacts> facts_;  ///< of the frame that is being worked on
    std::optional<std::uint64_t> offset_;            ///< of its data
    mutable std::vector<Parties> parties_;           ///< by connection id - 1, made when first asked for
};

}  // namespace fabricscope::plugin::fcvi
