// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of pcapng files, for what neither libpcap nor wiretap tell of
// (https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html, sections 3 and 4). A block begins with its type
// and its length in octets, and ends with the length again, in the byte order of its section.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fabricscope::capture::pcapng {

inline constexpr std::uint32_t section_header = 0x0A0D'0D0A;  ///< the same in either byte order
inline constexpr std::uint32_t byte_order_magic = 0x1A2B'3C4D;
inline constexpr std::uint32_t interface_description = 1;
inline constexpr std::uint32_t interface_statistics = 5;
inline constexpr std::uint32_t enhanced_packet = 6;
inline constexpr std::array packet_blocks{2U, 3U, enhanced_packet};
inline constexpr std::uint32_t smallest_block = 12;
/// Whether a block of that type is no record of its own, and has no frame number anywhere: headers, interfaces, names,
/// statistics, secrets.
constexpr bool is_description(std::uint32_t type) {
    constexpr std::uint32_t name_resolution = 4, decryption_secrets = 10;
    return type == section_header || type == interface_description || type == name_resolution ||
           type == interface_statistics || type == decryption_secrets;
}

namespace option {
inline constexpr std::uint16_t end = 0, comment = 1, received = 4, interface_dropped = 5, system_dropped = 7;
}

/// Calls `on_option` with the code and the value of each. `options` begin with the first one and may go on behind the
/// last; `host` brings a 16-bit number into this host's byte order.
template <class Host, class OnOption>
void for_each_option(std::string_view options, const Host& host, const OnOption& on_option) {
    while (options.size() >= 4) {
        std::array<std::uint16_t, 2> head;
        std::memcpy(head.data(), options.data(), sizeof head);
        const std::uint16_t code = host(head[0]), length = host(head[1]);
        options.remove_prefix(sizeof head);
        if (code == option::end || length > options.size()) return;
        on_option(code, options.substr(0, length));
        options.remove_prefix(std::min<std::size_t>(options.size(), (length + 3U) / 4 * 4));
    }
}

}  // namespace fabricscope::capture::pcapng
