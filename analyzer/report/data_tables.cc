// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/data_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/fc_ae_rdma_records.h"
#include "analyzer/report/fc_columns.h"
#include "analyzer/report/fcvi_columns.h"
#include "analyzer/report/fcvi_records.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using enum Type;

// ---- columns -------------------------------------------------------------------------------------

constexpr std::array capture_columns{
    Column{"schema", text, "of the JSON that these tables agree with"},
    Column{"frames", integer, "frames read"},
    Column{"start", text, "time of the first frame, RFC 3339"},
    Column{"duration", real, "from the first frame to the latest one"},
    Column{"truncated_frames", integer, "frames cut by the snap length"},
    Column{"undecoded_frames", integer, "malformed frames, and those of an unsupported link type"},
    Column{"copied_frames", integer, "frames left out because another interface showed them already"},
    Column{"dropped_connections", integer, "connections left out because a limit was reached"},
    Column{"dropped_link_groups", integer, "link groups left out because a limit was reached"},
    Column{"dropped_findings", integer, "findings left out because a limit was reached"},
    Column{
        "dropped_details", integer, "links, RMBs, RTokens and ends of timelines left out because a limit was reached"},
    Column{"rdma_cm_dropped_connections", integer, "RDMA CM connections left out because a limit was reached"},
    Column{"rdma_cm_dropped_findings", integer, "RDMA CM findings left out because a limit was reached"},
    Column{"fcvi_dropped_connections", integer, "FC-VI connections left out because a limit was reached"},
    Column{"fcvi_dropped_messages", integer, "FC-VI Messages left out because a limit was reached"},
    Column{"fcvi_dropped_exchanges", integer, "FC-VI Exchanges forgotten because a limit was reached"},
    Column{"fcvi_dropped_findings", integer, "FC-VI findings left out because a limit was reached"},
    Column{"fc_ae_rdma_dropped_messages", integer, "FC-AE-RDMA messages left out because a limit was reached"},
    Column{"fc_ae_rdma_dropped_regions", integer, "memory regions left out because a limit was reached"},
    Column{"fc_ae_rdma_dropped_findings", integer, "FC-AE-RDMA findings left out because a limit was reached"},
    Column{"profile", text, "what traffic was held against: rfc7609, linux or fc-ae-rdma-annex-a"},
};

constexpr std::array file_columns{
    Column{"position", integer, "place on the command line, from 0"},
    Column{"file", text, "name as given"},
};

constexpr std::array error_columns{
    Column{"position", integer, "from 0"},
    Column{"error", text, "file, frame and offset where known, and what is wrong there"},
};

constexpr std::array warning_columns{
    Column{"position", integer, "from 0"},
    Column{"warning", text, "what makes the capture doubtful, such as clocks that differ"},
};

constexpr std::array rule_columns{
    Column{"id", text, "as fabricscope rules lists it"},
    Column{"severity", text, "error, warning or note"},
    Column{"clause", text, "of the standard"},
    Column{"sentence", text, "what must hold"},
    Column{"evidence", text, "what a capture must hold for the rule to be decided"},
    Column{"habit", text, "what Linux does otherwise"},
    Column{"only_in", text, "the profile that asks for it; null: all"},
};

constexpr std::array rule_result_columns{
    Column{"rule", text, ""},
    Column{"held", integer, "how often it was kept"},
    Column{"broken", integer, "how often it was broken"},
    Column{"excused", integer, "how often it was broken by a habit that the profile allows"},
    Column{"undecided", integer, "how often something that matters was not captured"},
    Column{"why_undecided", text, "for what reason at first"},
};

constexpr std::array link_group_columns{
    Column{"id", text, "lg-1, lg-2, ..."},
    Column{"version", integer, "of SMC-R: 1 or 2"},
    Column{"release", integer, "of version 2"},
    Column{"client_peer_id", text, "instance number and MAC address"},
    Column{"server_peer_id", text, "instance number and MAC address"},
    Column{"client_hostname", text, "version 2"},
    Column{"server_hostname", text, "version 2"},
    Column{"eid", text, "the EID that both sides know, version 2"},
    Column{"cursor_base", integer, "where cursors start: 0 or 4"},
    Column{"max_links", integer, "links that the group may have"},
    Column{"roles_known", boolean, "false: seen midway only; client and server may be the other way round"},
    Column{"from_start", boolean, "the first contact was captured"},
    Column{"llc_exchange_count", integer, "LLC exchanges in all; llc_exchanges may hold fewer"},
};

