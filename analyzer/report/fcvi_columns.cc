// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of FC-VI: connections and VI Messages.
#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"
#include "protocols/fc/frame_header.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;

const char* name_of_level(const std::optional<wire::Reliability>& level) {
    return level ? wire::iso_reliability_names[static_cast<std::size_t>(*level)].name : nullptr;
}

// ---- parts whose meaning the version decides -------------------------------------------------------

template <class T> struct OfVersion {
    const T& of;
    wire::Version version;
};

using Status = OfVersion<StatusSeen>;

constexpr auto status_columns = columns<Status>(
    column<[](const Status& s) { return s.of.by; }>("by", "client or server: who gave the reason"),
    column<[](const Status& s) {
        const wire::IuInfo* info = wire::find_iu(s.version, s.of.iu);
        return info != nullptr ? info->name : "?";
    }>("iu", "the IU that gave it"),
    column<[](const Status& s) { return s.of.reason; }>("reason", "reason code"),
    column<[](const Status& s) { return wire::reason_name(s.version, s.of.reason); }>("name", "what the code means"),
    column<[](const Status& s) { return s.of.explanation; }>("explanation", "reason explanation"),
    column<[](const Status& s) { return s.of.vendor_unique; }>("vendor_unique", "vendor unique code"),
    column<[](const Status& s) { return s.of.step.frame; }>("frame", "frame"));

using EndOf = OfVersion<End>;

/// What the end said of itself when the connection was set up.
template <auto get> auto attribute(const EndOf& end) { return converted(end.of.attributes, get); }

constexpr auto end_columns = columns<EndOf>(
    column<[](const EndOf& e) { return e.of.port; }>("port", "N_Port_ID"),
    column<[](const EndOf& e) { return converted(e.of.port_name, fabricscope::fc::name_text); }>(
        "port_name", "Port_Name, from a login"),
    column<[](const EndOf& e) { return e.of.handle; }>("handle", "FCVI_HANDLE"),
    column<[](const EndOf& e) { return e.of.address; }>("address", "host address and discriminator"),
    column<[](const EndOf& e) { return name_of_level(e.of.reliability); }>(
        "reliability", "Reliability Level that it wants"),
    column<attribute<[](const wire::CommonAttributes& a) { return a.max_trans_size; }>>("max_transfer_size", "bytes"),
    column<attribute<[](const wire::CommonAttributes& a) { return a.en_rdma_wr; }>>(
        "rdma_write_enabled", "the peer may write to it"),
    column<attribute<[](const wire::CommonAttributes& a) { return a.en_rdma_rd; }>>(
        "rdma_read_enabled", "the peer may read from it"),
    column<[](const EndOf& e) {
        return e.of.attributes ? wire::wants_preference(e.version, e.of.attributes->qos) : std::nullopt;
    }>("preference", "it wants CS_CTL's preference"),
    column<[](const EndOf& e) {
        return e.of.attributes && e.version == wire::Version::iso ? std::optional(e.of.attributes->qos.pipeline_depth)
                                                                  : std::nullopt;
    }>("pipeline_depth", "pipeline depth, ISO only"),
    column<[](const EndOf& e) { return e.of.state; }>("state", "state of the endpoint, in the end"));

template <Side side> void end_of(const Connection& connection, const Each<EndOf>& each) {
    each({connection.end[side], connection.version});
}

// ---- set-ups and Disconnects -----------------------------------------------------------------------

constexpr auto setup_columns = columns<Setup>(
    column<&Setup::from>("from", "client or server"), column<&Setup::ox_id>("ox_id", "OX_ID"),
    column<&Setup::connection_id>("connection_id", "FCVI_CONNECTION_ID"),
    column<&Setup::retry>("retry", "the request was a retry"), time<&Setup::rqst>("rqst", "time of FCVI_CONNECT_RQST"),
    time<&Setup::resp1>("resp1", "time of FCVI_CONNECT_RESP1"),
    time<&Setup::resp2>("resp2", "time of FCVI_CONNECT_RESP2"),
    time<&Setup::resp3>("resp3", "time of FCVI_CONNECT_RESP3"), time<&Setup::abts>("abts", "time of ABTS"),
    frame<&Setup::rqst>("rqst_frame", "frame of FCVI_CONNECT_RQST"),
    frame<&Setup::resp1>("resp1_frame", "frame of FCVI_CONNECT_RESP1"),
    frame<&Setup::resp2>("resp2_frame", "frame of FCVI_CONNECT_RESP2"),
    frame<&Setup::resp3>("resp3_frame", "frame of FCVI_CONNECT_RESP3"));

constexpr auto disconnect_columns = columns<Disconnect>(
    column<&Disconnect::from>("from", "client or server"), column<&Disconnect::ox_id>("ox_id", "OX_ID"),
    time<&Disconnect::rqst>("rqst", "time of FCVI_DISCONNECT_RQST"),
    time<&Disconnect::resp>("resp", "time of FCVI_DISCONNECT_RESP"),
    frame<&Disconnect::rqst>("rqst_frame", "frame of FCVI_DISCONNECT_RQST"),
    frame<&Disconnect::resp>("resp_frame", "frame of FCVI_DISCONNECT_RESP"),
    column<&Disconnect::by_application>("by_application", "asked for by the application, not by the provider"),
    column<&Disconnect::aborts_setup>("aborts_setup", "it aborts the set-up"),
    column<&Disconnect::msg_id>("msg_id", "last Message that the requester completed"),
    column<&Disconnect::resp_msg_id>("resp_msg_id", "last Message that the responder completed"));

