// SPDX-License-Identifier: GPL-2.0-or-later
// What a `message` line may be called, and what that says of its octets.
#pragma once

#include "capture/packet.h"
#include "replay/engine/fc/information_unit.h"
#include "replay/engine/field_values.h"
#include "replay/synth/message_channels.h"

namespace fabricscope::synth {

struct MessageKind {
    enum class Carrier : std::uint8_t { tcp, ib, fc };
    Carrier carrier{};
    std::uint8_t code = 0;  ///< tcp: flags; ib: opcode
    /// What its payload is made of; empty: octets. Of Fibre Channel: the whole frame; see fc_fields().
    replay::FieldsOf fields{};
    std::vector<replay::Assignment> defaults{};  ///< of these
    std::size_t length = 0;                      ///< of the payload; 0: the line says it
};

/// "SYN", "SYN-ACK", "ACK", "DATA", "FIN", "RST", "CLC PROPOSAL", "LLC CONFIRM LINK", "CDC", "REQ" ..., "RC SEND Only"
/// ..., "FC". Nothing if there is no such kind.
std::optional<MessageKind> message_kind(const std::string& name);
std::vector<std::string> message_kinds();

/// How a line calls what is in the packet. Payload that is no message of its own has the name of what carries it.
std::string kind_of(const capture::Packet& packet);

/// BTH and what follows it of the headers that have fields.
std::vector<replay::FieldAt> transport_fields(ByteView headers);
std::size_t transport_length(std::uint8_t opcode);
/// What their fields are if nobody says otherwise. `qpn`: of both ends.
std::vector<replay::Assignment> transport_defaults(
    const PairChannel& channel, const PerSide<std::uint32_t>& qpn, Side from, std::uint8_t opcode);
/// Octets of headers that have none (RDETH).
std::size_t other_headers_length(std::uint8_t opcode);

/// Frame_Header, Device_Header and payload of a frame.
replay::FieldsOf fc_fields(const replay::fibre_channel::IuContext& context);
/// Delimiters of class 3, as the header has them.
fc::Sof usual_sof_of(const fc::FrameHeader& header);
fc::Eof usual_eof_of(const fc::FrameHeader& header);
/// "SOFi3" ..., in the order of fc::Sof and fc::Eof.
std::vector<std::string_view> sof_words();
std::vector<std::string_view> eof_words();

}  // namespace fabricscope::synth
