// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of SMC-R: connections and link groups.
#include "analyzer/engine/smcr/llc_exchange.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// A value for each side.
template <class T>
constexpr auto value_by_side = columns<PerSide<T>>(
    column<[](const PerSide<T>& values) { return values[Side::client]; }>("client", "the client's"),
    column<[](const PerSide<T>& values) { return values[Side::server]; }>("server", "the server's"));

// ---- directions ------------------------------------------------------------------------------------

constexpr auto interval_columns = columns<Intervals>(
    column<&Intervals::count>("count", "how often"), seconds<&Intervals::total>("total", "seconds in all"),
    seconds<&Intervals::longest>("longest", "seconds at most"));

constexpr auto cursor_columns = columns<wire::Cursor>(
    column<&wire::Cursor::wrap>("wrap", "wrap sequence number"), column<&wire::Cursor::offset>("offset", "offset"));

constexpr auto sample_columns = columns<CursorSample>(
    time<&CursorSample::time>("time", "of the CDC message"),
    column<&CursorSample::frame>("frame", "the CDC message of either side"),
    column<&CursorSample::produced>("produced", "bytes announced so far"),
    column<&CursorSample::consumed>("consumed", "bytes consumed so far"),
    column<[](const CursorSample& s) { return s.in_flight(); }>("in_flight", "the difference"));

constexpr auto cursor_samples = table<sample_columns>(
                                    "cursor_samples", "Each step of a direction's cursors; only with --cursors.")
                                    .key("connection", Type::text, "that it belongs to")
                                    .key("direction", Type::text, "client_to_server or server_to_client")
                                    .position("in order of time, from 0");

template <auto intervals> void intervals_of(const Direction& direction, const Each<Intervals>& each) {
    if (const auto known = intervals(direction)) each(*known);
}

bool has_cursors(const Context& context) { return context.cursors; }

constexpr auto direction_columns = columns<Direction>(
    column<position<of_sender<&Direction::bytes_announced>>>(
        "bytes_announced", "by producer cursors; null: nothing that its sender sent over RoCE was captured"),
    column<of_sender<&Direction::bytes_written>>(
        "bytes_written", "RDMA WRITE payload in the RMB element, each byte once"),
    column<position<of_receiver<&Direction::bytes_acknowledged>>>(
        "bytes_acknowledged", "by the peer's consumer cursors"),
    column<[](const Direction& d) { return d.replayed(); }>(
        "bytes_replayed",
        "written again, on another link or after a failed write; null: packets are missing, so that it may be new"),
    column<&Direction::from_start>("from_start", "false: bytes count from what was first captured"),
    column<of_sender<&Direction::writes>>("writes", "RDMA WRITE operations"),
    column<of_sender<&Direction::cdcs>>("cdcs", "CDC messages of the sender"),
    column<of_sender<&Direction::failover_cdcs>>("failover_cdcs", "of these, with the failover validation flag"),
    column<&Direction::rmbe_size>("rmbe_size", "bytes of the receiver's RMB element"),
    column<&Direction::rmbe_size_inferred>("rmbe_size_inferred", "from where a WRITE stopped, not from CLC"),
    column<&Direction::cursor_base>("cursor_base", "where cursors start: 0 or 4"),
    column<of_sender<&Direction::wraps>>("wraps", "of the producer cursor"),
    object<&Direction::producer, cursor_columns>("producer", "last producer cursor"),
    object<&Direction::consumer, cursor_columns>("consumer", "last consumer cursor"),
    column<position<of_both<&Direction::peak_in_flight>>>(
        "peak_in_flight", "bytes announced and not yet consumed, at most"),
    object<intervals_of<of_both<&Direction::stalls>>, interval_columns>("stalls", "the window was full"),
    object<intervals_of<of_sender<&Direction::blocked>>, interval_columns>(
        "blocked", "the sender said that it was blocked"),
    column<of_sender<&Direction::urgent>>("urgent", "urgent bytes announced"),
    column<of_sender<&Direction::retransmissions>>("retransmissions", "InfiniBand packets seen again"),
    time<&Direction::first_data>("first_data", "time of the first data"),
    time<&Direction::last_data>("last_data", "time of the last data"),
    column<of_sender<&Direction::sending_done>>("sending_done", "the sender sent D"),
    column<of_sender<&Direction::closed>>("closed", "the sender sent C"),
    column<of_sender<&Direction::aborted>>("aborted", "the sender sent A"),
    rows<&Direction::timeline, cursor_samples>("timeline", Form::arrays).only_if(has_cursors));

