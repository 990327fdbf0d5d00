// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/packet_socket.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "protocols/ib/headers.h"
#include "protocols/net/headers.h"
#include "protocols/net/internet_checksum.h"
#include "replay/transport/ethernet.h"

namespace fabricscope::replay {

namespace {

constexpr std::size_t udp_size = layout::size_of<net::UdpHeader>;
constexpr std::size_t udp_offset = frame_offset + layout::size_of<net::Ipv4Header>;
constexpr std::size_t length_offset = frame_offset + 2, identification_offset = frame_offset + 4;
constexpr std::size_t flags_offset = frame_offset + 6, checksum_offset = frame_offset + 10;
constexpr std::size_t addresses_offset = frame_offset + 12, protocol_offset = frame_offset + 9;
constexpr std::size_t udp_length_offset = udp_offset + 4, udp_checksum_offset = udp_offset + 6;
constexpr std::uint8_t version_and_length = 0x45;          // IPv4, without options
constexpr std::uint8_t checksum_is_begun = 1, of_udp = 5;  // flags and type of what is joined
constexpr int room_ms = 1000;                              // how long the interface may take none

unsigned number_at(ByteView octets, std::size_t at) { return unsigned{octets[at]} << 8 | octets[at + 1]; }

void put_number(std::span<std::uint8_t> octets, std::size_t at, std::size_t value) {
    octets[at] = static_cast<std::uint8_t>(value >> 8);
    octets[at + 1] = static_cast<std::uint8_t>(value);
}

bool is_udp(ByteView frame) {
    return frame.size() > udp_offset + udp_size && number_at(frame, frame_offset - 2) == net::ether_type_ipv4 &&
           frame[frame_offset] == version_and_length && frame[protocol_offset] == net::protocol_udp &&
           (number_at(frame, flags_offset) & 0x3FFF) == 0;
}

/// A RoCEv2 packet of a reliable connection. Datagrams are left alone: each is read as one message where it is
/// captured.
bool may_be_joined(ByteView frame) {
    constexpr unsigned transport_shift = 5;
    return is_udp(frame) && number_at(frame, udp_offset + 2) == ib::roce_v2_udp_port &&
           number_at(frame, udp_checksum_offset) == 0 && frame[udp_offset + udp_size] >> transport_shift == 0;
}

/// Whether the kernel, cutting them, would make the one from the other, so many places behind it.
bool is_of_the_same(ByteView first, ByteView frame, std::size_t place) {
    const auto same = [&](std::size_t from, std::size_t to) {
        return std::memcmp(first.data() + from, frame.data() + from, to - from) == 0;
    };
    const unsigned identification = number_at(first, identification_offset) + static_cast<unsigned>(place);
    return frame.size() == first.size() && same(0, identification_offset) && same(flags_offset, checksum_offset) &&
           same(addresses_offset, udp_offset + udp_size) &&
           number_at(frame, identification_offset) == (identification & 0xFFFF);
}

/// Lengths, and the checksum of IP, of a packet with so much payload.
void put_lengths(std::span<std::uint8_t> headers, std::size_t payload) {
    put_number(headers, udp_length_offset, udp_size + payload);
    put_number(headers, length_offset, headers.size() - frame_offset + payload);
    put_number(headers, checksum_offset, 0);
    const ByteView ip = ByteView(headers).subspan(frame_offset, layout::size_of<net::Ipv4Header>);
    put_number(headers, checksum_offset, net::checksum_of(net::checksum_sum(ip)));
}

/// Of UDP's pseudo header; the one who cuts the packets adds their payload.
std::uint16_t begun_checksum(ByteView headers) {
    const ByteView addresses = headers.subspan(addresses_offset, 2 * sizeof(Ipv4));
    const unsigned sum = net::protocol_udp + number_at(headers, udp_length_offset);
    return static_cast<std::uint16_t>(~net::checksum_of(net::checksum_sum(addresses, sum)));
}

void set_option(const FileDescriptor& socket, int level, int option, const auto& value, const std::string& interface) {
    if (::setsockopt(socket.get(), level, option, &value, sizeof value) != 0)
        throw TransportError(system_error(interface + ": setting up"));
}

/// The user's, behind one that leaves frames with a VLAN tag out: the kernel has taken the tag out of them.
std::vector<sock_filter> without_tagged(std::span<const sock_filter> filter) {
    std::vector<sock_filter> program{
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, static_cast<unsigned>(SKF_AD_OFF) + SKF_AD_VLAN_TAG_PRESENT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), BPF_STMT(BPF_RET | BPF_K, 0)};
    program.insert(program.end(), filter.begin(), filter.end());
    return program;
}

int index_of(const FileDescriptor& socket, const std::string& interface) {
    const unsigned index = ::if_nametoindex(interface.c_str());
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    if (index == 0 || ::ioctl(socket.get(), SIOCGIFHWADDR, &request) != 0)
        throw TransportError(system_error(interface));
    if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER) throw TransportError(interface + " is no Ethernet interface");
    return static_cast<int>(index);
}

}  // namespace