constexpr std::array link_columns{
    Column{"link_group", text, "that the link belongs to"},
    Column{"position", integer, "place in the link group, from 0"},
    Column{"number", integer, "as the peers number it; may be used again for a later link"},
    Column{"client_qpn", integer, "queue pair number"},
    Column{"server_qpn", integer, "queue pair number"},
    Column{"client_gid", text, ""},
    Column{"server_gid", text, ""},
    Column{"client_mac", text, ""},
    Column{"server_mac", text, ""},
    Column{"client_initial_psn", integer, ""},
    Column{"server_initial_psn", integer, ""},
    Column{"mtu", integer, "octets, the smaller of both offers"},
    Column{"first_frame", integer, "first RoCE packet"},
    Column{"state", text, "pending, active, deleted or failed"},
    Column{"packets", integer, "RoCE packets, both ways"},
    Column{"retransmissions", integer, "of these, packets seen before"},
    Column{"naks", integer, "of these, negative acknowledgements"},
};

constexpr std::array rmb_columns{
    Column{"link_group", text, "that the RMB belongs to"},
    Column{"position", integer, "place in the link group, from 0"},
    Column{"owner", text, "client or server: who receives in it"},
    Column{"element_size", integer, "octets"},
    Column{"first_frame", integer, "that speaks of it"},
    Column{"deleted", boolean, "by DELETE RKEY"},
};

constexpr std::array rtoken_columns{
    Column{"link_group", text, "that the RMB belongs to"},
    Column{"rmb", integer, "position of the RMB"},
    Column{"position", integer, "place among the RMB's RTokens, from 0"},
    Column{"link", integer, "number of the link on which it is good"},
    Column{"rkey", integer, ""},
    Column{"address", text, "virtual address, hexadecimal"},
};

constexpr std::array llc_exchange_columns{
    Column{"link_group", text, "that the exchange is about"},
    Column{"position", integer, "in order of requests, from 0"},
    Column{"type", text, "CONFIRM LINK, ADD LINK, TEST LINK, ..."},
    Column{"version", integer, "of the message: 1 or 2"},
    Column{"from", text, "client or server: who asked"},
    Column{"link", integer, "number of the link that carried the request"},
    Column{"request_frame", integer, "null: the request was not captured"},
    Column{"request", real, "time of the request"},
    Column{"reply_frame", integer, ""},
    Column{"reply", real, "time of the reply"},
    Column{"latency", real, "from request to reply"},
    Column{"refused", boolean, "rejected, or answered negatively"},
};

constexpr std::array connection_columns{
    Column{"id", text, "smcr-1, smcr-2, ..."},
    Column{"client", text, "address and TCP port"},
    Column{"server", text, "address and TCP port"},
    Column{"outcome", text, "smc-r, smc-d, fallback, failed, plain-tcp or unknown"},
    Column{"version", integer, "of SMC: 1 or 2"},
    Column{"release", integer, "of version 2"},
    Column{"contact", text, "first or subsequent"},
    Column{"link_group", text, "that carries the connection"},
    Column{"decline_by", text, "client or server"},
    Column{"decline_code", text, "peer diagnosis, hexadecimal"},
    Column{"decline_name", text, "what the code says, if that is published"},
    Column{"decline_frame", integer, ""},
    Column{"decline_out_of_sync", boolean, "the decliner asks to give the link group up"},
    Column{"setup_syn", real, "time of the SYN"},
    Column{"setup_syn_ack", real, "time of the SYN-ACK"},
    Column{"setup_proposal", real, "time of the CLC PROPOSAL"},
    Column{"setup_accept", real, "time of the CLC ACCEPT"},
    Column{"setup_confirm", real, "time of the CLC CONFIRM"},
    Column{"setup_decline", real, "time of the CLC DECLINE"},
    Column{"setup_confirm_link", real, "time of the reply to CONFIRM LINK, on first contact"},
    Column{"setup_first_data", real, "time of the first RDMA WRITE or CDC message"},
    Column{"setup_frames_syn", integer, "frame of the SYN, and so on"},
    Column{"setup_frames_syn_ack", integer, ""},
    Column{"setup_frames_proposal", integer, ""},
    Column{"setup_frames_accept", integer, ""},
    Column{"setup_frames_confirm", integer, ""},
    Column{"setup_frames_decline", integer, ""},
    Column{"setup_frames_confirm_link", integer, ""},
    Column{"setup_frames_first_data", integer, ""},
    Column{"midstream", boolean, "the set-up was not captured"},
    Column{"alert_tokens_client", integer, "as the client assigned it"},
    Column{"alert_tokens_server", integer, "as the server assigned it"},
    Column{"rmb_elements_client_rmb", integer, "position of the RMB in which the client receives"},
    Column{"rmb_elements_client_index", integer, "element of that RMB, from 1"},
    Column{"rmb_elements_server_rmb", integer, "position of the RMB in which the server receives"},
    Column{"rmb_elements_server_index", integer, "element of that RMB, from 1"},
    Column{"links_client", integer, "number of the link that the client last sent on"},
    Column{"links_server", integer, "number of the link that the server last sent on"},
    Column{"tcp_fin_client", boolean, "FIN seen from the client"},
    Column{"tcp_fin_server", boolean, "FIN seen from the server"},
    Column{"tcp_reset", boolean, "RST seen"},
    Column{"tcp_reset_by", text, "client or server"},
    Column{"close", text, "orderly, half, abnormal, open or unknown"},
    Column{"first_frame", integer, ""},
    Column{"first_time", real, ""},
    Column{"last_time", real, ""},
};

