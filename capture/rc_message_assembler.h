// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of a reliable connection (SEND, RDMA WRITE, RDMA READ response), put together from their packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/packet.h"
#include "protocols/ib/psn.h"

namespace fabricscope::capture {

constexpr bool begins_message(ib::Position position) {
    return position == ib::Position::first || position == ib::Position::only;
}
constexpr bool ends_message(ib::Position position) {
    return position == ib::Position::last || position == ib::Position::only;
}

/// How many packets a message of this length takes, and so how many PSNs.
constexpr std::uint32_t packets_for(std::uint64_t length, std::uint32_t path_mtu) {
    return length == 0 ? 1 : static_cast<std::uint32_t>((length + path_mtu - 1) / path_mtu);
}

/// A message as far as its packets have arrived.
struct AssembledMessage {
    enum class Progress : std::uint8_t {
        orphan,  ///< the packet continues no message that has begun: nothing below is known
        part,    ///< further packets are to come
        complete,
    };
    Progress progress = Progress::orphan;
    ib::Bth bth{};                  ///< of its first packet; READ response: of the request
    ib::Reth reth{};                ///< RDMA WRITE; READ response: of the request
    std::uint64_t first_frame = 0;  ///< the frame that it began in
    std::uint32_t length = 0;       ///< bytes on the wire so far
    ByteView payload;  ///< complete: fewer than `length` if some were cut off or not kept; valid until the next feed()
};

/// Takes request packets of one sender, or the response to a READ, and puts together the messages that they are parts
/// of. A packet continues a message if it has the next PSN and the same operation. Whether a packet is due, a duplicate
/// or to be refused, the user decides before feeding it. Nothing is allocated once the buffers are as long as the
/// messages.
class MessageAssembler {
public:
    struct Limits {
        std::size_t messages = 1;     ///< incomplete at once; one more takes the oldest one's place
        std::size_t bytes = 0;        ///< kept of a message of several packets
        std::size_t write_bytes = 0;  ///< the same of an RDMA WRITE
    };
    explicit MessageAssembler(Limits limits) : limits_(limits) {}

    /// A SEND, RDMA WRITE or RDMA READ response packet.
    AssembledMessage feed(const IbPacket& packet, std::uint64_t frame = 0);

    /// What follows is the response to this READ request. It is complete after so many packets, whatever their opcodes
    /// are: the response to a READ that was repeated from the middle on has a First of its own.
    void expect_response(const IbPacket& request, std::uint32_t packets, std::uint64_t frame = 0);

    /// Of the message that the packet with this PSN has to continue.
    std::optional<ib::Operation> awaiting(std::uint32_t psn) const;
    bool has_incomplete() const;
    /// Gives incomplete messages up.
    void abandon();

private:
    struct Incomplete {
        bool open = false;
        ib::Operation operation = ib::Operation::unknown;
        std::uint32_t next_psn = 0;
        std::uint32_t packets_left = 0;  ///< READ response
        AssembledMessage message{};
        std::vector<std::uint8_t> bytes{};
    };

    Incomplete* find(std::uint32_t psn);
    Incomplete& open(const IbPacket& packet, ib::Operation operation, std::uint64_t frame);
    void append(Incomplete& to, const IbPacket& packet) const;
    AssembledMessage single_packet_message(const IbPacket& packet, std::uint64_t frame);

    Limits limits_;
    std::vector<Incomplete> incomplete_;
    std::size_t next_ = 0;
};

}  // namespace fabricscope::capture
