// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/duplicate_filter.h"

#include <algorithm>
#include <string_view>

#include "capture/fcoe_vlan.h"
#include "capture/hash.h"
#include "protocols/net/headers.h"

namespace fabricscope::capture {
namespace {

constexpr std::uint32_t most_interfaces = 64;
/// Candidates looked at for one packet; bounds the work for a capture of nothing but equal packets.
constexpr int most_candidates = 64;
constexpr std::size_t most_of_one_interface = 1024;
constexpr std::size_t pair_count = 256;
/// How late a copy comes by the same interface: a switch and its mirror hold a frame for microseconds.
constexpr Time latest = 100 * microsecond, latest_identified = millisecond;
/// A network that doubles packets delivers the second one when it likes.
constexpr Time latest_counted = 100 * millisecond;

template <layout::WireFormat T> consteval std::size_t offset_of(std::string_view filter) {
    return std::ranges::find(layout::info_of<T>().fields, filter, &layout::FieldInfo::filter)->offset;
}

/// What is captured of a packet wherever anything is: TCP's header, or BTH and what follows it.
constexpr std::size_t beginning = 20;

/// The transport checksum is left out: an interface that computes it shows the sender another one.
std::uint64_t hash_of_beginning(const Packet& packet) {
    const ByteView octets = packet.segment.first(std::min(beginning, packet.segment.size()));
    const auto without = [&](std::size_t offset) {
        constexpr std::size_t size = sizeof(net::TcpHeader::checksum);
        if (octets.size() < offset + size) return hash_of(octets);
        return combine(hash_of(octets.first(offset)), hash_of(octets.subspan(offset + size)));
    };
    if (packet.transport == Transport::tcp) return without(offset_of<net::TcpHeader>("tcp.checksum"));
    if (packet.transport == Transport::udp) return without(offset_of<net::UdpHeader>("udp.checksum"));
    return hash_of(octets);
}

/// Headers stand in front and CRCs at the end, which tell of all between them.
std::uint64_t hash_of_rest(ByteView segment) {
    constexpr std::size_t head = 44, tail = 8;
    if (segment.size() <= beginning) return 0;
    const ByteView rest = segment.subspan(beginning);
    const std::uint64_t begin = hash_of(rest.first(std::min(head, rest.size())));
    return rest.size() <= head ? begin : combine(begin, hash_of(segment.last(tail)));
}

}  // namespace

DuplicateFilter::DuplicateFilter(std::uint32_t interface_count, Time window, std::size_t capacity)
    : window_(window), is_one_interface_(interface_count <= 1) {
    originals_.resize(is_one_interface_ ? std::min(capacity, most_of_one_interface) : capacity);
    first_of_.resize(most_interfaces);
    buckets_.resize(2 * originals_.size());
    pairs_.resize(pair_count);
    heard_.resize(most_interfaces);
}

std::optional<std::uint64_t> DuplicateFilter::original_of(const Packet& packet) {
    if (packet.transport == Transport::none || packet.interface >= most_interfaces) return {};
    hear(packet);
    const Direction direction = direction_of(packet);
    const Fingerprint fingerprint = {
        combine(combine(hash_of_beginning(packet), packet.segment_length), direction.ends ^ packet.ip_identification),
        hash_of_rest(packet.segment), static_cast<std::uint32_t>(packet.segment.size()), fcoe_vlan(packet)};
    if (Original* original = find(fingerprint, packet, direction)) {
        if (original->fingerprint.vlan == 0) original->fingerprint.vlan = fingerprint.vlan;
        const std::uint64_t frame = original->frame;
        const std::uint64_t interface = std::uint64_t{1} << packet.interface;
        const bool elsewhere = (original->interfaces & interface) == 0;
        original->interfaces |= interface;
        // Copies of this one, by the same interface, come soon after it.
        if (elsewhere) remember(fingerprint, packet, frame, ~std::uint64_t{0});
        return frame;
    }
    Way& way = direction.way;
    const auto less_psn = static_cast<std::uint16_t>(packet.ip_identification - packet.ib.bth.psn);
    way.counts |= way.youngest != 0 && way.identification != packet.ip_identification &&
                  (packet.transport != Transport::ib || way.less_psn != less_psn);
    way.youngest = next_;
    way.identification = packet.ip_identification;
    way.less_psn = less_psn;
    remember(fingerprint, packet, packet.number, std::uint64_t{1} << packet.interface);
    compare_clocks(fingerprint, packet);
    return {};
}

/// Only what IP identifies is the same frame however far apart, and only if several are equally far.
void DuplicateFilter::compare_clocks(const Fingerprint& fingerprint, const Packet& packet) {
    constexpr std::uint32_t most_first = 2048, enough = 8;
    constexpr Time steady = 100 * millisecond;  // clocks drift, and so does what the network takes
    if (is_one_interface_ || clock_offset_ || packet.ip_identification == 0) return;
    if (first_of_[packet.interface]++ >= most_first) return;
    const auto [entry, is_new] = first_.try_emplace(
        fingerprint.key, First{packet.number, packet.interface, packet.time});
    const First& first = entry->second;
    const Time offset = packet.time - first.time;
    if (is_new || first.interface == packet.interface || (offset <= window_ && offset >= -window_)) return;
    const Time change = offset - latest_offset_;
    equal_offsets_ = change <= steady && change >= -steady ? equal_offsets_ + 1 : 1;
    latest_offset_ = offset;
    if (equal_offsets_ >= enough) clock_offset_ = ClockOffset{offset, first.frame, packet.number};
}

DuplicateFilter::Direction DuplicateFilter::direction_of(const Packet& packet) {
    const std::hash<Address> hash;
    const std::uint64_t source = hash(packet.source), destination = hash(packet.destination);
    const std::uint64_t addresses = combine(source ^ destination, static_cast<std::uint64_t>(packet.transport));
    Pair& pair = pairs_[addresses % pair_count];
    if (pair.addresses != addresses) pair = {addresses, {}};
    const bool forward = source < destination;
    return {pair.ways[forward], pair.ways[!forward], combine(source, destination)};
}

void DuplicateFilter::hear(const Packet& packet) {
    Heard& heard = heard_[packet.interface];
    if (!heard.first) heard.first = packet.time;
    heard.latest = std::max(heard.latest, packet.time);
}

/// The first one that an interface shows may be a copy of what another one has just shown.
bool DuplicateFilter::were_heard_together(const Original& original, const Packet& packet) const {
    const Time begin = heard_[packet.interface].first.value_or(packet.time);
    return heard_[original.interface].latest >= begin || begin - original.time <= latest;
}

bool DuplicateFilter::is_copy(
    const Original& original, std::uint64_t serial, const Packet& packet, const Direction& direction) const {
    const Time distance = packet.time - original.time;
    if ((original.interfaces >> packet.interface & 1) == 0) {
        if (distance < -window_ || distance > window_) return false;
        return packet.ip_identification != 0 || were_heard_together(original, packet);
    }
    if (distance < 0 || original.interface != packet.interface) return false;
    // What adapters send need not be told apart by it (RFC 6864, 4.1): all may have one, or that of their PSN.
    const bool identified = packet.ip_identification != 0 &&
                            (packet.transport != Transport::ib || direction.way.counts);
    if (identified) return distance <= (direction.way.counts ? latest_counted : latest_identified);
    return distance <= latest && direction.opposite.youngest < serial;
}

DuplicateFilter::Original* DuplicateFilter::find(
    const Fingerprint& fingerprint, const Packet& packet, const Direction& direction) {
    std::uint64_t serial = buckets_[fingerprint.key & (buckets_.size() - 1)];
    for (int i = 0; i < most_candidates && held(serial); ++i) {
        Original& original = this->original(serial);
        if (original.fingerprint.may_be(fingerprint) && is_copy(original, serial, packet, direction)) return &original;
        serial = original.previous;
    }
    return nullptr;
}

void DuplicateFilter::remember(
    const Fingerprint& fingerprint, const Packet& packet, std::uint64_t frame, std::uint64_t interfaces) {
    std::uint64_t& bucket = buckets_[fingerprint.key & (buckets_.size() - 1)];
    original(next_) = {fingerprint, frame, interfaces, packet.interface, packet.time, bucket};
    bucket = next_++;
}

}  // namespace fabricscope::capture
