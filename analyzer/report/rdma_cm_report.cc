// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_cm_report.h"

#include <array>

#include "analyzer/report/rdma_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;
using Connections = SessionsIn<&engine::Engine::rdma_cm, &Model::connections>;

constexpr std::array sessions{
    SessionKind{
        .prefix = "cm-",
        .noun = "connection",
        .count = Connections::count,
        .at = Connections::at,
        .ends =
            [](const engine::Engine& engine, std::size_t index) {
                const Connection& connection = engine.rdma_cm().connections[index];
                return end_text(connection.client) + " > " + end_text(connection.server);
            },
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.rdma_cm().connections[index], start); },
        .why_no_stream = ": RDMA CM does not tell where in memory its data belong, or in which order they are read; "
                         "see analyze and timeline",
        .filter = "rdma_ip_cm.connection",
        .detail =
            [](const engine::Engine& engine, std::size_t index) {
                return cm_traffic_detail(engine.rdma(), engine.rdma_cm().connections[index].id);
            }},
};

constexpr std::array names{NameKind{"cm-", Connections::count}};

constexpr std::array own_views{
    View{
        "cm_rejections", "Why were RDMA CM connections rejected, and by whom?",
        "SELECT server, service, outcome, reject_by, reject_reason, reject_name, reject_ari_layer, reject_ari_code,\n"
        "    reject_ari_name, count(*) AS connections, min(id) AS example\n"
        "FROM cm_connections WHERE outcome IN ('rejected', 'timeout')\n"
        "GROUP BY server, service, outcome, reject_by, reject_reason, reject_ari_layer, reject_ari_code\n"
        "ORDER BY count(*) DESC"},
    View{
        "cm_slowest_setups", "Which RDMA CM set-ups took longest, and was that the server, the client, or loss?",
        "SELECT id AS connection, client, server, round(rep - req, 9) AS req_to_rep, round(rtu - rep, 9) AS "
        "rep_to_rtu,\n"
        "    req_transmissions, rep_transmissions\n"
        "FROM cm_connections WHERE req IS NOT NULL AND rep IS NOT NULL ORDER BY coalesce(rtu, rep) - req DESC"},
    View{
        "cm_traffic", "How much went over each RDMA CM connection, and how well?",
        "SELECT connection, direction, bytes, packets, sends, writes, reads, naks + rnr_naks AS naks, "
        "retransmissions,\n"
        "    bytes / nullif(last - first, 0) AS bytes_per_second\n"
        "FROM cm_directions WHERE packets > 0 ORDER BY bytes DESC"},
};

}  // namespace

constinit const ProtocolReport rdma_cm_report{
    .protocol = engine::protocol("rdma-cm"),
    .section = section<&engine::Models::rdma_cm, rdma_cm_columns>("rdma_cm", "RDMA CM").column,
    .is_there =
        [](const engine::Models& models) { return models.rdma_cm != nullptr && !models.rdma_cm->connections.empty(); },
    .write_summary = [](std::ostream& out, const Results& results,
                        const SummaryOptions& options) { write_rdma_cm(out, *results.models.rdma_cm, options); },
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .profile = "RDMA CM",
    .overview = rdma_cm_overview,
    .fabric = rdma_cm_fabric,
    .add_fields = add_rdma_cm_fields};

std::string cm_connection_name(std::uint32_t id) { return "cm-" + std::to_string(id); }

}  // namespace fabricscope::report