using SetupOf = OfVersion<Setup>;
using DisconnectOf = OfVersion<Disconnect>;

template <class T> void common(const OfVersion<T>& part, const Each<T>& each) { each(part.of); }

template <class T, std::optional<StatusSeen> T::*member>
void status_of(const OfVersion<T>& part, const Each<Status>& each) {
    if (const auto& status = part.of.*member) each({*status, part.version});
}

constexpr auto setup_of_columns = columns<SetupOf>(
    inlined<common<Setup>, setup_columns>(),
    object<status_of<Setup, &Setup::status>, status_columns>("status", "first status that was not good"));

constexpr auto disconnect_of_columns = columns<DisconnectOf>(
    inlined<common<Disconnect>, disconnect_columns>(),
    object<status_of<Disconnect, &Disconnect::status>, status_columns>("status", "reason of the request"),
    object<status_of<Disconnect, &Disconnect::resp_status>, status_columns>("resp_status", "reason of the response"));

constexpr auto setups = table<setup_of_columns>("fcvi_setups", "The attempts to set a connection up.")
                            .key("connection", Type::text, "that it belongs to")
                            .position("in order of requests, from 0");
constexpr auto disconnects = table<disconnect_of_columns>(
                                 "fcvi_disconnects", "The Disconnect operations of a connection.")
                                 .key("connection", Type::text, "that it belongs to")
                                 .position("in order of requests, from 0");

void each_setup(const Connection& connection, const Each<SetupOf>& each) {
    for (const Setup& setup : connection.setups) each({setup, connection.version});
}
void each_disconnect(const Connection& connection, const Each<DisconnectOf>& each) {
    for (const Disconnect& disconnect : connection.disconnects) each({disconnect, connection.version});
}

// ---- directions ------------------------------------------------------------------------------------

constexpr auto reception_columns = columns<Reception>(
    column<&Reception::expected_message>("expected_message", "annex B: Mexp"),
    column<&Reception::expected_seq_cnt>("expected_seq_cnt", "annex B: SCexp"),
    column<&Reception::missing_messages>("missing_messages", "MSG_IDs that were skipped"),
    column<&Reception::late_messages>("late_messages", "Messages that came after a higher MSG_ID"),
    column<&Reception::missing_frames>("missing_frames", "frames that SEQ_CNT tells of, but did not come"),
    column<&Reception::late_frames>("late_frames", "frames that came after a higher SEQ_CNT"),
    column<&Reception::message_errors>("message_errors", "annex B: Merr"),
    frame<&Reception::handle_error>("handle_error_frame", "annex B: Herr, frame where it arises"));

constexpr auto traffic_columns = columns<Traffic>(
    column<&Traffic::messages>("messages", "that this side began"), column<&Traffic::sends>("sends", "Sends"),
    column<&Traffic::writes>("writes", "RDMA Writes"), column<&Traffic::reads>("reads", "RDMA Reads"),
    column<&Traffic::bytes>("bytes", "of Sends, Writes and answers to Reads, each byte once"),
    column<&Traffic::frames>("frames", "each frame once"),
    column<&Traffic::repeated_frames>("repeated_frames", "frames seen again"),
    column<&Traffic::responses>("responses", "to the other side's Messages"),
    column<&Traffic::failed_responses>("failed_responses", "of these, with RESP_ERR"),
    time<&Traffic::first>("first", "time of the first frame"), time<&Traffic::last>("last", "time of the last frame"),
    object<&Traffic::at_peer, reception_columns>("at_peer", "at the receiver"));

constexpr auto directions = table<traffic_columns>("fcvi_directions", "What each end of an FC-VI connection sent.")
                                .key("connection", Type::text, "that it belongs to")
                                .member_name("direction", "client_to_server or server_to_client");

template <Side side> void traffic_from(const Connection& connection, const Each<Traffic>& each) {
    each(connection.from[side]);
}

// ---- connections -----------------------------------------------------------------------------------

const char* mode_of(const Connection& connection) {
    if (connection.mode == wire::ConnectMode::client_server) return "client-server";
    return connection.mode == wire::ConnectMode::peer_to_peer ? "peer-to-peer" : nullptr;
}

void reject_of(const Connection& connection, const Each<Status>& each) {
    if (connection.reject) each({*connection.reject, connection.version});
}

