// SPDX-License-Identifier: GPL-2.0-or-later
// Management Datagrams, as far as Communication Management needs them (InfiniBand Architecture
// Specification Volume 1, 13.4): 256 octets to queue pair 1.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/parts.h"

namespace fabricscope::ib {

using layout::ValueName;

inline constexpr std::size_t mad_size = 256;
inline constexpr std::uint32_t gsi_qpn = 1;              ///< where MADs of the general services go
inline constexpr std::uint32_t gsi_q_key = 0x8001'0000;  ///< well-known
inline constexpr std::uint8_t cm_class_version = 2;
inline constexpr std::uint8_t cm_class = 0x07;  ///< Communication Management

inline constexpr std::uint8_t mad_send = 3;  ///< the method of all CM messages
inline constexpr std::array mad_method_names{ValueName{1, "Get"},  ValueName{2, "Set"},    ValueName{mad_send, "Send"},
                                             ValueName{5, "Trap"}, ValueName{6, "Report"}, ValueName{7, "TrapRepress"}};
inline constexpr std::array mad_class_names{ValueName{cm_class, "Communication Management"}};

/// Attributes of the class (12.6).
enum class CmAttribute : std::uint16_t {
    class_port_info = 0x0001,
    req = 0x0010,
    mra = 0x0011,
    rej = 0x0012,
    rep = 0x0013,
    rtu = 0x0014,
    dreq = 0x0015,
    drep = 0x0016,
    sidr_req = 0x0017,
    sidr_rep = 0x0018,
    lap = 0x0019,
    apr = 0x001A,
};
inline constexpr std::array cm_attribute_names{
    ValueName{0x0001, "ClassPortInfo"}, ValueName{0x0010, "REQ"},  ValueName{0x0011, "MRA"},
    ValueName{0x0012, "REJ"},           ValueName{0x0013, "REP"},  ValueName{0x0014, "RTU"},
    ValueName{0x0015, "DREQ"},          ValueName{0x0016, "DREP"}, ValueName{0x0017, "SIDR_REQ"},
    ValueName{0x0018, "SIDR_REP"},      ValueName{0x0019, "LAP"},  ValueName{0x001A, "APR"}};

/// The header of every MAD: octets 0 to 23.
struct MadHeader {
    std::uint8_t base_version = 1;
    std::uint8_t management_class = cm_class;
    std::uint8_t class_version = 2;
    bool response = false;
    std::uint8_t method = mad_send;
    std::uint16_t status = 0;
    std::uint16_t class_specific = 0;
    std::uint64_t transaction_id = 0;  ///< ties retransmissions and answers to a request
    std::uint16_t attribute_id = 0;
    std::uint16_t reserved = 0;
    std::uint32_t attribute_modifier = 0;
};

/// Where a class's agent is to be found, and what it can do (13.4.8.1).
struct ClassPortInfo {
    std::uint8_t base_version = 1;
    std::uint8_t class_version = 2;
    std::uint16_t capability_mask = 0;
    std::uint32_t capability_mask2 = 0;    ///< 27 bits
    std::uint8_t response_time_value = 0;  ///< 4.096 us * 2^value
    Gid redirect_gid;
    std::uint8_t redirect_traffic_class = 0;
    std::uint8_t redirect_service_level = 0;
    std::uint32_t redirect_flow_label = 0;
    std::uint16_t redirect_lid = 0;
    std::uint16_t redirect_p_key = 0;
    std::uint8_t reserved = 0;
    std::uint32_t redirect_qpn = 0;
    std::uint32_t redirect_q_key = 0;
    Gid trap_gid;
    std::uint8_t trap_traffic_class = 0;
    std::uint8_t trap_service_level = 0;
    std::uint32_t trap_flow_label = 0;
    std::uint16_t trap_lid = 0;
    std::uint16_t trap_p_key = 0;
    std::uint8_t trap_hop_limit = 0;
    std::uint32_t trap_qpn = 0;
    std::uint32_t trap_q_key = 0;
};

}  // namespace fabricscope::ib

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<ib::MadHeader> = layout<ib::MadHeader>(
    "MAD header", "IBA 13.4.2", octets(0, 24),
    field<&ib::MadHeader::base_version>(at(0), "rdma_ip_cm.mad.base_version", "Base version"),
    field<&ib::MadHeader::management_class>(
        at(1), "rdma_ip_cm.mad.class", "Management class", hex, names(ib::mad_class_names)),
    field<&ib::MadHeader::class_version>(at(2), "rdma_ip_cm.mad.class_version", "Class version"),
    field<&ib::MadHeader::response>(bits(3, 0x80), "rdma_ip_cm.mad.response", "Response (R)"),
    field<&ib::MadHeader::method>(bits(3, 0x7F), "rdma_ip_cm.mad.method", "Method", hex, names(ib::mad_method_names)),
    field<&ib::MadHeader::status>(at(4), "rdma_ip_cm.mad.status", "Status", hex),
    field<&ib::MadHeader::class_specific>(at(6), "rdma_ip_cm.mad.class_specific", "Class specific", hex),
    field<&ib::MadHeader::transaction_id>(at(8), "rdma_ip_cm.mad.transaction_id", "Transaction id", hex),
    field<&ib::MadHeader::attribute_id>(
        at(16), "rdma_ip_cm.mad.attribute_id", "Attribute id", hex, names(ib::cm_attribute_names)),
    field<&ib::MadHeader::reserved>(at(18), "rdma_ip_cm.mad.reserved", "Reserved", hex, reserved),
    field<&ib::MadHeader::attribute_modifier>(at(20), "rdma_ip_cm.mad.attribute_modifier", "Attribute modifier", hex));

