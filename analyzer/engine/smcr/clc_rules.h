// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the order of CLC messages, and of what they have to agree upon (RFC 7609, 3.2, 3.5 and A.2).
#pragma once

#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/tcp_arrival.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class ClcRules {
public:
    explicit ClcRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// A CLC message, before the model has taken it in.
    void on_clc(const TcpArrival& a, const wire::ClcMessage& message);

    /// The latest message from that side.
    std::optional<wire::ClcType> latest(std::uint32_t connection, Side from) const;

private:
    struct Identity {
        wire::PeerId id;
        std::uint64_t frame;
    };
    struct Offer {
        bool version1, version2;
        std::uint64_t frame;
    };
    /// Of a connection: what its CLC messages have said.
    struct Told {
        PerSide<std::optional<wire::ClcType>> latest;
        PerSide<std::optional<Identity>> identity;
        std::optional<Offer> offer;      ///< of the PROPOSAL
        std::uint64_t reserved_mtu = 0;  ///< frame of an ACCEPT with one
    };
    void judge_order(const TcpArrival& a, wire::ClcType type, const Told& told);
    void judge_answer_to_mtu(const TcpArrival& a, const wire::ClcMessage& message, Told& told);
    void judge_peer_id(const TcpArrival& a, const wire::ClcMessage& message, Told& told);
    void judge_version(const TcpArrival& a, const wire::ClcMessage& message, Told& told);

    Verdicts& verdicts_;
    PerId<Told> told_;  ///< by connection
};

}  // namespace fabricscope::engine::smcr
