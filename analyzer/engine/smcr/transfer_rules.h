// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the data's way: packets, WRITEs and CDC messages, and whom they are for (RFC 7609, 4). What
// they do to the connection is judged in cursor_rules, sequence_rules, flow_control_rules and ending_rules.
#pragma once

#include "analyzer/engine/smcr/cursor_rules.h"
#include "analyzer/engine/smcr/ending_rules.h"
#include "analyzer/engine/smcr/flow_control_rules.h"
#include "analyzer/engine/smcr/sequence_rules.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::smcr {

class TransferRules {
public:
    TransferRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// A request packet on a link, not a repeated one; `first` is the first one from that side.
    void on_request(const Arrival& a, bool first);

    /// A packet of an RDMA WRITE, not a repeated one, whether or not its RMB is known.
    void on_write_packet(const Arrival& a, const capture::RcEvent& event);

    /// A SEND that claims to be a CDC message, not a repeated one; `length` octets on the wire.
    void on_cdc_packet(const Arrival& a, ByteView message, std::uint32_t length);

    /// A connection's CONFIRM, which data of the server may have been met before.
    void on_confirm(const Session& session, const GroupHistory& history);

    /// A WRITE or CDC message of a known connection, before the model has taken it in.
    void on_write(const Arrival& a, Session& session, const Flow::Write& write);
    /// `writes_wait`: some WRITEs have found no RMB yet.
    void on_cdc(const Arrival& a, Session& session, const wire::Cdc& cdc, bool writes_wait);

    /// Why a WRITE has no connection.
    enum class Lost : std::uint8_t {
        unknown_rkey,
        below_rmb,  ///< the address is before that of the RKey's RMB
        unassigned  ///< no connection is known to have the RMB element
    };
    /// A WRITE or CDC message for which no connection was found in time. `why`: why it may have been
    /// announced nevertheless.
    void on_lost_write(const Arrival& a, Lost lost, std::uint32_t rkey, std::optional<UndecidedReason> why);
    /// `meant`: the connection whose next message it can only be, or nullptr. Returns whether the token is wrong.
    bool on_lost_cdc(const Arrival& a, const wire::Cdc& cdc, const Session* meant, std::optional<UndecidedReason> why);
    /// A CDC message that can only be the next one of `meant`, and has another connection's token.
    void on_wrong_token(const Arrival& a, const Session& meant, const Connection& named);

private:
    void judge_first_psn(const Arrival& a, const Link& link);
    static bool was_left_behind(const Transfer& t, const wire::Cdc& cdc);
    void judge_begin(const Transfer& t);
    std::optional<UndecidedReason> doubt_of_owner(std::uint32_t group, const GroupHistory& history) const;
    void judge_early(const Connection& connection, const FrameStamp& data, std::optional<UndecidedReason> why);
    void judge_vlan(const Transfer& t);
    void judge_place(const Transfer& t, const Flow::Write& write);
    void note(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions);

    const Model& model_;
    Verdicts& verdicts_;
    SequenceRules sequence_rules_{model_, verdicts_};
    CursorRules cursor_rules_{verdicts_};
    FlowControlRules flow_control_rules_{verdicts_};
    EndingRules ending_rules_{verdicts_};
};

}  // namespace fabricscope::engine::smcr