constexpr std::array direction_columns{
    Column{"connection", text, ""},
    Column{"direction", text, "client_to_server or server_to_client"},
    Column{"bytes_announced", integer, "by producer cursors"},
    Column{"bytes_written", integer, "RDMA WRITE payload in the RMB element, each octet once"},
    Column{"bytes_acknowledged", integer, "by the peer's consumer cursors"},
    Column{"bytes_replayed", integer, "written again, on another link or after a failed write"},
    Column{"from_start", boolean, "false: octets count from what was first captured"},
    Column{"writes", integer, "RDMA WRITE operations"},
    Column{"cdcs", integer, "CDC messages of the sender"},
    Column{"failover_cdcs", integer, "of these, with the failover validation flag"},
    Column{"rmbe_size", integer, "octets of the receiver's RMB element"},
    Column{"rmbe_size_inferred", boolean, "from where a WRITE stopped, not from CLC"},
    Column{"cursor_base", integer, "where cursors start: 0 or 4"},
    Column{"wraps", integer, "of the producer cursor"},
    Column{"producer_wrap", integer, "of the last producer cursor"},
    Column{"producer_offset", integer, ""},
    Column{"consumer_wrap", integer, "of the last consumer cursor"},
    Column{"consumer_offset", integer, ""},
    Column{"peak_in_flight", integer, "octets announced and not yet consumed, at most"},
    Column{"stalls_count", integer, "how often the window was full"},
    Column{"stalls_total", real, "for how long"},
    Column{"stalls_longest", real, ""},
    Column{"blocked_count", integer, "how often the sender said that it was blocked"},
    Column{"blocked_total", real, "for how long"},
    Column{"blocked_longest", real, ""},
    Column{"urgent", integer, "urgent octets announced"},
    Column{"retransmissions", integer, "InfiniBand packets seen again"},
    Column{"first_data", real, "time"},
    Column{"last_data", real, "time"},
    Column{"sending_done", boolean, "the sender sent D"},
    Column{"closed", boolean, "the sender sent C"},
    Column{"aborted", boolean, "the sender sent A"},
};

constexpr std::array cursor_sample_columns{
    Column{"connection", text, ""},
    Column{"direction", text, "client_to_server or server_to_client"},
    Column{"position", integer, "in order of time, from 0"},
    Column{"time", real, ""},
    Column{"frame", integer, "the CDC message of either side"},
    Column{"produced", integer, "octets announced so far"},
    Column{"consumed", integer, "octets consumed so far"},
    Column{"in_flight", integer, "the difference"},
};