template <>
inline constexpr auto layout_of<ib::ClassPortInfo> = layout<ib::ClassPortInfo>(
    "ClassPortInfo", "IBA 13.4.8.1", octets(24, 96),
    field<&ib::ClassPortInfo::base_version>(at(24), "rdma_ip_cm.class_port_info.base_version", "Base version"),
    field<&ib::ClassPortInfo::class_version>(at(25), "rdma_ip_cm.class_port_info.class_version", "Class version"),
    field<&ib::ClassPortInfo::capability_mask>(
        at(26), "rdma_ip_cm.class_port_info.capability_mask", "Capability mask", hex),
    field<&ib::ClassPortInfo::capability_mask2>(
        bits(28, 0xFFFF'FFE0, 4), "rdma_ip_cm.class_port_info.capability_mask2", "Capability mask 2", hex),
    field<&ib::ClassPortInfo::response_time_value>(
        bits(28, 0x0000'001F, 4), "rdma_ip_cm.class_port_info.response_time", "Response time (4.096 us * 2^n)"),
    field<&ib::ClassPortInfo::redirect_gid>(at(32), "rdma_ip_cm.class_port_info.redirect_gid", "Redirect GID"),
    field<&ib::ClassPortInfo::redirect_traffic_class>(
        at(48), "rdma_ip_cm.class_port_info.redirect_traffic_class", "Redirect traffic class", hex),
    field<&ib::ClassPortInfo::redirect_service_level>(
        bits(49, 0xF00000, 3), "rdma_ip_cm.class_port_info.redirect_sl", "Redirect service level"),
    field<&ib::ClassPortInfo::redirect_flow_label>(
        bits(49, 0x0FFFFF, 3), "rdma_ip_cm.class_port_info.redirect_flow_label", "Redirect flow label", hex),
    field<&ib::ClassPortInfo::redirect_lid>(at(52), "rdma_ip_cm.class_port_info.redirect_lid", "Redirect LID"),
    field<&ib::ClassPortInfo::redirect_p_key>(
        at(54), "rdma_ip_cm.class_port_info.redirect_p_key", "Redirect P_Key", hex),
    field<&ib::ClassPortInfo::reserved>(at(56), "rdma_ip_cm.class_port_info.reserved", "Reserved", hex, reserved),
    field<&ib::ClassPortInfo::redirect_qpn>(
        at(57, 3), "rdma_ip_cm.class_port_info.redirect_qpn", "Redirect queue pair", hex),
    field<&ib::ClassPortInfo::redirect_q_key>(
        at(60), "rdma_ip_cm.class_port_info.redirect_q_key", "Redirect Q_Key", hex),
    field<&ib::ClassPortInfo::trap_gid>(at(64), "rdma_ip_cm.class_port_info.trap_gid", "Trap GID"),
    field<&ib::ClassPortInfo::trap_traffic_class>(
        at(80), "rdma_ip_cm.class_port_info.trap_traffic_class", "Trap traffic class", hex),
    field<&ib::ClassPortInfo::trap_service_level>(
        bits(81, 0xF00000, 3), "rdma_ip_cm.class_port_info.trap_sl", "Trap service level"),
    field<&ib::ClassPortInfo::trap_flow_label>(
        bits(81, 0x0FFFFF, 3), "rdma_ip_cm.class_port_info.trap_flow_label", "Trap flow label", hex),
    field<&ib::ClassPortInfo::trap_lid>(at(84), "rdma_ip_cm.class_port_info.trap_lid", "Trap LID"),
    field<&ib::ClassPortInfo::trap_p_key>(at(86), "rdma_ip_cm.class_port_info.trap_p_key", "Trap P_Key", hex),
    field<&ib::ClassPortInfo::trap_hop_limit>(at(88), "rdma_ip_cm.class_port_info.trap_hop_limit", "Trap hop limit"),
    field<&ib::ClassPortInfo::trap_qpn>(at(89, 3), "rdma_ip_cm.class_port_info.trap_qpn", "Trap queue pair", hex),
    field<&ib::ClassPortInfo::trap_q_key>(at(92), "rdma_ip_cm.class_port_info.trap_q_key", "Trap Q_Key", hex));

}  // namespace fabricscope::layout
