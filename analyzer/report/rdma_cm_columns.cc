// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of RDMA CM: connections and service id resolutions.
#include <fmt/format.h>

#include "analyzer/report/rdma_cm_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

// ---- the two sides ---------------------------------------------------------------------------------

constexpr auto end_columns = columns<Endpoint>(
    column<[](const Endpoint& e) {
        return e.address.kind != Address::Kind::none ? std::optional(e.address) : std::nullopt;
    }>("address", "IP address, GID or LID of the port"),
    column<&Endpoint::comm_id>("comm_id", "communication id or, for ud, request id"),
    column<&Endpoint::qpn>("qpn", "queue pair number"), column<&Endpoint::starting_psn>("starting_psn", "first PSN"),
    column<&Endpoint::q_key>("q_key", "Q_Key"),
    column<[](const Endpoint& e) { return converted(e.ca_guid, hex_text); }>(
        "ca_guid", "GUID of the channel adapter, hexadecimal"),
    column<&Endpoint::responder_resources>(
        "responder_resources", "RDMA READ and atomic operations that it answers at a time"),
    column<&Endpoint::initiator_depth>("initiator_depth", "RDMA READ and atomic operations that it asks for at a time"),
    column<&Endpoint::rnr_retry_count>("rnr_retry_count", "how often it is to be tried again after an RNR NAK"),
    column<[](const Endpoint& e) { return converted(e.private_data, hex_of); }>(
        "private_data", "private data of the consumer, hexadecimal, without the zeros at the end"));

constexpr auto traffic_columns = columns<Traffic>(
    column<&Traffic::packets>("packets", "packets in all"),
    column<&Traffic::bytes>("bytes", "payload of SENDs, WRITEs and READ responses, without what was repeated"),
    column<&Traffic::sends>("sends", "SEND operations"), column<&Traffic::writes>("writes", "RDMA WRITE operations"),
    column<&Traffic::reads>("reads", "RDMA READ requests"), column<&Traffic::atomics>("atomics", "atomic operations"),
    column<&Traffic::acks>("acks", "acknowledgements"), column<&Traffic::naks>("naks", "NAKs without RNR NAKs"),
    column<&Traffic::rnr_naks>("rnr_naks", "RNR NAKs"),
    column<&Traffic::retransmissions>(
        "retransmissions", "packets retransmitted, as `rdma` counts them; null: `rdma` was not followed"),
    time<&Traffic::first>("first", "time of the first packet"),
    time<&Traffic::last>("last", "time of the last packet"));

constexpr auto directions = table<traffic_columns>(
                                "cm_directions",
                                "What each side of an RDMA CM connection sent to the other's queue pair.")
                                .key("connection", Type::text, "that it belongs to")
                                .member_name("direction", "client_to_server or server_to_client");

template <Side side> void end_of(const Connection& connection, const Each<Endpoint>& each) {
    each(connection.end[side]);
}
template <Side side> void traffic_from(const Connection& connection, const Each<Traffic>& each) {
    if (is_traffic_known(connection, side)) each(connection.from[side]);
}
template <Side side> auto qpn_of(const Connection& connection) { return connection.end[side].qpn; }

// ---- messages --------------------------------------------------------------------------------------

constexpr auto information_columns = columns<RejectInformation>(
    column<[](const RejectInformation& i) { return i.layer_name(); }>("layer", "RDMA IP CM service or RDMA-aware ULP"),
    column<&RejectInformation::code>("code", "reason code of the layer"),
    column<[](const RejectInformation& i) { return i.code_name(); }>(
        "name", "what the code says, if it is the service's own"),
    column<[](const RejectInformation& i) { return i.code ? std::optional(hex_of(i.suggested)) : std::nullopt; }>(
        "suggested", "suggested value of the service's own layer, hexadecimal"),
    column<[](const RejectInformation& i) { return i.code ? std::nullopt : std::optional(hex_of(i.data)); }>(
        "data", "what another layer says, hexadecimal"));