PacketSocket::PacketSocket(std::string interface, std::span<const sock_filter> filter, int buffer)
    : name_(std::move(interface)), socket_(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)) {
    if (socket_.get() < 0) throw TransportError(system_error(name_ + ": raw frames"));
    const int index = index_of(socket_, name_);
    std::vector<sock_filter> instructions = without_tagged(filter);
    const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
    constexpr int yes = 1;
    set_option(socket_, SOL_SOCKET, SO_ATTACH_FILTER, program, name_);
    set_option(socket_, SOL_PACKET, PACKET_VNET_HDR, yes, name_);
    // What this host sends is of no interest, and need not be copied to where it is read.
    set_option(socket_, SOL_PACKET, PACKET_IGNORE_OUTGOING, yes, name_);
    if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0)
        set_option(socket_, SOL_SOCKET, SO_RCVBUF, buffer, name_);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = index;
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw TransportError(system_error(name_));
    packet_mreq promiscuous{};
    promiscuous.mr_ifindex = index;
    promiscuous.mr_type = PACKET_MR_PROMISC;
    set_option(socket_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, promiscuous, name_);
    for (std::size_t i = 0; i < most_received; ++i) {
        places_[i] = {iovec{&came_as_[i], sizeof came_as_[i]}, iovec{&received_[i * room], room}};
        arrivals_[i].msg_hdr.msg_iov = places_[i].data();
        arrivals_[i].msg_hdr.msg_iovlen = places_[i].size();
    }
}

// ---- sending -------------------------------------------------------------------------------------

/// How many, from the first one on, can go as one.
std::size_t PacketSocket::joinable(std::span<const ByteView> frames) {
    const ByteView first = frames.front();
    if (!may_be_joined(first)) return 1;
    const std::size_t most = std::min({frames.size(), most_joined, (room - headers_size) / first.size()});
    std::size_t count = 1;
    while (count < most && is_of_the_same(first, frames[count], count)) ++count;
    return count;
}

/// The frames as one message; its octets are the next `parts`.
std::size_t PacketSocket::prepare(std::span<const ByteView> frames, std::size_t message, std::size_t& parts) {
    Outgoing& outgoing = outgoing_[message];
    const std::size_t begin = parts;
    const auto add = [&](const void* octets, std::size_t size) {
        octets_[parts++] = {const_cast<void*>(octets), size};
    };
    outgoing.how = {};
    add(&outgoing.how, sizeof outgoing.how);
    if (frames.size() == 1) {
        add(frames.front().data(), frames.front().size());
    } else {
        const std::size_t payload = frames.front().size() - headers_size;
        std::copy_n(frames.front().begin(), headers_size, outgoing.headers.begin());
        put_lengths(outgoing.headers, payload * frames.size());
        put_number(outgoing.headers, udp_checksum_offset, begun_checksum(outgoing.headers));
        outgoing.how = {
            .flags = checksum_is_begun,
            .type = of_udp,
            .headers = headers_size,
            .payload = static_cast<std::uint16_t>(payload),
            .checksum_start = udp_offset,
            .checksum_offset = udp_checksum_offset - udp_offset};
        add(outgoing.headers.data(), headers_size);
        for (const ByteView frame : frames) add(frame.data() + headers_size, payload);
    }
    messages_[message] = {};
    messages_[message].msg_hdr.msg_iov = &octets_[begin];
    messages_[message].msg_hdr.msg_iovlen = parts - begin;
    return frames.size();
}

