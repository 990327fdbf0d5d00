// SPDX-License-Identifier: GPL-2.0-or-later
// What a BTH opcode says: the transport service, the operation, and which extended headers follow
// (IBA 9.2, table 38; annex A14 for XRC, annex A16 and A17 for RoCE).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::ib {

/// Bits 7..5 of the opcode.
enum class Service : std::uint8_t { rc = 0, uc = 1, rd = 2, ud = 3, cnp = 4, xrc = 5 };

constexpr Service service_of(std::uint8_t opcode) { return static_cast<Service>(opcode >> 5); }

enum class Operation : std::uint8_t {
    unknown,
    send,
    rdma_write,
    rdma_read_request,
    rdma_read_response,
    acknowledge,
    atomic_request,  ///< Compare & Swap or Fetch & Add
    atomic_acknowledge,
    resync,
    congestion_notification,
};

/// Sent by the responder, with a PSN of the requester's.
constexpr bool is_response(Operation operation) {
    return operation == Operation::rdma_read_response || operation == Operation::acknowledge ||
           operation == Operation::atomic_acknowledge;
}

/// Where a packet stands in its message.
enum class Position : std::uint8_t { only, first, middle, last };

/// Extended transport headers, in the order in which they follow the BTH: bits of a set.
enum ExtendedHeader : std::uint16_t {
    rdeth = 1 << 0,
    deth = 1 << 1,
    xrceth = 1 << 2,
    reth = 1 << 3,
    atomic_eth = 1 << 4,
    aeth = 1 << 5,
    atomic_ack_eth = 1 << 6,
    immdt = 1 << 7,
    ieth = 1 << 8,
    cnp_reserved = 1 << 9,  ///< 16 octets of zero in a congestion notification packet
};

/// Opcodes of reliable connections. The other services' have their Service in bits 7..5.
namespace rc {
enum Opcode : std::uint8_t {
    send_first = 0x00,
    send_middle = 0x01,
    send_last = 0x02,
    send_last_immediate = 0x03,
    send_only = 0x04,
    send_only_immediate = 0x05,
    write_first = 0x06,
    write_middle = 0x07,
    write_last = 0x08,
    write_last_immediate = 0x09,
    write_only = 0x0A,
    write_only_immediate = 0x0B,
    read_request = 0x0C,
    read_response_first = 0x0D,
    read_response_middle = 0x0E,
    read_response_last = 0x0F,
    read_response_only = 0x10,
    acknowledge = 0x11,
    atomic_acknowledge = 0x12,
    compare_and_swap = 0x13,
    fetch_and_add = 0x14,
    resync = 0x15,
    send_last_invalidate = 0x16,
    send_only_invalidate = 0x17,
};
}  // namespace rc

inline constexpr std::uint8_t ud_send_only = 0x64, ud_send_only_immediate = 0x65, congestion_notification = 0x81;

/// Octets of each extended header, by bit number.
inline constexpr std::array<std::uint8_t, 10> extended_header_sizes{4, 8, 4, 16, 28, 4, 8, 4, 4, 16};

constexpr std::uint8_t size_of_headers(unsigned headers) {
    unsigned size = 0;
    for (; headers != 0; headers &= headers - 1)
        size += extended_header_sizes[static_cast<std::size_t>(std::countr_zero(headers))];
    return static_cast<std::uint8_t>(size);
}

struct OpcodeInfo {
    Operation operation = Operation::unknown;
    Position position = Position::only;
    std::uint16_t headers = 0;      ///< ExtendedHeader bits
    std::uint8_t headers_size = 0;  ///< octets of all of them

    constexpr bool known() const { return operation != Operation::unknown; }
    constexpr bool has(ExtendedHeader header) const { return (headers & header) != 0; }
};