constexpr auto reject_columns = columns<RejectSeen>(
    column<&RejectSeen::by>("by", "client or server, as in from of the messages"),
    column<&RejectSeen::reason>("reason", "reason of REJ; for ud: status of SIDR_REP"),
    column<[](const RejectSeen& r) { return r.name(); }>("name", "what the reason says"),
    object<&RejectSeen::information, information_columns>("ari", "additional reject information"),
    column<[](const RejectSeen& r) { return layout::name_of(ib::rej_message_names, r.message); }>(
        "message", "what was rejected: REQ, REP or another"),
    column<&RejectSeen::frame>("frame", "frame"));

constexpr auto message_columns = columns<MessageSeen>(
    column<[](const MessageSeen& m) {
        return layout::name_of(ib::cm_attribute_names, static_cast<std::uint16_t>(m.attribute));
    }>("type", "REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP or APR"),
    column<&MessageSeen::from>(
        "from", "client or server; the client is who sent the first one where roles_known is false"),
    time<&MessageSeen::time>("time", "when it was sent"), column<&MessageSeen::frame>("frame", "its frame"),
    column<&MessageSeen::repeated>("repeated", "sent before"),
    column<[](const MessageSeen& m) { return m.request_frame != 0 ? std::optional(m.request_frame) : std::nullopt; }>(
        "request_frame", "frame of the message that it answers"));

constexpr auto messages = table<message_columns>("cm_messages", "The messages of each RDMA CM connection.")
                              .key("connection", Type::text, "that it belongs to")
                              .position("in order of frames, from 0");

template <Show show>
constexpr auto step_columns = columns<Connection>(
    step<&Connection::req, show>("req", "REQ or SIDR_REQ"), step<&Connection::mra, show>("mra", "MRA"),
    step<&Connection::rep, show>("rep", "REP or SIDR_REP"), step<&Connection::rtu, show>("rtu", "RTU"),
    step<&Connection::lap, show>("lap", "LAP"), step<&Connection::apr, show>("apr", "APR"),
    step<&Connection::dreq, show>("dreq", "DREQ"), step<&Connection::drep, show>("drep", "DREP"));

// ---- connections -----------------------------------------------------------------------------------

constexpr auto path_columns = columns<ib::CmPath>(
    column<&ib::CmPath::local_gid>("local_gid", "GID of the client's port"),
    column<&ib::CmPath::remote_gid>("remote_gid", "GID of the server's port"),
    column<&ib::CmPath::local_lid>("local_lid", "LID of the client's port"),
    column<&ib::CmPath::remote_lid>("remote_lid", "LID of the server's port"),
    column<&ib::CmPath::flow_label>("flow_label", "flow label"),
    column<&ib::CmPath::traffic_class>("traffic_class", "traffic class"),
    column<&ib::CmPath::hop_limit>("hop_limit", "hop limit"),
    column<&ib::CmPath::service_level>("service_level", "service level"),
    column<[](const ib::CmPath& p) { return layout::name_of(ib::packet_rate_names, p.packet_rate); }>(
        "packet_rate", "packet rate"),
    column<&ib::CmPath::local_ack_timeout>("local_ack_timeout", "local ACK timeout, as coded in the message"));

constexpr auto header_columns = columns<AddressHeader>(
    column<[](const AddressHeader& h) { return h.versions.major_version; }>("major_version", "major version"),
    column<[](const AddressHeader& h) { return h.versions.minor_version; }>("minor_version", "minor version"),
    column<[](const AddressHeader& h) { return h.versions.ip_version; }>("ip_version", "IP version of the addresses"));

