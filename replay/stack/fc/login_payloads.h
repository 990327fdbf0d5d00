// SPDX-License-Identifier: GPL-2.0-or-later
// Payloads of link services and of the Name Server as emulated ports fill them in.
#pragma once

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack::fibre_channel {

/// What a port says of itself in FLOGI and PLOGI, or the Fabric in its answer. Classes 2 and 3 are supported.
struct LoginFields {
    std::uint64_t port_name = 0, node_name = 0;
    std::uint16_t data_field_size = 2048;  ///< octets
    bool in_order = true;                  ///< Sequential Delivery
    bool increasing_seq_cnt = true, increasing_relative_offset = true;
    Time e_d_tov = 2 * second, r_a_tov = 10 * second;  ///< whole milliseconds
};

/// FLOGI, PLOGI; `command` LS_ACC: what accepts a PLOGI.
Octets login_payload(std::uint8_t command, const LoginFields& fields);
/// LS_ACC to FLOGI, from the Fabric or from another N_Port.
Octets fabric_accept_payload(const LoginFields& fields, bool is_fabric);
/// PRLI, PRLO and their LS_ACCs, with one page.
Octets process_payload(std::uint8_t command, const Octets& page);
/// LS_ACC that says nothing else.
Octets accept_payload();
Octets gid_ipp_payload(const Gid& ip);
/// The Name Server's answer; none: a reject.
Octets gid_ipp_answer_payload(const std::vector<std::uint32_t>& ports);
/// IPv4 as Fibre Channel holds it: behind 12 octets of zero.
Gid fc_ip(const Ipv4& ip);

}  // namespace fabricscope::stack::fibre_channel