constexpr auto connection_columns = columns<Connection>(
    column<[](const Connection& c) { return fcvi_connection_name(c.id); }>("id", "fcvi-1, fcvi-2, ...").with_names(),
    column<[](const Connection& c) { return c.is_iso() ? "iso" : "rev-1.0"; }>(
        "version", "iso (ISO/IEC 14165-331) or rev-1.0"),
    column<mode_of>("mode", "client-server or peer-to-peer"),
    column<[](const Connection& c) { return c.end[Side::client].port; }>("client", "N_Port_ID of who asked first"),
    column<[](const Connection& c) { return c.end[Side::server].port; }>("server", "N_Port_ID of the other"),
    column<&Connection::outcome>("outcome", "connected, rejected, aborted or unknown"),
    object<reject_of, status_columns>("reject", "why it did not come about"),
    column<close_of>("close", "open, half (one end has disconnected) or closed; by LOGO or a new login, too"),
    column<[](const Connection& c) { return name_of_level(c.reliability()); }>(
        "reliability", "Reliability Level of both ends"),
    column<&Connection::from_start>("from_start", "its first Connect Request was captured"),
    object<end_of<Side::client>, end_columns>("client_end", "client"),
    object<end_of<Side::server>, end_columns>("server_end", "server"),
    row<traffic_from<Side::client>, directions>("client_to_server"),
    row<traffic_from<Side::server>, directions>("server_to_client"),
    column<&Connection::first_frame>("first_frame", "its first frame"),
    time<&Connection::first_time>("first", "time of the first frame"),
    time<&Connection::last_time>("last", "time of the last frame"),
    column<&Connection::iu_count>("iu_count", "Information Units, both ways"), rows<each_setup, setups>("setups"),
    rows<each_disconnect, disconnects>("disconnects"));

constexpr auto connections = table<connection_columns>("fcvi_connections", "FC-VI connections.")
                                 .indexes("outcome", "client", "server");

// ---- Messages --------------------------------------------------------------------------------------

std::optional<std::string> end_of_memory(const Message& m) {
    if (!m.rmt_va) return std::nullopt;
    if (m.total_length) return hex_text(*m.rmt_va + *m.total_length);
    return m.state == MessageState::complete ? std::optional(hex_text(*m.rmt_va + m.bytes)) : std::nullopt;
}

constexpr auto message_columns = columns<Message>(
    column<[](const Message& m) { return fcvi_message_name(m.id); }>("id", "fcvi-message-1, ...").with_names(),
    column<[](const Message& m) { return fcvi_connection_name(m.connection); }>("connection", "that carries it")
        .with_names(),
    column<&Message::from>("from", "client or server: who began it"),
    column<&Message::operation>("operation", "send, rdma write or rdma read"),
    column<&Message::state>("state", "open, complete, incomplete, failed or aborted"),
    column<&Message::msg_id>("msg_id", "MSG_ID"), column<&Message::ox_id>("ox_id", "OX_ID"),
    column<&Message::total_length>("length", "FCVI_TOT_LEN"),
    column<&Message::bytes>("bytes", "bytes of data, each once"),
    column<&Message::immediate_data>("immediate_data", "immediate data"),
    column<[](const Message& m) { return converted(m.rmt_va, hex_text); }>("rmt_va", "hexadecimal"),
    column<end_of_memory>("rmt_va_end", "hexadecimal, behind the last byte"),
    column<&Message::rmt_va_handle>("rmt_va_handle", "handle of the memory"),
    column<&Message::frames>("frames", "frames of data and requests, each once"),
    column<&Message::sequences>("sequences", "Information Units of data and requests"),
    column<&Message::repeated_frames>("repeated_frames", "frames seen again"),
    column<&Message::missing_frames>("missing_frames", "frames that SEQ_CNT tells of, but did not come"),
    frame<&Message::first>("first_frame", "its first frame"), time<&Message::first>("first", "time of the first frame"),
    time<&Message::last>("last", "time of the last frame"),
    frame<&Message::response_begin>("response_frame", "frame of the response"),
    time<&Message::response_begin>("response", "time of the response"), column<[](const Message& m) {
        return m.request_begin ? seconds_between(*m.request_begin, m.response_begin) : std::nullopt;
    }>("latency", "seconds from the first frame to the response"),
    column<[](const Message& m) { return text_or_null(trouble_of(m)); }>(
        "trouble", "what kept it from an ordinary end"));

constexpr auto messages = table<message_columns>("fcvi_messages", "VI Messages: Sends, RDMA Writes and RDMA Reads.")
                              .refers("connection", "fcvi_connections (id)")
                              .indexes("connection", "operation", "state");

// ---- all -------------------------------------------------------------------------------------------

constexpr auto model_columns = columns<Model>(
    rows<&Model::connections, connections>("connections"), rows<&Model::messages, messages>("messages"),
    column<&Model::dropped_connections>("dropped_connections", "connections left out because a limit was reached"),
    column<&Model::dropped_messages>("dropped_messages", "Messages left out because a limit was reached"),
    column<&Model::dropped_exchanges>("dropped_exchanges", "Exchanges forgotten because a limit was reached"),
    column<&Model::dropped_details>(
        "dropped_details",
        "frames of which a limit kept us from remembering which data of a Message they had; its bytes and missing "
        "frames are at least as many as told"),
    column<[](const Model& m) { return m.dropped_findings; }>(
        "dropped_findings", "findings left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> fcvi_columns{model_columns};

}  // namespace fabricscope::report
