// SPDX-License-Identifier: GPL-2.0-or-later
// The TCP option by which both ends say that they can do SMC (RFC 7609, 3.1 and A.1).
#pragma once

#include <optional>

#include "protocols/smcr/names.h"

namespace fabricscope::smcr {

/// An experimental TCP option (kind 254, RFC 6994) whose 32-bit identifier is the eye catcher.
struct TcpOption {
    std::uint8_t kind = 254;
    std::uint8_t length = 6;
    std::uint32_t identifier = eye_catcher_smc_r;
};

/// The SMC option among the options of a TCP header (the octets after the first 20), SMC-R or SMC-D.
/// Malformed options end the search.
std::optional<TcpOption> find_tcp_option(ByteView options);

}  // namespace fabricscope::smcr

namespace fabricscope::layout {
template <>
inline constexpr auto layout_of<smcr::TcpOption> = layout<smcr::TcpOption>(
    "TCP option SMC", "RFC 7609, A.1", octets(0, 6),
    field<&smcr::TcpOption::kind>(at(0), "smcr.tcp_option.kind", "Kind"),
    field<&smcr::TcpOption::length>(at(1), "smcr.tcp_option.length", "Length"),
    field<&smcr::TcpOption::identifier>(
        at(2), "smcr.tcp_option.identifier", "Identifier", hex, names(smcr::eye_catcher_names)));
}  // namespace fabricscope::layout