constexpr auto directions = table<direction_columns>("directions", "The two directions of each connection.")
                                .key("connection", Type::text, "that it belongs to")
                                .member_name("direction", "client_to_server or server_to_client");

// ---- connections -----------------------------------------------------------------------------------

constexpr auto decline_columns = columns<DeclineSeen>(
    column<&DeclineSeen::by>("by", "client or server"),
    column<[](const DeclineSeen& d) { return d.code ? std::optional(code_text(*d.code)) : std::nullopt; }>(
        "code", "peer diagnosis, hexadecimal"),
    column<[](const DeclineSeen& d) { return d.name(); }>("name", "what the code says, if that is published"),
    column<&DeclineSeen::frame>("frame", "frame"),
    column<&DeclineSeen::out_of_sync>("out_of_sync", "the decliner asks to give the link group up"));

template <Show show>
constexpr auto setup_columns = columns<Setup>(
    step<&Setup::syn, show>("syn", "SYN"), step<&Setup::syn_ack, show>("syn_ack", "SYN-ACK"),
    step<&Setup::proposal, show>("proposal", "CLC PROPOSAL"), step<&Setup::accept, show>("accept", "CLC ACCEPT"),
    step<&Setup::confirm, show>("confirm", "CLC CONFIRM"), step<&Setup::decline, show>("decline", "CLC DECLINE"),
    step<&Setup::confirm_link, show>("confirm_link", "reply to CONFIRM LINK, on first contact"),
    step<&Setup::first_data, show>("first_data", "first RDMA WRITE or CDC message"));

constexpr auto element_columns = columns<RmbElement>(
    column<&RmbElement::rmb>("rmb", "position of the RMB"),
    column<&RmbElement::index>("index", "element of that RMB, from 1"));

template <Side side> void element_of(const Connection& connection, const Each<RmbElement>& each) {
    if (const auto& element = connection.element[side]) each(*element);
}

constexpr auto elements_columns = columns<Connection>(
    object<element_of<Side::client>, element_columns>("client", "where the client receives"),
    object<element_of<Side::server>, element_columns>("server", "where the server receives"));

/// Of a connection without TCP in the capture, RoCE alone tells.
void fin_of(const Connection& connection, const Each<PerSide<bool>>& each) {
    if (connection.client) each(connection.fin);
}

template <Side side> void direction_from(const Connection& connection, const Each<Direction>& each) {
    each(connection.from[side]);
}

