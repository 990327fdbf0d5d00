// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/transfer_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::engine::smcr {

// ---- packets -------------------------------------------------------------------------------------

void TransferRules::on_request(const Arrival& a, bool first) {
    const Link& link = model_.link_groups[a.group - 1].links[a.link];
    if (first) judge_first_psn(a, link);
    const std::uint32_t length = a.packet->ib.payload_length;
    if (link.mtu && length <= *link.mtu) return verdicts_.satisfied(rules::path_mtu);
    // Of one offer alone it is known that the MTU is no larger.
    const std::uint32_t one_offer = std::max(link.offered_mtu[Side::client], link.offered_mtu[Side::server]);
    const std::uint32_t mtu = link.mtu.value_or(one_offer);
    if (mtu != 0 && length > mtu)
        return verdicts_.broken(
            rules::path_mtu, {a.packet->number}, Subject::link_group(a.group),
            fmt::format("{} octets in a packet, the MTU is {}", length, mtu));
    if (first) verdicts_.undecided(rules::path_mtu, UndecidedReason::setup_not_captured);
}

/// A link begins with CONFIRM LINK, so nothing can be missing before that.
void TransferRules::judge_first_psn(const Arrival& a, const Link& link) {
    const auto announced = link.end[a.from].initial_psn;
    const std::uint32_t psn = a.packet->ib.bth.psn;
    if (!announced) return verdicts_.undecided(rules::initial_psn, UndecidedReason::setup_not_captured);
    if (psn == *announced) return verdicts_.satisfied(rules::initial_psn);
    verdicts_.broken(
        rules::initial_psn, doubt_if(!begins_link(*a.packet), UndecidedReason::frames_missing), {a.packet->number},
        Subject::link_group(a.group),
        fmt::format("the {} begins with PSN {}, but announced {}", name_of(a.from), psn, *announced));
}

void TransferRules::on_write_packet(const Arrival& a, const capture::RcEvent& event) {
    if (!event.immediate) return verdicts_.satisfied(rules::immediate_data);
    verdicts_.broken(
        rules::immediate_data, {a.packet->number}, Subject::link_group(a.group), "RDMA WRITE with immediate data");
}

void TransferRules::on_cdc_packet(const Arrival& a, ByteView message, std::uint32_t length) {
    const bool told = message.size() > 1;
    if (length == wire::cdc_size && (!told || message[1] == wire::cdc_size)) return;
    verdicts_.broken(
        rules::known_token, {a.packet->number}, Subject::link_group(a.group),
        fmt::format("a CDC message of {} octets that says {}", length, told ? message[1] : 0));
}

// ---- WRITEs and CDC messages of a connection -----------------------------------------------------

void TransferRules::on_write(const Arrival& a, Session& session, const Flow::Write& write) {
    const Transfer t(a, session);
    judge_begin(t);
    sequence_rules_.on_link(t);
    judge_place(t, write);
    ending_rules_.on_write(t, write);
    flow_control_rules_.on_write(t, write);
    cursor_rules_.on_write(t, write);
    t.mine.link = a.link;
}

void TransferRules::on_cdc(const Arrival& a, Session& session, const wire::Cdc& cdc, bool writes_wait) {
    const Transfer t(a, session);
    verdicts_.satisfied(rules::known_token);
    if (cdc.flags.failover_validation) return sequence_rules_.on_validation(t, cdc);
    judge_begin(t);
    if (t.late() || was_left_behind(t, cdc)) return;  // what came after it has been taken in already
    sequence_rules_.on_link(t);
    const Transfer::Motions motions = t.motions_of(cdc);
    const bool is_new = !session.overtaken(a.from, cdc) &&
                        (t.mine.frame == 0 || sequence_distance(t.mine.highest_sequence, cdc.sequence) > 0);
    if (is_new) {
        flow_control_rules_.on_cdc(t, cdc, motions);
        ending_rules_.on_cdc(t, cdc, motions.producer);
        cursor_rules_.on_cdc(t, cdc, motions, writes_wait);
    }
    sequence_rules_.on_cdc(t, cdc);
    note(t, cdc, motions);
}

/// A message that was sent before its sender moved to another link, and overtaken by what it sent there.
bool TransferRules::was_left_behind(const Transfer& t, const wire::Cdc& cdc) {
    Sent& mine = t.mine;
    const bool is_elsewhere = mine.link && mine.link != t.a.link && mine.validation_on(t.a.link) == nullptr;
    return is_elsewhere && mine.frame != 0 && sequence_distance(mine.highest_sequence, cdc.sequence) <= 0;
}

