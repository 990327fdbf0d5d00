// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers, times and names as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/observations/words.h"

namespace fabricscope::report {

using capture::Time;

using observations::counted;
using observations::duration_text;
using observations::grouped;

/// Seconds with nine decimals.
std::string seconds_text(Time duration);
/// "12.3 MB/s"
std::string rate_text(double octets_per_second);
/// RFC 3339 with nanoseconds: "2026-11-21T02:10:26.123456789Z"
std::string timestamp_text(Time time);

/// "SMC-Rv1", "SMC-Rv2.1"; "SMC-R" if the version is unknown
std::string version_text(std::optional<std::uint8_t> version, std::optional<std::uint8_t> release);
/// "smcr-1"
std::string connection_name(std::uint32_t id);
/// "lg-1"; empty for 0
std::string link_group_name(std::uint32_t id);
/// "0x000000000106a1b2", for what may pass 2^53
std::string hex_text(std::uint64_t value);
/// "0x03030008"
std::string code_text(std::uint32_t code);
/// "8d40-00:00:5e:00:53:0a": the instance number and the MAC address
std::string peer_id_text(const engine::smcr::wire::PeerId& id);
/// "192.0.2.10:38234"; empty if unknown
std::string end_text(const std::optional<engine::smcr::SocketAddress>& end);
/// The same; "?" if unknown.
std::string known_end(const std::optional<engine::smcr::SocketAddress>& end);

}  // namespace fabricscope::report
