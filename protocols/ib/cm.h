// SPDX-License-Identifier: GPL-2.0-or-later
// Communication Management: the fixed parts of all messages (InfiniBand Architecture Specification
// Volume 1, 12.6 and 12.11). Each stands behind the MAD header and is followed by private data.
//
// Timeouts are coded: 4.096 us * 2^value. "Local" is the sender's, "remote" the receiver's.
#pragma once

#include "protocols/ib/mad.h"

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
inline constexpr std::array mra_message_names{ValueName{0, "REQ"}, ValueName{1, "REP"}, ValueName{2, "LAP"}};
inline constexpr std::array rej_message_names{
    ValueName{0, "REQ"}, ValueName{1, "REP"}, ValueName{2, "another message"}};

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

#include "protocols/ib/cm_layout.h"
