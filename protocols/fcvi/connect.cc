// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fcvi/connect.h"

#include <algorithm>

#include "protocols/fcvi/device_header.h"

namespace fabricscope::fcvi {

namespace {

using layout::PartReader;

template <class Body> void read_body(PartReader& reader, Body& body) {
    reader.read(body.head);
    reader.read(body.local);
    reader.read(body.remote);
    reader.read(body.attributes);
}

constexpr std::array rev_1_0_levels{
    std::pair{std::uint8_t{1}, Reliability::unreliable_delivery},
    std::pair{std::uint8_t{2}, Reliability::reliable_delivery},
    std::pair{std::uint8_t{4}, Reliability::reliable_reception}};
constexpr std::array iso_levels{
    std::pair{std::uint8_t{1}, Reliability::unreliable_delivery},
    std::pair{std::uint8_t{2}, Reliability::reliable_delivery},
    std::pair{std::uint8_t{3}, Reliability::reliable_reception}};

std::string hex_text(ByteView octets) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t octet : octets) text += {digits[octet >> 4], digits[octet & 15]};
    return text;
}

/// An IPv4 address stands behind 12 octets of zero.
std::string host_text(const Gid& host) {
    constexpr std::size_t zeros = 12;
    const auto end = host.octets.begin() + zeros;
    if (host.octets[zeros] == 0 || std::any_of(host.octets.begin(), end, [](std::uint8_t octet) { return octet != 0; }))
        return to_string(host);
    Ipv4 address;
    std::copy(end, host.octets.end(), address.octets.begin());
    return to_string(address);
}

}  // namespace

bool same_discriminator(const NetAddress& a, const NetAddress& b) {
    return a.discriminator_length == b.discriminator_length &&
           std::ranges::equal(a.used_discriminator(), b.used_discriminator());
}

std::string to_string(const NetAddress& address) {
    ByteView octets = address.used_discriminator();
    while (!octets.empty() && octets.back() == 0) octets = octets.first(octets.size() - 1);
    const bool is_text = !octets.empty() &&
                         std::ranges::all_of(octets, [](std::uint8_t c) { return c > ' ' && c < 0x7F; });
    return host_text(address.host) + '#' +
           (is_text ? std::string(octets.begin(), octets.end()) : hex_text(address.used_discriminator()));
}

std::uint32_t ConnectPayload::revision() const {
    return std::visit([](const auto& b) { return std::uint32_t{b.head.revision}; }, body);
}
std::uint32_t ConnectPayload::handle() const {
    return std::visit([](const auto& b) { return b.head.handle; }, body);
}
std::optional<std::uint32_t> ConnectPayload::captured_handle() const {
    static_assert(layout::size_of<ConnectHead> >= layout::size_of<ConnectHeadRev10>);
    const std::size_t head = version() == Version::iso ? layout::size_of<ConnectHead>
                                                       : layout::size_of<ConnectHeadRev10>;
    return error && error.offset < head ? std::nullopt : std::optional(handle());
}
const NetAddress& ConnectPayload::local() const {
    return std::visit([](const auto& b) -> const NetAddress& { return b.local; }, body);
}
const NetAddress& ConnectPayload::remote() const {
    return std::visit([](const auto& b) -> const NetAddress& { return b.remote; }, body);
}
const CommonAttributes& ConnectPayload::attributes() const {
    return std::visit([](const auto& b) -> const CommonAttributes& { return b.attributes; }, body);
}
const ConnectInfo* ConnectPayload::info() const {
    const auto* iso = std::get_if<ConnectIso>(&body);
    return iso != nullptr && iso->info ? &*iso->info : nullptr;
}

std::optional<Reliability> ConnectPayload::reliability() const {
    const auto& levels = version() == Version::iso ? iso_levels : rev_1_0_levels;
    for (const auto& [code, level] : levels)
        if (code == attributes().reliability_level) return level;
    return std::nullopt;
}

std::uint8_t reliability_code(Version version, Reliability level) {
    const auto& levels = version == Version::iso ? iso_levels : rev_1_0_levels;
    return std::ranges::find(levels, level, [](const auto& entry) { return entry.second; })->first;
}

std::optional<bool> wants_preference(Version version, const Qos& qos) {
    const std::uint8_t wanted = version == Version::iso ? 0x80 : 0x01;
    if (qos.preference == 0) return false;
    if (qos.preference == wanted) return true;
    return std::nullopt;
}

ConnectPayload parse_connect(ByteView octets, std::size_t length, Version version) {
    ConnectPayload payload;
    PartReader reader(octets, length);
    if (version == Version::rev_1_0) {
        read_body(reader, payload.body.emplace<ConnectRev10>());
    } else {
        auto& body = payload.body.emplace<ConnectIso>();
        read_body(reader, body);
        if (reader.remaining() >= connect_info_size) reader.read(body.info);
    }
    if (reader.remaining() != 0) payload.rest = reader.take(reader.remaining(), "fcvi.connect.info");
    payload.error = reader.error();
    return payload;
}

std::vector<std::uint8_t> build(const ConnectPayload& payload) {
    layout::Builder builder;
    walk(payload, builder);
    return std::move(builder.message);
}

ConnectVersion version_of_connect(std::size_t device_header_size, std::size_t payload_length, ByteView payload) {
    constexpr std::array<std::uint8_t, 8> iso_start{0, 0, 0, 0, 0, 0, 0, revision};
    constexpr std::array<std::uint8_t, 4> rev_1_0_start{0, 0, 0, revision};
    const auto begins_with = [&](ByteView start) {
        return payload.size() >= start.size() && std::ranges::equal(payload.first(start.size()), start);
    };
    const bool long_header = device_header_size == long_device_header;
    const bool iso_length = payload_length == iso_connect_size || payload_length == iso_connect_size_with_info;
    const int iso = long_header + iso_length + begins_with(iso_start);
    const int rev_1_0 = (device_header_size == short_device_header) + (payload_length == rev_1_0_connect_size) +
                        begins_with(rev_1_0_start);
    const bool is_iso = iso == rev_1_0 ? long_header : iso > rev_1_0;
    return {is_iso ? Version::iso : Version::rev_1_0, std::max(iso, rev_1_0) >= 2};
}

}  // namespace fabricscope::fcvi
