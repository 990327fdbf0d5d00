// SPDX-License-Identifier: GPL-2.0-or-later
// Payloads of link services and of the Name Server as ports fill them in, whoever makes the ports up.
#pragma once

#include <vector>

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "protocols/layout/types.h"

namespace fabricscope::builders {

/// What a port says of itself in FLOGI and PLOGI, or the Fabric in its answer. Classes 2 and 3 are supported.
struct FcLoginFields {
    std::uint64_t port_name = 0, node_name = 0;
    std::uint16_t bb_credit = 8;
    std::uint16_t data_field_size = 2048;  ///< bytes
    bool in_order = true;                  ///< Sequential Delivery
    bool increasing_seq_cnt = true, increasing_relative_offset = true;
    bool ack_0 = false;                   ///< class 2: the port can send ACK_0, and take it
    std::uint16_t end_to_end_credit = 0;  ///< class 2, of a port
    bool clock_sync = false;              ///< class 3, of a port: clocks may be set by ELS
    bool short_r_t_tov = false;           ///< of the Fabric
    bool priority = false;                ///< of the Fabric
    std::uint32_t e_d_tov_ms = 2'000, r_a_tov_ms = 10'000;
};

/// FLOGI, FDISC, PLOGI; `command` LS_ACC: what accepts a PLOGI.
fc::Login login_of(std::uint8_t command, const FcLoginFields& fields);
/// LS_ACC to FLOGI, from the Fabric or from another N_Port.
fc::Login fabric_accept_of(const FcLoginFields& fields, bool is_fabric);
std::vector<std::uint8_t> payload_of(const fc::Login& login);

/// PRLI, PRLO and their LS_ACCs, with one page.
std::vector<std::uint8_t> process_payload(std::uint8_t command, ByteView page);
/// LS_ACC that says nothing else.
std::vector<std::uint8_t> ls_acc_payload();
std::vector<std::uint8_t> gid_ipp_payload(const Gid& ip);
/// The Name Server's answer; none: a reject.
std::vector<std::uint8_t> gid_ipp_answer_payload(const std::vector<std::uint32_t>& ports);
/// IPv4 as Fibre Channel holds it: behind 12 octets of zero.
Gid fc_ip(const Ipv4& ip);

}  // namespace fabricscope::builders
