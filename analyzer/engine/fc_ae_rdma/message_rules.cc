// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/message_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fabricscope::engine::fc_ae_rdma {
namespace {

std::string status_text(std::uint8_t status) {
    const char* name = layout::name_of(wire::status_names, status);
    return name != nullptr ? name : fmt::format("{:02X}h", status);
}

}  // namespace

namespace {

std::vector<std::uint64_t> frames_of(const Arrival& a) {
    if (a.message.command.frame == a.seen.number) return {a.seen.number};
    return {a.message.command.frame, a.seen.number};
}

}  // namespace

template <class Text> void MessageRules::judge(RuleRef::OfMessages rule, bool kept, const Arrival& a, Text&& text) {
    if (kept) verdicts_.satisfied(rule);
    else verdicts_.broken(rule, frames_of(a), {a.message.id}, text());
}

/// Nothing is satisfied either where there is a doubt.
template <class Text>
void MessageRules::judge(RuleRef rule, const Doubt& doubt, bool kept, const Arrival& a, Text&& text) {
    if (doubt) verdicts_.undecided(rule, *doubt);
    else if (kept) verdicts_.satisfied(rule);
    else verdicts_.broken(rule, doubt, frames_of(a), {a.message.id}, text());
}

template <class T, class Text>
void MessageRules::judge_part(
    RuleRef::OfMessages rule, const Readable<T>& iu, std::size_t end, bool kept, const Arrival& a, Text&& text) {
    if (iu.reaches(end)) return judge(rule, kept, a, text);
    if (iu.cut) verdicts_.undecided(rule, UndecidedReason::cut);
}

void MessageRules::judge_offset_present(const Arrival& a, bool wanted, const char* name) {
    judge(rules::offset_present, a.header().f_ctl.relative_offset_present == wanted, a, [&] {
        return fmt::format("{} with Relative Offset Present = {:d}", name, !wanted);
    });
}

// ---- FCP_CMND ------------------------------------------------------------------------------------

void MessageRules::on_command(const Arrival& a, const Readable<wire::Command>& command) {
    judge_offset_present(a, false, "FCP_CMND");
    judge(rules::command_length, a.length() == wire::command_size, a, [&] {
        return fmt::format("FCP_CMND has {} octets", a.length());
    });
    judge_part(rules::lun_form, command, wire::lun_end, command.part.lun.is_well_formed(), a, [] {
        return "FCP_LUN is not 00 xx 00 00 00 00 00 00";
    });
    const wire::Control& control = command.part.control;
    judge_part(rules::direction_bits, command, wire::control_end, control.read_data != control.write_data, a, [&] {
        return control.read_data ? "both READ DATA and WRITE DATA are set" : "neither READ DATA nor WRITE DATA is set";
    });
    judge(rules::iu_order, !(a.header().f_ctl.last_sequence && a.ends_sequence()), a, [] {
        return "FCP_CMND ends the Exchange";
    });
    judge_part(rules::task_management, command, wire::control_end, !control.manages_tasks(), a, [] {
        return "a Task Management Flag is set";
    });
    judge_region(a);
}

void MessageRules::on_second_command(const Arrival& a) {
    judge(rules::iu_order, false, a, [] { return "a second FCP_CMND in the Exchange"; });
}

void MessageRules::on_transfer_ready(const Arrival& a) {
    judge(rules::no_xfer_rdy, false, a, [] { return "an FCP_XFER_RDY"; });
}

const RegionSize* MessageRules::told_size(const Message& message) const {
    const auto size = std::ranges::find_if(options_.region_sizes, [&](const RegionSize& s) {
        return s.target == message.target.id && s.lun == message.lun;
    });
    return size == options_.region_sizes.end() ? nullptr : &*size;
}

void MessageRules::judge_region(const Arrival& a) {
    const RegionSize* size = told_size(a.message);
    if (size == nullptr || !a.message.data_length) return;
    const std::uint32_t length = *a.message.data_length;
    const std::uint64_t end = std::uint64_t{a.message.base_address} + length;
    judge(rules::region_size, end <= size->octets, a, [&] {
        return fmt::format("{} octets at {:06X}h of a region of {}", length, a.message.base_address, size->octets);
    });
}