void PacketSocket::send(std::span<const ByteView> frames, bool join) {
    while (!frames.empty()) {
        std::size_t count = 0;
        for (std::size_t parts = 0; !frames.empty() && count < most_sent; ++count)
            frames = frames.subspan(prepare(frames.first(join ? joinable(frames) : 1), count, parts));
        transmit(count, join);
    }
}

void PacketSocket::transmit(std::size_t count, bool join) {
    for (std::size_t sent = 0; sent < count;) {
        const int done = ::sendmmsg(socket_.get(), &messages_[sent], static_cast<unsigned>(count - sent), 0);
        if (done > 0) {
            sent += static_cast<std::size_t>(done);
        } else if (errno == EAGAIN || errno == ENOBUFS) {
            pollfd one{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
            if (::poll(&one, 1, room_ms) == 0) throw TransportError(name_ + " takes no more frames");
        } else if (errno == EINVAL && join) {
            throw TransportError(name_ + ": joined packets are not taken; they need Linux 6.2");
        } else if (errno != EINTR) {
            throw TransportError(system_error(name_ + ": sending"));
        }
    }
}

// ---- receiving -----------------------------------------------------------------------------------

void PacketSocket::receive() {
    const int come = ::recvmmsg(socket_.get(), arrivals_.data(), most_received, MSG_DONTWAIT, nullptr);
    if (come < 0 && errno != EAGAIN && errno != EINTR) throw TransportError(system_error(name_ + ": receiving"));
    taken_ = 0;
    come_ = static_cast<std::size_t>(std::max(come, 0));
}

ByteView PacketSocket::next() {
    if (const ByteView part = next_part(); !part.empty()) return part;
    if (taken_ == come_) receive();
    if (taken_ == come_) return {};
    const Segmentation& how = came_as_[taken_];
    const std::span frame(&received_[taken_ * room], arrivals_[taken_].msg_len - sizeof how);
    ++taken_;
    if (how.type != of_udp || how.payload == 0 || !is_udp(frame)) return frame;
    std::copy_n(frame.begin(), headers_size, headers_.begin());
    put_number(headers_, udp_checksum_offset, 0);  // it is for all of them, and not needed
    left_ = frame.subspan(headers_size);
    part_size_ = how.payload;
    parts_ = 0;
    return next_part();
}

/// As the kernel would cut it. The headers overwrite the end of the part that was handed out before.
ByteView PacketSocket::next_part() {
    if (left_.empty()) return {};
    const std::size_t size = std::min(part_size_, left_.size());
    const std::span frame(left_.data() - headers_size, headers_size + size);
    std::ranges::copy(headers_, frame.begin());
    put_number(frame, identification_offset, number_at(headers_, identification_offset) + parts_++);
    put_lengths(frame.first(headers_size), size);
    left_ = left_.subspan(size);
    return frame;
}

std::uint64_t PacketSocket::dropped() {
    tpacket_stats counts{};  // since they were asked for last
    socklen_t size = sizeof counts;
    if (::getsockopt(socket_.get(), SOL_PACKET, PACKET_STATISTICS, &counts, &size) == 0) dropped_ += counts.tp_drops;
    return dropped_;
}

}  // namespace fabricscope::replay