constexpr std::array cm_connection_columns{
    Column{"id", text, "cm-1, cm-2, ..."},
    Column{"service", text, "rc, uc, rd, xrc, ud or unknown"},
    Column{"client", text, "socket of who asked"},
    Column{"server", text, "socket of who was asked"},
    Column{"protocol", text, "tcp, udp, ib, ipoib, sctp, or the IP protocol number"},
    Column{"service_id", text, "hexadecimal"},
    Column{"client_qpn", integer, "queue pair number"},
    Column{"server_qpn", integer, "queue pair number"},
    Column{"outcome", text, "connected, rejected, timeout or unknown"},
    Column{"reject_by", text, "client or server"},
    Column{"reject_reason", integer, "of REJ; for ud: status of SIDR_REP"},
    Column{"reject_name", text, "what the reason says"},
    Column{"reject_ari_layer", text, "RDMA IP CM service or RDMA-aware ULP"},
    Column{"reject_ari_code", integer, "of the layer"},
    Column{"reject_ari_name", text, "what the code says, of the service's own"},
    Column{"reject_ari_suggested", text, "suggested value, hexadecimal"},
    Column{"reject_message", text, "what was rejected: REQ, REP or another"},
    Column{"reject_frame", integer, ""},
    Column{"req", real, "time of the first REQ or SIDR_REQ"},
    Column{"mra", real, "time of the first MRA"},
    Column{"rep", real, "time of the first REP or SIDR_REP"},
    Column{"rtu", real, "time of the first RTU"},
    Column{"lap", real, "time of the first LAP"},
    Column{"apr", real, "time of the first APR"},
    Column{"dreq", real, "time of the first DREQ"},
    Column{"drep", real, "time of the first DREP"},
    Column{"req_transmissions", integer, "how often it was sent; the same for rep and dreq"},
    Column{"rep_transmissions", integer, ""},
    Column{"dreq_transmissions", integer, ""},
    Column{"disconnected_by", text, "who sent the first DREQ"},
    Column{"both_disconnect", boolean, "DREQs of both sides crossed"},
    Column{"peer_to_peer", boolean, "both sides sent REQ"},
    Column{"ip_header_major_version", integer, "of the RDMA IP CM service"},
    Column{"ip_header_minor_version", integer, ""},
    Column{"ip_header_ip_version", integer, "of the addresses"},
    Column{"p_key", integer, ""},
    Column{"mtu", integer, "octets"},
    Column{"retry_count", integer, "of the transport"},
    Column{"max_cm_retries", integer, "how often REQ may be repeated"},
    Column{"path_local_gid", text, "of the primary path, as the client names it; and so on"},
    Column{"path_remote_gid", text, ""},
    Column{"path_local_lid", integer, ""},
    Column{"path_remote_lid", integer, ""},
    Column{"path_flow_label", integer, ""},
    Column{"path_traffic_class", integer, ""},
    Column{"path_hop_limit", integer, ""},
    Column{"path_service_level", integer, ""},
    Column{"path_packet_rate", text, ""},
    Column{"path_local_ack_timeout", integer, ""},
    Column{"alternate_path_local_gid", text, "of the alternate path"},
    Column{"alternate_path_remote_gid", text, ""},
    Column{"alternate_path_local_lid", integer, ""},
    Column{"alternate_path_remote_lid", integer, ""},
    Column{"alternate_path_flow_label", integer, ""},
    Column{"alternate_path_traffic_class", integer, ""},
    Column{"alternate_path_hop_limit", integer, ""},
    Column{"alternate_path_service_level", integer, ""},
    Column{"alternate_path_packet_rate", text, ""},
    Column{"alternate_path_local_ack_timeout", integer, ""},
    Column{"apr_status", text, "answer to LAP"},
    Column{"client_end_address", text, "IP address, GID or LID of the port"},
    Column{"client_end_comm_id", integer, "communication id or, for ud, request id"},
    Column{"client_end_qpn", integer, ""},
    Column{"client_end_starting_psn", integer, ""},
    Column{"client_end_q_key", integer, ""},
    Column{"client_end_ca_guid", text, "hexadecimal"},
    Column{"client_end_responder_resources", integer, ""},
    Column{"client_end_initiator_depth", integer, ""},
    Column{"client_end_rnr_retry_count", integer, ""},
    Column{"client_end_private_data", text, "the consumer's, hexadecimal, without the zeros at the end"},
    Column{"server_end_address", text, "IP address, GID or LID of the port"},
    Column{"server_end_comm_id", integer, "communication id or, for ud, request id"},
    Column{"server_end_qpn", integer, ""},
    Column{"server_end_starting_psn", integer, ""},
    Column{"server_end_q_key", integer, ""},
    Column{"server_end_ca_guid", text, "hexadecimal"},
    Column{"server_end_responder_resources", integer, ""},
    Column{"server_end_initiator_depth", integer, ""},
    Column{"server_end_rnr_retry_count", integer, ""},
    Column{"server_end_private_data", text, "the consumer's, hexadecimal, without the zeros at the end"},
    Column{"frames_req", integer, "frame of REQ or SIDR_REQ"},
    Column{"frames_mra", integer, ""},
    Column{"frames_rep", integer, ""},
    Column{"frames_rtu", integer, ""},
    Column{"frames_lap", integer, ""},
    Column{"frames_apr", integer, ""},
    Column{"frames_dreq", integer, ""},
    Column{"frames_drep", integer, ""},
    Column{"message_count", integer, "CM messages in all; cm_messages may hold fewer"},
};

