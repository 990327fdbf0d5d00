// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/request_rules.h"

#include <algorithm>
#include <span>

namespace fabricscope::engine::rdma_cm {

namespace {

/// Whether the octets are addresses as the service writes them, and those that the packet has itself:
/// too much to be there by chance.
bool are_addresses_of(ByteView octets, const capture::Packet& packet) {
    wire::IpVersions versions;
    if (layout::parse_into(versions, octets)) return false;
    if (versions.major_version != 0 || versions.minor_version != 0) return false;
    const ByteView rest = octets.subspan(layout::size_of<wire::IpVersions>);
    if (versions.ip_version == 4) {
        wire::Ipv4Addresses ipv4;
        return !layout::parse_into(ipv4, rest) && is_padded(ipv4.source_padding) &&
               is_padded(ipv4.destination_padding) && Address::of(ipv4.source) == packet.source &&
               Address::of(ipv4.destination) == packet.destination;
    }
    wire::Ipv6Addresses ipv6;
    return versions.ip_version == 6 && !layout::parse_into(ipv6, rest) && Address::of(ipv6.source) == packet.source &&
           Address::of(ipv6.destination) == packet.destination;
}

/// Of RoCE's GIDs, those that hold an IPv4 address, and global IPv6 addresses; of RoCEv2's addresses all.
bool holds_ip_address(capture::IbCarrier carrier, const Address& address) {
    if (carrier == capture::IbCarrier::roce_v2) return true;
    if (carrier != capture::IbCarrier::roce_v1) return false;
    const bool is_global = (address.bytes[0] & 0xE0) == 0x20;
    return Gid{address.bytes}.is_ipv4() || is_global;
}

}  // namespace

void RequestRules::on_req(const Arrival& a, const Connection& connection) {
    judge_service_id(a, connection);
    if (!is_of_service(connection)) return;
    if (!connection.header) return verdicts_.undecided(rules::request_format, UndecidedReason::addresses_not_captured);
    judge_format(a, connection);
    if (connection.header->has_known_version()) judge_fields(a, connection);
}

void RequestRules::on_sidr_req(const Arrival& a, const Connection& connection) {
    const bool is_known = connection.header && connection.header->is_known();
    if (is_known && is_of_service(connection)) judge_fields(a, connection);
}

void RequestRules::judge_service_id(const Arrival& a, const Connection& connection) {
    if (is_of_service(connection)) return verdicts_.satisfied(rules::service_id_form);
    if (wire::has_ip_header(*connection.service_id))
        return verdicts_.deviation(
            rules::service_id_form, {a.packet.number}, {connection.id},
            "addresses of sockets with a service id of librdmacm's IPoIB port space");
    if (are_addresses_of(a.message.private_data, a.packet))
        verdicts_.broken(
            rules::service_id_form, {a.packet.number}, {connection.id},
            "the private data hold the addresses of sockets, but the service id is not in the service's range");
}

void RequestRules::judge_format(const Arrival& a, const Connection& connection) {
    const AddressHeader& header = *connection.header;
    if (!header.has_known_version())
        return verdicts_.undecided(rules::request_format, UndecidedReason::another_service_version);
    if (header.is_known()) return verdicts_.satisfied(rules::request_format);
    verdicts_.broken(
        rules::request_format, {a.packet.number}, {connection.id},
        "the IP version is " + std::to_string(header.versions.ip_version) + ", which is reserved");
}

void RequestRules::judge_fields(const Arrival& a, const Connection& connection) {
    const unsigned reserved = connection.header->versions.reserved;
    if (reserved == 0) verdicts_.satisfied(rules::reserved_is_zero);
    else
        verdicts_.broken(
            rules::reserved_is_zero, {a.packet.number}, {connection.id},
            "the reserved bits behind the IP version are " + std::to_string(reserved));
    if (connection.header->versions.ip_version == 4) judge_padding(a, connection);
    if (connection.header->is_known()) judge_addresses(a, connection);
}

void RequestRules::judge_padding(const Arrival& a, const Connection& connection) {
    const AddressHeader& header = *connection.header;
    if (header.source_fits && header.destination_fits) return verdicts_.satisfied(rules::ipv4_padding);
    const char* which = header.destination_fits ? "source"
                        : header.source_fits    ? "destination"
                                                : "source and destination";
    verdicts_.broken(
        rules::ipv4_padding, {a.packet.number}, {connection.id},
        std::string("the octets before the IPv4 address of the ") + which + " are not zero");
}

void RequestRules::judge_addresses(const Arrival& a, const Connection& connection) {
    const AddressHeader& header = *connection.header;
    if (header.source_fits) judge_address(a, connection, "source", connection.client->address, a.packet.source);
    if (header.destination_fits)
        judge_address(a, connection, "destination", connection.server->address, a.packet.destination);
}

/// A GID that was made of a MAC address tells no IP address.
void RequestRules::judge_address(
    const Arrival& a, const Connection& connection, const char* which, const Address& named, const Address& used) {
    if (!holds_ip_address(a.packet.ib.carrier, used))
        return verdicts_.undecided(rules::own_address, UndecidedReason::server_address_unknown);
    if (named == used) return verdicts_.satisfied(rules::own_address);
    const bool from = which == std::string_view("source");
    verdicts_.broken(
        rules::own_address, {a.packet.number}, {connection.id},
        std::string("the ") + which + " is " + capture::to_string(named) + ", but the request is sent " +
            (from ? "from " : "to ") + capture::to_string(used));
}

/// Half of the time is granted: senders round, and a capture does not stand at the sender.
void RequestRules::on_repetition(const Arrival& a, const Connection& connection) {
    const Sent& last = connection.last_req;
    if (last.psn == a.packet.ib.bth.psn)
        return verdicts_.undecided(rules::patient_repetition, UndecidedReason::captured_twice);
    if (connection.answer_timeout == 0) return verdicts_.undecided(rules::patient_repetition, UndecidedReason::cut);
    const MessageOfMany* mra = mra_for_req(connection);
    const Time asked_to_wait = mra != nullptr ? mra->first.time : 0;
    const Time waited = a.packet.time - std::max(last.time, asked_to_wait);
    if (2 * waited >= connection.answer_timeout) return verdicts_.satisfied(rules::patient_repetition);
    if (mra != nullptr && a.packet.time - asked_to_wait < capture::second)
        return verdicts_.undecided(rules::patient_repetition, UndecidedReason::may_have_crossed);
    verdicts_.broken(
        rules::patient_repetition, {last.frame, a.packet.number}, {connection.id},
        "REQ is repeated after " + std::to_string(waited / capture::millisecond) + " ms, the answer has " +
            std::to_string(connection.answer_timeout / capture::millisecond) + " ms");
}

}  // namespace fabricscope::engine::rdma_cm
