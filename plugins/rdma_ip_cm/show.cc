// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_ip_cm/show.h"

#include "plugins/common/tree.h"
#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/summary.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

// They live across calls that may leave by longjmp.
static_assert(std::is_trivially_destructible_v<rdma_ip_cm::Message>);
static_assert(std::is_trivially_destructible_v<TreeBuilder>);

bool is_copy(const Display& display, const FrameFacts& facts) { return facts.frame != display.pinfo->num; }

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

void write_columns(
    const Display& display, const capture::Packet& packet, const FrameFacts& facts, const Line& summary) {
    if (!display.columns) return;
    write_address(display.pinfo, &display.pinfo->src, packet.source);
    write_address(display.pinfo, &display.pinfo->dst, packet.destination);
    Line info;
    if (is_copy(display, facts)) info << "[Copy of frame " << facts.frame << "] ";
    else if (facts.retransmission) info << "[Retransmission] ";
    info << summary.c_str();
    column_info* columns = display.pinfo->cinfo;
    col_set_str(columns, COL_PROTOCOL, kProtocolName);
    // Of a frame that the capture cut, Wireshark's dissector says that it is malformed, and puts up a fence.
    col_clear_fence(columns, COL_INFO);
    col_add_str(columns, COL_INFO, info.c_str());
}

// ---- what the engine found out -------------------------------------------------------------------

const char* connection_name(const packet_info* pinfo, std::uint32_t id) {
    return wmem_strdup_printf(pinfo->pool, "cm-%u", id);
}

/// Why there is no connection, if there is none: what is looked for first.
void add_outcome(const Display& display, proto_tree* tree, tvbuff_t* tvb, const Connection& connection) {
    using engine::rdma_cm::Outcome;
    const Outcome outcome = display.record->outcome(connection);
    if (outcome != Outcome::unknown) add_text(tree, tvb, id_of("rdma_ip_cm.outcome"), name_of(outcome));
    if (!connection.reject) return;
    const std::uint64_t rejected_in = connection.reject->frame;
    const Line why = rejection_of(connection);
    add_text(tree, tvb, id_of("rdma_ip_cm.rejection"), why.c_str());
    if (rejected_in != display.pinfo->num) return add_frame(tree, tvb, id_of("rdma_ip_cm.rejected_in"), rejected_in);
    expert_add_info_format(display.pinfo, proto_tree_get_parent(tree), &fields().rejected, "Rejected %s", why.c_str());
}

void add_sockets(const Display& display, proto_tree* tree, tvbuff_t* tvb, const Connection& connection) {
    const Record::Parties& parties = display.record->parties(connection.id);
    if (!parties[Side::client].empty()) {
        add_text(tree, tvb, id_of("rdma_ip_cm.client"), parties[Side::client].c_str());
        add_text(tree, tvb, id_of("rdma_ip_cm.server"), parties[Side::server].c_str());
    }
    const char* protocol = packet_text(display.pinfo, protocol_text(connection));
    if (*protocol != '\0') add_text(tree, tvb, id_of("rdma_ip_cm.protocol"), protocol);
    if (connection.service != engine::rdma_cm::Service::unknown)
        add_text(tree, tvb, id_of("rdma_ip_cm.service"), name_of(connection.service));
}

/// Who sent it to whom, in the connection.
void add_way(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    add_text(tree, tvb, id_of("rdma_ip_cm.from"), name_of(facts.from));
    add_ends(
        tree, tvb, {id_of("rdma_ip_cm.source"), id_of("rdma_ip_cm.destination"), id_of("rdma_ip_cm.endpoint")},
        ends_of(display.pinfo, *display.record, facts));
}