constexpr auto connection_columns = columns<Connection>(
    column<[](const Connection& c) { return connection_name(c.id); }>("id", "smcr-1, smcr-2, ...").with_names(),
    column<&Connection::client>("client", "address and TCP port"),
    column<&Connection::server>("server", "address and TCP port"),
    column<&Connection::outcome>("outcome", "smc-r, smc-d, fallback, failed, plain-tcp or unknown"),
    column<&Connection::version>("version", "of SMC: 1 or 2"), column<&Connection::release>("release", "of version 2"),
    column<[](const Connection& c) -> const char* {
        if (!c.first_contact) return nullptr;
        return *c.first_contact ? "first" : "subsequent";
    }>("contact", "first or subsequent"),
    column<[](const Connection& c) { return text_or_null(link_group_name(c.link_group)); }>(
        "link_group", "that carries the connection")
        .with_names(),
    object<&Connection::decline, decline_columns>("decline", "CLC DECLINE"),
    object<&Connection::setup, setup_columns<Show::time>>("setup", "set-up, time"),
    object<&Connection::setup, setup_columns<Show::frame>>("setup_frames", "set-up, frame"),
    column<&Connection::midstream>("midstream", "the set-up was not captured"),
    column<[](const Connection& c) { return c.half(); }>(
        "half", "one direction only: the other one may be listed as another connection"),
    object<&Connection::alert_token, value_by_side<std::optional<std::uint32_t>>>(
        "alert_tokens", "alert token, as it assigned it"),
    object<itself<Connection>, elements_columns>("rmb_elements", "RMB element"),
    object<&Connection::link, value_by_side<std::optional<std::uint8_t>>>("links", "number of the link last sent on"),
    row<direction_from<Side::client>, directions>("client_to_server"),
    row<direction_from<Side::server>, directions>("server_to_client"),
    object<fin_of, value_by_side<bool>>("tcp_fin", "FIN seen; null: no TCP was captured"),
    column<[](const Connection& c) { return c.client ? std::optional(c.reset) : std::nullopt; }>(
        "tcp_reset", "RST seen; null: no TCP was captured"),
    column<&Connection::reset_by>("tcp_reset_by", "client or server: who sent RST"),
    column<&Connection::close>("close", "orderly, half, abnormal, open or unknown"),
    column<[](const Connection& c) { return number_or_null(c.first_frame); }>("first_frame", "its first frame"),
    time<&Connection::first_time>("first_time", "time of the first frame"),
    time<&Connection::last_time>("last_time", "time of the last frame"));

constexpr auto connections = table<connection_columns>("connections", "TCP connections that did or tried SMC.")
                                 .refers("link_group", "link_groups (id)")
                                 .refers("link_group, rmb_elements_client_rmb", "rmbs (link_group, position)")
                                 .refers("link_group, rmb_elements_server_rmb", "rmbs (link_group, position)")
                                 .indexes("link_group", "outcome", "client", "server");

// ---- link groups -----------------------------------------------------------------------------------

/// How many of a link's packets were something; nothing if none was captured.
template <std::uint64_t Link::*member> std::optional<std::uint64_t> among_packets(const Link& link) {
    return link.packets != 0 ? std::optional(link.*member) : std::nullopt;
}

/// A member of one of a link's ends.
template <Side side, auto member> auto at(const Link& link) { return link.end[side].*member; }

constexpr auto link_columns = columns<Link>(
    column<&Link::number>("number", "as the peers number it; may be used again for a later link"),
    column<at<Side::client, &LinkEndpoint::qpn>>("client_qpn", "queue pair number of the client"),
    column<at<Side::server, &LinkEndpoint::qpn>>("server_qpn", "queue pair number of the server"),
    column<at<Side::client, &LinkEndpoint::gid>>("client_gid", "GID of the client"),
    column<at<Side::server, &LinkEndpoint::gid>>("server_gid", "GID of the server"),
    column<at<Side::client, &LinkEndpoint::mac>>("client_mac", "MAC address of the client"),
    column<at<Side::server, &LinkEndpoint::mac>>("server_mac", "MAC address of the server"),
    column<at<Side::client, &LinkEndpoint::initial_psn>>("client_initial_psn", "first PSN of the client"),
    column<at<Side::server, &LinkEndpoint::initial_psn>>("server_initial_psn", "first PSN of the server"),
    column<&Link::mtu>("mtu", "bytes, the smaller of both offers"),
    column<[](const Link& l) { return number_or_null(l.first_frame); }>("first_frame", "first RoCE packet"),
    column<[](const Link& l) { return l.is_seen() ? std::optional(l.state) : std::nullopt; }>(
        "state", "pending, active, deleted or failed; unknown if no packet of it was captured"),
    column<&Link::packets>("packets", "RoCE packets, both ways"),
    column<among_packets<&Link::retransmissions>>(
        "retransmissions",
        "of these, packets retransmitted, as `rdma` counts them; seen before, if it was not followed"),
    column<among_packets<&Link::naks>>("naks", "of these, negative acknowledgements"));