constexpr std::array cm_direction_columns{
    Column{"connection", text, ""},
    Column{"direction", text, "client_to_server or server_to_client"},
    Column{"packets", integer, ""},
    Column{"bytes", integer, "payload of SENDs, WRITEs and READ responses, without what was repeated"},
    Column{"sends", integer, "operations"},
    Column{"writes", integer, ""},
    Column{"reads", integer, "requests"},
    Column{"atomics", integer, ""},
    Column{"acks", integer, ""},
    Column{"naks", integer, "without RNR NAKs"},
    Column{"rnr_naks", integer, ""},
    Column{"retransmissions", integer, "packets seen again"},
    Column{"first", real, "time"},
    Column{"last", real, "time"},
};

constexpr std::array cm_message_columns{
    Column{"connection", text, ""},
    Column{"position", integer, "in order of frames, from 0"},
    Column{"type", text, "REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP or APR"},
    Column{"from", text, "client or server"},
    Column{"time", real, ""},
    Column{"frame", integer, ""},
    Column{"repeated", boolean, "sent before"},
};

constexpr std::array finding_columns{
    Column{"id", integer, "from 1"},
    Column{"rule", text, "that was broken"},
    Column{"severity", text, "error, warning or note"},
    Column{"session", text, "connection or link group"},
    Column{"text", text, "what was seen"},
    Column{"clause", text, "of the standard"},
};

constexpr std::array finding_frame_columns{
    Column{"finding", integer, ""},
    Column{"position", integer, "from 0"},
    Column{"frame", integer, "that shows it; the last one breaks the rule"},
    Column{"places_file", text, "in which file it lies, if there are several"},
    Column{"places_frame", integer, "the frame's number in that file"},
};

// ---- tables --------------------------------------------------------------------------------------

constexpr std::array in_link_group{ForeignKey{"link_group", "link_groups (id)"}};
constexpr std::array in_rmb{ForeignKey{"link_group, rmb", "rmbs (link_group, position)"}};
constexpr std::array connection_references{
    ForeignKey{"link_group", "link_groups (id)"},
    ForeignKey{"link_group, rmb_elements_client_rmb", "rmbs (link_group, position)"},
    ForeignKey{"link_group, rmb_elements_server_rmb", "rmbs (link_group, position)"}};
constexpr std::array in_connection{ForeignKey{"connection", "connections (id)"}};
constexpr std::array in_direction{ForeignKey{"connection, direction", "directions (connection, direction)"}};
constexpr std::array in_cm_connection{ForeignKey{"connection", "cm_connections (id)"}};
constexpr std::array in_fc_exchange{ForeignKey{"exchange", "fc_exchanges (id)"}};
constexpr std::array in_fc_login{ForeignKey{"login", "fc_logins (id)"}};
constexpr std::array of_fc_address{ForeignKey{"address", "fc_addresses (position)"}};
constexpr std::array in_fcvi_connection{ForeignKey{"connection", "fcvi_connections (id)"}};
constexpr std::array in_rdma_region{ForeignKey{"region", "fc_ae_rdma_regions (id)"}};
constexpr std::array of_rule{ForeignKey{"rule", "rules (id)"}};
constexpr std::array of_finding{ForeignKey{"finding", "findings (id)"}};

constexpr std::array connection_indexes{"link_group", "outcome", "client", "server"};
constexpr std::array cm_connection_indexes{"outcome", "client", "server"};
constexpr std::array fc_exchange_indexes{"kind", "state", "originator", "responder"};
constexpr std::array fc_login_indexes{"originator", "responder"};
constexpr std::array fcvi_connection_indexes{"outcome", "client", "server"};
constexpr std::array fcvi_message_indexes{"connection", "operation", "state"};
constexpr std::array rdma_message_indexes{"target", "state"};
constexpr std::array finding_indexes{"rule", "session"};
constexpr std::array finding_frame_indexes{"frame"};

enum TableIndex : std::uint8_t {
    capture_table,
    files_table,
    errors_table,
    warnings_table,
    rules_table,
    rule_results_table,
    link_groups_table,
    links_table,
    rmbs_table,
    rtokens_table,
    llc_exchanges_table,
    connections_table,
    directions_table,
    cursor_samples_table,
    cm_connections_table,
    cm_directions_table,
    cm_messages_table,
    fc_exchanges_table,
    fc_sequences_table,
    fc_logins_table,
    fc_process_logins_table,
    fc_addresses_table,
    fc_address_ports_table,
    fcvi_connections_table,
    fcvi_directions_table,
    fcvi_setups_table,
    fcvi_disconnects_table,
    fcvi_messages_table,
    fc_ae_rdma_regions_table,
    fc_ae_rdma_messages_table,
    fc_ae_rdma_ranges_table,
    findings_table,
    finding_frames_table,
};

