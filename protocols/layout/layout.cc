// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>

#include "protocols/layout/error.h"
#include "protocols/layout/types.h"

namespace fabricscope {

std::string to_string(const Mac& mac) {
    char text[18];
    const auto& o = mac.octets;
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", o[0], o[1], o[2], o[3], o[4], o[5]);
    return text;
}

std::string to_string(const Ipv4& address) {
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, address.octets.data(), text, sizeof text);
    return text;
}

std::string to_string(const Gid& gid) {
    char text[INET6_ADDRSTRLEN];
    inet_ntop(AF_INET6, gid.octets.data(), text, sizeof text);
    return text;
}

std::string short_text(const Gid& gid) {
    if (!gid.is_ipv4()) return to_string(gid);
    Ipv4 address;
    std::copy(gid.octets.begin() + ipv4_mapped_prefix.size(), gid.octets.end(), address.octets.begin());
    return to_string(address);
}

std::string printable_text(ByteView octets) {
    std::string text;
    for (const std::uint8_t c : octets)
        text.push_back(c >= 0x20 && c < 0x7F ? static_cast<char>(c) : c == 0 ? ' ' : '.');
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

namespace layout {

std::string to_string(const ParseError& error) {
    char text[160];
    const auto expected = static_cast<unsigned long long>(error.expected);
    const auto actual = static_cast<unsigned long long>(error.actual);
    switch (error.fault) {
        case Fault::none: return "no error";
        case Fault::truncated:
            std::snprintf(
                text, sizeof text, "%s at offset %zu: cut off, %llu octets needed, %llu there", error.field,
                error.offset, expected, actual);
            break;
        case Fault::wrong_length:
            std::snprintf(
                text, sizeof text, "%s at offset %zu: length %llu expected, %llu found", error.field, error.offset,
                expected, actual);
            break;
        case Fault::wrong_value:
            std::snprintf(
                text, sizeof text, "%s at offset %zu: 0x%llx expected, 0x%llx found", error.field, error.offset,
                expected, actual);
            break;
    }
    return text;
}

}  // namespace layout
}  // namespace fabricscope