// ---- FCP_DATA ------------------------------------------------------------------------------------

bool MessageRules::may_be_anothers(const Arrival& a, Continuity continuity) {
    const Message& m = a.message;
    const bool used_again = a.exchange.ox_id_may_be_anothers;
    const std::uint64_t end = std::uint64_t{a.header().parameter} + a.length();
    const bool wrong_way = m.is_read && a.from_initiator() != m.writes();
    const bool beyond = used_again && !m.response && m.data_length && end > *m.data_length;
    if (!wrong_way && !beyond) return false;
    const bool may_begin_another = used_again && !a.exchange.last_seq_cnt;
    const bool is_next = continuity == Continuity::known && !a.lacks_sequence_before() && !may_begin_another;
    if (!a.exchange.anothers && is_next) return false;
    a.exchange.anothers = a.exchange.gaps = true;
    verdicts_.undecided(
        wrong_way ? RuleRef(rules::data_direction) : RuleRef(rules::data_allowed), UndecidedReason::frames_missing);
    return true;
}

void MessageRules::on_data(const Arrival& a, Continuity continuity) {
    const Message& m = a.message;
    judge_offset_present(a, true, "FCP_DATA");
    const bool right_way = m.is_read && a.from_initiator() == m.writes();
    if (!m.is_read) verdicts_.undecided(rules::data_direction, a.exchange.lack_of_command);
    else
        judge(rules::data_direction, right_way, a, [&] {
            return m.reads() ? "data of a read from the Initiator" : "data of a write from the Target";
        });
    if (right_way && m.writes()) judge_rx_id(a);
    if (m.response) return judge_behind_response(a, continuity);
    judge_offset(a, continuity);
    const std::uint64_t end = std::uint64_t{a.header().parameter} + a.length();
    const bool unwanted = m.data_length == 0 && a.length() == 0;
    if (!m.data_length) verdicts_.undecided(rules::data_allowed, a.exchange.lack_of_command);
    else if (end > *m.data_length && a.lacks_sequence_before())
        verdicts_.undecided(rules::data_allowed, UndecidedReason::frames_missing);
    // T2 keeps the Sequence Initiative for data, which alone can pass it (4.2.4.4.1, 4.2.4.4.5).
    else if (unwanted && m.writes())
        verdicts_.undecided(rules::data_allowed, UndecidedReason::standard_contradicts_itself);
    else
        judge(rules::data_allowed, end <= *m.data_length && !unwanted, a, [&] {
            return unwanted ? std::string("FCP_DATA without data, FCP_DL is 0")
                            : fmt::format("data up to {}, FCP_DL is {}", end, *m.data_length);
        });
    judge(rules::iu_order, !(a.header().f_ctl.last_sequence && a.ends_sequence()), a, [] {
        return "data end the Exchange without an FCP_RSP";
    });
    if (right_way) judge_data_initiative(a, continuity);
}

/// 4.2.4.6: in Class 3 it is 0000h, in Class 2 it may be what the Target has called the Exchange, too.
void MessageRules::judge_rx_id(const Arrival& a) {
    const std::uint16_t rx_id = a.header().rx_id;
    if (!a.seen.service_class) {
        verdicts_.undecided(rules::zero_rx_id, UndecidedReason::no_sof);
        return verdicts_.undecided(rules::known_rx_id, UndecidedReason::no_sof);
    }
    if (*a.seen.service_class == 3)
        return judge(rules::zero_rx_id, rx_id == 0, a, [&] {
            return fmt::format("write data of Class 3 with RX_ID {:04X}h", rx_id);
        });
    if (*a.seen.service_class != 2) return;
    const std::optional<std::uint16_t>& told = a.exchange.responders_rx_id;
    const bool right = rx_id == 0 || rx_id == told;
    if (!right && !told) return verdicts_.undecided(rules::known_rx_id, UndecidedReason::response_not_captured);
    // Who sends data before the ACK has come does not know it yet.
    if (!right && rx_id == fc::unassigned_x_id)
        return verdicts_.undecided(rules::known_rx_id, UndecidedReason::may_have_crossed);
    if (!right && a.lacks_sequence_before())
        return verdicts_.undecided(rules::known_rx_id, UndecidedReason::frames_missing);
    judge(rules::known_rx_id, right, a, [&] {
        return fmt::format("write data of Class 2 with RX_ID {:04X}h, the Target has told {:04X}h", rx_id, *told);
    });
}

