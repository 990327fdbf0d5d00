// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/formats.h"

#include <fmt/format.h>

#include <array>

#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using enum Treatment;

// ---- fields --------------------------------------------------------------------------------------

std::vector<FieldAt> clc_fields(ByteView octets) {
    std::vector<FieldAt> fields;
    walk(wire::parse_clc(octets), FieldCollector(fields));
    return fields;
}

std::vector<FieldAt> llc_fields(ByteView octets) {
    std::vector<FieldAt> fields;
    walk(wire::parse_llc(octets, octets.size()), FieldCollector(fields));
    return fields;
}

std::vector<FieldAt> cdc_fields(ByteView) {
    std::vector<FieldAt> fields;
    FieldCollector(fields).part(wire::Cdc{}, 0, {});
    return fields;
}

// ---- rules ---------------------------------------------------------------------------------------
// An RMB's key and address are introduced again by every message of its owner: an RMB may be used again or not.
// Connections end in any order, and so do their RMBs: a DELETE RKEY may be about any of its sender's.
// What a host is, has and offers is policy: addresses of its network, names, sizes, limits, other devices.

constexpr std::array clc_rules{
    FieldRule{"smcr.clc.peer_id.instance", refers, instance_kind},
    FieldRule{"smcr.clc.peer_id.mac", refers, "mac"},
    FieldRule{"smcr.clc.gid", refers, "gid"},
    FieldRule{"smcr.clc.proposal.roce_gid", refers, "gid"},
    FieldRule{"smcr.gid_list.gid", refers, "gid"},
    FieldRule{"smcr.clc.mac", refers, "mac"},
    FieldRule{"smcr.clc.qpn", introduces, "qpn"},
    FieldRule{"smcr.clc.rkey", introduces, "rkey"},
    FieldRule{"smcr.clc.rmb_address", introduces, "address"},
    FieldRule{"smcr.clc.alert_token", introduces, "token"},
    FieldRule{"smcr.clc.rmb_index", ignored},
    FieldRule{"smcr.clc.initial_psn", ignored},
    FieldRule{"smcr.clc.buffer_size", policy},
    FieldRule{"smcr.clc.mtu", policy},
    FieldRule{"smcr.clc.max_connections", policy},
    FieldRule{"smcr.clc.max_links", policy},
    FieldRule{"smcr.clc.features", policy},
    FieldRule{"smcr.clc.os_type", policy},
    FieldRule{"smcr.clc.hostname", policy},
    FieldRule{"smcr.clc.fce.vendor_options", policy},
    FieldRule{"smcr.clc.eid", policy},
    FieldRule{"smcr.clc.proposal.subnet", policy},
    FieldRule{"smcr.clc.proposal.mask_length", policy},
    FieldRule{"smcr.clc.proposal.prefix", policy},
    FieldRule{"smcr.clc.proposal.prefix_length", policy},
    FieldRule{"smcr.clc.proposal.ism_gid", policy},
    FieldRule{"smcr.clc.proposal.ism_chid", policy},
    FieldRule{"smcr.clc.proposal.seid_present", policy},
    FieldRule{"smcr.clc.proposal.seid", policy},
    FieldRule{"smcr.clc.proposal.vendor_oui", policy},
    FieldRule{"smcr.clc.proposal.vendor_options", policy},
    FieldRule{"smcr.clc.smcd.gid", refers, "ism gid"},
    FieldRule{"smcr.clc.smcd.extended_gid", refers, "ism gid"},
    FieldRule{"smcr.clc.smcd.token", ignored},
    FieldRule{"smcr.clc.smcd.dmb_index", ignored},
    FieldRule{"smcr.clc.smcd.link_id", ignored},
    FieldRule{"smcr.clc.smcd.buffer_size", policy},
    FieldRule{"smcr.clc.smcd.chid", policy},
};

/// What a sender names of its own in any LLC message.
constexpr std::array llc_own_rules{
    FieldRule{"smcr.llc.mac", refers, "mac"},
    FieldRule{"smcr.llc.gid", refers, "gid"},
    FieldRule{"smcr.gid_list.gid", refers, "gid"},
    FieldRule{"smcr.llc.rtoken.reference_rkey", refers, "rkey"},
    FieldRule{"smcr.llc.rtoken.rkey", introduces, "rkey"},
    FieldRule{"smcr.llc.rtoken.address", introduces, "address"},
};

/// Requests, and answers in which the sender names what is its own.
constexpr std::array llc_rules = joined(
    llc_own_rules, std::array{
                       FieldRule{"smcr.llc.qpn", refers, "qpn"},
                       FieldRule{"smcr.llc.confirm_link.link_user_id", ignored},
                       FieldRule{"smcr.llc.confirm_link.max_links", policy},
                       FieldRule{"smcr.llc.confirm_link.max_connections", policy},
                       FieldRule{"smcr.llc.delete_rkey.rkey", introduces, "deleted rkey"},
                       FieldRule{"smcr.llc.test_link.user_data", introduces, "user data"},
                   });