inline constexpr layout::ValueName opcode_names[] = {
    {0x00, "RC SEND First"},
    {0x01, "RC SEND Middle"},
    {0x02, "RC SEND Last"},
    {0x03, "RC SEND Last with Immediate"},
    {0x04, "RC SEND Only"},
    {0x05, "RC SEND Only with Immediate"},
    {0x06, "RC RDMA WRITE First"},
    {0x07, "RC RDMA WRITE Middle"},
    {0x08, "RC RDMA WRITE Last"},
    {0x09, "RC RDMA WRITE Last with Immediate"},
    {0x0A, "RC RDMA WRITE Only"},
    {0x0B, "RC RDMA WRITE Only with Immediate"},
    {0x0C, "RC RDMA READ Request"},
    {0x0D, "RC RDMA READ Response First"},
    {0x0E, "RC RDMA READ Response Middle"},
    {0x0F, "RC RDMA READ Response Last"},
    {0x10, "RC RDMA READ Response Only"},
    {0x11, "RC Acknowledge"},
    {0x12, "RC ATOMIC Acknowledge"},
    {0x13, "RC Compare & Swap"},
    {0x14, "RC Fetch & Add"},
    {0x16, "RC SEND Last with Invalidate"},
    {0x17, "RC SEND Only with Invalidate"},
    {0x20, "UC SEND First"},
    {0x21, "UC SEND Middle"},
    {0x22, "UC SEND Last"},
    {0x23, "UC SEND Last with Immediate"},
    {0x24, "UC SEND Only"},
    {0x25, "UC SEND Only with Immediate"},
    {0x26, "UC RDMA WRITE First"},
    {0x27, "UC RDMA WRITE Middle"},
    {0x28, "UC RDMA WRITE Last"},
    {0x29, "UC RDMA WRITE Last with Immediate"},
    {0x2A, "UC RDMA WRITE Only"},
    {0x2B, "UC RDMA WRITE Only with Immediate"},
    {0x40, "RD SEND First"},
    {0x41, "RD SEND Middle"},
    {0x42, "RD SEND Last"},
    {0x43, "RD SEND Last with Immediate"},
    {0x44, "RD SEND Only"},
    {0x45, "RD SEND Only with Immediate"},
    {0x46, "RD RDMA WRITE First"},
    {0x47, "RD RDMA WRITE Middle"},
    {0x48, "RD RDMA WRITE Last"},
    {0x49, "RD RDMA WRITE Last with Immediate"},
    {0x4A, "RD RDMA WRITE Only"},
    {0x4B, "RD RDMA WRITE Only with Immediate"},
    {0x4C, "RD RDMA READ Request"},
    {0x4D, "RD RDMA READ Response First"},
    {0x4E, "RD RDMA READ Response Middle"},
    {0x4F, "RD RDMA READ Response Last"},
    {0x50, "RD RDMA READ Response Only"},
    {0x51, "RD Acknowledge"},
    {0x52, "RD ATOMIC Acknowledge"},
    {0x53, "RD Compare & Swap"},
    {0x54, "RD Fetch & Add"},
    {0x55, "RD RESYNC"},
    {0x64, "UD SEND Only"},
    {0x65, "UD SEND Only with Immediate"},
    {0x81, "CNP"},
    {0xA0, "XRC SEND First"},
    {0xA1, "XRC SEND Middle"},
    {0xA2, "XRC SEND Last"},
    {0xA3, "XRC SEND Last with Immediate"},
    {0xA4, "XRC SEND Only"},
    {0xA5, "XRC SEND Only with Immediate"},
    {0xA6, "XRC RDMA WRITE First"},
    {0xA7, "XRC RDMA WRITE Middle"},
    {0xA8, "XRC RDMA WRITE Last"},
    {0xA9, "XRC RDMA WRITE Last with Immediate"},
    {0xAA, "XRC RDMA WRITE Only"},
    {0xAB, "XRC RDMA WRITE Only with Immediate"},
    {0xAC, "XRC RDMA READ Request"},
    {0xAD, "XRC RDMA READ Response First"},
    {0xAE, "XRC RDMA READ Response Middle"},
    {0xAF, "XRC RDMA READ Response Last"},
    {0xB0, "XRC RDMA READ Response Only"},
    {0xB1, "XRC Acknowledge"},
    {0xB2, "XRC ATOMIC Acknowledge"},
    {0xB3, "XRC Compare & Swap"},
    {0xB4, "XRC Fetch & Add"},
    {0xB6, "XRC SEND Last with Invalidate"},
    {0xB7, "XRC SEND Only with Invalidate"},
};

