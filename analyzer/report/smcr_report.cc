// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/smcr_report.h"

#include <array>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Connections = SessionsIn<&engine::Engine::smcr, &Model::connections>;

constexpr std::array sessions{
    SessionKind{
        .prefix = "smcr-",
        .noun = "connection",
        .count = Connections::count,
        .at = Connections::at,
        .ends =
            [](const engine::Engine& engine, std::size_t index) {
                const Connection& connection = engine.smcr().connections[index];
                return end_text(connection.client) + " > " + end_text(connection.server);
            },
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.smcr().connections[index], engine.smcr(), start); },
        .stream = smcr_stream,
        .frames = smcr_frames,
        .filter = "smcr.connection",
        .curves = [](const engine::Engine& engine,
                     std::size_t index) { return smcr_curves(engine.smcr().connections[index]); },
        .memories = [](const engine::Engine& engine,
                       std::size_t index) { return smcr_memories(engine.smcr().connections[index]); },
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return smcr_detail(engine.smcr().connections[index]); }},
};

constexpr std::array names{
    NameKind{"smcr-", Connections::count},
    NameKind{"lg-", SessionsIn<&engine::Engine::smcr, &Model::link_groups>::count}};

constexpr std::array own_views{
    View{
        "fallback_reasons", "Why did connections not use SMC-R?",
        "SELECT outcome, decline_by, decline_code, decline_name, count(*) AS connections, min(id) AS example\n"
        "FROM connections WHERE outcome <> 'smc-r'\n"
        "GROUP BY outcome, decline_by, decline_code, decline_name ORDER BY count(*) DESC"},
    View{
        "slowest_setups", "Which set-ups took longest, and in which step?",
        "SELECT id AS connection, client, server, contact, round(setup_confirm - setup_syn, 9) AS syn_to_confirm,\n"
        "    round(setup_proposal - setup_syn, 9) AS syn_to_proposal,\n"
        "    round(setup_accept - setup_proposal, 9) AS proposal_to_accept,\n"
        "    round(setup_confirm - setup_accept, 9) AS accept_to_confirm,\n"
        "    round(setup_confirm_link - setup_confirm, 9) AS confirm_to_confirm_link\n"
        "FROM connections WHERE setup_syn IS NOT NULL AND setup_confirm IS NOT NULL\n"
        "ORDER BY setup_confirm - setup_syn DESC"},
    View{
        "longest_waits", "Who had to wait for window, and for how long?",
        "SELECT connection, direction, blocked_count, blocked_total, blocked_longest, stalls_count, stalls_total,\n"
        "    stalls_longest, rmbe_size\n"
        "FROM directions WHERE blocked_count + stalls_count > 0\n"
        "ORDER BY max(blocked_total, stalls_total) DESC"},
    View{
        "traffic", "How much went each way, and how fast?",
        "SELECT connection, direction, bytes_announced, writes, cdcs, round(last_data - first_data, 9) AS duration,\n"
        "    bytes_announced / nullif(last_data - first_data, 0) AS bytes_per_second\n"
        "FROM directions WHERE writes > 0 ORDER BY bytes_announced DESC"},
    View{
        "missing_data", "What was announced, but is not in the capture?",
        "SELECT connection, direction, bytes_announced - bytes_written AS bytes_missing\n"
        "FROM directions WHERE from_start AND bytes_written < bytes_announced ORDER BY bytes_missing DESC"},
    View{
        "abnormal_closes", "Which connections did not close in order, and who broke them off?",
        "SELECT c.id AS connection, c.client, c.server, c.tcp_reset_by, s.aborted AS client_aborted,\n"
        "    r.aborted AS server_aborted\n"
        "FROM connections c\n"
        "JOIN directions s ON s.connection = c.id AND s.direction = 'client_to_server'\n"
        "JOIN directions r ON r.connection = c.id AND r.direction = 'server_to_client'\n"
        "WHERE c.close = 'abnormal'"},
    View{
        "links_with_retransmissions", "On which links were packets lost?",
        "SELECT link_group, number, state, client_gid, server_gid, packets, retransmissions, naks,\n"
        "    1.0 * retransmissions / packets AS share\n"
        "FROM links WHERE retransmissions + naks > 0 ORDER BY share DESC"},
    View{
        "connections_per_link_group", "How are connections spread over link groups?",
        "SELECT g.id AS link_group, g.client_hostname, g.server_hostname,\n"
        "    (SELECT count(*) FROM links l WHERE l.link_group = g.id) AS links,\n"
        "    (SELECT count(*) FROM links l WHERE l.link_group = g.id AND l.state = 'active') AS active_links,\n"
        "    (SELECT count(*) FROM connections c WHERE c.link_group = g.id) AS connections\n"
        "FROM link_groups g ORDER BY connections DESC"},
    View{
        "llc_latencies", "How long did LLC requests wait for their replies?",
        "SELECT link_group, type, \"from\", count(*) AS requests, count(reply) AS replies, sum(refused) AS refused,\n"
        "    avg(latency) AS mean, max(latency) AS worst\n"
        "FROM llc_exchanges GROUP BY link_group, type, \"from\" ORDER BY worst DESC"},
};

}  // namespace

constinit const ProtocolReport smcr_report{
    .protocol = engine::protocol("smcr"),
    .section = section<&engine::Models::smcr, smcr_columns>("smcr", "SMC-R").inside_json_only().column,
    .is_there =
        [](const engine::Models& models) {
            return models.smcr != nullptr && (!models.smcr->connections.empty() || !models.smcr->link_groups.empty());
        },
    .write_summary = write_smcr,
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .profile = "SMC-R",
    .overview = smcr_overview,
    .fabric = smcr_fabric,
    .add_fields = add_smcr_fields};

}  // namespace fabricscope::report