/// An ADD LINK that offers a link or takes it: its sender tells its own end. Two devices may number their queue pairs
/// alike.
constexpr std::array llc_add_link_rules = joined(
    llc_own_rules, std::array{
                       FieldRule{"smcr.llc.qpn", introduces, "qpn"},
                       FieldRule{"smcr.llc.add_link.initial_psn", ignored},
                       FieldRule{"smcr.llc.add_link.mtu", policy},
                       FieldRule{"smcr.llc.add_link.target_gid", policy},
                   });

/// An ADD LINK that rejects the link says nothing of an end of it.
constexpr std::array llc_rejecting_rules{
    FieldRule{"smcr.llc.mac", ignored},          FieldRule{"smcr.llc.gid", ignored},
    FieldRule{"smcr.llc.qpn", ignored},          FieldRule{"smcr.llc.add_link.initial_psn", ignored},
    FieldRule{"smcr.llc.add_link.mtu", ignored},
};

/// Answers that repeat the request: the names in them are the receiver's.
constexpr std::array llc_echo_rules{
    FieldRule{"smcr.llc.rtoken.rkey", refers, "rkey", Owner::receiver},
    FieldRule{"smcr.llc.rtoken.address", refers, "address", Owner::receiver},
    FieldRule{"smcr.llc.delete_rkey.rkey", refers, "deleted rkey", Owner::receiver},
    FieldRule{"smcr.llc.test_link.user_data", refers, "user data", Owner::receiver},
};

/// How many messages there are, and where their cursors stand in a buffer of whatever size, is left to
/// implementations; positions are compared by their meaning.
constexpr std::array cdc_rules{
    FieldRule{"smcr.cdc.alert_token", refers, "token", Owner::receiver},
    FieldRule{"smcr.cdc.sequence", policy},
    FieldRule{"smcr.cdc.producer.wrap", policy},
    FieldRule{"smcr.cdc.producer.offset", policy},
    FieldRule{"smcr.cdc.consumer.wrap", policy},
    FieldRule{"smcr.cdc.consumer.offset", policy},
    FieldRule{"smcr.cdc.flags.writer_blocked", policy},
    FieldRule{"smcr.cdc.flags.urgent_pending", policy},
    FieldRule{"smcr.cdc.flags.update_requested", policy},
};

constexpr MessageFormat clc{"CLC", "RFC 7609, A.2", clc_fields, clc_rules};
constexpr MessageFormat llc{"LLC", "RFC 7609, A.3", llc_fields, llc_rules};
constexpr MessageFormat llc_add_link{"LLC", "RFC 7609, A.3.2", llc_fields, llc_add_link_rules};
constexpr MessageFormat llc_rejecting{"LLC", "RFC 7609, A.3.2", llc_fields, llc_rejecting_rules};
constexpr MessageFormat llc_echo{"LLC", "RFC 7609, A.3", llc_fields, llc_echo_rules};
constexpr MessageFormat cdc{"CDC", "RFC 7609, A.4", cdc_fields, cdc_rules};

wire::Cdc parsed_cdc(ByteView octets) {
    wire::Cdc message;
    layout::parse_into(message, octets);
    return message;
}

}  // namespace

std::string clc_name(ByteView message) {
    const auto type = static_cast<std::uint64_t>(wire::parse_clc(message).header.type);
    const char* name = layout::name_of(wire::clc_type_names, type);
    return fmt::format("CLC {}", name != nullptr ? name : "message");
}

const MessageFormat& clc_format() { return clc; }

std::string llc_name(ByteView message) {
    const wire::LlcMessage parsed = wire::parse_llc(message, message.size());
    const char* name = layout::name_of(wire::llc_type_names, parsed.raw_type());
    return fmt::format("LLC {}{}", name != nullptr ? name : "message", parsed.is_reply() ? " reply" : "");
}

const MessageFormat& llc_format(ByteView message) {
    const wire::LlcMessage parsed = wire::parse_llc(message, message.size());
    if (const auto* add = std::get_if<wire::AddLinkMessage>(&parsed.body))
        return parsed.is_reply() && add->common().reject ? llc_rejecting : llc_add_link;
    const bool own = std::holds_alternative<wire::ConfirmLink>(parsed.body) ||
                     std::holds_alternative<wire::AddLinkContinuationMessage>(parsed.body);
    return own || !parsed.is_reply() ? llc : llc_echo;
}

CdcState cdc_state(ByteView message, const CdcState& before) {
    const wire::Cdc parsed = parsed_cdc(message);
    if (parsed.flags.failover_validation) return before;
    return {parsed.state.sending_done, parsed.state.connection_closed, parsed.state.abnormal_close};
}

std::string cdc_name(ByteView message, const CdcState& before) {
    const wire::Cdc parsed = parsed_cdc(message);
    if (parsed.flags.failover_validation) return failover_validation;
    if (parsed.state.abnormal_close && !before.aborted) return "CDC abnormal close";
    if (parsed.state.connection_closed && !before.closed) return "CDC closed";
    if (parsed.state.sending_done && !before.sending_done) return "CDC sending done";
    return parsed.flags.urgent_present ? "CDC urgent" : "";
}

const MessageFormat& cdc_format() { return cdc; }

}  // namespace fabricscope::replay::smcr
