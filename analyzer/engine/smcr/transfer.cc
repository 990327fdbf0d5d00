// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/transfer.h"

namespace fabricscope::engine::smcr {

namespace {

/// The first message has nothing before it, if all was captured from the connection's begin on. Of a link group that
/// was met midway, what came before the connection's CLC messages had its time without them: another interface may have
/// shown it early.
std::optional<UndecidedReason> doubt_of_first(const Connection& connection, const Arrival& a, Side side) {
    if (!connection.from[side].from_start) return UndecidedReason::beginning_not_captured;
    if (a.history->contact_missing && a.packet->interface != connection.interface)
        return UndecidedReason::interface_order;
    if (a.gaps[side] != 0) return UndecidedReason::frames_missing;
    if (a.history->begun_before[side] > connection.first_frame) return UndecidedReason::frames_missing;
    if (a.history->unheard_links != 0) return UndecidedReason::link_not_captured;
    if (!a.one_interface) return UndecidedReason::interface_order;
    return std::nullopt;
}

}  // namespace

std::optional<UndecidedReason> Transfer::doubt_of_sender() const {
    if (late() || frame() < mine.frame) return UndecidedReason::out_of_order;
    if (mine.frame == 0) return doubt_of_first(connection, a, a.from);
    if (a.gaps[a.from] != mine.gaps) return UndecidedReason::frames_missing;
    if (a.history->unheard_links != 0) return UndecidedReason::link_not_captured;
    return std::nullopt;
}

std::optional<UndecidedReason> Transfer::doubt_of_sender_elsewhere() const {
    const auto why = doubt_of_sender();
    const bool moved = mine.frame != 0 && mine.cdc_link != a.link;
    return !why && moved && !a.one_interface ? UndecidedReason::another_link : why;
}

// Whatever the sender knows of its peer has passed the point of capture before, wherever that is.
std::optional<UndecidedReason> Transfer::doubt_of_peer() const {
    const Side peer = other(a.from);
    // What the peer says is known by the token that this side has assigned; of a connection seen midway, cursors have
    // told which one that is, which several may share.
    if (!connection.alert_token[a.from] || connection.midstream) return UndecidedReason::setup_not_captured;
    if (peers.frame == 0) return doubt_of_first(connection, a, peer);
    if (!connection.from[peer].from_start) return UndecidedReason::beginning_not_captured;
    if (peers.moves()) return UndecidedReason::another_link;
    if (a.gaps[peer] != peers.gaps) return UndecidedReason::frames_missing;
    if (a.history->unheard_links != 0) return UndecidedReason::link_not_captured;
    if (a.packet->interface != peers.interface) return UndecidedReason::interface_order;
    if (a.peer_knew_more) return UndecidedReason::out_of_order;
    return std::nullopt;
}

void Transfer::accuse_unless_peer_spoke(
    Verdicts& verdicts, RuleRef rule, std::vector<std::uint64_t> frames, std::string text, bool deviation) const {
    const Side peer = other(a.from);
    a.history->accuse(verdicts, {rule, std::move(frames), subject(), std::move(text), peer, deviation}, a.link);
}

}  // namespace fabricscope::engine::smcr
