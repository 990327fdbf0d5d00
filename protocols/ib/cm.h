// SPDX-License-Identifier: GPL-2.0-or-later
// Communication Management: the fixed parts of all messages (InfiniBand Architecture Specification
// Volume 1, 12.6 and 12.11). Each stands behind the MAD header and is followed by private data.
//
// Timeouts are coded: 4.096 us * 2^value. "Local" is the sender's, "remote" the receiver's.
#pragma once

#include "protocols/ib/mad.h"
#include "protocols/ib/mtu.h"

namespace fabricscope::ib {

inline constexpr std::array transport_service_names{
    ValueName{0, "RC"}, ValueName{1, "UC"}, ValueName{2, "RD"}, ValueName{3, "extended"}};
inline constexpr std::array extended_transport_names{ValueName{1, "XRC"}};

inline constexpr std::array packet_rate_names{
    ValueName{2, "2.5 Gb/s"},  ValueName{3, "10 Gb/s"},   ValueName{4, "30 Gb/s"},   ValueName{5, "5 Gb/s"},
    ValueName{6, "20 Gb/s"},   ValueName{7, "40 Gb/s"},   ValueName{8, "60 Gb/s"},   ValueName{9, "80 Gb/s"},
    ValueName{10, "120 Gb/s"}, ValueName{11, "14 Gb/s"},  ValueName{12, "56 Gb/s"},  ValueName{13, "112 Gb/s"},
    ValueName{14, "168 Gb/s"}, ValueName{15, "25 Gb/s"},  ValueName{16, "100 Gb/s"}, ValueName{17, "200 Gb/s"},
    ValueName{18, "300 Gb/s"}, ValueName{19, "28 Gb/s"},  ValueName{20, "50 Gb/s"},  ValueName{21, "400 Gb/s"},
    ValueName{22, "600 Gb/s"}, ValueName{23, "800 Gb/s"}, ValueName{24, "1200 Gb/s"}};

/// Which message an MRA or REJ is about.
inline constexpr std::uint8_t mra_req = 0, mra_rep = 1, mra_lap = 2;
inline constexpr std::array mra_message_names{
    ValueName{mra_req, "REQ"}, ValueName{mra_rep, "REP"}, ValueName{mra_lap, "LAP"}};
inline constexpr std::uint8_t rejects_req = 0, rejects_rep = 1;
inline constexpr std::array rej_message_names{
    ValueName{rejects_req, "REQ"}, ValueName{rejects_rep, "REP"}, ValueName{2, "another message"}};

inline constexpr std::uint16_t reject_timeout = 4;
inline constexpr std::uint16_t consumer_reject = 28;
inline constexpr std::uint16_t invalid_service_id = 8;
/// 12.6.7.2
inline constexpr std::array reject_reason_names{
    ValueName{1, "no QP available"},
    ValueName{2, "no EE context available"},
    ValueName{3, "no resources available"},
    ValueName{reject_timeout, "timeout"},
    ValueName{5, "unsupported request"},
    ValueName{6, "invalid communication id"},
    ValueName{7, "invalid communication instance"},
    ValueName{invalid_service_id, "invalid service id"},
    ValueName{9, "invalid transport service type"},
    ValueName{10, "stale connection"},
    ValueName{11, "RDC does not exist"},
    ValueName{12, "primary remote port GID rejected"},
    ValueName{13, "primary remote port LID rejected"},
    ValueName{14, "invalid primary service level"},
    ValueName{15, "invalid primary traffic class"},
    ValueName{16, "invalid primary hop limit"},
    ValueName{17, "invalid primary packet rate"},
    ValueName{18, "alternate remote port GID rejected"},
    ValueName{19, "alternate remote port LID rejected"},
    ValueName{20, "invalid alternate service level"},
    ValueName{21, "invalid alternate traffic class"},
    ValueName{22, "invalid alternate hop limit"},
    ValueName{23, "invalid alternate packet rate"},
    ValueName{24, "port and CM redirection"},
    ValueName{25, "port redirection"},
    ValueName{26, "invalid path MTU"},
    ValueName{27, "insufficient responder resources"},
    ValueName{consumer_reject, "consumer reject"},
    ValueName{29, "RNR retry count reject"},
    ValueName{30, "duplicate local communication id"},
    ValueName{31, "invalid class version"},
    ValueName{32, "invalid primary flow label"},
    ValueName{33, "invalid alternate flow label"},
    ValueName{35, "vendor option not supported"}};

inline constexpr std::array sidr_status_names{
    ValueName{0, "queue pair valid"},
    ValueName{1, "service id not supported"},
    ValueName{2, "rejected by the service"},
    ValueName{3, "no queue pair available"},
    ValueName{4, "redirected"},
    ValueName{5, "version not supported"}};

inline constexpr std::array apr_status_names{
    ValueName{0, "alternate path loaded"},
    ValueName{1, "invalid communication id"},
    ValueName{2, "alternate path not supported"},
    ValueName{3, "alternate path rejected"},
    ValueName{4, "redirected"},
    ValueName{5, "this is the current path"},
    ValueName{6, "queue pair or EE context does not match"},
    ValueName{7, "remote LID rejected"},
    ValueName{8, "remote GID rejected"},
    ValueName{9, "flow label rejected"},
    ValueName{10, "traffic class rejected"},
    ValueName{11, "hop limit rejected"},
    ValueName{12, "packet rate rejected"},
    ValueName{13, "service level rejected"}};

/// REQ (12.6.5), up to its paths.
struct CmReq {
    std::uint32_t local_comm_id = 0;
    std::uint32_t reserved1 = 0;
    std::uint64_t service_id = 0;
    std::uint64_t local_ca_guid = 0;
    std::uint32_t reserved2 = 0;
    std::uint32_t local_q_key = 0;
    std::uint32_t local_qpn = 0;           ///< 24 bits
    std::uint8_t responder_resources = 0;  ///< RDMA READs and atomics that the sender can serve at once
    std::uint32_t local_eecn = 0;          ///< 24 bits
    std::uint8_t initiator_depth = 0;      ///< RDMA READs and atomics that the sender has outstanding at most
    std::uint32_t remote_eecn = 0;         ///< 24 bits
    std::uint8_t remote_response_timeout = 0;
    std::uint8_t transport_service = 0;
    bool end_to_end_flow_control = false;
    std::uint32_t starting_psn = 0;  ///< 24 bits
    std::uint8_t local_response_timeout = 0;
    std::uint8_t retry_count = 0;
    std::uint16_t p_key = 0xFFFF;
    std::uint8_t path_mtu = 0;  ///< coded, see mtu_octets()
    bool rdc_exists = false;
    std::uint8_t rnr_retry_count = 0;  ///< 7 = for ever
    std::uint8_t max_cm_retries = 0;
    bool srq = false;
    std::uint8_t extended_transport = 0;
};

/// A path of a REQ: the primary one, then the alternate one, which is all zero if there is none.
struct CmPath {
    std::uint16_t local_lid = 0;
    std::uint16_t remote_lid = 0;
    Gid local_gid;
    Gid remote_gid;
    std::uint32_t flow_label = 0;  ///< 20 bits
    std::uint8_t reserved1 = 0;
    std::uint8_t packet_rate = 0;
    std::uint8_t traffic_class = 0;
    std::uint8_t hop_limit = 0;
    std::uint8_t service_level = 0;
    bool subnet_local = false;
    std::uint8_t reserved2 = 0;
    std::uint8_t local_ack_timeout = 0;
    std::uint8_t reserved3 = 0;
};

/// MRA (12.6.6): the answer will take longer.
struct CmMra {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint8_t message = 0;  ///< which one was received, see mra_message_names
    std::uint8_t reserved1 = 0;
    std::uint8_t service_timeout = 0;
    std::uint8_t reserved2 = 0;
};

/// REJ (12.6.7), up to its additional rejection information (72 octets).
struct CmRej {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint8_t message = 0;  ///< which one is rejected, see rej_message_names
    std::uint8_t reserved1 = 0;
    std::uint8_t ari_length = 0;  ///< octets of the additional rejection information that mean something
    bool reserved2 = false;
    std::uint16_t reason = 0;
};
inline constexpr std::size_t ari_size = 72;

/// REP (12.6.8)
struct CmRep {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint32_t local_q_key = 0;
    std::uint32_t local_qpn = 0;  ///< 24 bits
    std::uint8_t reserved1 = 0;
    std::uint32_t local_eecn = 0;  ///< 24 bits
    std::uint8_t reserved2 = 0;
    std::uint32_t starting_psn = 0;  ///< 24 bits
    std::uint8_t reserved3 = 0;
    std::uint8_t responder_resources = 0;
    std::uint8_t initiator_depth = 0;
    std::uint8_t target_ack_delay = 0;
    std::uint8_t failover_accepted = 0;
    bool end_to_end_flow_control = false;
    std::uint8_t rnr_retry_count = 0;
    bool srq = false;
    std::uint8_t reserved4 = 0;
    std::uint64_t local_ca_guid = 0;
};

/// The queue pair that the sender has for the connection: of XRC, the target, which has the place of the EE context
/// (annex A14), and no other.
constexpr std::uint32_t queue_pair_of(const CmRep& rep) { return rep.local_qpn != 0 ? rep.local_qpn : rep.local_eecn; }

/// RTU (12.6.9)
struct CmRtu {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
};

/// DREQ (12.6.10)
struct CmDreq {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint32_t remote_qpn = 0;  ///< 24 bits; of the receiver
    std::uint8_t reserved1 = 0;
};

/// DREP (12.6.11)
struct CmDrep {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
};

/// LAP (12.8.1)
struct CmLap {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint32_t reserved1 = 0;
    std::uint32_t remote_qpn = 0;  ///< 24 bits
    std::uint8_t remote_response_timeout = 0;
    std::uint8_t reserved2 = 0;
    std::uint32_t reserved3 = 0;
    std::uint16_t local_lid = 0;
    std::uint16_t remote_lid = 0;
    Gid local_gid;
    Gid remote_gid;
    std::uint32_t flow_label = 0;  ///< 20 bits
    std::uint8_t reserved4 = 0;
    std::uint8_t traffic_class = 0;
    std::uint8_t hop_limit = 0;
    std::uint8_t reserved5 = 0;
    std::uint8_t packet_rate = 0;
    std::uint8_t service_level = 0;
    bool subnet_local = false;
    std::uint8_t reserved6 = 0;
    std::uint8_t local_ack_timeout = 0;
    std::uint8_t reserved7 = 0;
};

/// APR (12.8.2), up to its additional information (72 octets).
struct CmApr {
    std::uint32_t local_comm_id = 0;
    std::uint32_t remote_comm_id = 0;
    std::uint8_t information_length = 0;
    std::uint8_t status = 0;
    std::uint16_t reserved1 = 0;
};

/// SIDR_REQ (12.11.1)
struct CmSidrReq {
    std::uint32_t request_id = 0;
    std::uint16_t p_key = 0xFFFF;
    std::uint16_t reserved1 = 0;
    std::uint64_t service_id = 0;
};

/// SIDR_REP (12.11.2), up to its additional information (72 octets).
struct CmSidrRep {
    std::uint32_t request_id = 0;
    std::uint8_t status = 0;
    std::uint8_t information_length = 0;
    std::uint16_t reserved1 = 0;
    std::uint32_t qpn = 0;  ///< 24 bits
    std::uint8_t reserved2 = 0;
    std::uint64_t service_id = 0;
    std::uint32_t q_key = 0;
};

}  // namespace fabricscope::ib