constexpr auto connection_columns = columns<Connection>(
    column<[](const Connection& c) { return cm_connection_name(c.id); }>("id", "cm-1, cm-2, ...").with_names(),
    column<&Connection::service>("service", "rc, uc, rd, xrc, ud or unknown"),
    column<&Connection::client>("client", "socket of who asked"),
    column<&Connection::server>("server", "socket of who was asked"),
    column<[](const Connection& c) { return text_or_null(protocol_text(c)); }>(
        "protocol", "tcp, udp, ib, ipoib, sctp, or the IP protocol number"),
    column<[](const Connection& c) { return converted(c.service_id, hex_text); }>("service_id", "hexadecimal"),
    column<[](const Connection& c) { return c.service_id ? wire::ulp_of(*c.service_id) : nullptr; }>(
        "ulp", "what the service id is known for: iSER, NVMe-oF, NFS/RDMA, rping and the like"),
    column<&Connection::began_before>("began_before", "the request was sent before the capture began"),
    column<&Connection::roles_known>(
        "roles_known", "whether the messages tell who is the client; if not, it is who sent the first one"),
    column<qpn_of<Side::client>>("client_qpn", "queue pair number of the client"),
    column<qpn_of<Side::server>>("server_qpn", "queue pair number of the server"),
    column<&Connection::outcome>("outcome", "connected, rejected, timeout or unknown"),
    object<&Connection::reject, reject_columns>("reject", "REJ, or SIDR_REP that says no"),
    inlined<itself<Connection>, step_columns<Show::time>>("time of the first message"),
    column<&Connection::req_transmissions>("req_transmissions", "how often REQ or SIDR_REQ was sent"),
    column<&Connection::rep_transmissions>("rep_transmissions", "how often REP or SIDR_REP was sent"),
    column<&Connection::dreq_transmissions>("dreq_transmissions", "how often DREQ was sent"),
    column<[](const Connection& c) { return c.roles_known ? c.disconnected_by : std::nullopt; }>(
        "disconnected_by", "who sent the first DREQ"),
    column<&Connection::both_disconnect>("both_disconnect", "DREQs of both sides crossed"),
    column<&Connection::peer_to_peer>("peer_to_peer", "both sides sent REQ"),
    object<&Connection::header, header_columns>("ip_header", "RDMA IP CM service"),
    column<&Connection::p_key>("p_key", "P_Key"), column<&Connection::mtu>("mtu", "bytes"),
    column<&Connection::retry_count>("retry_count", "how often the transport is to try again"),
    column<&Connection::max_cm_retries>("max_cm_retries", "how often REQ may be repeated"),
    object<&Connection::path, path_columns>("path", "primary path, as the client names it"),
    object<&Connection::alternate_path, path_columns>("alternate_path", "alternate path, as the client names it"),
    column<[](const Connection& c) { return name_or_null(ib::apr_status_names, c.apr_status); }>(
        "apr_status", "answer to LAP"),
    object<end_of<Side::client>, end_columns>("client_end", "client"),
    object<end_of<Side::server>, end_columns>("server_end", "server"),
    row<traffic_from<Side::client>, directions>("client_to_server"),
    row<traffic_from<Side::server>, directions>("server_to_client"),
    object<itself<Connection>, step_columns<Show::frame>>("frames", "frame of the first message"),
    column<&Connection::message_count>("message_count", "CM messages in all; cm_messages may hold fewer"),
    rows<&Connection::messages, messages>("messages"));

constexpr auto connections = table<connection_columns>(
                                 "cm_connections", "RDMA CM connections and service id resolutions.")
                                 .indexes("outcome", "client", "server");

void each_connection(const Model& model, const Each<Connection>& each) {
    for (const Connection& connection : model.connections)
        if (!connection.merged) each(connection);
}

constexpr auto model_columns = columns<Model>(
    rows<each_connection, connections>("connections"),
    column<&Model::dropped_connections>("dropped_connections", "connections left out because a limit was reached"),
    column<[](const Model& m) { return m.dropped_findings; }>(
        "dropped_findings", "findings left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> rdma_cm_columns{model_columns};

}  // namespace fabricscope::report
