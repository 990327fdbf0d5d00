// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/annex_a.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/engine/fc/given_ids.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fc/delimiters.h"
#include "protocols/fc/els.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using FcFrameFacts = fibre_channel::FrameFacts;
using fibre_channel::Login;
using fibre_channel::LoginKind;
using fibre_channel::Party;
using fibre_channel::ServiceParameters;

constexpr std::uint16_t least_field_size = 2048;
constexpr std::uint16_t least_sequences = 16;
constexpr std::uint16_t solicited_data = 1U << 1;  ///< a bit for each information category
constexpr Time wanted_e_d_tov = 10 * capture::millisecond;
constexpr Time wanted_r_a_tov = 20 * capture::millisecond;
constexpr Time longest_wait = 2 * capture::millisecond;

constexpr std::array used_addresses{0xFF'FFFFu, 0xFF'FFFEu, 0xFF'FFFDu, 0xFF'FFFCu, 0xFF'FFF6u};
constexpr std::uint32_t clock_sync_address = 0xFF'FFF6;

bool is_well_known(std::uint32_t id) { return id >= 0xFF'FFF0; }
bool is_multicast(std::uint32_t id) { return id >> 8 == 0xFF'FB; }

std::string milliseconds_text(const std::optional<Time>& time) {
    return time ? fmt::format("{} ms", static_cast<double>(*time) / capture::millisecond) : "nothing";
}

}  // namespace

// ---- logins --------------------------------------------------------------------------------------

/// What one port says of itself.
class AnnexA::LoginJudge {
public:
    LoginJudge(Verdicts& verdicts, const Login& login, Party said_by)
        : verdicts_(verdicts), login_(login), said_(*login.parameters[said_by]), said_by_(said_by) {}

    void judge_fabric_login() {
        const bool asked = said_by_ == Party::originator;
        if (asked && login_.command == fc::els_flogi)
            check(rules::fabric_login_address, login_.originator <= 0xFF, [&] {
                return "FLOGI from " + fc::port_id_text(login_.originator);
            });
        check(rules::fabric_bb_credit, said_.bb_credit >= 2, [&] {
            return fmt::format("BB_Credit is {}", said_.bb_credit);
        });
        check_field_size(rules::fabric_field_size, said_.receive_data_field_size, "");
        if (asked && login_.command == fc::els_flogi) judge_bb_credit_management();
        check(rules::fabric_payload, !said_.extended, [] { return "the login is an extended one"; });
        check(rules::fabric_class_3, said_.classes[2].valid, [] { return "Class 3 is not supported"; });
        for (const int number : {2, 3})
            if (const auto& service = of_class(number); service.valid)
                check(rules::sequential_delivery, service.sequential_delivery, [&] {
                    return fmt::format("Class {} has no Sequential Delivery", number);
                });
        if (asked || !said_.f_port) return;
        judge_timeouts();
        for (const int number : {2, 3})
            if (of_class(number).valid)
                check(rules::fabric_priority, of_class(number).priority, [&] {
                    return fmt::format("Class {} has no Priority", number);
                });
    }

    void judge_port_login() {
        check_field_size(rules::port_field_size, said_.receive_data_field_size, "");
        check(rules::port_relative_offset, said_.continuously_increasing_relative_offset, [] {
            return "Continuously Increasing Relative Offset is 0";
        });
        check(rules::port_seq_cnt, said_.continuously_increasing_seq_cnt, [] {
            return "SEQ_CNT is not said to increase";
        });
        check(rules::port_payload, !said_.extended, [] { return "the login is an extended one"; });
        check(rules::port_concurrent_sequences, said_.concurrent_sequences >= least_sequences, [&] {
            return fmt::format("{} concurrent Sequences", said_.concurrent_sequences);
        });
        check(rules::relative_offset_category, (said_.relative_offset_categories & solicited_data) != 0, [&] {
            return fmt::format("the categories with Relative Offset are {:04X}h", said_.relative_offset_categories);
        });
        check(rules::port_e_d_tov, said_.e_d_tov == wanted_e_d_tov, [&] {
            return "E_D_TOV is " + milliseconds_text(said_.e_d_tov);
        });
        check(rules::port_class_3, said_.classes[2].valid, [] { return "Class 3 is not supported"; });
        for (const int number : {2, 3})
            if (of_class(number).valid) judge_class(number);
    }

private:
    const fc::ClassServiceParameters& of_class(int number) const {
        return said_.classes[static_cast<std::size_t>(number - 1)];
    }

    /// An NL_Port asks from 00.00.00 and its AL_PA, an N_Port from 00.00.00.
    void judge_bb_credit_management() {
        if (login_.originator > 0xFF) return;
        const bool in_loop = login_.originator != 0;
        check(rules::alternate_bb_credit, said_.alternate_bb_credit == in_loop, [&] {
            return fmt::format(
                "Alternate BB_Credit Management is {:d} in {}", said_.alternate_bb_credit,
                in_loop ? "a loop" : "no loop");
        });
    }

    void judge_timeouts() {
        check(rules::fabric_timeouts, said_.e_d_tov == wanted_e_d_tov && said_.r_a_tov == wanted_r_a_tov, [&] {
            return fmt::format(
                "E_D_TOV is {}, R_A_TOV is {}", milliseconds_text(said_.e_d_tov), milliseconds_text(said_.r_a_tov));
        });
        check(rules::fabric_r_t_tov, said_.short_r_t_tov, [] { return "R_T_TOV is 100 ms"; });
    }

    void judge_class(int number) {
        const fc::ClassServiceParameters& service = of_class(number);
        const std::string name = fmt::format("Class {}: ", number);
        check_field_size(rules::class_field_size, service.receive_data_field_size, name);
        check(rules::process_associator, service.initial_process_associator == 0, [&] {
            return fmt::format("{}Initial Process_Associator is {:02b}b", name, service.initial_process_associator);
        });
        check(rules::open_sequences, service.open_sequences_per_exchange >= 1, [&] {
            return name + "no open Sequence in an Exchange";
        });
        if (number == 3) return judge_class_3(service, name);
        check(rules::class_2_ack_0, service.ack_0_initiator && service.ack_0_recipient, [&] {
            return name + "ACK_0 is not supported";
        });
        check(rules::class_2_credit, service.end_to_end_credit >= 2, [&] {
            return fmt::format("{}end-to-end credit is {}", name, service.end_to_end_credit);
        });
    }

    void judge_class_3(const fc::ClassServiceParameters& service, const std::string& name) {
        check(rules::class_3_sequences, service.concurrent_sequences >= least_sequences, [&] {
            return fmt::format("{}{} concurrent Sequences", name, service.concurrent_sequences);
        });
        check(rules::clock_sync_recipient, service.clock_sync_els_recipient, [&] {
            return name + "clocks cannot be set by ELS";
        });
    }

    void check_field_size(RuleRef::OfMessages rule, std::uint16_t size, const std::string& name) {
        check(rule, size >= least_field_size, [&] {
            return fmt::format("{}Receive Data_Field size is {} octets", name, size);
        });
    }

    template <class Text> void check(RuleRef::OfMessages rule, bool kept, const Text& text) {
        if (kept) return verdicts_.satisfied(rule);
        const auto& step = said_by_ == Party::originator ? login_.request : login_.answer;
        verdicts_.broken(
            rule, step ? std::vector{step->frame} : std::vector<std::uint64_t>(), {.login = login_.id},
            fmt::format("{}'s {}: {}", name_of(said_by_), said_by_ == Party::originator ? "login" : "accept", text()));
    }

    Verdicts& verdicts_;
    const Login& login_;
    const ServiceParameters& said_;
    Party said_by_;
};

void AnnexA::on_login(const Login& login, Party said_by) {
    if (!login.parameters[said_by]) return;
    LoginJudge judge(verdicts_, login, said_by);
    if (login.kind == LoginKind::port) {
        // The Fabric's servers are no N_Ports: who logs in with them breaks another rule.
        if (!is_well_known(login.originator) && !is_well_known(login.responder)) judge.judge_port_login();
        return;
    }
    judge.judge_fabric_login();
    if (said_by == Party::responder && logged_in_.size() < options_.limits.ports)
        logged_in_[{login.fabric.value_or(0), login.originator}] = {login.ox_id};
}

/// That the Initiator has not logged in since its fabric login, which is certain if each of its Exchanges was seen, and
/// it counts those of ELSs and of commands together.
Doubt AnnexA::doubt_of_login(const Message& m, const Login* login, const fibre_channel::GivenIds& given_ids) const {
    if (login != nullptr && !login->request) return UndecidedReason::request_not_captured;
    if (login != nullptr && !login->answer) return UndecidedReason::response_not_captured;
    const auto fabric_login = logged_in_.find({m.initiator.fabric, m.initiator.id});
    if (fabric_login == logged_in_.end()) return UndecidedReason::login_not_captured;
    const auto& [ox_id, has_asked] = fabric_login->second;
    const bool has_all = given_ids.has_all(m.initiator, static_cast<std::uint16_t>(ox_id + 1), m.ox_id);
    return doubt_if(!has_asked || !has_all, UndecidedReason::frames_missing);
}

void AnnexA::on_message(const Arrival& a, const Login* login, const fibre_channel::GivenIds& given_ids) {
    using enum fibre_channel::LoginState;
    if (login != nullptr && (login->state == accepted || login->state == logged_out))
        return verdicts_.satisfied(rules::explicit_login);
    const Message& m = a.message;
    verdicts_.broken(
        rules::explicit_login, doubt_of_login(m, login, given_ids), {a.seen.number}, {.message = m.id},
        "a message between ports without PLOGI");
}

void AnnexA::on_iu(const Arrival& a, Time previous) {
    const Time wait = a.seen.time - previous;
    if (wait <= longest_wait) return verdicts_.satisfied(rules::time_between_ius);
    const bool answers = a.message.response && a.message.response->frame == a.seen.number;
    const bool lacks_data = answers && a.message.data_length != 0 && !a.follows_data();
    const bool may_lack_some = a.exchange.gaps || a.exchange.begins_behind || lacks_data;
    verdicts_.broken(
        rules::time_between_ius, doubt_if(may_lack_some, UndecidedReason::frames_missing), {a.seen.number},
        {.message = a.message.id}, milliseconds_text(wait) + " after what the Exchange had before");
}

// ---- frames --------------------------------------------------------------------------------------

template <class Text> void AnnexA::judge(RuleRef::OfMessages rule, bool kept, const FcFrameFacts& facts, Text&& text) {
    if (kept) return verdicts_.satisfied(rule);
    verdicts_.broken(rule, {facts.packet.number}, {.exchange = facts.exchange.id}, text());
}

void AnnexA::on_frame(const FcFrameFacts& facts) {
    if (facts.from == Party::originator && facts.packet.fc->frame.header.is_els()) note_asked(facts);
    judge_classes(facts);
    judge_addresses(facts);
    judge_services(facts);
}

void AnnexA::note_asked(const FcFrameFacts& facts) {
    const Port port = facts.exchange.port(Party::originator);
    const auto fabric_login = logged_in_.find({port.fabric, port.id});
    if (fabric_login != logged_in_.end()) fabric_login->second.has_asked = true;
}

void AnnexA::judge_classes(const FcFrameFacts& facts) {
    const fc::FrameHeader& header = facts.packet.fc->frame.header;
    const int number = fc::class_of(facts.packet.fc->sof);
    const bool well_known = is_well_known(header.s_id) || is_well_known(header.d_id);
    // Class F, between switches, is neither used by ports nor forbidden.
    if (facts.packet.fc->sof == fc::Sof::f) return;
    if (number == 0) {
        verdicts_.undecided(rules::only_class_2_and_3, UndecidedReason::no_sof);
        if (well_known) verdicts_.undecided(rules::well_known_class_3, UndecidedReason::no_sof);
        return;
    }
    const auto text = [&] { return fmt::format("a frame of Class {}", number); };
    judge(rules::only_class_2_and_3, number == 2 || number == 3, facts, text);
    if (well_known) judge(rules::well_known_class_3, number == 3, facts, text);
}

void AnnexA::judge_addresses(const FcFrameFacts& facts) {
    const fc::FrameHeader& header = facts.packet.fc->frame.header;
    for (const std::uint32_t id : {header.s_id, header.d_id})
        if (is_well_known(id))
            judge(rules::well_known_address, std::ranges::find(used_addresses, id) != used_addresses.end(), facts, [&] {
                return "address " + fc::port_id_text(id);
            });
    if (is_multicast(header.d_id))
        judge(rules::multicast_els, header.is_els(), facts, [] { return "a multicast frame that is no ELS"; });
}

void AnnexA::judge_services(const FcFrameFacts& facts) {
    const fc::FrameHeader& header = facts.packet.fc->frame.header;
    if (header.r_ctl >> 4 == fc::r_ctl_nop >> 4) {
        const bool used = header.r_ctl == fc::r_ctl_abts || header.r_ctl == fc::r_ctl_ba_acc ||
                          header.r_ctl == fc::r_ctl_ba_rjt;
        judge(rules::basic_services, used, facts, [&] {
            return fmt::format("Basic Link Service with R_CTL {:02X}h", header.r_ctl);
        });
    }
    const bool asks = header.is_els() && facts.from == Party::originator;
    if (asks && facts.exchange.els == fc::els_plogi && is_well_known(header.d_id))
        judge(rules::implicit_login, false, facts, [&] { return "PLOGI to " + fc::port_id_text(header.d_id); });
    if (asks && facts.exchange.els == fc::els_csr)
        judge(rules::clock_sync_server, header.d_id == clock_sync_address, facts, [&] {
            return "CSR to " + fc::port_id_text(header.d_id);
        });
    if (header.r_ctl == fc::r_ctl_f_bsy_data || header.r_ctl == fc::r_ctl_f_bsy_link_control) {
        constexpr std::uint8_t n_port_busy = 3;
        judge(rules::fabric_busy, fc::fabric_busy_reason(header) != n_port_busy, facts, [] {
            return "D_ID is busy with a Class 1 connection";
        });
    }
}

}  // namespace fabricscope::engine::fc_ae_rdma
