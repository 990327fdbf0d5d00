// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/fcip.h"

#include <algorithm>
#include <utility>

#include "protocols/fc/encapsulation.h"

namespace fabricscope::capture {
namespace {

/// Of the header's octets so many decide whether it is one.
constexpr std::size_t telling_size = 16;

/// RFC 3821 5.6.2.2 and 5.6.2.3: the fields that stand twice, and the length.
std::optional<fc::EncapsulationHeader> header_at(ByteView octets) {
    fc::EncapsulationHeader header;
    if (octets.size() < telling_size) return std::nullopt;
    layout::parse_into(header, octets);
    const bool doubled = header.protocol_inverted == static_cast<std::uint8_t>(~header.protocol) &&
                         header.version_inverted == static_cast<std::uint8_t>(~header.version) &&
                         std::ranges::equal(octets.first(4), octets.subspan(4, 4)) && header.reserved == 0 &&
                         header.reserved_inverted == 0xFF &&
                         header.frame_length_inverted == (~header.frame_length & 0x3FF);
    const bool sensible = header.protocol == fc::encapsulation_protocol_fcip && header.version == 1 &&
                          header.frame_length >= fc::encapsulation_min_words &&
                          header.frame_length <= fc::encapsulation_max_words;
    return doubled && sensible ? std::optional(header) : std::nullopt;
}

}  // namespace

void FcipStream::insert(const TcpSegment& segment, std::uint64_t frame) {
    const std::uint32_t first = segment.sequence + (segment.has(syn) ? 1 : 0);
    if (segment.has(syn)) stream_.start(first);
    stream_.insert(first, segment.payload, segment.payload_length, frame);
}

void FcipStream::acknowledged(std::uint32_t sequence) {
    if (!stream_.has_hole()) return;
    const std::int64_t offset = stream_.offset_of(sequence);
    if (offset > 0) given_up_until_ = std::max(given_up_until_, end() + static_cast<std::uint64_t>(offset));
}

/// Leaves readable what begins with a header; false if there is none yet.
bool FcipStream::find_header() {
    const ByteView readable = stream_.readable();
    std::size_t at = 0;
    while (at + telling_size <= readable.size() && !header_at(readable.subspan(at))) ++at;
    stream_.consume(at);
    return at + telling_size <= readable.size();
}

/// Whether the octets that are missing behind the readable ones will not come any more.
bool FcipStream::hole_stays() const {
    return stream_.has_hole() && (end() < given_up_until_ || stream_.waiting_pieces() >= patience);
}

std::optional<FcipStream::Encapsulated> FcipStream::next() {
    stream_.skip(std::exchange(pending_, 0));
    for (;; stream_.skip_hole()) {
        if (find_header()) {
            const ByteView readable = stream_.readable();
            const fc::EncapsulationHeader header = *header_at(readable);
            const std::uint32_t length = header.frame_length * 4U;
            if (readable.size() < length && !hole_stays()) return std::nullopt;
            pending_ = length;
            const ByteView octets = readable.first(std::min<std::size_t>(readable.size(), length));
            const std::uint64_t last = stream_.position() + octets.size() - 1;
            return Encapsulated{octets, length, stream_.frame_completing(last), header.special_frame};
        }
        if (!hole_stays()) return std::nullopt;
    }
}

bool FcipStreams::takes(const Packet& packet) {
    return packet.transport == Transport::tcp &&
           (packet.tcp.source_port == fc::fcip_tcp_port || packet.tcp.destination_port == fc::fcip_tcp_port);
}

FcipStreams::Direction& FcipStreams::direction_of(const Ends& ends) {
    if (const auto found = index_.find(ends); found != index_.end()) {
        directions_.splice(directions_.begin(), directions_, found->second);
        return directions_.front();
    }
    if (directions_.size() >= most_streams) {
        index_.erase(directions_.back().ends);
        directions_.pop_back();
    }
    directions_.push_front({ends, {}, {}});
    index_.emplace(ends, directions_.begin());
    return directions_.front();
}

void FcipStreams::hand_on(FcipStream& stream, const Packet& carrier, const Sink& sink) {
    while (const auto found = stream.next()) {
        if (found->special) continue;
        FcPacket fc;
        const DecodeState state = decode_fcip(found->octets, found->length, fc);
        if (!fc.has_header()) continue;
        Packet packet = carrier;
        packet.state = state;
        packet.layer = state == DecodeState::ok ? Layer::none : Layer::fc;
        packet.tcp = {};
        packet.fc = fc;
        take_fc_packet(packet);
        sink(packet);
    }
}

void FcipStreams::on_packet(const Packet& packet, const Sink& sink) {
    const TcpSegment& tcp = packet.tcp;
    if (tcp.has(ack)) {
        const auto other = index_.find({packet.destination, packet.source, tcp.destination_port, tcp.source_port});
        if (other != index_.end()) {
            other->second->stream.acknowledged(tcp.acknowledgment);
            hand_on(other->second->stream, packet, sink);
        }
    }
    if (tcp.payload_length == 0 && !tcp.has(syn)) return;
    Direction& direction = direction_of({packet.source, packet.destination, tcp.source_port, tcp.destination_port});
    direction.stream.insert(tcp, packet.number);
    hand_on(direction.stream, packet, sink);
    direction.last = packet;
    direction.last.tcp = {};
    direction.last.segment = {};
}

void FcipStreams::finish(const Sink& sink) {
    for (auto direction = directions_.rbegin(); direction != directions_.rend(); ++direction) {
        direction->stream.finish();
        hand_on(direction->stream, direction->last, sink);
    }
}

}  // namespace fabricscope::capture
