// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/iu_rules.h"

#include <fmt/format.h>

#include "analyzer/engine/reserved_fields.h"

namespace fabricscope::engine::fcvi {
namespace {

using wire::Category;
using wire::IuType;

bool is_disconnect(const wire::IuInfo& iu) {
    return iu.type == IuType::disconnect_rqst || iu.type == IuType::disconnect_resp;
}

/// Those that the Responder of their Exchange sends.
bool is_responders(IuType type) {
    switch (type) {
        case IuType::send_resp:
        case IuType::write_resp:
        case IuType::read_resp:
        case IuType::connect_resp1:
        case IuType::connect_resp3:
        case IuType::disconnect_resp: return true;
        default: return false;
    }
}

bool is_response(const wire::IuInfo& iu) {
    return iu.category == Category::message_response || iu.category == Category::connect_response;
}

bool is_known_mode(const wire::DeviceHeader& header, IuType type) {
    constexpr auto sets_up = [](std::uint8_t mode) {
        return mode == static_cast<std::uint8_t>(wire::ConnectMode::client_server) ||
               mode == static_cast<std::uint8_t>(wire::ConnectMode::peer_to_peer);
    };
    if (const auto* iso = std::get_if<wire::ConnectRequestHead>(&header.head)) return sets_up(iso->mode);
    const auto* draft = std::get_if<wire::ConnectRequestHeadRev10>(&header.head);
    if (draft == nullptr) return true;
    return type == IuType::connect_rqst
               ? sets_up(draft->mode)
               : draft->mode == wire::rev_1_0_kernel_disconnect || draft->mode == wire::rev_1_0_application_disconnect;
}

const char* version_name(wire::Version version) {
    return version == wire::Version::iso ? "ISO/IEC 14165-331" : "revision 1.0";
}

}  // namespace

void IuRules::on_unreadable(const FrameSeen& seen, std::uint32_t connection, const wire::DeviceHeader* header) {
    if (header == nullptr)
        judge_.broken(rules::device_header_size, {seen.number}, connection, "a frame of FC-VI without Device_Header");
    else
        judge_.broken(
            rules::known_opcode, {seen.number}, connection,
            fmt::format("opcode {:02X}h is none of {}", header->opcode(), version_name(header->version)));
}

void IuRules::on_frame(const Arrival& a) {
    judge_header(a);
    judge_counts(a);
    if (!is_message(a.iu)) judge_initiative(a);
    if (!a.continuation.first_of_iu) return;
    judge_place(a);
    judge_mode(a);
    judge_reserved(a);
    judge_parameter(a);
    judge_reason(a);
    judge_errors(a);
}

void IuRules::judge_header(const Arrival& a) {
    const fc::FrameHeader& fc = a.frame().header;
    const std::size_t size = fc.df_ctl.device_header_octets();
    const char* name = a.iu.name;
    judge_(rules::r_ctl, fc.r_ctl == a.iu.r_ctl, a, [&] {
        return fmt::format("{} with R_CTL {:02X}h instead of {:02X}h", name, fc.r_ctl, a.iu.r_ctl);
    });
    judge_(rules::device_header_size, size == a.iu.device_header, a, [&] {
        return fmt::format("{} with a Device_Header of {} octets instead of {}", name, size, a.iu.device_header);
    });
    judge_constancy(a);
    if (a.iu.payload == wire::Content::none)
        judge_(rules::payload_length, a.frame().payload_length == 0, a, [&] {
            return fmt::format("{} has {} octets of payload", name, a.frame().payload_length);
        });
    if (a.iu.payload == wire::Content::message_data && a.frame().payload_length != 0)
        judge_(rules::offset_present, fc.f_ctl.relative_offset_present, a, [&] {
            return fmt::format("data of {} without Relative Offset", name);
        });
    if (is_message(a.iu))
        judge_(rules::assigned_handle, a.header.handle() != wire::unassigned_handle, a, [&] {
            return fmt::format("{} to handle FFFFFFFFh", name);
        });
    // Opcode 1Ah is CONNECT_RESP3 in one version, DISCONNECT_RESP in the other.
    const bool misplaced = a.exchange.use == Exchange::Use::disconnect && !is_disconnect(a.iu);
    judge_(rules::known_opcode, !misplaced, a, [&] {
        return fmt::format("opcode {:02X}h, {}, in the Exchange of a Disconnect", a.header.opcode(), name);
    });
}

/// A frame whose MSG_ID or opcode is another one may also be the first that was captured of another Exchange with the
/// same OX_ID, unless its port counts these up.
void IuRules::judge_constancy(const Arrival& a) {
    const bool other_message = a.header.msg_id() != a.exchange.msg_id || a.iu.opcode != a.exchange.opcode;
    judge_.unless(
        other_message ? a.lack_of_identity() : std::nullopt, rules::constant_header, !a.continuation.header_differs, a,
        [&] { return fmt::format("a frame of {} has another Device_Header than the first one", a.iu.name); });
}

/// Of setups and Disconnects FCVI_CONNECTION_ID tells, where the version has it, that the frame is no other Exchange's.
void IuRules::judge_counts(const Arrival& a) {
    const Continuation& c = a.continuation;
    judge_(rules::seq_cnt_unique, !c.count_repeats, a, [&] {
        return fmt::format("SEQ_CNT {} stands for two frames of an IU", a.frame().header.seq_cnt);
    });
    if (c.count_repeats) return;
    const auto id = a.header.connection_id();
    const bool same_exchange = is_message(a.iu) || (id && id == a.exchange.connection_id);
    judge_.unless(
        same_exchange ? std::nullopt : a.lack_of_identity(), rules::seq_cnt_increases, !c.count_restarts, a, [&] {
            return fmt::format("a new Sequence of the Exchange begins with SEQ_CNT {} again", a.frame().header.seq_cnt);
        });
    if (!c.count_restarts && !c.in_order) judge_.undecided(rules::seq_cnt_increases, UndecidedReason::frames_missing);
}

/// Table 1: which IUs begin an Exchange, and who sends the others.
void IuRules::judge_place(const Arrival& a) {
    const bool by_responder = !a.from_originator();
    judge_(rules::place_in_exchange, by_responder == is_responders(a.iu.type), a, [&] {
        return fmt::format("{} from the {} of the Exchange", a.iu.name, by_responder ? "Responder" : "Originator");
    });
    if (by_responder != is_responders(a.iu.type)) return;
    judge_(rules::place_in_exchange, !is_response(a.iu) || !a.f_ctl().first_sequence, a, [&] {
        return fmt::format("{} in the first Sequence of an Exchange", a.iu.name);
    });
    const bool alone = a.iu.payload == wire::Content::none || (!a.iso() && a.iu.payload == wire::Content::connect_info);
    if (alone)
        judge_(rules::single_frame, a.ends_iu(), a, [&] {
            return fmt::format("{} does not end with its first frame", a.iu.name);
        });
}

void IuRules::judge_mode(const Arrival& a) {
    if (a.iu.category == Category::connect_request)
        judge_(rules::known_mode, is_known_mode(a.header, a.iu.type), a, [&] {
            return fmt::format("{} with a reserved mode", a.iu.name);
        });
}

/// As long as no setup and no IU of one version only has told it: flags are in other places then.
bool IuRules::may_be_of_other_version(const Arrival& a) {
    return is_message(a.iu) && a.exchange.connection != 0 && !connections_.at(a.exchange.connection).version_known;
}

void IuRules::judge_reserved(const Arrival& a) {
    if (may_be_of_other_version(a))
        return judge_.undecided(rules::reserved_is_zero, UndecidedReason::setup_not_captured);
    ReservedFields check;
    walk(a.header, check);
    judge_(rules::reserved_is_zero, !check.found, a, [&] {
        return fmt::format("{} is not zero in {}", check.found->field, a.iu.name);
    });
}

void IuRules::judge_parameter(const Arrival& a) {
    if (may_be_of_other_version(a)) return judge_.undecided(rules::parameter_use, UndecidedReason::setup_not_captured);
    const auto* zero = std::get_if<wire::Parameter>(&a.header.parameter);
    judge_(rules::parameter_use, zero == nullptr || zero->value == 0, a, [&] {
        return fmt::format("the parameter of {} is {:08X}h, but no flag gives it a meaning", a.iu.name, zero->value);
    });
    if (a.iu.type == IuType::read_rqst)
        judge_(rules::parameter_use, !a.header.immediate_data(), a, [] { return "a Read with Immediate Data"; });
}

void IuRules::judge_reason(const Arrival& a) {
    const wire::Status* status = a.header.status();
    if (status == nullptr) return;
    const wire::ReasonClass kind = wire::class_of(a.header.version, status->reason);
    const bool for_disconnect = a.iso() && is_disconnect(a.iu);
    const bool fits = kind == wire::ReasonClass::vendor_unique ||
                      (for_disconnect
                           ? kind == wire::ReasonClass::disconnect
                           : kind == wire::ReasonClass::connect_non_error || kind == wire::ReasonClass::connect_error);
    judge_(rules::reason_code, fits, a, [&] {
        return fmt::format(
            "{} with reason {:02X}h, {}", a.iu.name, status->reason,
            wire::reason_name(a.header.version, status->reason));
    });
    if (a.iso())
        judge_(rules::reason_code, status->explanation == 0, a, [&] {
            return fmt::format("{} with the reserved explanation {:02X}h", a.iu.name, status->explanation);
        });
    const wire::Reason reason = wire::reason_of(a.header.version, status->reason);
    if (a.iu.type == IuType::connect_resp1)
        judge_(rules::no_server_timeout, reason != wire::Reason::connect_timeout, a, [] {
            return "the responder says Connect Timeout, which is the requester's to say";
        });
    if (a.iu.type == IuType::disconnect_resp && reason == wire::Reason::connection_does_not_exist)
        judge_(rules::unknown_connection, a.header.handle() == wire::unassigned_handle, a, [&] {
            return fmt::format("Connection Does Not Exist goes to handle {:08X}h", a.header.handle());
        });
}

void IuRules::judge_errors(const Arrival& a) {
    const auto* flags = std::get_if<wire::MessageResponseHead>(&a.header.head);
    if (flags == nullptr) return;
    const bool cause = flags->trans_err || flags->prot_err || flags->desc_err;
    judge_(rules::error_bits, cause == flags->resp_err, a, [&] {
        return flags->resp_err ? fmt::format("{} failed, but no bit says why", a.iu.name)
                               : fmt::format("{} succeeded, but an error bit is set", a.iu.name);
    });
    if (!flags->resp_err) return;
    judge_(rules::error_bits, !flags->prot_err || a.iu.type != IuType::send_resp, a, [] {
        return "a Send is answered with an RDMA protection error";
    });
    judge_(rules::error_bits, !flags->desc_err || a.iu.type != IuType::read_resp, a, [] {
        return "a Read is answered with a descriptor error, but takes no descriptor";
    });
}

/// 5.8.4: what is answered passes the Initiative, and the last IU ends the Exchange. Preference is for Messages.
void IuRules::judge_initiative(const Arrival& a) {
    const fc::FCtl& f_ctl = a.f_ctl();
    if (a.iso() && !f_ctl.priority_enable)
        judge_(
            rules::preference, !a.frame().header.preference, a, [&] { return fmt::format("{} with PREF", a.iu.name); });
    if (!a.ends_iu()) return;
    judge_(rules::sequence_initiative, f_ctl.last_sequence == a.iu.ends_exchange, a, [&] {
        return fmt::format("{} {} the Exchange", a.iu.name, a.iu.ends_exchange ? "does not end" : "ends");
    });
    if (f_ctl.last_sequence || a.iu.ends_exchange) return;
    judge_(rules::sequence_initiative, f_ctl.sequence_initiative, a, [&] {
        return fmt::format("{} does not pass Sequence Initiative", a.iu.name);
    });
}

// ---- connect payloads ----------------------------------------------------------------------------

void IuRules::judge_address(const Arrival& a, const char* whose, const wire::NetAddress& address) {
    judge_(rules::address_lengths, address.host_length == wire::host_address_length, a, [&] {
        return fmt::format("the {} host address has a length of {}", whose, address.host_length);
    });
    const std::uint16_t least = a.iso() ? wire::min_discriminator_length : 0;
    const bool fits = address.discriminator_length >= least &&
                      address.discriminator_length <= wire::max_discriminator_length;
    judge_(rules::address_lengths, fits, a, [&] {
        return fmt::format("the {} discriminator has a length of {}", whose, address.discriminator_length);
    });
}

void IuRules::on_connect(const Arrival& a, const wire::ConnectPayload& payload, std::size_t length) {
    bool info = false;
    if (const auto* head = std::get_if<wire::ConnectRequestHead>(&a.header.head)) info = head->conn_info;
    if (const auto* head = std::get_if<wire::ConnectResponseHead>(&a.header.head)) info = head->conn_info;
    const std::size_t wanted = !a.iso() ? wire::rev_1_0_connect_size
                               : info   ? wire::iso_connect_size_with_info
                                        : wire::iso_connect_size;
    judge_(rules::payload_length, length == wanted, a, [&] {
        return fmt::format("{} with a payload of {} octets instead of {}", a.iu.name, length, wanted);
    });
    if (payload.captured_handle())  // the revision stands before it
        judge_(rules::first_revision, payload.revision() == wire::revision, a, [&] {
            return fmt::format("{} with FCVI_REVISION {}", a.iu.name, payload.revision());
        });
    if (payload.error) return judge_.undecided(rules::address_lengths, UndecidedReason::cut);
    ReservedFields check;
    walk(payload, check);
    judge_(rules::reserved_is_zero, !check.found, a, [&] {
        return fmt::format("{} is not zero in {}", check.found->field, a.iu.name);
    });
    judge_address(a, "local", payload.local());
    judge_address(a, "remote", payload.remote());
    if (!a.header.tells_status()) judge_attributes(a, payload);  // who refuses has no endpoint to tell of
}

void IuRules::judge_attributes(const Arrival& a, const wire::ConnectPayload& payload) {
    const wire::CommonAttributes& attributes = payload.attributes();
    const wire::Qos& qos = attributes.qos;
    judge_(rules::known_attributes, payload.reliability().has_value(), a, [&] {
        return fmt::format("{} with the reserved Reliability Level {}", a.iu.name, attributes.reliability_level);
    });
    judge_(rules::known_attributes, wire::wants_preference(a.header.version, qos).has_value(), a, [&] {
        return fmt::format(
            "{} with the reserved {} {:02X}h", a.iu.name, a.iso() ? "FCVI_PREF" : "precedence", qos.preference);
    });
    judge_(rules::no_guarantees, qos.max_bandwidth == 0 && qos.min_bandwidth == 0 && qos.max_delay == 0, a, [&] {
        return fmt::format(
            "{} with a bandwidth of {} to {} and a delay of {}", a.iu.name, qos.min_bandwidth, qos.max_bandwidth,
            qos.max_delay);
    });
}

}  // namespace fabricscope::engine::fcvi