// ---- where the fields stand --------------------------------------------------------------------

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<ib::CmReq> = layout<ib::CmReq>(
    "REQ", "IBA 12.6.5", octets(24, 76),
    field<&ib::CmReq::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmReq::reserved1>(at(28), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmReq::service_id>(at(32), "rdma_ip_cm.service_id", "Service id", hex),
    field<&ib::CmReq::local_ca_guid>(at(40), "rdma_ip_cm.local_ca_guid", "Local CA GUID", hex),
    field<&ib::CmReq::reserved2>(at(48), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmReq::local_q_key>(at(52), "rdma_ip_cm.local_q_key", "Local Q_Key", hex),
    field<&ib::CmReq::local_qpn>(at(56, 3), "rdma_ip_cm.local_qpn", "Local queue pair", hex),
    field<&ib::CmReq::responder_resources>(at(59), "rdma_ip_cm.responder_resources", "Responder resources"),
    field<&ib::CmReq::local_eecn>(at(60, 3), "rdma_ip_cm.local_eecn", "Local EE context", hex),
    field<&ib::CmReq::initiator_depth>(at(63), "rdma_ip_cm.initiator_depth", "Initiator depth"),
    field<&ib::CmReq::remote_eecn>(at(64, 3), "rdma_ip_cm.req.remote_eecn", "Remote EE context", hex),
    field<&ib::CmReq::remote_response_timeout>(
        bits(67, 0xF8), "rdma_ip_cm.remote_response_timeout", "Remote CM response timeout (4.096 us * 2^n)"),
    field<&ib::CmReq::transport_service>(
        bits(67, 0x06), "rdma_ip_cm.req.transport_service", "Transport service type",
        names(ib::transport_service_names)),
    field<&ib::CmReq::end_to_end_flow_control>(
        bits(67, 0x01), "rdma_ip_cm.end_to_end_flow_control", "End-to-end flow control"),
    field<&ib::CmReq::starting_psn>(at(68, 3), "rdma_ip_cm.starting_psn", "Starting PSN", hex),
    field<&ib::CmReq::local_response_timeout>(
        bits(71, 0xF8), "rdma_ip_cm.req.local_response_timeout", "Local CM response timeout (4.096 us * 2^n)"),
    field<&ib::CmReq::retry_count>(bits(71, 0x07), "rdma_ip_cm.req.retry_count", "Retry count"),
    field<&ib::CmReq::p_key>(at(72), "rdma_ip_cm.p_key", "P_Key", hex),
    field<&ib::CmReq::path_mtu>(bits(74, 0xF0), "rdma_ip_cm.req.path_mtu", "Path MTU", names(ib::mtu_names)),
    field<&ib::CmReq::rdc_exists>(bits(74, 0x08), "rdma_ip_cm.req.rdc_exists", "RDC exists"),
    field<&ib::CmReq::rnr_retry_count>(bits(74, 0x07), "rdma_ip_cm.rnr_retry_count", "RNR retry count"),
    field<&ib::CmReq::max_cm_retries>(bits(75, 0xF0), "rdma_ip_cm.req.max_cm_retries", "Max CM retries"),
    field<&ib::CmReq::srq>(bits(75, 0x08), "rdma_ip_cm.srq", "Shared receive queue"),
    field<&ib::CmReq::extended_transport>(
        bits(75, 0x07), "rdma_ip_cm.req.extended_transport", "Extended transport type",
        names(ib::extended_transport_names)));

template <>
inline constexpr auto layout_of<ib::CmPath> = layout<ib::CmPath>(
    "Path", "IBA 12.6.5", octets(0, 44), field<&ib::CmPath::local_lid>(at(0), "rdma_ip_cm.path.local_lid", "Local LID"),
    field<&ib::CmPath::remote_lid>(at(2), "rdma_ip_cm.path.remote_lid", "Remote LID"),
    field<&ib::CmPath::local_gid>(at(4), "rdma_ip_cm.path.local_gid", "Local GID"),
    field<&ib::CmPath::remote_gid>(at(20), "rdma_ip_cm.path.remote_gid", "Remote GID"),
    field<&ib::CmPath::flow_label>(bits(36, 0xFFFFF000, 4), "rdma_ip_cm.path.flow_label", "Flow label", hex),
    field<&ib::CmPath::reserved1>(bits(36, 0x00000FC0, 4), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmPath::packet_rate>(
        bits(36, 0x0000003F, 4), "rdma_ip_cm.path.packet_rate", "Packet rate", names(ib::packet_rate_names)),
    field<&ib::CmPath::traffic_class>(at(40), "rdma_ip_cm.path.traffic_class", "Traffic class", hex),
    field<&ib::CmPath::hop_limit>(at(41), "rdma_ip_cm.path.hop_limit", "Hop limit"),
    field<&ib::CmPath::service_level>(bits(42, 0xF0), "rdma_ip_cm.path.sl", "Service level"),
    field<&ib::CmPath::subnet_local>(bits(42, 0x08), "rdma_ip_cm.path.subnet_local", "Subnet local"),
    field<&ib::CmPath::reserved2>(bits(42, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmPath::local_ack_timeout>(
        bits(43, 0xF8), "rdma_ip_cm.path.local_ack_timeout", "Local ACK timeout (4.096 us * 2^n)"),
    field<&ib::CmPath::reserved3>(bits(43, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<ib::CmMra> = layout<ib::CmMra>(
    "MRA", "IBA 12.6.6", octets(24, 34),
    field<&ib::CmMra::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmMra::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmMra::message>(
        bits(32, 0xC0), "rdma_ip_cm.mra.message", "Message received", names(ib::mra_message_names)),
    field<&ib::CmMra::reserved1>(bits(32, 0x3F), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmMra::service_timeout>(
        bits(33, 0xF8), "rdma_ip_cm.mra.service_timeout", "Service timeout (4.096 us * 2^n)"),
    field<&ib::CmMra::reserved2>(bits(33, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<ib::CmRej> = layout<ib::CmRej>(
    "REJ", "IBA 12.6.7", octets(24, 36),
    field<&ib::CmRej::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmRej::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmRej::message>(
        bits(32, 0xC0), "rdma_ip_cm.rej.message", "Message rejected", names(ib::rej_message_names)),
    field<&ib::CmRej::reserved1>(bits(32, 0x3F), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRej::ari_length>(bits(33, 0xFE), "rdma_ip_cm.rej.ari_length", "Reject information length"),
    field<&ib::CmRej::reserved2>(bits(33, 0x01), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRej::reason>(at(34), "rdma_ip_cm.rej.reason", "Reason", names(ib::reject_reason_names)));

template <>
inline constexpr auto layout_of<ib::CmRep> = layout<ib::CmRep>(
    "REP", "IBA 12.6.8", octets(24, 60),
    field<&ib::CmRep::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmRep::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmRep::local_q_key>(at(32), "rdma_ip_cm.local_q_key", "Local Q_Key", hex),
    field<&ib::CmRep::local_qpn>(at(36, 3), "rdma_ip_cm.local_qpn", "Local queue pair", hex),
    field<&ib::CmRep::reserved1>(at(39), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRep::local_eecn>(at(40, 3), "rdma_ip_cm.local_eecn", "Local EE context", hex),
    field<&ib::CmRep::reserved2>(at(43), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRep::starting_psn>(at(44, 3), "rdma_ip_cm.starting_psn", "Starting PSN", hex),
    field<&ib::CmRep::reserved3>(at(47), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRep::responder_resources>(at(48), "rdma_ip_cm.responder_resources", "Responder resources"),
    field<&ib::CmRep::initiator_depth>(at(49), "rdma_ip_cm.initiator_depth", "Initiator depth"),
    field<&ib::CmRep::target_ack_delay>(
        bits(50, 0xF8), "rdma_ip_cm.rep.target_ack_delay", "Target ACK delay (4.096 us * 2^n)"),
    field<&ib::CmRep::failover_accepted>(bits(50, 0x06), "rdma_ip_cm.rep.failover_accepted", "Failover accepted"),
    field<&ib::CmRep::end_to_end_flow_control>(
        bits(50, 0x01), "rdma_ip_cm.end_to_end_flow_control", "End-to-end flow control"),
    field<&ib::CmRep::rnr_retry_count>(bits(51, 0xE0), "rdma_ip_cm.rnr_retry_count", "RNR retry count"),
    field<&ib::CmRep::srq>(bits(51, 0x10), "rdma_ip_cm.srq", "Shared receive queue"),
    field<&ib::CmRep::reserved4>(bits(51, 0x0F), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmRep::local_ca_guid>(at(52), "rdma_ip_cm.local_ca_guid", "Local CA GUID", hex));

template <>
inline constexpr auto layout_of<ib::CmRtu> = layout<ib::CmRtu>(
    "RTU", "IBA 12.6.9", octets(24, 32),
    field<&ib::CmRtu::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmRtu::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex));

template <>
inline constexpr auto layout_of<ib::CmDreq> = layout<ib::CmDreq>(
    "DREQ", "IBA 12.6.10", octets(24, 36),
    field<&ib::CmDreq::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmDreq::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmDreq::remote_qpn>(at(32, 3), "rdma_ip_cm.remote_qpn", "Remote queue pair", hex),
    field<&ib::CmDreq::reserved1>(at(35), "rdma_ip_cm.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<ib::CmDrep> = layout<ib::CmDrep>(
    "DREP", "IBA 12.6.11", octets(24, 32),
    field<&ib::CmDrep::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmDrep::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex));

template <>
inline constexpr auto layout_of<ib::CmLap> = layout<ib::CmLap>(
    "LAP", "IBA 12.8.1", octets(24, 88),
    field<&ib::CmLap::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmLap::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmLap::reserved1>(at(32), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::remote_qpn>(at(36, 3), "rdma_ip_cm.remote_qpn", "Remote queue pair", hex),
    field<&ib::CmLap::remote_response_timeout>(
        bits(39, 0xF8), "rdma_ip_cm.remote_response_timeout", "Remote CM response timeout (4.096 us * 2^n)"),
    field<&ib::CmLap::reserved2>(bits(39, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::reserved3>(at(40), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::local_lid>(at(44), "rdma_ip_cm.path.local_lid", "Alternate local LID"),
    field<&ib::CmLap::remote_lid>(at(46), "rdma_ip_cm.path.remote_lid", "Alternate remote LID"),
    field<&ib::CmLap::local_gid>(at(48), "rdma_ip_cm.path.local_gid", "Alternate local GID"),
    field<&ib::CmLap::remote_gid>(at(64), "rdma_ip_cm.path.remote_gid", "Alternate remote GID"),
    field<&ib::CmLap::flow_label>(bits(80, 0xFFFFF0, 3), "rdma_ip_cm.path.flow_label", "Alternate flow label", hex),
    field<&ib::CmLap::reserved4>(bits(80, 0x00000F, 3), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::traffic_class>(at(83), "rdma_ip_cm.path.traffic_class", "Alternate traffic class", hex),
    field<&ib::CmLap::hop_limit>(at(84), "rdma_ip_cm.path.hop_limit", "Alternate hop limit"),
    field<&ib::CmLap::reserved5>(bits(85, 0xC0), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::packet_rate>(
        bits(85, 0x3F), "rdma_ip_cm.path.packet_rate", "Alternate packet rate", names(ib::packet_rate_names)),
    field<&ib::CmLap::service_level>(bits(86, 0xF0), "rdma_ip_cm.path.sl", "Alternate service level"),
    field<&ib::CmLap::subnet_local>(bits(86, 0x08), "rdma_ip_cm.path.subnet_local", "Alternate subnet local"),
    field<&ib::CmLap::reserved6>(bits(86, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmLap::local_ack_timeout>(
        bits(87, 0xF8), "rdma_ip_cm.path.local_ack_timeout", "Alternate local ACK timeout (4.096 us * 2^n)"),
    field<&ib::CmLap::reserved7>(bits(87, 0x07), "rdma_ip_cm.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<ib::CmApr> = layout<ib::CmApr>(
    "APR", "IBA 12.8.2", octets(24, 36),
    field<&ib::CmApr::local_comm_id>(at(24), "rdma_ip_cm.local_comm_id", "Local communication id", hex),
    field<&ib::CmApr::remote_comm_id>(at(28), "rdma_ip_cm.remote_comm_id", "Remote communication id", hex),
    field<&ib::CmApr::information_length>(at(32), "rdma_ip_cm.information_length", "Additional information length"),
    field<&ib::CmApr::status>(at(33), "rdma_ip_cm.apr.status", "Status", names(ib::apr_status_names)),
    field<&ib::CmApr::reserved1>(at(34), "rdma_ip_cm.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<ib::CmSidrReq> = layout<ib::CmSidrReq>(
    "SIDR_REQ", "IBA 12.11.1", octets(24, 40),
    field<&ib::CmSidrReq::request_id>(at(24), "rdma_ip_cm.request_id", "Request id", hex),
    field<&ib::CmSidrReq::p_key>(at(28), "rdma_ip_cm.p_key", "P_Key", hex),
    field<&ib::CmSidrReq::reserved1>(at(30), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmSidrReq::service_id>(at(32), "rdma_ip_cm.service_id", "Service id", hex));

template <>
inline constexpr auto layout_of<ib::CmSidrRep> = layout<ib::CmSidrRep>(
    "SIDR_REP", "IBA 12.11.2", octets(24, 48),
    field<&ib::CmSidrRep::request_id>(at(24), "rdma_ip_cm.request_id", "Request id", hex),
    field<&ib::CmSidrRep::status>(at(28), "rdma_ip_cm.sidr_rep.status", "Status", names(ib::sidr_status_names)),
    field<&ib::CmSidrRep::information_length>(at(29), "rdma_ip_cm.information_length", "Additional information length"),
    field<&ib::CmSidrRep::reserved1>(at(30), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmSidrRep::qpn>(at(32, 3), "rdma_ip_cm.local_qpn", "Queue pair", hex),
    field<&ib::CmSidrRep::reserved2>(at(35), "rdma_ip_cm.reserved", "Reserved", hex, reserved),
    field<&ib::CmSidrRep::service_id>(at(36), "rdma_ip_cm.service_id", "Service id", hex),
    field<&ib::CmSidrRep::q_key>(at(44), "rdma_ip_cm.local_q_key", "Q_Key", hex));

}  // namespace fabricscope::layout