namespace detail {

constexpr OpcodeInfo opcode_of(Operation operation, Position position, unsigned headers = 0) {
    return {operation, position, static_cast<std::uint16_t>(headers), size_of_headers(headers)};
}

/// The operations of a reliable connection, by bits 4..0; the other services have a part of them.
inline constexpr std::array<OpcodeInfo, 32> operations = [] {
    using enum Operation;
    using enum Position;
    std::array<OpcodeInfo, 32> table{};
    table[rc::send_first] = opcode_of(send, first);
    table[rc::send_middle] = opcode_of(send, middle);
    table[rc::send_last] = opcode_of(send, last);
    table[rc::send_last_immediate] = opcode_of(send, last, immdt);
    table[rc::send_only] = opcode_of(send, only);
    table[rc::send_only_immediate] = opcode_of(send, only, immdt);
    table[rc::write_first] = opcode_of(rdma_write, first, reth);
    table[rc::write_middle] = opcode_of(rdma_write, middle);
    table[rc::write_last] = opcode_of(rdma_write, last);
    table[rc::write_last_immediate] = opcode_of(rdma_write, last, immdt);
    table[rc::write_only] = opcode_of(rdma_write, only, reth);
    table[rc::write_only_immediate] = opcode_of(rdma_write, only, reth | immdt);
    table[rc::read_request] = opcode_of(rdma_read_request, only, reth);
    table[rc::read_response_first] = opcode_of(rdma_read_response, first, aeth);
    table[rc::read_response_middle] = opcode_of(rdma_read_response, middle);
    table[rc::read_response_last] = opcode_of(rdma_read_response, last, aeth);
    table[rc::read_response_only] = opcode_of(rdma_read_response, only, aeth);
    table[rc::acknowledge] = opcode_of(acknowledge, only, aeth);
    table[rc::atomic_acknowledge] = opcode_of(atomic_acknowledge, only, aeth | atomic_ack_eth);
    table[rc::compare_and_swap] = opcode_of(atomic_request, only, atomic_eth);
    table[rc::fetch_and_add] = opcode_of(atomic_request, only, atomic_eth);
    table[rc::resync] = opcode_of(resync, only);
    table[rc::send_last_invalidate] = opcode_of(send, last, ieth);
    table[rc::send_only_invalidate] = opcode_of(send, only, ieth);
    return table;
}();

/// What a service puts in front of the headers that all services share.
constexpr unsigned headers_of(Service service, Operation operation) {
    const bool request = !is_response(operation);
    switch (service) {
        case Service::rd: return request ? rdeth | deth : rdeth;
        case Service::ud: return deth;
        case Service::xrc: return request ? xrceth : 0;
        default: return 0;
    }
}

}  // namespace detail

inline constexpr std::array<OpcodeInfo, 256> opcode_table = [] {
    std::array<OpcodeInfo, 256> table{};
    for (const layout::ValueName& entry : opcode_names) {
        const auto opcode = static_cast<std::uint8_t>(entry.value);
        const OpcodeInfo& shared = detail::operations[opcode & 0x1F];
        table[opcode] = detail::opcode_of(
            shared.operation, shared.position,
            shared.headers | detail::headers_of(service_of(opcode), shared.operation));
    }
    table[congestion_notification] = detail::opcode_of(
        Operation::congestion_notification, Position::only, cnp_reserved);
    return table;
}();

constexpr const OpcodeInfo& opcode_info(std::uint8_t opcode) { return opcode_table[opcode]; }

/// "RC RDMA WRITE Only", or nullptr for a reserved opcode.
constexpr const char* opcode_name(std::uint8_t opcode) { return layout::name_of(opcode_names, opcode); }

}  // namespace fabricscope::ib