/// The server's data are an answer to CONFIRM. The client's may have overtaken it, or the CONFIRM that
/// was captured is a repetition.
void TransferRules::judge_begin(const Transfer& t) {
    if (t.mine.begun || t.connection.midstream) return;
    t.mine.begun = true;
    judge_vlan(t);
    const auto& confirm = t.connection.setup.confirm;
    const capture::Packet& packet = *t.a.packet;
    // Frames that were put in order of time have kept their numbers.
    const bool before = !confirm || std::pair(packet.time, packet.number) < std::pair(confirm->time, confirm->frame);
    if (!before) return verdicts_.satisfied(rules::data_after_confirm);
    if (t.a.from == Side::client)
        return verdicts_.undecided(rules::data_after_confirm, UndecidedReason::may_have_crossed);
    if (confirm) return judge_early(t.connection, t.a.step(), doubt_of_owner(t.a.group, *t.a.history));
    t.mine.before_confirm = t.a.step();
    verdicts_.undecided(rules::data_after_confirm, UndecidedReason::setup_not_captured);
}

/// Why what was sent before CONFIRM may belong to an earlier connection with the same token or RMB element.
std::optional<UndecidedReason> TransferRules::doubt_of_owner(std::uint32_t group, const GroupHistory& history) const {
    if (!model_.link_groups[group - 1].from_start) return UndecidedReason::beginning_not_captured;
    return history.complete() ? std::nullopt : std::optional(UndecidedReason::frames_missing);
}

void TransferRules::judge_early(
    const Connection& connection, const FrameStamp& data, std::optional<UndecidedReason> why) {
    const FrameStamp& confirm = *connection.setup.confirm;
    if (data.interface != confirm.interface)
        return verdicts_.undecided(rules::data_after_confirm, UndecidedReason::interface_order);
    if (why) return verdicts_.undecided(rules::data_after_confirm, *why);
    verdicts_.broken(
        rules::data_after_confirm, {confirm.frame, data.frame}, Subject::connection(connection.id),
        "the server sends before CONFIRM has arrived");
}

void TransferRules::on_confirm(const Session& session, const GroupHistory& history) {
    const FrameStamp& early = session.sent[Side::server].before_confirm;
    const Connection& connection = *session.connection;
    if (early.frame != 0) judge_early(connection, early, doubt_of_owner(connection.link_group, history));
}

void TransferRules::judge_vlan(const Transfer& t) {
    const LinkGroup& group = model_.link_groups[t.a.group - 1];
    if (group.version != 1 || !t.connection.vlan) return;
    const Link& link = group.links[t.a.link];
    if (link.interface != t.connection.interface)
        return verdicts_.undecided(rules::same_vlan, UndecidedReason::interface_order);
    if (link.vlan == *t.connection.vlan) return verdicts_.satisfied(rules::same_vlan);
    const auto text = [](std::uint16_t vlan) { return vlan == 0 ? "no VLAN" : fmt::format("VLAN {}", vlan); };
    verdicts_.broken(
        rules::same_vlan, {t.connection.first_frame, t.frame()}, t.subject(),
        fmt::format("its link is on {}, TCP on {}", text(link.vlan), text(*t.connection.vlan)));
}

/// The first packet tells how far the whole WRITE goes.
void TransferRules::judge_place(const Transfer& t, const Flow::Write& write) {
    if (!write.first) return;
    const Direction& direction = t.connection.from[t.a.from];
    const auto text = [&](std::string_view what) {
        return fmt::format("a WRITE of the {} {}", name_of(t.a.from), what);
    };
    if (write.offset < direction.cursor_base.value_or(0))
        return verdicts_.broken(
            rules::write_range, {t.frame()}, t.subject(), text("touches the eye catcher of the RMB element"));
    if (!direction.rmbe_size || direction.rmbe_size_inferred)
        return verdicts_.undecided(rules::write_range, UndecidedReason::element_size_unknown);
    const std::uint64_t end = write.offset + write.operation;
    if (end <= *direction.rmbe_size) return verdicts_.satisfied(rules::write_range);
    verdicts_.broken(
        rules::write_range, {t.frame()}, t.subject(),
        text(fmt::format("ends {} octets behind the RMB element", end - *direction.rmbe_size)));
}