void add_remarks(const Display& display, proto_tree* tree, proto_item* head, tvbuff_t* tvb, const FrameFacts& facts) {
    const FrameNotes& notes = display.record->notes();
    if (is_copy(display, facts)) add_frame(tree, tvb, id_of("rdma_ip_cm.copy_of"), facts.frame);
    if (facts.retransmission) {
        add_true(tree, tvb, id_of("rdma_ip_cm.retransmission"));
        expert_add_info(display.pinfo, head, &fields().experts.retransmission);
    }
    if (notes.is_late(display.pinfo->num)) expert_add_info(display.pinfo, head, &fields().experts.late);
    add_findings(display.pinfo, tree, tvb, id_of("rdma_ip_cm.rule"), fields().experts, notes.broken_rules(facts.frame));
}

void add_links(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    add_request(
        display.pinfo, tree, tvb, {id_of("rdma_ip_cm.request_in"), id_of("rdma_ip_cm.time")}, facts.request_frame,
        facts.time - facts.request_time);
    add_frame(tree, tvb, id_of("rdma_ip_cm.response_in"), display.record->notes().response(facts.frame));
}

void add_facts(const Display& display, proto_tree* tree, tvbuff_t* tvb, const FrameFacts& facts) {
    if (const Connection* connection = display.record->connection(facts.connection)) {
        const char* name = connection_name(display.pinfo, connection->id);
        add_text(tree, tvb, id_of("rdma_ip_cm.connection"), name);
        add_outcome(display, tree, tvb, *connection);
        add_sockets(display, tree, tvb, *connection);
        add_way(display, tree, tvb, facts);
    }
    add_links(display, tree, tvb, facts);
    add_remarks(display, tree, proto_tree_get_parent(tree), tvb, facts);
}

/// The port that a request's own service id names.
void add_service(proto_tree* tree, tvbuff_t* tvb, const rdma_ip_cm::Message& message) {
    std::optional<std::uint64_t> service_id;
    if (const auto* req = std::get_if<rdma_ip_cm::Req>(&message.body)) service_id = req->body.service_id;
    if (const auto* request = std::get_if<rdma_ip_cm::SidrReq>(&message.body)) service_id = request->body.service_id;
    if (!service_id || !rdma_ip_cm::has_ip_header(*service_id)) return;
    const std::optional<std::uint64_t> port = rdma_ip_cm::socket_service(*service_id).port;
    add_number(tree, tvb, id_of("rdma_ip_cm.destination_port"), port);
}

Ends sockets_of(const Display& display, const FrameFacts& facts) {
    const Record::Parties& parties = display.record->parties(facts.connection);
    if (parties[Side::client].empty()) return {};
    return {parties[facts.from].c_str(), parties[other(facts.from)].c_str()};
}

}  // namespace

void show_message(const Display& display, tvbuff_t* mad, const capture::Packet& packet, const FrameFacts& facts) {
    const ByteView octets = packet.ib.payload;
    const rdma_ip_cm::Message message = rdma_ip_cm::parse(octets);
    const Connection* connection = display.record->connection(facts.connection);
    const Line summary = summary_of({message, octets.size(), connection, sockets_of(display, facts)});
    write_columns(display, packet, facts, summary);
    if (!display.details) return;
    proto_item* item = proto_tree_add_protocol_format(
        display.tree, fields().protocol, mad, 0, -1, "RDMA CM, %s", summary.c_str());
    proto_tree* tree = proto_item_add_subtree(item, fields().subtree);
    add_facts(display, tree, mad, facts);
    const TreeBuilder::Ids ids{fields().registry, fields().octets, fields().experts.reserved_set};
    walk(message, TreeBuilder(ids, display.pinfo, mad, tree));
    add_service(tree, mad, message);
    add_error(display.pinfo, tree, fields().experts, message.error);
}

void show_traffic(const Display& display, tvbuff_t* frame, const FrameFacts& facts) {
    if (!display.details) return;
    proto_item* item = proto_tree_add_string(
        display.tree, id_of("rdma_ip_cm.connection"), frame, 0, 0, connection_name(display.pinfo, facts.connection));
    proto_item_set_generated(item);
    proto_tree* tree = proto_item_add_subtree(item, fields().traffic_subtree);
    add_way(display, tree, frame, facts);
    add_remarks(display, tree, item, frame, facts);
}

}  // namespace fabricscope::plugin
