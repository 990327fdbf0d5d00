// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/records.h"

#include <optional>

#include "analyzer/report/setup_steps.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

template <class T, class Convert> Json by_side(const PerSide<T>& values, const Convert& convert) {
    return {{"client", convert(values[Side::client])}, {"server", convert(values[Side::server])}};
}

// ---- connections ---------------------------------------------------------------------------------

Json json_of(const Intervals& intervals) {
    return {
        {"count", intervals.count}, {"total", seconds_of(intervals.total)}, {"longest", seconds_of(intervals.longest)}};
}

Json json_of(const std::optional<wire::Cursor>& cursor) {
    if (!cursor) return nullptr;
    return {{"wrap", cursor->wrap}, {"offset", cursor->offset}};
}

Json timeline_of(const Direction& direction, const Clock& clock) {
    return array_of(direction.timeline, [&](const CursorSample& sample) {
        return list_of(clock(sample.time), sample.frame, sample.produced, sample.consumed, sample.in_flight());
    });
}

Json json_of(const Direction& direction, const Clock& clock, bool cursors) {
    const auto position = [&](std::uint64_t value) { return direction.positions_known ? Json(value) : Json(); };
    Json json{
        {"bytes_announced", position(direction.bytes_announced)},
        {"bytes_written", direction.bytes_written},
        {"bytes_acknowledged", position(direction.bytes_acknowledged)},
        {"bytes_replayed", direction.bytes_replayed},
        {"from_start", direction.from_start},
        {"writes", direction.writes},
        {"cdcs", direction.cdcs},
        {"failover_cdcs", direction.failover_cdcs},
        {"rmbe_size", or_null(direction.rmbe_size)},
        {"rmbe_size_inferred", direction.rmbe_size_inferred},
        {"cursor_base", or_null(direction.cursor_base)},
        {"wraps", direction.wraps},
        {"producer", json_of(direction.producer)},
        {"consumer", json_of(direction.consumer)},
        {"peak_in_flight", position(direction.peak_in_flight)},
        {"stalls", json_of(direction.stalls)},
        {"blocked", json_of(direction.blocked)},
        {"urgent", direction.urgent},
        {"retransmissions", direction.retransmissions},
        {"first_data", clock(direction.first_data)},
        {"last_data", clock(direction.last_data)},
        {"sending_done", direction.sending_done},
        {"closed", direction.closed},
        {"aborted", direction.aborted}};
    if (cursors) json.add("timeline", timeline_of(direction, clock));
    return json;
}

Json json_of(const std::optional<DeclineSeen>& decline) {
    if (!decline) return nullptr;
    return {
        {"by", name_of(decline->by)},
        {"code", code_text(decline->code)},
        {"name", or_null(decline->name())},
        {"frame", decline->frame},
        {"out_of_sync", decline->out_of_sync}};
}

/// The set-up's steps, each one as `convert` shows it.
template <class Convert> Json steps_of(const Setup& setup, const Convert& convert) {
    Json steps;
    for (const SetupStep& each : setup_steps) steps.add(each.key, convert(setup.*each.step));
    return steps;
}

Json json_of(const std::optional<RmbElement>& element) {
    if (!element) return nullptr;
    return {{"rmb", element->rmb}, {"index", element->index}};
}

const char* contact_of(bool first) { return first ? "first" : "subsequent"; }

}  // namespace

Json record_of(const Connection& connection, const Clock& clock, bool cursors) {
    return {
        {"id", connection_name(connection.id)},
        {"client", or_null(end_text(connection.client))},
        {"server", or_null(end_text(connection.server))},
        {"outcome", name_of(connection.outcome)},
        {"version", or_null(connection.version)},
        {"release", or_null(connection.release)},
        {"contact", converted(connection.first_contact, contact_of)},
        {"link_group", or_null(link_group_name(connection.link_group))},
        {"decline", json_of(connection.decline)},
        {"setup", steps_of(connection.setup, clock)},
        {"setup_frames", steps_of(connection.setup, frame_of)},
        {"midstream", connection.midstream},
        {"alert_tokens", by_side(connection.alert_token, [](const auto& token) { return or_null(token); })},
        {"rmb_elements", by_side(connection.element, [](const auto& element) { return json_of(element); })},
        {"links", by_side(connection.link, [](const auto& link) { return or_null(link); })},
        {"client_to_server", json_of(connection.from[Side::client], clock, cursors)},
        {"server_to_client", json_of(connection.from[Side::server], clock, cursors)},
        {"tcp_fin", by_side(connection.fin, [](bool fin) { return Json(fin); })},
        {"tcp_reset", connection.reset},
        {"tcp_reset_by", converted(connection.reset_by, [](Side side) { return name_of(side); })},
        {"close", name_of(connection.close)},
        {"first_frame", number_or_null(connection.first_frame)},
        {"first_time", clock(connection.first_time)},
        {"last_time", clock(connection.last_time)}};
}

// ---- link groups ---------------------------------------------------------------------------------

