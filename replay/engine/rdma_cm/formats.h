// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of Communication Management and of the queue pairs that it connects, for replay.
#pragma once

#include <optional>
#include <type_traits>

#include "protocols/ib/headers.h"
#include "replay/engine/conversation.h"

namespace fabricscope::replay::rdma_cm {

// Channels
inline constexpr const char* cm_channel = "CM";
inline constexpr const char* ud_channel = "UD";
/// "RC", "UC", "XRC": of a connection's packet with this opcode.
const char* channel_of(std::uint8_t opcode);

// Names of messages on a reliable connection
inline constexpr const char* send_name = "SEND";
inline constexpr const char* write_name = "RDMA WRITE";
inline constexpr const char* read_name = "RDMA READ";
inline constexpr const char* read_response_name = "RDMA READ response";
inline constexpr const char* atomic_name = "ATOMIC";
inline constexpr const char* atomic_response_name = "ATOMIC response";
inline constexpr const char* nak_name = "NAK";
inline constexpr const char* datagram_name = "datagram";

// Kinds of names
inline constexpr const char* qpn_kind = "qpn";
inline constexpr const char* rkey_kind = "rkey";
inline constexpr const char* address_kind = "address";
inline constexpr const char* psn_kind = "psn";
inline constexpr const char* gid_kind = "gid";
inline constexpr const char* ip_kind = "ip";
inline constexpr const char* port_kind = "port";
inline constexpr const char* comm_id_kind = "comm_id";
inline constexpr const char* ca_guid_kind = "ca_guid";

/// A MAD of 256 octets; one format for messages that begin a transaction, another one for those that belong to it.
const MessageFormat& cm_format(ByteView mad);
/// "REQ", "SIDR_REP"; empty if it is no message of Communication Management.
std::string cm_name(ByteView mad);

/// A message of a queue pair as one packet would carry it, however many it took: BTH, the extended headers but AETH
/// of data, and the payload without padding.
const MessageFormat& rc_format();
const MessageFormat& ud_format();
/// Calls `visit` with an empty one of each header behind the BTH of such a message.
template <class Visit> void for_each_header(const ib::OpcodeInfo& opcode, Visit visit) {
    ib::for_each_extended(opcode, [&]<class Header>(const Header& header) {
        if (!std::is_same_v<Header, ib::Aeth> || opcode.operation == ib::Operation::acknowledge) visit(header);
    });
}
/// What a WRITE, a READ or an atomic operation uses of the other side's memory; nothing of other messages.
std::optional<ib::Reth> memory_used(const Message& message);

/// Finds the addresses and keys of memory in what the other side's WRITEs and READs use, wherever their owner told it
/// in octets of its own: private data or the payload of SENDs. They become `embedded` names of those messages, and so
/// does the GUID in a rejection.
void find_embedded_names(std::vector<Message>& messages);

}  // namespace fabricscope::replay::rdma_cm