/// Of a write whose Initiator had more to send: the Target did not hold the Sequence Initiative when it answered
/// (4.2.4.6, 4.2.4.7). The capture may see the two directions in another order, but not by much. Whether that says all.
bool MessageRules::judge_early_response(const Arrival& a, Continuity continuity) {
    const Message& m = a.message;
    const bool had_more = m.writes() && a.from_initiator() && a.exchange.passes_initiative != true;
    if (!had_more) return false;
    const bool may_be_late = a.seen.time - m.response->time < capture::millisecond;
    if (may_be_late || a.exchange.gaps || continuity != Continuity::known) {
        verdicts_.undecided(
            rules::iu_order, may_be_late ? UndecidedReason::out_of_order : UndecidedReason::frames_missing);
    } else if (!std::exchange(a.exchange.answered_early, true)) {
        verdicts_.broken(
            rules::iu_order, {m.command.frame, a.seen.number, m.response->frame}, {m.id},
            "FCP_RSP although the Initiator still holds the Sequence Initiative, and sends more data");
    }
    return true;
}

void MessageRules::judge_behind_response(const Arrival& a, Continuity continuity) {
    const Message& m = a.message;
    const bool good = m.status == static_cast<std::uint8_t>(wire::StatusCode::good);
    const RuleRef::OfMessages rule = good ? RuleRef::OfMessages(rules::iu_order)
                                          : RuleRef::OfMessages(rules::data_allowed);
    if (!m.status) return verdicts_.undecided(rule, a.exchange.lack_of_response);
    if (m.response->interface != a.seen.interface) return verdicts_.undecided(rule, UndecidedReason::interface_order);
    if (a.fills_gap() || a.was_sent_before_response()) return verdicts_.undecided(rule, UndecidedReason::out_of_order);
    if (judge_early_response(a, continuity)) return;
    judge(rule, false, a, [&] {
        return good ? std::string("data after the FCP_RSP")
                    : fmt::format("data after status {}", status_text(*m.status));
    });
}

/// I3 and T7 keep the Sequence Initiative, only the last data of a write (T6) pass it (4.2.4.6).
void MessageRules::judge_data_initiative(const Arrival& a, Continuity continuity) {
    if (a.message.reads())
        return judge(rules::iu_order, !(a.header().f_ctl.sequence_initiative && a.ends_sequence()), a, [] {
            return "data of a read pass the Sequence Initiative";
        });
    // What is late, or sent once more, need not stand behind them.
    if (a.exchange.passes_initiative == true && continuity == Continuity::broken)
        return verdicts_.undecided(rules::iu_order, UndecidedReason::out_of_order);
    judge(rules::iu_order, a.exchange.passes_initiative != true, a, [] {
        return "data of a write behind those that have passed the Sequence Initiative";
    });
}

/// Only who holds the Sequence Initiative may answer: T1 and T6 pass it (4.2.4.4, 4.2.4.6).
void MessageRules::judge_turn(const Arrival& a) {
    const Message& m = a.message;
    // T2 keeps it for the data, of which there are none to pass it (4.2.4.4.1, 4.2.4.4.5).
    if (m.writes() && m.data_length == 0 && m.bytes == 0 && a.exchange.passes_initiative == false)
        return verdicts_.undecided(rules::iu_order, UndecidedReason::standard_contradicts_itself);
    const bool awaits_data = !m.reads() && (!m.data_length || m.bytes < *m.data_length);
    if (a.exchange.gaps || !a.exchange.passes_initiative || (awaits_data && a.exchange.passes_initiative == false))
        return verdicts_.undecided(rules::iu_order, UndecidedReason::frames_missing);
    judge(rules::iu_order, *a.exchange.passes_initiative, a, [] {
        return "FCP_RSP although the Initiator has kept the Sequence Initiative";
    });
}

