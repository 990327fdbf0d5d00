// SPDX-License-Identifier: GPL-2.0-or-later
// What connections of any protocol have: two sides, addresses, moments.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "capture/packet.h"

namespace fabricscope::engine {

using capture::Address;
using capture::Time;

/// Who asked for the connection, and who was asked.
enum class Side : std::uint8_t { client = 0, server = 1 };
constexpr Side other(Side side) { return side == Side::client ? Side::server : Side::client; }
constexpr const char* name_of(Side side) { return side == Side::client ? "client" : "server"; }

/// One T for each side.
template <class T> struct PerSide {
    std::array<T, 2> values{};
    T& operator[](Side side) { return values[static_cast<std::size_t>(side)]; }
    const T& operator[](Side side) const { return values[static_cast<std::size_t>(side)]; }
    void swap_sides() { std::swap(values[0], values[1]); }
};

struct SocketAddress {
    Address address;
    std::uint16_t port = 0;
    bool operator==(const SocketAddress&) const = default;
};
/// "192.0.2.10:38234", "[2001:db8::1]:18001"
std::string to_string(const SocketAddress& address);

/// Something that happened once.
struct FrameStamp {
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint32_t interface = 0;
};
inline FrameStamp step_of(const capture::Packet& packet) { return {packet.time, packet.number, packet.interface}; }

/// Interfaces whose clocks differ by less show packets in another order.
constexpr Time greatest_skew = 10 * capture::millisecond;
/// Whether the two may have happened in the other order.
inline bool may_be_swapped(const FrameStamp& one, const FrameStamp& other) {
    return one.interface != other.interface && std::abs(one.time - other.time) < greatest_skew;
}

}  // namespace fabricscope::engine