/// What later messages of this side are compared with.
void TransferRules::note(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions) {
    Sent& mine = t.mine;
    const bool first = mine.frame == 0;
    mine.frame = t.frame();
    mine.interface = t.a.packet->interface;
    mine.gaps = t.a.gaps[t.a.from];
    mine.link = mine.cdc_link = t.a.link;
    mine.written_frame = 0;
    if (first || sequence_distance(mine.highest_sequence, cdc.sequence) > 0) {
        mine.announced[cdc.sequence % mine.announced.size()] = {
            mine.frame, cdc.producer.offset, cdc.producer.wrap, cdc.sequence};
        mine.highest_sequence = cdc.sequence;
    }
    mine.sequence = cdc.sequence;
    mine.flags = cdc.flags;
    if (motions.consumer.moved != 0) mine.consumer_moved = mine.frame, mine.consumer_moved_time = t.a.packet->time;
    const bool demands = cdc.flags.writer_blocked || cdc.flags.consumer_update_requested || cdc.flags.urgent_pending ||
                         cdc.flags.urgent_present;
    if (demands) mine.demand_position = std::max(motions.producer.position, t.sending.producer_position());
    if (cdc.flags.urgent_present) mine.urgent_frame = mine.frame;
    if (cdc.state.sending_done && mine.done_frame == 0) mine.done_frame = mine.frame, mine.done_sequence = cdc.sequence;
    const bool ends = cdc.state.connection_closed || cdc.state.abnormal_close;
    if (!ends || mine.closed_frame != 0) return;
    mine.closed_frame = mine.frame;
    mine.closed_sequence = cdc.sequence;
    if (t.peers.closed_frame != 0) verdicts_.satisfied(rules::silence_after_close);  // so far, the peer
}

// ---- without a connection ------------------------------------------------------------------------

namespace {

std::string text_of(TransferRules::Lost lost, std::uint32_t rkey) {
    switch (lost) {
        using enum TransferRules::Lost;
        case unknown_rkey: return fmt::format("uses RKey {:#010x}, which is not known on the link", rkey);
        case below_rmb: return fmt::format("begins before the RMB of RKey {:#010x}", rkey);
        case unassigned: break;
    }
    return "goes to an RMB element that no connection has";
}

}  // namespace

/// An RMB is announced on RoCE before anything is written to it, if not by the first contact; and who has an element of
/// it the CLC messages tell.
void TransferRules::on_lost_write(const Arrival& a, Lost lost, std::uint32_t rkey, std::optional<UndecidedReason> why) {
    if (why) return verdicts_.undecided(rules::write_range, *why);
    a.history->accuse(
        verdicts_,
        {.rule = rules::write_range,
         .frames = {a.packet->number},
         .subject = Subject::link_group(a.group),
         .text = fmt::format("a WRITE of the {} {}", name_of(a.from), text_of(lost, rkey)),
         .silent = other(a.from),
         .on_any_link = true},
        a.link);
}

bool TransferRules::on_lost_cdc(
    const Arrival& a, const wire::Cdc& cdc, const Session* meant, std::optional<UndecidedReason> why) {
    if (why) {
        verdicts_.undecided(rules::known_token, *why);
        return false;
    }
    if (meant != nullptr) {
        verdicts_.broken(
            rules::known_token, {meant->sent[a.from].written_frame, a.packet->number},
            Subject::connection(meant->connection->id),
            fmt::format(
                "the {} announces its WRITE with the unknown token {:#010x}", name_of(a.from), cdc.alert_token));
        return true;
    }
    a.history->accuse(
        verdicts_,
        {rules::known_token,
         {a.packet->number},
         Subject::link_group(a.group),
         fmt::format(
             "the {} sends a CDC message with token {:#010x}, which its peer has given to no connection",
             name_of(a.from), cdc.alert_token),
         other(a.from)},
        a.link);
    return true;
}

void TransferRules::on_wrong_token(const Arrival& a, const Session& meant, const Connection& named) {
    verdicts_.broken(
        rules::known_token, {meant.sent[a.from].written_frame, a.packet->number},
        Subject::connection(meant.connection->id),
        fmt::format(
            "the {} announces its WRITE with the token of {}", name_of(a.from),
            to_string(Subject::connection(named.id))));
}

}  // namespace fabricscope::engine::smcr
