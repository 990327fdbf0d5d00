// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_cm_report.h"

#include <fmt/format.h>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;
using Kind = Rung::Kind;

Rung rung_of(const Connection& connection, const MessageSeen& message) {
    const auto& reject = connection.reject;
    const bool refuses = reject && reject->frame == message.frame;
    const char* name = layout::name_of(ib::cm_attribute_names, static_cast<std::uint16_t>(message.attribute));
    std::string text = name != nullptr ? name : "?";
    if (refuses) text += ", " + reason_text(*reject);
    if (message.repeated) text += ", retransmitted";
    Rung rung{{message.time, message.frame}, message.from, refuses ? Kind::refusal : Kind::cm, std::move(text)};
    const bool answers = message.request_frame != 0 && !message.repeated;
    if (answers && message.request_time <= message.time) rung.latency = message.time - message.request_time;
    return rung;
}

void add_data(std::vector<Rung>& rungs, const Connection& connection, Side from) {
    const Traffic& traffic = connection.from[from];
    if (!traffic.first) return;
    rungs.push_back(
        {{*traffic.first, traffic.first_frame},
         from,
         Kind::data,
         fmt::format("first of {}, {}", counted(traffic.packets, "packet"), counted(traffic.bytes, "byte"))});
}

std::string about_text(const Connection& connection) {
    const std::string reason = why_not(connection);
    std::string text = reason.empty() ? name_of(connection.outcome) : "The connection was " + reason;
    text += "; " + service_text(connection);
    if (connection.service_id) text += ", service id " + hex_text(*connection.service_id);
    if (connection.began_before) text += "; it began before the capture";
    if (connection.message_count > connection.messages.size())
        text += fmt::format(
            "; the first {} of {} messages", grouped(connection.messages.size()), grouped(connection.message_count));
    return text;
}

}  // namespace

Ladder ladder_of(const Connection& connection, Time start) {
    Ladder ladder{
        .title = "RDMA CM connection " + cm_connection_name(connection.id),
        .about = about_text(connection),
        .client = end_text(connection, Side::client),
        .server = end_text(connection, Side::server),
        .start = start,
        .rungs = {}};
    for (const MessageSeen& message : connection.messages) ladder.rungs.push_back(rung_of(connection, message));
    for (const Side side : {Side::client, Side::server}) add_data(ladder.rungs, connection, side);
    sort_by_time(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