void MessageRules::judge_offset(const Arrival& a, Continuity continuity) {
    const std::uint32_t offset = a.header().parameter;
    const Doubt doubt = doubt_if(continuity == Continuity::broken, UndecidedReason::frames_missing);
    if (!a.message.first_data && offset != 0 && continuity == Continuity::assumed) return;  // the response tells
    if (!a.message.first_data)
        return judge(
            rules::first_offset, doubt, offset == 0, a, [&] { return fmt::format("data begin at offset {}", offset); });
    judge(rules::next_offset, doubt, offset == a.exchange.end_of_data, a, [&] {
        return fmt::format("data at offset {}, those before end at {}", offset, a.exchange.end_of_data);
    });
}

// ---- FCP_RSP -------------------------------------------------------------------------------------

void MessageRules::on_response(const Arrival& a, const Readable<wire::Response>& iu) {
    const wire::Response& response = iu.part;
    judge_offset_present(a, false, "FCP_RSP");
    judge(rules::response_length, a.length() == wire::response_size, a, [&] {
        return fmt::format("FCP_RSP has {} octets", a.length());
    });
    const bool silent = !response.sns_len_valid && !response.rsp_len_valid && response.sns_len == 0 &&
                        response.rsp_len == 0;
    judge_part(rules::no_sense, iu, wire::response_size, silent, a, [] {
        return "FCP_RSP tells of sense or response information";
    });
    judge_part(rules::one_residual, iu, wire::flags_end, !(response.resid_under && response.resid_over), a, [] {
        return "FCP_RESID_UNDER and FCP_RESID_OVER are both set";
    });
    const bool known = layout::name_of(wire::status_names, response.status) != nullptr;
    judge_part(rules::status_code, iu, wire::status_end, known, a, [&] {
        return fmt::format("status code {:02X}h is none of table 2", response.status);
    });
    const fc::FCtl& f_ctl = a.header().f_ctl;
    judge(rules::iu_order, f_ctl.last_sequence && !a.message.response && !a.from_initiator(), a, [&] {
        return a.message.response   ? "a second FCP_RSP"
               : a.from_initiator() ? "FCP_RSP comes from the Initiator"
                                    : "FCP_RSP does not end the Exchange";
    });
    if (!a.message.response && !a.from_initiator()) judge_turn(a);
    if (iu.reaches(wire::status_end)) judge_protection(a, response.status);
    if (iu.reaches(wire::resid_end)) judge_residual(a, response);
    if (!a.message.response && iu.reaches(wire::resid_end)) judge_beginning(a, response);
}

/// A write fails where the Logical Unit is write protected, a read where it is read protected.
void MessageRules::judge_protection(const Arrival& a, std::uint8_t status) {
    const bool of_writes = status == static_cast<std::uint8_t>(wire::StatusCode::write_protect_error);
    if (!of_writes && status != static_cast<std::uint8_t>(wire::StatusCode::read_protect_error)) return;
    if (!a.message.is_read) return verdicts_.undecided(rules::protection, a.exchange.lack_of_command);
    judge(rules::protection, a.message.writes() == of_writes, a, [&] {
        return fmt::format("{} for a {}", status_text(status), of_writes ? "read" : "write");
    });
}

/// A Target whose regions have a size does not serve what it has called an overrun (4.2.3, 4.2.4.7).
void MessageRules::judge_extent(const Arrival& a, std::uint8_t status, Region& region) {
    const std::uint64_t moved = std::uint64_t{a.message.base_address} + a.message.bytes;
    const std::uint64_t end = std::uint64_t{a.message.base_address} + *a.message.data_length;
    if (status == static_cast<std::uint8_t>(wire::StatusCode::buffer_overrun)) {
        judge(rules::region_size, region.served < end, a, [&] {
            return fmt::format(
                "BUFFER OVERRUN up to {:X}h of a region that has been served up to {:X}h", end, region.served);
        });
        region.overrun = std::min(region.overrun.value_or(end), end);
    } else if (status == static_cast<std::uint8_t>(wire::StatusCode::good)) {
        const std::uint64_t served = std::min(end, moved);
        if (!region.overrun && told_size(a.message) == nullptr)
            verdicts_.undecided(rules::region_size, UndecidedReason::region_size_unknown);
        if (region.overrun)
            judge(rules::region_size, served < *region.overrun, a, [&] {
                return fmt::format(
                    "a region is served up to {:X}h, for which the Target has told BUFFER OVERRUN at {:X}h", served,
                    *region.overrun);
            });
        region.served = std::max(region.served, served);
    }
}

