// SPDX-License-Identifier: GPL-2.0-or-later
// A frame of an FC-VI IU that has come in: what it says, and where it belongs.
#pragma once

#include "analyzer/engine/fc/given_ids.h"
#include "analyzer/engine/fcvi/exchanges.h"

namespace fabricscope::engine::fcvi {

/// Whether the Originator's port counts OX_IDs up, so that the frame is of no other Exchange that has the same one.
inline bool is_identified(const fibre_channel::FrameFacts& facts) {
    const std::uint16_t ox_id = facts.exchange.ox_id;
    return facts.given_ids.has_all(facts.exchange.port(fibre_channel::Party::originator), ox_id, ox_id);
}

struct Arrival {
    const FrameSeen& seen;
    const wire::DeviceHeader& header;
    const wire::IuInfo& iu;
    Exchange& exchange;
    const Continuation& continuation;
    FrameFacts& facts;
    const fibre_channel::FrameFacts& below;

    const fc::Frame& frame() const { return seen.frame; }
    const fc::FCtl& f_ctl() const { return seen.frame.header.f_ctl; }
    bool from_originator() const { return !f_ctl().exchange_responder; }
    /// Who sent it; means something once the Exchange's connection is known.
    Side from() const { return from_originator() ? exchange.originator : other(exchange.originator); }
    FrameStamp step() const { return seen.step(); }
    bool ends_iu() const { return f_ctl().end_sequence; }
    bool ends_exchange() const { return f_ctl().end_sequence && f_ctl().last_sequence; }
    bool passes_initiative() const { return f_ctl().end_sequence && f_ctl().sequence_initiative; }
    /// The X_ID that this side's port has given to the Exchange, if that was captured.
    std::optional<std::uint16_t> id_given_by(Side side) const {
        return side == exchange.originator ? below.exchange.ox_id : below.exchange.rx_id;
    }
    /// Why the frame may be the first that was captured of another Exchange with the same OX_ID; nothing if its
    /// Originator's port counts these up.
    std::optional<UndecidedReason> lack_of_identity() const {
        return is_identified(below) ? std::nullopt : std::optional(UndecidedReason::frames_missing);
    }
    /// It answers what was sent then, if that was captured.
    void answers(const std::optional<FrameStamp>& request) const {
        if (!request) return;
        facts.request_frame = request->frame;
        facts.request_time = request->time;
    }
    bool iso() const { return header.version == wire::Version::iso; }
};

}  // namespace fabricscope::engine::fcvi