constexpr std::array all_tables{
    DataTable{"capture", "What was read: one row.", capture_columns, "schema"},
    DataTable{"files", "The capture files.", file_columns, "position"},
    DataTable{"errors", "Why files could not be read to their end.", error_columns, "position"},
    DataTable{"warnings", "What makes the capture itself doubtful.", warning_columns, "position"},
    DataTable{"rules", "The catalogue of rules.", rule_columns, "id"},
    DataTable{"rule_results", "What became of each rule.", rule_result_columns, "rule", of_rule},
    DataTable{"link_groups", "SMC-R link groups.", link_group_columns, "id"},
    DataTable{"links", "Links of link groups.", link_columns, "link_group, position", in_link_group},
    DataTable{"rmbs", "Remote memory buffers of link groups.", rmb_columns, "link_group, position", in_link_group},
    DataTable{"rtokens", "How an RMB is addressed on each link.", rtoken_columns, "link_group, rmb, position", in_rmb},
    DataTable{
        "llc_exchanges", "LLC requests and their replies.", llc_exchange_columns, "link_group, position",
        in_link_group},
    DataTable{
        "connections", "TCP connections that did or tried SMC.", connection_columns, "id", connection_references,
        connection_indexes},
    DataTable{
        "directions", "The two directions of each connection.", direction_columns, "connection, direction",
        in_connection},
    DataTable{
        "cursor_samples", "Each step of a direction's cursors; only with --cursors.", cursor_sample_columns,
        "connection, direction, position", in_direction},
    DataTable{
        "cm_connections",
        "RDMA CM connections and service id resolutions.",
        cm_connection_columns,
        "id",
        {},
        cm_connection_indexes},
    DataTable{
        "cm_directions", "What each side of an RDMA CM connection sent to the other's queue pair.",
        cm_direction_columns, "connection, direction", in_cm_connection},
    DataTable{
        "cm_messages", "The messages of each RDMA CM connection.", cm_message_columns, "connection, position",
        in_cm_connection},
    DataTable{"fc_exchanges", "Fibre Channel Exchanges.", fc_columns::exchanges, "id", {}, fc_exchange_indexes},
    DataTable{
        "fc_sequences", "The Sequences of each Exchange, the first ones of them.", fc_columns::sequences,
        "exchange, position", in_fc_exchange},
    DataTable{"fc_logins", "Fabric and port logins.", fc_columns::logins, "id", {}, fc_login_indexes},
    DataTable{
        "fc_process_logins", "PRLI between ports that are logged in.", fc_columns::process_logins, "login, position",
        in_fc_login},
    DataTable{"fc_addresses", "Questions which N_Port has an IP address.", fc_columns::addresses, "position"},
    DataTable{"fc_address_ports", "The answers.", fc_columns::address_ports, "address, position", of_fc_address},
    DataTable{"fcvi_connections", "FC-VI connections.", fcvi_columns::connections, "id", {}, fcvi_connection_indexes},
    DataTable{
        "fcvi_directions", "What each end of an FC-VI connection sent.", fcvi_columns::directions,
        "connection, direction", in_fcvi_connection},
    DataTable{
        "fcvi_setups", "The attempts to set a connection up.", fcvi_columns::setups, "connection, position",
        in_fcvi_connection},
    DataTable{
        "fcvi_disconnects", "The Disconnect operations of a connection.", fcvi_columns::disconnects,
        "connection, position", in_fcvi_connection},
    DataTable{
        "fcvi_messages", "VI Messages: Sends, RDMA Writes and RDMA Reads.", fcvi_columns::messages, "id",
        in_fcvi_connection, fcvi_message_indexes},
    DataTable{
        "fc_ae_rdma_regions", "Memory regions: Logical Units that messages have touched.", fcvi_columns::rdma_regions,
        "id"},
    DataTable{
        "fc_ae_rdma_messages", "FC-AE-RDMA messages: reads and writes of a Logical Unit's memory.",
        fcvi_columns::rdma_messages, "id", in_rdma_region, rdma_message_indexes},
    DataTable{
        "fc_ae_rdma_ranges", "Which addresses of a memory region were read and written.", fcvi_columns::rdma_ranges,
        "region, kind, position", in_rdma_region},
    DataTable{"findings", "Rules that were broken.", finding_columns, "id", of_rule, finding_indexes},
    DataTable{
        "finding_frames", "The frames that show a finding.", finding_frame_columns, "finding, position", of_finding,
        finding_frame_indexes},
};
static_assert(all_tables.size() == finding_frames_table + 1);

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

