// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_cm/show.h"

#include "analyzer/info/rdma_cm.h"

namespace fabricscope::plugin::rdma_cm {
namespace {

using info::rdma_cm::rejection_of;
using info::rdma_cm::summary_of;

static_assert(std::is_trivially_destructible_v<wire::Message>);  // it lives across calls that may leave by longjmp

// ---- columns -------------------------------------------------------------------------------------

/// Wireshark's dissector puts the LIDs of a REQ's path in place of the packet's addresses.
void write_address(packet_info* pinfo, address* place, const capture::Address& from) {
    using Kind = capture::Address::Kind;
    const std::uint16_t lid = static_cast<std::uint16_t>(from.bytes[14] << 8 | from.bytes[15]);
    switch (from.kind) {
        case Kind::none:
        case Kind::port_id: return;  // not on InfiniBand
        case Kind::ipv4: return alloc_address_wmem(pinfo->pool, place, AT_IPv4, 4, from.bytes.data() + 12);
        case Kind::ipv6: return alloc_address_wmem(pinfo->pool, place, AT_IPv6, 16, from.bytes.data());
        case Kind::gid: return alloc_address_wmem(pinfo->pool, place, AT_IB, 16, from.bytes.data());
        case Kind::lid: return alloc_address_wmem(pinfo->pool, place, AT_IB, sizeof lid, &lid);
    }
}

void write_message_columns(
    const Display& display, const capture::Packet& packet, const FrameFacts& facts, const Line& summary) {
    write_address(display.pinfo, &display.pinfo->src, packet.source);
    write_address(display.pinfo, &display.pinfo->dst, packet.destination);
    // Of a frame that the capture cut, Wireshark's dissector says that it is malformed, and puts up a fence.
    col_clear_fence(display.pinfo->cinfo, COL_INFO);
    const char* repetition = info::mark_of_retransmission(facts.retransmission);
    write_marked_columns(display, fields.name, facts.frame, repetition, summary, "");
}

// ---- what the engine found out -------------------------------------------------------------------

/// Why there is no connection, if there is none.
void add_outcome(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const Connection& connection) {
    using engine::rdma_cm::Outcome;
    const Outcome outcome = record.outcome(connection);
    if (outcome != Outcome::unknown) add_text(tree, tvb, id_of("rdma_ip_cm.outcome"), name_of(outcome));
    if (!connection.reject) return;
    const std::uint64_t rejected_in = connection.reject->frame;
    const Line why = rejection_of(connection);
    add_text(tree, tvb, id_of("rdma_ip_cm.rejection"), why.c_str());
    if (rejected_in != display.pinfo->num) return add_frame(tree, tvb, id_of("rdma_ip_cm.rejected_in"), rejected_in);
    expert_add_info_format(display.pinfo, proto_tree_get_parent(tree), &rejected, "Rejected %s", why.c_str());
}

void add_sockets(
    const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const Connection& connection) {
    const Record::Parties& parties = record.parties(connection.id);
    if (!parties[Side::client].empty()) {
        add_text(tree, tvb, id_of("rdma_ip_cm.client"), parties[Side::client].c_str());
        add_text(tree, tvb, id_of("rdma_ip_cm.server"), parties[Side::server].c_str());
    }
    const char* protocol = packet_text(display.pinfo, protocol_text(connection));
    if (*protocol != '\0') add_text(tree, tvb, id_of("rdma_ip_cm.protocol"), protocol);
    if (connection.service != engine::rdma_cm::Service::unknown)
        add_text(tree, tvb, id_of("rdma_ip_cm.service"), name_of(connection.service));
    const char* ulp = connection.service_id ? wire::ulp_of(*connection.service_id) : nullptr;
    if (ulp != nullptr) add_text(tree, tvb, id_of("rdma_ip_cm.ulp"), ulp);
}

/// Who sent it to whom, in the connection.
void add_way(const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    const Connection* connection = record.connection(facts.connection);
    if (connection != nullptr && connection->roles_known)
        add_text(tree, tvb, id_of("rdma_ip_cm.from"), name_of(facts.from));
    add_ends(display, tree, tvb, ends_of(display.pinfo, record, facts));
}

void add_facts(const Display& display, const Record& record, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    if (const Connection* connection = record.connection(facts.connection)) {
        add_id(tree, tvb, id_of("rdma_ip_cm.connection"), "cm", connection->id);
        add_stream_number(tree, tvb, id_of("rdma_ip_cm.stream"), connection->id);
        if (connection->began_before) add_true(tree, tvb, id_of("rdma_ip_cm.began_before"));
        add_outcome(display, record, tree, tvb, *connection);
        add_sockets(display, record, tree, tvb, *connection);
        add_way(display, record, tree, tvb, facts);
    }
    add_request(display, tree, tvb, facts.request_frame, facts.time - facts.request_time);
    add_response(display, tree, tvb, facts.frame);
    add_remarks(display, tree, tvb, facts.frame, facts.retransmission);
}

/// The port that a request's own service id names.
void add_service(proto_tree* tree, tvbuff_t* tvb, const wire::Message& message) {
    std::optional<std::uint64_t> service_id;
    if (const auto* req = std::get_if<wire::Req>(&message.body)) service_id = req->body.service_id;
    if (const auto* request = std::get_if<wire::SidrReq>(&message.body)) service_id = request->body.service_id;
    if (!service_id || !wire::has_ip_header(*service_id)) return;
    const std::optional<std::uint64_t> port = wire::socket_service(*service_id).port;
    add_number(tree, tvb, id_of("rdma_ip_cm.destination_port"), port);
}

Ends sockets_of(const Record& record, const FrameFacts& facts) {
    const Record::Parties& parties = record.parties(facts.connection);
    if (parties[Side::client].empty()) return {};
    return {parties[facts.from].c_str(), parties[other(facts.from)].c_str()};
}

}  // namespace

void show_message(
    const Display& display, const Record& record, tvbuff_t* mad, const capture::Packet& packet, const FrameFacts& facts,
    bool with_columns) {
    const ByteView octets = packet.ib.payload;
    const Connection* connection = record.connection(facts.connection);
    const wire::Message message = wire::parse(octets, connection == nullptr || has_ip_header(*connection));
    const Ends sockets = sockets_of(record, facts);
    const Line summary = summary_of({message, octets.size(), connection, sockets.source, sockets.destination});
    if (with_columns) write_message_columns(display, packet, facts, summary);
    if (!display.details) return;
    proto_tree* tree = add_protocol(display, fields.name, mad, 0, -1, summary.c_str());
    walk(message, builder(display, mad, tree));
    add_error(display, tree, message.error);
    add_service(tree, mad, message);
    add_facts(display, record, tree, mad, facts);
}

void show_traffic(const Display& display, const Record& record, tvbuff_t* frame, const FrameFacts& facts) {
    if (!display.details || facts.connection == 0) return;
    const char* connection = wmem_strdup_printf(display.pinfo->pool, "cm-%u", facts.connection);
    proto_item* item = proto_tree_add_string(display.tree, id_of("rdma_ip_cm.connection"), frame, 0, 0, connection);
    proto_item_set_generated(item);
    proto_tree* tree = proto_item_add_subtree(item, traffic_subtree);
    add_stream_number(tree, frame, id_of("rdma_ip_cm.stream"), facts.connection);
    add_way(display, record, tree, frame, facts);
    add_remarks(display, tree, frame, facts.frame, facts.retransmission);
}

Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts) {
    if (facts.connection == 0) return {};
    const Ends sockets = sockets_of(record, facts);
    if (sockets.source != nullptr) return sockets;
    return {address_to_str(pinfo->pool, &pinfo->src), address_to_str(pinfo->pool, &pinfo->dst)};
}

}  // namespace fabricscope::plugin::rdma_cm
