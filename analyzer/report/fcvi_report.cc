// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_report.h"

#include <array>

#include "analyzer/report/fc_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using engine::Side;
using Connections = SessionsIn<&engine::Engine::fcvi, &Model::connections>;

constexpr std::size_t most_rungs = 10'000;

constexpr std::array sessions{
    SessionKind{
        .prefix = "fcvi-",
        .noun = "connection",
        .count = Connections::count,
        .at = Connections::at,
        .ends =
            [](const engine::Engine& engine, std::size_t index) {
                const auto& end = engine.fcvi().connections[index].end;
                return to_string(end[Side::client].port) + " > " + to_string(end[Side::server].port);
            },
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.fcvi().connections[index], start); },
        .stream = fcvi_stream,
        .filter = "fcvi.connection",
        .memories = [](const engine::Engine& engine, std::size_t index) { return fcvi_memories(engine.fcvi(), index); },
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return fcvi_detail(engine.fcvi(), engine.fcvi().connections[index].id); }},
};

constexpr std::array names{
    NameKind{"fcvi-", Connections::count},
    NameKind{"fcvi-message-", SessionsIn<&engine::Engine::fcvi, &Model::messages>::count}};

constexpr std::array own_views{
    View{
        "fcvi_refusals", "Why did FC-VI connections not come about?",
        "SELECT client, server, outcome, reject_by, reject_iu, reject_reason, reject_name, count(*) AS connections,\n"
        "    min(id) AS example\n"
        "FROM fcvi_connections WHERE outcome IN ('rejected', 'aborted')\n"
        "GROUP BY client, server, outcome, reject_by, reject_iu, reject_reason ORDER BY count(*) DESC"},
    View{
        "fcvi_traffic", "How much went over each FC-VI connection, and what was lost?",
        "SELECT connection, direction, sends, writes, reads, bytes, frames, repeated_frames, failed_responses,\n"
        "    at_peer_missing_messages + at_peer_missing_frames AS missing,\n"
        "    bytes / nullif(last - first, 0) AS bytes_per_second\n"
        "FROM fcvi_directions WHERE messages + responses > 0 ORDER BY bytes DESC"},
    View{
        "fcvi_slowest_messages", "Which VI Messages were answered last?",
        "SELECT id AS message, connection, operation, bytes, latency, first_frame, response_frame\n"
        "FROM fcvi_messages WHERE latency IS NOT NULL ORDER BY latency DESC"},
    View{
        "fcvi_troubled_messages", "Which VI Messages failed, were aborted, or lack frames?",
        "SELECT id AS message, connection, \"from\", operation, msg_id, state, trouble, first_frame, response_frame\n"
        "FROM fcvi_messages WHERE trouble IS NOT NULL ORDER BY first_frame"},
};

}  // namespace

constinit const ProtocolReport fcvi_report{
    .protocol = engine::protocol("fcvi"),
    .section = section<&engine::Models::fcvi, fcvi_columns>("fcvi", "FC-VI").column,
    .is_there =
        [](const engine::Models& models) { return models.fcvi != nullptr && !models.fcvi->connections.empty(); },
    .write_summary = [](std::ostream& out, const Results& results,
                        const SummaryOptions& options) { write_fcvi(out, *results.models.fcvi, options); },
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .keep_for_ladders = [](engine::Options& options) { options.fc_protocols.fcvi_options.limits.ius = most_rungs; },
    .carrier = &fc_report,
    .profile = "FC",
    .overview = fcvi_overview,
    .fabric = fcvi_fabric,
    .add_fields = add_fcvi_fields};

std::string fcvi_connection_name(std::uint32_t id) { return "fcvi-" + std::to_string(id); }
std::string fcvi_message_name(std::uint64_t id) { return "fcvi-message-" + std::to_string(id); }

}  // namespace fabricscope::report
