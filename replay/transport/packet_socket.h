// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Ethernet frames on an interface of this host, by Linux' packet sockets: many with one call of the system, and
// UDP packets joined, as the kernel's own segmentation offload has them. libpcap sends one frame a call, and does not
// tell where what was joined is to be cut.
#pragma once

#include <linux/filter.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <span>
#include <string>

#include "replay/transport/sockets.h"

namespace fabricscope::replay {

/// In front of each frame, in the byte order of this host: Linux' struct virtio_net_hdr, whose header is none for C++.
struct Segmentation {
    std::uint8_t flags = 0, type = 0;
    std::uint16_t headers = 0, payload = 0;  ///< octets of what is joined; payload of each
    std::uint16_t checksum_start = 0, checksum_offset = 0;
};
static_assert(sizeof(Segmentation) == 10);

class PacketSocket {
public:
    /// Frames that this host sends are not received, nor those with a VLAN tag; of the others those that `filter`
    /// (classic BPF) takes. Needs CAP_NET_RAW; `buffer`, in octets, counts in full with CAP_NET_ADMIN. Throws
    /// TransportError.
    PacketSocket(std::string interface, std::span<const sock_filter> filter, int buffer);

    const std::string& name() const { return name_; }
    /// Can be waited for with poll(2); readable when there are frames.
    int descriptor() const { return socket_.get(); }

    /// In their order. `join`: RoCEv2 packets behind one another that are of one queue pair and of one size go to the
    /// kernel as one, and are cut where they leave it. Throws TransportError.
    void send(std::span<const ByteView> frames, bool join);
    /// The next frame, cut from what came joined; empty if there is none at the moment. Valid until the next call.
    /// Throws TransportError, for instance when the interface went down.
    ByteView next();
    /// Frames that came and were lost, because they were not taken in time.
    std::uint64_t dropped();

private:
    /// Of a UDP packet over IPv4 without options: Ethernet, IP, UDP.
    static constexpr std::size_t headers_size = 42;
    using Headers = std::array<std::uint8_t, headers_size>;
    static constexpr std::size_t most_sent = 256;     ///< with one call
    static constexpr std::size_t most_received = 64;  ///< with one call
    static constexpr std::size_t most_joined = 64;    ///< packets, as many as UDP's own offload takes
    static constexpr std::size_t room = 65'536 + 14;  ///< for what is received: the longest IP packet

    static std::size_t joinable(std::span<const ByteView> frames);
    std::size_t prepare(std::span<const ByteView> frames, std::size_t message, std::size_t& parts);
    void transmit(std::size_t count, bool join);
    void receive();
    ByteView next_part();

    std::string name_;
    FileDescriptor socket_;
    std::uint64_t dropped_ = 0;

    // What is about to be sent.
    struct Outgoing {
        Segmentation how;
        Headers headers;  ///< of joined packets
    };
    std::array<Outgoing, most_sent> outgoing_;
    std::array<iovec, most_sent*(most_joined + 2)> octets_;
    std::array<mmsghdr, most_sent> messages_;

    // What has been received: those from `taken_` on are to be handed out.
    std::unique_ptr<std::uint8_t[]> received_ = std::make_unique_for_overwrite<std::uint8_t[]>(most_received * room);
    std::array<Segmentation, most_received> came_as_;
    std::array<std::array<iovec, 2>, most_received> places_;
    std::array<mmsghdr, most_received> arrivals_{};
    std::size_t taken_ = 0, come_ = 0;
    Headers headers_{};                      ///< of packets that came joined
    std::span<std::uint8_t> left_;           ///< of their payload
    std::size_t part_size_ = 0, parts_ = 0;  ///< payload of each; how many have been handed out
};

}  // namespace fabricscope::replay
