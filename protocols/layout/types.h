// SPDX-License-Identifier: GPL-2.0-or-later
// The few value types that wire formats are made of, beyond plain integers.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fabricscope {

using ByteView = std::span<const std::uint8_t>;

/// N octets whose meaning the standard leaves open (reserved areas, user data, opaque ids).
template <std::size_t N> struct Bytes {
    std::array<std::uint8_t, N> octets{};
    auto operator<=>(const Bytes&) const = default;
};

/// An IEEE 802 MAC address, in transmission order.
struct Mac {
    std::array<std::uint8_t, 6> octets{};
    auto operator<=>(const Mac&) const = default;
};

/// An IPv4 address, in transmission order.
struct Ipv4 {
    std::array<std::uint8_t, 4> octets{};
    auto operator<=>(const Ipv4&) const = default;
};

/// In front of an IPv4 address that stands in the place of an IPv6 address (RFC 4291, 2.5.5.2).
inline constexpr std::array<std::uint8_t, 12> ipv4_mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

/// A 128-bit InfiniBand GID, which is also an IPv6 address; an IPv4 address is held as ::ffff:a.b.c.d.
struct Gid {
    std::array<std::uint8_t, 16> octets{};
    bool is_ipv4() const { return std::equal(ipv4_mapped_prefix.begin(), ipv4_mapped_prefix.end(), octets.begin()); }
    auto operator<=>(const Gid&) const = default;
};

/// N characters in a fixed-width field, padded with blanks or zeros.
template <std::size_t N> struct Text {
    std::array<std::uint8_t, N> octets{};
    auto operator<=>(const Text&) const = default;
};

/// "00:00:5e:00:53:0a"
std::string to_string(const Mac& mac);
/// "192.0.2.1"
std::string to_string(const Ipv4& address);
/// RFC 5952 text: "fe80::1", "::ffff:192.0.2.1"
std::string to_string(const Gid& gid);
/// The same, but "192.0.2.1" for an IPv4-mapped GID.
std::string short_text(const Gid& gid);
/// The characters without their padding; whatever is not printable ASCII becomes '.'.
std::string printable_text(ByteView octets);

}  // namespace fabricscope