namespace {

template <class T> Json address_text(const std::optional<T>& address) {
    return converted(address, [](const T& value) { return to_string(value); });
}

Json json_of(const Link& link) {
    const LinkEndpoint& client = link.end[Side::client];
    const LinkEndpoint& server = link.end[Side::server];
    return {
        {"number", or_null(link.number)},
        {"client_qpn", or_null(client.qpn)},
        {"server_qpn", or_null(server.qpn)},
        {"client_gid", address_text(client.gid)},
        {"server_gid", address_text(server.gid)},
        {"client_mac", address_text(client.mac)},
        {"server_mac", address_text(server.mac)},
        {"client_initial_psn", or_null(client.initial_psn)},
        {"server_initial_psn", or_null(server.initial_psn)},
        {"mtu", or_null(link.mtu)},
        {"first_frame", number_or_null(link.first_frame)},
        {"state", name_of(link.state)},
        {"packets", link.packets},
        {"retransmissions", link.retransmissions},
        {"naks", link.naks}};
}

Json json_of(const Rmb& rmb, const LinkGroup& group) {
    const auto rtoken = [&](const Rtoken& token) {
        return Json{
            {"link", token.link < group.links.size() ? or_null(group.links[token.link].number) : Json()},
            {"rkey", token.rkey},
            {"address", hex_text(token.address)}};
    };
    return {
        {"owner", name_of(rmb.owner)},
        {"element_size", or_null(rmb.element_size)},
        {"rtokens", array_of(rmb.rtokens, rtoken)},
        {"first_frame", number_or_null(rmb.first_frame)},
        {"deleted", rmb.deleted}};
}

Json json_of(const LlcExchange& exchange, const Clock& clock) {
    const bool asked = exchange.request.frame != 0;
    return {
        {"type", llc_name(exchange)},
        {"version", exchange.version},
        {"from", name_of(exchange.from)},
        {"link", or_null(exchange.link)},
        {"request_frame", number_or_null(exchange.request.frame)},
        {"request", asked ? Json(clock(exchange.request.time)) : Json()},
        {"reply_frame", frame_of(exchange.reply)},
        {"reply", clock(exchange.reply)},
        {"latency", asked && exchange.reply ? Json(seconds_of(exchange.reply->time - exchange.request.time)) : Json()},
        {"refused", exchange.refused}};
}

}  // namespace

Json record_of(const LinkGroup& group, const Clock& clock) {
    const auto peer_id = [&](Side side) { return converted(group.peer_id[side], peer_id_text); };
    return {
        {"id", link_group_name(group.id)},
        {"version", or_null(group.version)},
        {"release", or_null(group.release)},
        {"client_peer_id", peer_id(Side::client)},
        {"server_peer_id", peer_id(Side::server)},
        {"client_hostname", or_null(group.hostname[Side::client])},
        {"server_hostname", or_null(group.hostname[Side::server])},
        {"eid", or_null(group.eid)},
        {"cursor_base", or_null(group.cursor_base)},
        {"max_links", or_null(group.max_links)},
        {"roles_known", group.roles_known},
        {"from_start", group.from_start},
        {"links", array_of(group.links, [](const Link& link) { return json_of(link); })},
        {"rmbs", array_of(group.rmbs, [&](const Rmb& rmb) { return json_of(rmb, group); })},
        {"connections", array_of(group.connections, connection_name)},
        {"llc_exchange_count", group.exchange_count},
        {"llc_exchanges", array_of(group.exchanges, [&](const LlcExchange& e) { return json_of(e, clock); })}};
}

// ---- the capture and what goes with it -----------------------------------------------------------

Json capture_record(const Results& results) {
    const engine::CaptureSummary& capture = results.capture;
    return {
        {"files", results.files},
        {"frames", capture.frames},
        {"start", converted(capture.start, timestamp_text)},
        {"duration", seconds_of(capture.duration)},
        {"truncated_frames", capture.truncated_frames},
        {"undecoded_frames", capture.undecoded_frames},
        {"copied_frames", capture.copies},
        {"errors", results.problems},
        {"warnings", results.warnings}};
}

Json limits_record(const Model& model) {
    return {
        {"dropped_connections", model.dropped_connections},
        {"dropped_link_groups", model.dropped_link_groups},
        {"dropped_findings", model.dropped_findings},
        {"dropped_details", model.dropped_details}};
}

Json record_of(const engine::Finding& finding, const std::map<std::uint64_t, Place>& places) {
    Json record{{"rule", finding.rule->id}, {"severity", name_of(finding.rule->severity)},
                {"frames", finding.frames}, {"session", or_null(finding.session)},
                {"text", finding.text},     {"clause", finding.rule->clause}};
    if (!places.empty())
        record.add("places", array_of(finding.frames, [&](std::uint64_t frame) {
                       const auto place = places.find(frame);
                       return place == places.end()
                                  ? Json()
                                  : Json{{"file", place->second.file}, {"frame", place->second.frame}};
                   }));
    return record;
}

Json record_of(const engine::Rule& rule) {
    return {
        {"id", rule.id},
        {"severity", name_of(rule.severity)},
        {"clause", rule.clause},
        {"sentence", rule.sentence},
        {"evidence", rule.evidence},
        {"habit", or_null(rule.habit)},
        {"only_in", converted(rule.only_in, [](engine::Profile profile) { return name_of(profile); })}};
}

Json record_of(const engine::RuleResult& result) {
    const engine::Tally& tally = result.tally;
    return {{"rule", result.rule->id},  {"held", tally.held},           {"broken", tally.broken},
            {"excused", tally.excused}, {"undecided", tally.undecided}, {"why_undecided", or_null(tally.why)}};
}

}  // namespace fabricscope::report
