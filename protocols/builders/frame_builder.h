// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Ethernet frames (TCP, RoCE) with right lengths and checksums.
#pragma once

#include <vector>

#include "protocols/ib/headers.h"
#include "protocols/layout/layout.h"
#include "protocols/layout/types.h"

namespace fabricscope::builders {

/// Between whom a frame goes. IP addresses are GIDs, IPv4 ones IPv4-mapped; both must be of one version.
struct FrameEnds {
    Mac source_mac;
    Mac destination_mac;
    Gid source;
    Gid destination;
    std::uint16_t identification = 0;  ///< of an IPv4 packet
    std::uint8_t hop_limit = 64;       ///< time to live
    std::uint8_t traffic_class = 0;    ///< DSCP and ECN; ECN is 2 if switches may mark the packet
};

struct TcpFields {
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgment = 0;
    std::uint8_t flags = 0;        ///< as in the header
    std::uint16_t window = 64240;  ///< as it stands in the header
};

enum class RoceVersion : std::uint8_t { v1, v2 };

/// The IPv4-mapped form of an address, under which RoCEv2 knows it.
Gid gid_of(const Ipv4& address);

/// Builds one frame after the other in the same buffer: a view that is returned is valid until the next call.
class FrameBuilder {
public:
    /// `options`: a multiple of 4 octets, at most 40.
    ByteView tcp(const FrameEnds& ends, const TcpFields& fields, ByteView options, ByteView payload);
    /// An InfiniBand packet over IP and UDP, or as RoCE v1 behind a GRH. `extended`: the headers between BTH and
    /// payload. Sets the pad count, pads the payload and appends the ICRC.
    ByteView roce(const FrameEnds& ends, RoceVersion version, ib::Bth bth, ByteView extended, ByteView payload);

private:
    void begin(std::size_t size);
    template <layout::WireFormat T> void put(const T& header);
    void put(ByteView octets);
    void begin_ip(const FrameEnds& ends, std::uint8_t protocol, std::size_t payload);
    void begin_grh(const FrameEnds& ends, std::size_t payload);
    void put_checksum(std::size_t offset, std::uint16_t value);
    std::uint16_t transport_checksum(const FrameEnds& ends, std::uint8_t protocol) const;

    std::vector<std::uint8_t> frame_;
    std::size_t end_ = 0;        ///< behind what has been put into it
    std::size_t transport_ = 0;  ///< where the transport header begins
};

}  // namespace fabricscope::builders
