// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame of the capture, kept for whenever Wireshark shows the frame.
//
// Wireshark dissects a frame again and again, in any order. What is shown of a frame is what was said
// when the engine came past it; only what becomes of its message is told as far as it is known.
#pragma once

#include <array>
#include <set>
#include <string>
#include <unordered_map>

#include "analyzer/engine/flat_map.h"
#include "plugins/fc/record.h"
#include "protocols/fc/els.h"
#include "protocols/fc_ae_rdma/process_login.h"

namespace fabricscope::plugin::fc_ae_rdma {

namespace wire = fabricscope::fc_ae_rdma;

using engine::fc_ae_rdma::Message;

struct FrameEntry : FcEntry {
    bool from_target : 1;
};

/// Two ports of a fabric, the lower N_Port_ID first.
using PortPair = std::array<std::uint32_t, 3>;

/// FCP's page of a PRLI or of its accept.
struct LoginPage {
    PortPair ports{};
    Bytes<wire::service_page_size> octets;
    std::uint32_t offset = 0;  ///< in the packet; 0: FCIP, whose frames may stand in several
};

class Record final : public FcRecord, public engine::fc_ae_rdma::Observer {
public:
    using Entry = FrameEntry;

    /// What the frame carries of FC-AE-RDMA.
    std::span<const FrameEntry> entries(std::uint64_t frame) const { return entries_in(entries_, frame); }

    /// Nothing for id 0.
    std::optional<Message> message(std::uint32_t id) const;

    /// The two ports of a message: "01.02.03".
    struct Parties {
        std::string initiator, target;
    };
    const Parties& parties(const Message& message) const;

    /// The page of a frame of PRLI; nullptr for any other.
    const LoginPage* page_of(const FrameEntry& entry) const;
    /// Whether its ports have used FC-AE-RDMA so far.
    bool is_of_rdma(const LoginPage& page) const { return rdma_ports_.contains(page.ports); }

private:
    // wire::Observer
    void on_facts(const engine::fc_ae_rdma::FrameFacts& facts) override { facts_ = facts; }
    void on_data(const engine::fc_ae_rdma::DataPiece& piece) override;
    void on_finding(const engine::Finding& finding) override { notes_.note_finding(finding); }
    // FcRecord
    void on_frame(const FcFacts& fc) override;
    void on_exchange_over(const engine::fibre_channel::Exchange& exchange) override { messages_.erase(exchange.id); }

    void take_iu(FrameEntry& entry, const FcFacts& fc);
    bool take_process_login(const FcFacts& fc);
    static PortPair pair_of(const engine::fibre_channel::Port& a, const engine::fibre_channel::Port& b) {
        return {a.fabric, std::min(a.id, b.id), std::max(a.id, b.id)};
    }
    static std::uint64_t key_of_page(std::uint32_t exchange, bool from_responder) {
        return std::uint64_t{exchange} << 1 | static_cast<std::uint64_t>(from_responder);
    }

    FrameList<FrameEntry> entries_;
    engine::FlatMap<std::uint32_t, std::uint32_t> messages_;      ///< by Exchange that is going on
    std::optional<engine::fc_ae_rdma::FrameFacts> facts_;         ///< of the frame that is being worked on
    std::uint64_t offset_ = 0;                                    ///< of its data in the message
    std::unordered_map<std::uint64_t, LoginPage> pages_;          ///< of PRLIs and their accepts
    std::set<PortPair> rdma_ports_;                               ///< between which there was a message
    mutable std::unordered_map<std::uint64_t, Parties> parties_;  ///< by both ports, made when first asked for
};

}  // namespace fabricscope::plugin::fc_ae_rdma