constexpr auto links = table<link_columns>("links", "Links of link groups.")
                           .key("link_group", Type::text, "that the link belongs to")
                           .position("place in the link group, from 0");

struct RtokenOf {
    const Rtoken& token;
    const LinkGroup& group;
};

constexpr auto rtoken_columns = columns<RtokenOf>(
    column<[](const RtokenOf& r) {
        return r.token.link < r.group.links.size() ? r.group.links[r.token.link].number : std::nullopt;
    }>("link", "number of the link on which it is good"),
    column<[](const RtokenOf& r) { return r.token.rkey; }>("rkey", "RKey"), column<[](const RtokenOf& r) {
        return r.token.inferred ? std::nullopt : std::optional(hex_text(r.token.address));
    }>("address", "virtual address, hexadecimal"));

constexpr auto rtokens = table<rtoken_columns>("rtokens", "How an RMB is addressed on each link.")
                             .key("link_group", Type::text, "that the RMB belongs to")
                             .key("rmb", Type::integer, "position of the RMB")
                             .position("place among the RMB's RTokens, from 0");

struct RmbOf {
    const Rmb& rmb;
    const LinkGroup& group;
};

void each_rtoken(const RmbOf& r, const Each<RtokenOf>& each) {
    for (const Rtoken& token : r.rmb.rtokens) each({token, r.group});
}

constexpr auto rmb_columns = columns<RmbOf>(
    column<[](const RmbOf& r) { return r.rmb.owner; }>("owner", "client or server: who receives in it"),
    column<[](const RmbOf& r) { return r.rmb.element_size; }>("element_size", "bytes"),
    rows<each_rtoken, rtokens>("rtokens"),
    column<[](const RmbOf& r) { return number_or_null(r.rmb.first_frame); }>(
        "first_frame", "first frame that speaks of it"),
    column<[](const RmbOf& r) {
        return r.rmb.deleted() || is_heard(r.group, r.rmb.owner) ? std::optional(r.rmb.deleted()) : std::nullopt;
    }>("deleted", "by DELETE RKEY; null: nothing that its owner sent was captured"));

constexpr auto rmbs = table<rmb_columns>("rmbs", "Remote memory buffers of link groups.")
                          .key("link_group", Type::text, "that the RMB belongs to")
                          .position("place in the link group, from 0");

std::optional<FrameStamp> request_of(const LlcExchange& exchange) {
    return exchange.request.frame != 0 ? std::optional(exchange.request) : std::nullopt;
}

constexpr auto exchange_columns = columns<LlcExchange>(
    column<[](const LlcExchange& e) { return llc_name(e); }>("type", "CONFIRM LINK, ADD LINK, TEST LINK, ..."),
    column<&LlcExchange::version>("version", "of the message: 1 or 2"),
    column<&LlcExchange::from>("from", "client or server: who asked"),
    column<&LlcExchange::link>("link", "number of the link that carried the request"),
    column<[](const LlcExchange& e) { return e.change.link; }>(
        "about_link", "number of the link that is added or deleted; null: all, or another message"),
    column<[](const LlcExchange& e) { return e.change.all; }>("all_links", "all links of the group are deleted"),
    column<[](const LlcExchange& e) { return text_or_null(reason_text(e.type, e.change)); }>(
        "reason", "why links are deleted, or why one is rejected"),
    column<[](const LlcExchange& e) { return number_or_null(e.request.frame); }>(
        "request_frame", "frame of the request; null: it was not captured"),
    column<[](const LlcExchange& e, const Context& context) {
        return converted(request_of(e), [&](const FrameStamp& step) { return context.seconds(step.time); });
    }>("request", "time of the request"),
    frame<&LlcExchange::reply>("reply_frame", "frame of the reply"),
    time<&LlcExchange::reply>("reply", "time of the reply"),
    column<[](const LlcExchange& e) { return seconds_between(request_of(e), e.reply); }>(
        "latency", "seconds from request to reply"),
    column<&LlcExchange::refused>("refused", "rejected, or answered negatively"));

