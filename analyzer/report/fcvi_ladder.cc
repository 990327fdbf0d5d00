// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using engine::Side;
using Kind = Rung::Kind;

Rung rung_of(const IuSeen& iu, const Connection& connection) {
    const wire::IuInfo* info = wire::find_iu(connection.version, iu.type);
    const bool message = info != nullptr && info->category <= wire::Category::message_response;
    std::string text = info != nullptr ? info->name : "?";
    if (message) text += fmt::format(" {}{}", iu.msg_id, amount_text(iu.octets, iu.frames));
    if (iu.reason) text += fmt::format(": {}", wire::reason_name(connection.version, *iu.reason));
    if (iu.failed) text += ": failed";
    const bool refused = iu.failed || iu.reason.has_value();
    Rung rung{iu.step, iu.from, refused ? Kind::refusal : message ? Kind::data : Kind::control, std::move(text)};
    if (iu.answers) rung.latency = iu.step.time - *iu.answers;
    return rung;
}

std::string about_text(const Connection& connection) {
    const std::string reason = why_not(connection);
    std::string text = fmt::format(
        "{}, {}, {}", version_text(connection.version), level_text(connection),
        reason.empty() ? name_of(connection.outcome) : reason);
    for (const Side side : {Side::client, Side::server})
        if (const auto& address = connection.end[side].address)
            text += fmt::format(", {} {}", name_of(side), wire::to_string(*address));
    if (connection.iu_count > connection.ius.size())
        text += fmt::format("; the first {} of {} IUs", grouped(connection.ius.size()), grouped(connection.iu_count));
    return text;
}

}  // namespace

Ladder ladder_of(const Connection& connection, engine::Time start) {
    Ladder ladder{
        .title = "FC-VI connection " + fcvi_connection_name(connection.id),
        .about = about_text(connection),
        .client = to_string(connection.end[Side::client].port),
        .server = to_string(connection.end[Side::server].port),
        .start = start,
        .rungs = {}};
    for (const IuSeen& iu : connection.ius) ladder.rungs.push_back(rung_of(iu, connection));
    for (const AbortSeen& abort : connection.aborts)
        ladder.rungs.push_back(
            {abort.step, abort.by, Kind::refusal, fmt::format("ABTS of Exchange {:04X}h", abort.ox_id)});
    sort_by_time(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
