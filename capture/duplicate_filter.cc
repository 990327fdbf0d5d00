// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/duplicate_filter.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>

#include "protocols/net/headers.h"

namespace fabricscope::capture {
namespace {

constexpr std::uint32_t most_interfaces = 64;
/// Candidates looked at for one packet; bounds the work for a capture of nothing but equal packets.
constexpr int most_candidates = 64;

std::uint64_t hash_of(ByteView octets) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(octets.data()), octets.size()});
}

std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return std::rotl(a * 0x9E37'79B9'7F4A'7C15, 31) ^ b; }

template <layout::WireFormat T> consteval std::size_t offset_of(std::string_view filter) {
    return std::ranges::find(layout::info_of<T>().fields, filter, &layout::FieldInfo::filter)->offset;
}

/// The transport checksum is left out: an interface that computes it shows the sender another one.
std::uint64_t hash_of_segment(const Packet& packet) {
    const auto without = [&](std::size_t offset) {
        const ByteView segment = packet.segment;
        constexpr std::size_t size = sizeof(net::TcpHeader::checksum);
        if (segment.size() < offset + size) return hash_of(segment);
        return combine(hash_of(segment.first(offset)), hash_of(segment.subspan(offset + size)));
    };
    if (packet.transport == Transport::tcp) return without(offset_of<net::TcpHeader>("tcp.checksum"));
    if (packet.transport == Transport::udp) return without(offset_of<net::UdpHeader>("udp.checksum"));
    return hash_of(packet.segment);
}

std::uint64_t fingerprint_of(const Packet& packet) {
    std::uint64_t fingerprint = hash_of_segment(packet);
    fingerprint = combine(fingerprint, hash_of(packet.source.bytes));
    fingerprint = combine(fingerprint, hash_of(packet.destination.bytes));
    return combine(fingerprint, packet.ip_identification);
}

}  // namespace

DuplicateFilter::DuplicateFilter(std::uint32_t interface_count, Time window, std::size_t capacity) : window_(window) {
    if (interface_count <= 1) return;
    originals_.resize(capacity);
    buckets_.resize(std::bit_ceil(2 * capacity));
}

std::optional<std::uint64_t> DuplicateFilter::original_among_several(const Packet& packet) {
    if (packet.transport == Transport::none || packet.interface >= most_interfaces) return {};
    const std::uint64_t fingerprint = fingerprint_of(packet);
    if (Original* original = find(fingerprint, packet)) {
        original->interfaces |= std::uint64_t{1} << packet.interface;
        return original->frame;
    }
    remember(fingerprint, packet);
    return {};
}

DuplicateFilter::Original* DuplicateFilter::find(std::uint64_t fingerprint, const Packet& packet) {
    std::uint64_t serial = buckets_[fingerprint % buckets_.size()];
    for (int i = 0; i < most_candidates && held(serial); ++i) {
        Original& original = originals_[serial % originals_.size()];
        const bool elsewhere = (original.interfaces >> packet.interface & 1) == 0;
        const Time distance = packet.time - original.time;
        if (original.fingerprint == fingerprint && elsewhere && distance >= -window_ && distance <= window_)
            return &original;
        serial = original.previous;
    }
    return nullptr;
}

void DuplicateFilter::remember(std::uint64_t fingerprint, const Packet& packet) {
    std::uint64_t& bucket = buckets_[fingerprint % buckets_.size()];
    const std::uint64_t interface = std::uint64_t{1} << packet.interface;
    originals_[next_ % originals_.size()] = {fingerprint, packet.number, interface, packet.time, bucket};
    bucket = next_++;
}

}  // namespace fabricscope::capture