/// Whether data came before those that were seen first: none did if the port has counted from 0 to here, or if all that
/// were transferred were seen.
void MessageRules::judge_beginning(const Arrival& a, const wire::Response& response) {
    const std::optional<FrameStamp> first = std::exchange(a.exchange.begins_behind, std::nullopt);
    if (!first) return;
    const bool counted = a.exchange.first_seq_cnt == 0 && a.counts_on_from_data();
    const bool all = response.status == static_cast<std::uint8_t>(wire::StatusCode::good) && a.message.data_length &&
                     a.message.bytes == octets_told(*a.message.data_length, response);
    a.exchange.gaps |= !(counted || all);
    verdicts_.broken(
        rules::first_offset, doubt_if(a.exchange.gaps, UndecidedReason::frames_missing),
        {a.message.command.frame, first->frame}, {a.message.id},
        fmt::format("data begin at offset {}", a.exchange.data.ranges().front().begin));
}

void MessageRules::settle(const Exchange& exchange) {
    if (exchange.begins_behind) verdicts_.undecided(rules::first_offset, UndecidedReason::response_not_captured);
}

/// How many octets were transferred, as the Target says.
std::uint64_t MessageRules::octets_told(std::uint32_t data_length, const wire::Response& response) {
    std::uint64_t told = data_length;
    if (response.resid_over) told += response.resid;
    if (response.resid_under) told -= std::min<std::uint64_t>(told, response.resid);
    return told;
}

/// Whether FCP_RESID can be right at all: it tells a difference, and no more octets can be lacking than there are.
bool MessageRules::judge_residual_count(const Arrival& a, const wire::Response& response) {
    const bool tells = response.resid_under || response.resid_over;
    const bool too_many = response.resid_under && a.message.data_length && response.resid > *a.message.data_length;
    if (!too_many && !(tells && response.resid == 0)) return true;
    judge(rules::residual, doubt_if(false, UndecidedReason::frames_missing), false, a, [&] {
        const char* which = response.resid_under ? "UNDER" : "OVER";
        return too_many ? fmt::format(
                              "FCP_RESID_UNDER with FCP_RESID {}, FCP_DL is {}", response.resid, *a.message.data_length)
                        : fmt::format("FCP_RESID_{} with FCP_RESID 0", which);
    });
    return false;
}

/// With FCP_RESID_OVER, X3.269 means octets that were not transferred because FCP_DL was too small; 4.2.4.7 can be read
/// as those that were transferred and are discarded. Both are taken.
void MessageRules::judge_residual(const Arrival& a, const wire::Response& response) {
    if (response.resid_under && response.resid_over) return;
    if (!judge_residual_count(a, response)) return;
    if (!a.message.data_length) return verdicts_.undecided(rules::residual, a.exchange.lack_of_command);
    const bool good = response.status == static_cast<std::uint8_t>(wire::StatusCode::good);
    if (!good && !response.resid_under) return;
    const std::uint32_t data_length = *a.message.data_length;
    const std::uint64_t told = octets_told(data_length, response);
    const bool may_lack_some = a.message.bytes < told && (a.exchange.begins_behind || !a.follows_data());
    const bool refused_the_rest = response.resid_over && a.message.bytes == data_length;
    const bool lacks_some = a.exchange.gaps || (may_lack_some && !refused_the_rest);
    const Doubt doubt = doubt_if(lacks_some, UndecidedReason::frames_missing);
    a.exchange.whole = !lacks_some;
    // A Target that refuses a write need not have taken all that was sent.
    const bool took_less = !good && a.message.writes() && told < a.message.bytes;
    const bool told_right = a.message.bytes == told || refused_the_rest || took_less;
    judge(rules::residual, doubt, told_right, a, [&] {
        return fmt::format("{} octets were transferred, FCP_DL and FCP_RESID speak of {}", a.message.bytes, told);
    });
    if (doubt || !told_right || !good) return;
    judge(rules::exact_length, doubt, a.message.bytes >= data_length, a, [&] {
        return fmt::format("{} octets were transferred, FCP_DL is {}", a.message.bytes, data_length);
    });
}

}  // namespace fabricscope::engine::fc_ae_rdma