// ---- rows ----------------------------------------------------------------------------------------

/// Members of connections that are rows of their own.
constexpr std::array directions{"client_to_server", "server_to_client"};

/// A row in the making: its keys, then what a record holds.
class Row {
public:
    explicit Row(TableIndex index) : table_(all_tables[index]), values_(table_.columns.size()) {}

    Row& add(Json value) {
        values_[next_++] = std::move(value);
        return *this;
    }

    Row& add_values(const Json& list) {
        for (const Json& value : list.list()) add(value);
        return *this;
    }

    /// Lists are left out: they are tables of their own.
    Row& add_members(const Json& record, const std::string& prefix = "") {
        for (const auto& [name, value] : record.members()) {
            if (value.is_list() || std::ranges::find(directions, std::string_view(name)) != directions.end()) continue;
            if (value.is_object()) add_members(value, prefix + name + '_');
            else put(prefix + name, value);
        }
        return *this;
    }

    void send(RowSink& sink) const { sink.on_row(table_, values_); }

private:
    /// Records have the order of the columns, apart from objects that are null.
    void put(std::string_view name, const Json& value) {
        for (std::size_t i = next_; i < values_.size(); ++i)
            if (name == table_.columns[i].name) {
                values_[i] = value;
                next_ = i + 1;
                return;
            }
    }

    const DataTable& table_;
    std::vector<Json> values_;
    std::size_t next_ = 0;
};

class Rows {
public:
    Rows(const Results& results, bool cursors, RowSink& sink)
        : results_(results), cursors_(cursors), sink_(sink), clock_(results.capture.start) {}

    void send_all() {
        capture();
        for (const engine::Rule& rule : engine::rules()) Row(rules_table).add_members(record_of(rule)).send(sink_);
        for (const engine::RuleResult& result : results_.rules)
            Row(rule_results_table).add_members(record_of(result)).send(sink_);
        if (results_.smcr != nullptr) smcr(*results_.smcr);
        if (results_.rdma_cm != nullptr) rdma_cm(*results_.rdma_cm);
        if (results_.fc != nullptr) fc(*results_.fc);
        if (results_.fcvi != nullptr) fcvi(*results_.fcvi);
        if (results_.fc_ae_rdma != nullptr) fc_ae_rdma(*results_.fc_ae_rdma);
        findings();
    }

private:
    void capture() {
        const Json record = capture_record(results_);
        Row row(capture_table);
        row.add("fabricscope/1").add_members(record);
        if (results_.smcr != nullptr) row.add_members(limits_record(*results_.smcr));
        if (results_.rdma_cm != nullptr) row.add_members(limits_record(*results_.rdma_cm), "rdma_cm_");
        if (results_.fcvi != nullptr) row.add_members(limits_record(*results_.fcvi), "fcvi_");
        if (results_.fc_ae_rdma != nullptr) row.add_members(limits_record(*results_.fc_ae_rdma), "fc_ae_rdma_");
        row.add_members({{"profile", name_of(results_.profile)}});
        row.send(sink_);
        list(files_table, record["files"].list());
        list(errors_table, record["errors"].list());
        list(warnings_table, record["warnings"].list());
    }

    void list(TableIndex table, std::span<const Json> values) {
        for (std::size_t i = 0; i < values.size(); ++i) Row(table).add(i).add(values[i]).send(sink_);
    }

    void smcr(const Model& model) {
        for (const LinkGroup& group : model.link_groups)
            if (came_to_be(group)) link_group(record_of(group, clock_));
        for (const Connection& each : model.connections)
            if (!each.merged) connection(record_of(each, clock_, cursors_));
    }

    void fc(const engine::fibre_channel::Model& model) {
        for (const engine::fibre_channel::Exchange& exchange : model.exchanges) {
            const Json record = record_of(exchange, clock_);
            Row(fc_exchanges_table).add_members(record).send(sink_);
            members(fc_sequences_table, record["id"], record["sequences"].list());
        }
        for (const engine::fibre_channel::Login& login : model.logins) {
            const Json record = record_of(login, clock_);
            Row(fc_logins_table).add_members(record).send(sink_);
            members(fc_process_logins_table, record["id"], record["processes"].list());
        }
        for (std::size_t i = 0; i < model.resolutions.size(); ++i) {
            const Json record = record_of(model.resolutions[i], clock_);
            Row(fc_addresses_table).add(i).add_members(record).send(sink_);
            const auto ports = record["ports"].list();
            for (std::size_t j = 0; j < ports.size(); ++j)
                Row(fc_address_ports_table).add(i).add(j).add(ports[j]).send(sink_);
        }
    }

