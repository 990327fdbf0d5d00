// SPDX-License-Identifier: GPL-2.0-or-later
// A packet that has found its link: what everything that looks at its content needs.
#pragma once

#include <algorithm>
#include <limits>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"
#include "analyzer/engine/smcr/proof.h"
#include "analyzer/engine/smcr/rtokens.h"
#include "capture/packet.h"

namespace fabricscope::engine::smcr {

/// CONFIRM LINK is the first message on a new link.
inline bool begins_link(const capture::Packet& packet) {
    if (packet.ib.opcode().operation != ib::Operation::send ||
        !wire::looks_like_llc(packet.ib.payload, packet.ib.payload_length))
        return false;
    return wire::parse_llc(packet.ib.payload, packet.ib.payload_length).type() == wire::LlcType::confirm_link;
}

/// An LLC request without a reply yet.
struct OpenRequest {
    wire::LlcType type;
    Side from;
    std::uint32_t link;
    std::uint32_t subject;  ///< what it is about: a link number, an RKey
    std::size_t exchange;   ///< index in LinkGroup::exchanges; npos if that list is full
    FrameStamp step;
    bool serialized = false;                            ///< no other exchange of its sender may be under way
    PerSide<std::uint32_t> gaps{};                      ///< GroupHistory::gaps when it was sent
    std::array<std::uint8_t, wire::llc_size> octets{};  ///< as far as captured
    bool cut = false;                                   ///< not all of them were

    FrameStamp overlapped{};  ///< while it was open, its sender began another serialized exchange
    FrameStamp agreed{};      ///< while it was open, its sender agreed to a CONFIRM RKEY
    Time due = never;         ///< when the rules look for its reply
    Time alive = never;       ///< when the other side was first heard after it
    bool overdue = false;

    static constexpr Time never = std::numeric_limits<Time>::max();
};

/// What has been seen of a link group, beside the model: for the rules.
struct GroupHistory {
    PerSide<RtokenTable> rtokens;  ///< of this side's RMBs
    ElementOwners element_owners;
    PerSide<std::uint32_t> gaps;       ///< how often packets of this side were missing, on all links
    PerSide<std::uint64_t> gap_frame;  ///< the latest packet before which packets of this side were missing
    std::uint32_t unheard_links = 0;   ///< that both sides agreed to add, and of which no packet was captured yet
    /// The latest request of this side that was the first seen on its link, and may not have been the first there.
    PerSide<std::uint64_t> begun_before;
    std::vector<OpenRequest> open;
    Proof proof;
    bool contact_missing = false;        ///< its first contact, or an ACCEPT or CONFIRM, was not captured, or was cut
    bool one_interface = true;           ///< all packets so far came by the same one
    LinkSet mixed_links = 0;             ///< whose packets came by several interfaces
    PerSide<LinkSet> spoken_on;          ///< on which this side has asked for anything
    bool forgot_requests = false;        ///< there were too many open ones
    Time next_due = OpenRequest::never;  ///< the earliest OpenRequest::due
    bool watched = false;                ///< whether a rule waits for the next data

    /// accuse() reports a broken rule once it is proven that the side whose silence breaks it has not spoken; see
    /// Proof. What one side said before the other is not known where their packets came by different interfaces.
    void accuse(Verdicts& verdicts, Accusation accusation, std::uint32_t link);

    bool mixed(std::uint32_t link) const { return (mixed_links & link_set_of(link)) != 0; }

    void note_gap(Side side, std::uint64_t frame) {
        ++gaps[side];
        gap_frame[side] = frame;
    }

    /// Whether no packet of the link group is known to be missing, and no link that may have carried any.
    bool complete() const { return gaps.values == std::array<std::uint32_t, 2>{} && unheard_links == 0; }
    std::uint32_t all_gaps() const { return gaps[Side::client] + gaps[Side::server]; }

    /// How many open requests are of the same type and from the same side, this one included.
    std::size_t count_like(const OpenRequest& request) const {
        const auto alike = [&](const OpenRequest& r) { return r.type == request.type && r.from == request.from; };
        return static_cast<std::size_t>(std::ranges::count_if(open, alike));
    }

    void swap_sides() {
        rtokens.swap_sides();
        gaps.swap_sides();
        gap_frame.swap_sides();
        spoken_on.swap_sides();
        begun_before.swap_sides();
        proof.swap_sides();
        for (OpenRequest& request : open) {
            request.from = other(request.from);
            request.gaps.swap_sides();
        }
    }
};

/// Arrival lives as long as the call that deals with the packet: what it points to is not kept. Data that must wait is
/// kept as WaitingData.
struct Arrival {
    std::uint32_t group;
    std::uint32_t link;  ///< index in LinkGroup::links
    Side from;
    const capture::Packet* packet;
    FrameFacts* facts;
    GroupHistory* history;
    bool late = false;              ///< it fills a gap: what was sent after it has been seen before
    PerSide<std::uint32_t> gaps{};  ///< GroupHistory::gaps up to this packet
    bool one_interface = true;      ///< all packets of the group up to this one came by one interface
    bool peer_knew_more = false;    ///< the sender has acknowledged what of the other side is yet to be captured

    FrameStamp step() const { return step_of(*packet); }
};

}  // namespace fabricscope::engine::smcr
