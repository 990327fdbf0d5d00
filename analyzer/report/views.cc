// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "analyzer/report/data_tables.h"

namespace fabricscope::report {
namespace {

constexpr std::array all_views{
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
    View{
        "fc_unfinished_exchanges", "Which Exchanges were aborted, rejected, left open, or lack frames?",
        "SELECT id AS exchange, kind, originator, responder, ox_id, state, answer, rejected_name,\n"
        "    rejected_explanation_name, link_reject_name, abort_by, incomplete_sequences, first_frame, last_frame\n"
        "FROM fc_exchanges WHERE state <> 'closed' OR answer = 'rejected' OR link_reject_reason IS NOT NULL\n"
        "    OR incomplete_sequences > 0 ORDER BY first_frame"},
    View{
        "fc_traffic", "What was moved between which ports, and how long did it take?",
        "SELECT kind, originator, responder, count(*) AS exchanges, sum(from_originator_bytes) AS bytes_out,\n"
        "    sum(from_responder_bytes) AS bytes_back, avg(last - first) AS mean_duration,\n"
        "    max(last - first) AS longest\n"
        "FROM fc_exchanges GROUP BY kind, originator, responder ORDER BY count(*) DESC"},
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
    View{
        "fc_ae_rdma_statuses", "How did FC-AE-RDMA messages end, and how long did that take?",
        "SELECT initiator, target, lun, operation, state, status, status_name, count(*) AS messages,\n"
        "    sum(bytes) AS bytes, avg(latency) AS mean_latency, max(latency) AS longest\n"
        "FROM fc_ae_rdma_messages GROUP BY initiator, target, lun, operation, state, status\n"
        "ORDER BY count(*) DESC"},
    View{
        "fc_ae_rdma_memory", "How much of each memory region was written and read?",
        "SELECT r.id AS region, r.target, r.lun, x.kind, count(*) AS ranges, min(x.begin) AS first,\n"
        "    max(x.\"end\") AS \"end\", sum(x.\"end\" - x.begin) AS octets\n"
        "FROM fc_ae_rdma_regions r JOIN fc_ae_rdma_ranges x ON x.region = r.id\n"
        "GROUP BY r.id, x.kind ORDER BY r.id, x.kind"},
    View{
        "findings_per_rule", "Which rules were broken, and how often?",
        "SELECT f.rule, f.severity, count(*) AS findings, count(DISTINCT f.session) AS sessions,\n"
        "    r.clause, r.sentence\n"
        "FROM findings f JOIN rules r ON r.id = f.rule GROUP BY f.rule ORDER BY count(*) DESC"},
    View{
        "undecided_rules", "What could not be judged from this capture, and why?",
        "SELECT rule, undecided, held, why_undecided, evidence\n"
        "FROM rule_results x JOIN rules r ON r.id = x.rule WHERE undecided > 0 ORDER BY undecided DESC"},
    View{
        "findings_by_frame", "What was found, in order of frames?",
        "SELECT x.frame, x.places_file, x.places_frame, f.rule, f.severity, f.session, f.text\n"
        "FROM finding_frames x JOIN findings f ON f.id = x.finding ORDER BY x.frame"},
};

}  // namespace

std::span<const View> views() { return all_views; }

}  // namespace fabricscope::report