    void fcvi(const engine::fcvi::Model& model) {
        for (const engine::fcvi::Connection& each : model.connections) fcvi_connection(record_of(each, clock_));
        for (const engine::fcvi::Message& message : model.messages)
            Row(fcvi_messages_table).add_members(record_of(message, clock_)).send(sink_);
    }

    void fcvi_connection(const Json& record) {
        Row(fcvi_connections_table).add_members(record).send(sink_);
        rows_of_directions(fcvi_directions_table, record);
        members(fcvi_setups_table, record["id"], record["setups"].list());
        members(fcvi_disconnects_table, record["id"], record["disconnects"].list());
    }

    void fc_ae_rdma(const engine::fc_ae_rdma::Model& model) {
        for (const engine::fc_ae_rdma::Region& region : model.regions) {
            const Json record = record_of(region);
            Row(fc_ae_rdma_regions_table).add_members(record).send(sink_);
            for (const char* kind : {"read", "written"}) ranges(record["id"], kind, record[kind].list());
        }
        for (const engine::fc_ae_rdma::Message& message : model.messages)
            Row(fc_ae_rdma_messages_table).add_members(record_of(message, clock_)).send(sink_);
    }

    void ranges(const Json& region, const char* kind, std::span<const Json> list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            Row(fc_ae_rdma_ranges_table).add(region).add(kind).add(i).add_values(list[i]).send(sink_);
    }

    void link_group(const Json& record) {
        Row(link_groups_table).add_members(record).send(sink_);
        const Json& id = record["id"];
        members(links_table, id, record["links"].list());
        const auto rmbs = record["rmbs"].list();
        members(rmbs_table, id, rmbs);
        for (std::size_t i = 0; i < rmbs.size(); ++i) rtokens(id, i, rmbs[i]["rtokens"].list());
        members(llc_exchanges_table, id, record["llc_exchanges"].list());
    }

    void members(TableIndex table, const Json& id, std::span<const Json> records) {
        for (std::size_t i = 0; i < records.size(); ++i) Row(table).add(id).add(i).add_members(records[i]).send(sink_);
    }

    void rtokens(const Json& id, std::size_t rmb, std::span<const Json> records) {
        for (std::size_t i = 0; i < records.size(); ++i)
            Row(rtokens_table).add(id).add(rmb).add(i).add_members(records[i]).send(sink_);
    }

    void rows_of_directions(TableIndex table, const Json& connection) {
        for (const char* name : directions)
            Row(table).add(connection["id"]).add(name).add_members(connection[name]).send(sink_);
    }

    void connection(const Json& record) {
        Row(connections_table).add_members(record).send(sink_);
        rows_of_directions(directions_table, record);
        for (const char* name : directions) timeline(record["id"], name, record[name]["timeline"].list());
    }

    void rdma_cm(const engine::rdma_cm::Model& model) {
        for (const engine::rdma_cm::Connection& each : model.connections)
            if (!each.merged) cm_connection(record_of(each, clock_));
    }

    void cm_connection(const Json& record) {
        Row(cm_connections_table).add_members(record).send(sink_);
        rows_of_directions(cm_directions_table, record);
        members(cm_messages_table, record["id"], record["messages"].list());
    }

    void timeline(const Json& connection, const char* direction, std::span<const Json> samples) {
        for (std::size_t i = 0; i < samples.size(); ++i)
            Row(cursor_samples_table).add(connection).add(direction).add(i).add_values(samples[i]).send(sink_);
    }

    void findings() {
        std::uint64_t id = 0;
        for (const engine::Finding* finding : results_.findings) {
            const Json record = record_of(*finding, results_.places);
            Row(findings_table).add(++id).add_members(record).send(sink_);
            const auto frames = record["frames"].list(), places = record["places"].list();
            for (std::size_t i = 0; i < frames.size(); ++i) {
                Row row(finding_frames_table);
                row.add(id).add(i).add(frames[i]);
                if (!places.empty()) row.add_members(places[i], "places_");
                row.send(sink_);
            }
        }
    }

    const Results& results_;
    bool cursors_;
    RowSink& sink_;
    Clock clock_;
};

}  // namespace

const char* name_of(Type type) {
    switch (type) {
        case text: return "text";
        case integer: return "integer";
        case real: return "real";
        case boolean: return "boolean";
    }
    return "";
}

std::span<const DataTable> data_tables() { return all_tables; }
std::span<const View> views() { return all_views; }

void for_each_row(const Results& results, bool cursors, RowSink& sink) { Rows(results, cursors, sink).send_all(); }

}  // namespace fabricscope::report
