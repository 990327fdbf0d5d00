// SPDX-License-Identifier: GPL-2.0-or-later
// Connection Data Control: cursors and state of one direction of a connection (RFC 7609, A.4).
#pragma once

#include "protocols/smcr/names.h"

namespace fabricscope::smcr {

inline constexpr std::uint8_t cdc_type = 0xFE;
inline constexpr std::array cdc_type_names{ValueName{cdc_type, "CDC"}};
inline constexpr std::size_t cdc_size = 44;

/// A position in an RMB element: octets from its start, and how often the end was passed (modulo 2^16).
struct Cursor {
    std::uint16_t wrap = 0;
    std::uint32_t offset = 0;
    bool operator==(const Cursor&) const = default;
};

struct CdcProducerFlags {
    bool writer_blocked = false;             ///< B: data waits, the window is full
    bool urgent_pending = false;             ///< P
    bool urgent_present = false;             ///< U: the octet before the producer cursor is urgent
    bool consumer_update_requested = false;  ///< R
    bool failover_validation = false;        ///< F: only type, length, sequence and token mean something
    std::uint8_t reserved = 0;
    bool operator==(const CdcProducerFlags&) const = default;
};

struct CdcStateFlags {
    bool sending_done = false;       ///< D
    bool connection_closed = false;  ///< C
    bool abnormal_close = false;     ///< A
    std::uint8_t reserved = 0;
    bool operator==(const CdcStateFlags&) const = default;
};

/// The producer cursor is a place in the receiver's RMB element, the consumer cursor one in the sender's own.
struct Cdc {
    std::uint8_t type = cdc_type;
    std::uint8_t length = cdc_size;
    std::uint16_t sequence = 0;     ///< 1, 2, ... per connection and direction; serial arithmetic
    std::uint32_t alert_token = 0;  ///< as the receiver assigned it
    Bytes<2> reserved_before_producer;
    Cursor producer;
    Bytes<2> reserved_before_consumer;
    Cursor consumer;
    CdcProducerFlags flags;
    CdcStateFlags state;
    Bytes<18> reserved_end;
};

/// Octets of a CDC message that must be there for all its meaning to be known; the rest is reserved.
inline constexpr std::size_t cdc_meaningful = 26;

}  // namespace fabricscope::smcr

namespace fabricscope::layout {
template <>
inline constexpr auto layout_of<smcr::Cdc> = layout<smcr::Cdc>(
    "CDC message", "RFC 7609, A.4", octets(0, 44),
    field<&smcr::Cdc::type>(at(0), "smcr.cdc.type", "Type", hex, names(smcr::cdc_type_names)),
    field<&smcr::Cdc::length>(at(1), "smcr.cdc.length", "Length"),
    field<&smcr::Cdc::sequence>(at(2), "smcr.cdc.sequence", "Sequence number"),
    field<&smcr::Cdc::alert_token>(at(4), "smcr.cdc.alert_token", "Alert token", hex),
    field<&smcr::Cdc::reserved_before_producer>(at(8), "smcr.cdc.reserved1", "Reserved", reserved),
    field<&smcr::Cdc::producer, &smcr::Cursor::wrap>(
        at(10), "smcr.cdc.producer.wrap", "Producer cursor wrap sequence number"),
    field<&smcr::Cdc::producer, &smcr::Cursor::offset>(at(12), "smcr.cdc.producer.offset", "Producer cursor"),
    field<&smcr::Cdc::reserved_before_consumer>(at(16), "smcr.cdc.reserved2", "Reserved", reserved),
    field<&smcr::Cdc::consumer, &smcr::Cursor::wrap>(
        at(18), "smcr.cdc.consumer.wrap", "Consumer cursor wrap sequence number"),
    field<&smcr::Cdc::consumer, &smcr::Cursor::offset>(at(20), "smcr.cdc.consumer.offset", "Consumer cursor"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::writer_blocked>(
        bits(24, 0x80), "smcr.cdc.flags.writer_blocked", "Writer blocked (B)"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::urgent_pending>(
        bits(24, 0x40), "smcr.cdc.flags.urgent_pending", "Urgent data pending (P)"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::urgent_present>(
        bits(24, 0x20), "smcr.cdc.flags.urgent_present", "Urgent data present (U)"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::consumer_update_requested>(
        bits(24, 0x10), "smcr.cdc.flags.update_requested", "Consumer cursor update requested (R)"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::failover_validation>(
        bits(24, 0x08), "smcr.cdc.flags.failover", "Failover validation (F)"),
    field<&smcr::Cdc::flags, &smcr::CdcProducerFlags::reserved>(
        bits(24, 0x07), "smcr.cdc.flags.reserved", "Reserved", hex, reserved),
    field<&smcr::Cdc::state, &smcr::CdcStateFlags::sending_done>(
        bits(25, 0x80), "smcr.cdc.state.sending_done", "Sending done (D)"),
    field<&smcr::Cdc::state, &smcr::CdcStateFlags::connection_closed>(
        bits(25, 0x40), "smcr.cdc.state.closed", "Peer connection closed (C)"),
    field<&smcr::Cdc::state, &smcr::CdcStateFlags::abnormal_close>(
        bits(25, 0x20), "smcr.cdc.state.abnormal_close", "Abnormal close (A)"),
    field<&smcr::Cdc::state, &smcr::CdcStateFlags::reserved>(
        bits(25, 0x1F), "smcr.cdc.state.reserved", "Reserved", hex, reserved),
    field<&smcr::Cdc::reserved_end>(at(26), "smcr.cdc.reserved3", "Reserved", reserved));
}  // namespace fabricscope::layout