constexpr auto llc_exchanges = table<exchange_columns>("llc_exchanges", "LLC requests and their replies.")
                                   .key("link_group", Type::text, "that the exchange is about")
                                   .position("in order of requests, from 0");

template <Side side> auto peer_id(const LinkGroup& group) { return converted(group.peer_id[side], peer_id_text); }
template <Side side> auto hostname(const LinkGroup& group) { return text_or_null(group.hostname[side]); }

void each_rmb(const LinkGroup& group, const Each<RmbOf>& each) {
    for (const Rmb& rmb : group.rmbs) each({rmb, group});
}

constexpr auto carried_columns = columns<std::uint32_t>(
    column<[](const std::uint32_t& id) { return connection_name(id); }>("connection", "that the link group carries")
        .with_names());

constexpr auto group_columns = columns<LinkGroup>(
    column<[](const LinkGroup& g) { return link_group_name(g.id); }>("id", "lg-1, lg-2, ...").with_names(),
    column<&LinkGroup::version>("version", "of SMC-R: 1 or 2"), column<&LinkGroup::release>("release", "of version 2"),
    column<peer_id<Side::client>>("client_peer_id", "instance number and MAC address of the client"),
    column<peer_id<Side::server>>("server_peer_id", "instance number and MAC address of the server"),
    column<hostname<Side::client>>("client_hostname", "host name of the client, version 2"),
    column<hostname<Side::server>>("server_hostname", "host name of the server, version 2"),
    column<[](const LinkGroup& g) { return text_or_null(g.eid); }>("eid", "the EID that both sides know, version 2"),
    column<&LinkGroup::cursor_base>("cursor_base", "where cursors start: 0 or 4"),
    column<&LinkGroup::max_links>("max_links", "links that the group may have"),
    column<&LinkGroup::roles_known>(
        "roles_known", "false: seen midway only; client and server may be the other way round"),
    column<&LinkGroup::from_start>("from_start", "the first contact was captured"),
    rows<&LinkGroup::links, links>("links"), rows<each_rmb, rmbs>("rmbs"),
    only_in_json<&LinkGroup::connections, carried_columns>(
        "connections", "those that name the link group in the table connections", Form::values),
    column<[](const LinkGroup& g) {
        const bool heard = is_heard(g, Side::client) || is_heard(g, Side::server);
        return heard ? std::optional(g.exchange_count) : std::nullopt;
    }>("llc_exchange_count",
       "LLC exchanges in all; llc_exchanges may hold fewer; null: no packet of the link group was captured"),
    rows<&LinkGroup::exchanges, llc_exchanges>("llc_exchanges"));

constexpr auto link_groups = table<group_columns>("link_groups", "SMC-R link groups.");

// ---- all -------------------------------------------------------------------------------------------

void each_connection(const Model& model, const Each<Connection>& each) {
    for (const Connection& connection : model.connections)
        if (!connection.merged) each(connection);
}

void each_group(const Model& model, const Each<LinkGroup>& each) {
    for (const LinkGroup& group : model.link_groups)
        if (came_to_be(group)) each(group);
}

constexpr auto model_columns = columns<Model>(
    rows<each_connection, connections>("connections"), rows<each_group, link_groups>("link_groups"),
    column<&Model::not_offered>(
        "smc_not_offered", "TCP connections that began without the SMC option in their SYN; they are not listed"),
    column<&Model::dropped_connections>(
        "dropped_connections", "SMC-R connections left out because a limit was reached"),
    column<&Model::dropped_link_groups>("dropped_link_groups", "link groups left out because a limit was reached"),
    column<[](const Model& m) { return m.dropped_findings; }>(
        "dropped_findings", "SMC-R findings left out because a limit was reached"),
    column<&Model::dropped_details>(
        "dropped_details",
        "links, RMBs, RTokens, pieces of data and ends of timelines left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> smcr_columns{model_columns};

}  // namespace fabricscope::report
