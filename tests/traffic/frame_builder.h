// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Ethernet frames with right lengths and checksums, one after the other in the same buffer.
#pragma once

#include <array>
#include <vector>

#include "protocols/ib/headers.h"
#include "protocols/layout/types.h"

namespace fabricscope::traffic {

using Octets = std::vector<std::uint8_t>;

template <layout::WireFormat T> Octets octets_of(const T& part) {
    Octets octets(layout::size_of<T>);
    layout::build_into(part, octets);
    return octets;
}

/// An interface of a host: it sends TCP and RoCEv2.
struct Port {
    Mac mac;
    Ipv4 ip;
    std::uint16_t identification = 0;  ///< of its latest IP packet

    /// The GID under which RoCEv2 knows the address.
    Gid gid() const;
};

struct TcpFields {
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgment = 0;
    std::uint8_t flags = 0;
};

/// A view that is returned is valid until the next call.
class FrameBuilder {
public:
    ByteView tcp(Port& from, const Port& to, const TcpFields& fields, ByteView options, ByteView payload);
    /// `extended`: the headers between BTH and payload. Pads the payload and appends the ICRC.
    ByteView roce(Port& from, const Port& to, ib::Bth bth, ByteView extended, ByteView payload);

private:
    template <layout::WireFormat T> void put(const T& header);
    void put(ByteView octets);
    void begin(Port& from, const Port& to, std::uint8_t protocol, std::size_t payload);
    ByteView ip_payload() const;

    std::array<std::uint8_t, 2048> buffer_{};
    std::size_t size_ = 0;
};

}  // namespace fabricscope::traffic
