// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine knows about RDMA CM in a capture: connections and service id resolutions, who asked,
// who answered, what came of it, and which traffic then was theirs.
//
// Plain data. Times are nanoseconds since the epoch, frames are numbered from 1. What a capture does
// not tell is nullopt, never a guess.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "analyzer/engine/rdma_cm/rules.h"
#include "analyzer/engine/sides.h"
#include "protocols/rdma_cm/message.h"

namespace fabricscope::engine::rdma_cm {

/// The wire formats; this namespace is about what they add up to.
namespace wire = fabricscope::rdma_cm;

using engine::Address;
using engine::FrameStamp;
using engine::name_of;
using engine::other;
using engine::PerSide;
using engine::Side;  // the client is who sent REQ or SIDR_REQ
using engine::SocketAddress;
using engine::Time;
using engine::to_string;

/// What is connected: a REQ's transport service, or the datagram service that SIDR_REQ asks for.
enum class Service : std::uint8_t { rc, uc, rd, xrc, ud, unknown };
/// "rc", "uc", "rd", "xrc", "ud", "unknown"
const char* name_of(Service service);

enum class Outcome : std::uint8_t {
    connected,
    rejected,
    timeout,  ///< all the client's REQs remained without an answer
    unknown,  ///< the capture does not tell
};
const char* name_of(Outcome outcome);

/// One message of a connection, for ladders.
struct MessageSeen {
    Time time = 0;
    std::uint64_t frame = 0;
    ib::CmAttribute attribute{};
    Side from{};
    bool repeated = false;
    std::uint64_t request_frame = 0;  ///< the message that it answers; 0 = none that was captured
    Time request_time = 0;
};

/// What REQ and SIDR_REQ say before the addresses (A11.4), and whether these look as they should.
struct AddressHeader {
    wire::IpVersions versions;
    bool source_fits = true;  ///< IPv4: the octets before the address are zero
    bool destination_fits = true;

    /// Only version 0.0 of the service has been defined.
    bool has_known_version() const { return versions.major_version == 0 && versions.minor_version == 0; }
    /// Whether the format of the addresses is defined.
    bool is_known() const { return has_known_version() && (versions.ip_version == 4 || versions.ip_version == 6); }
};

/// The latest transmission of a message that may be repeated.
struct Sent {
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint32_t psn = 0;                 ///< of the packet: another one each time
    std::uint32_t times = 0;               ///< so often, each with another PSN
    std::uint32_t times_answered = 0;      ///< so often of them although its answer had been captured
    std::optional<std::uint64_t> content;  ///< digest of what follows the MAD header; nullopt: not captured whole
};

/// One of the messages that a connection may see several of, told from others of its kind by its transaction id.
struct MessageOfMany {
    ib::CmAttribute attribute{};
    Side from{};
    std::uint64_t transaction_id = 0;
    std::optional<std::uint8_t> about;  ///< MRA: the message that it is for, unless cut
    FrameStamp first;
    Sent last;
    bool answered = false;
};

/// Why a consumer said no, in the RDMA IP CM service's or in a consumer's own terms (A11.7).
struct RejectInformation {
    std::uint8_t layer = 0;
    std::optional<std::uint8_t> code;     ///< of the service's own layer
    std::vector<std::uint8_t> suggested;  ///< of the service's own layer
    std::vector<std::uint8_t> data;       ///< of another layer: all that it says
    /// nullptr if the annex does not define it
    const char* layer_name() const;
    const char* code_name() const;
};

struct RejectSeen {
    Side by{};
    std::uint8_t message = 0;  ///< which one was rejected: 0 REQ, 1 REP, 2 another; SIDR: 0
    std::uint16_t reason = 0;  ///< SIDR: the status
    bool sidr = false;
    std::uint64_t frame = 0;
    Time time = 0;
    std::optional<RejectInformation> information;
    const char* name() const;  ///< nullptr if the standard has no such reason
};

/// One side of a connection. Times are coded as in the messages.
struct Endpoint {
    Address address;             ///< the port's: GID, IP address of RoCEv2, or LID
    std::optional<Address> lid;  ///< the same port's on native InfiniBand, where `address` is a GID
    std::optional<std::uint32_t> comm_id;
    std::optional<std::uint32_t> qpn;
    std::optional<std::uint32_t> starting_psn;
    std::optional<std::uint32_t> q_key;
    std::optional<std::uint64_t> ca_guid;
    std::optional<std::uint8_t> responder_resources;
    std::optional<std::uint8_t> initiator_depth;
    std::optional<std::uint8_t> rnr_retry_count;
    /// Of REQ, SIDR_REQ, REP, SIDR_REP or REJ; zeros at the end left out; nullopt: not captured whole.
    std::optional<std::vector<std::uint8_t>> private_data = std::vector<std::uint8_t>{};
};

/// Packets that one side sent to the other's queue pair.
struct Traffic {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  ///< payload of SENDs, WRITEs and READ responses, repeated packets left out
    std::uint64_t sends = 0;  ///< operations
    std::uint64_t writes = 0;
    std::uint64_t reads = 0;  ///< requests
    std::uint64_t atomics = 0;
    std::uint64_t acks = 0;
    std::uint64_t naks = 0;  ///< without RNR NAKs
    std::uint64_t rnr_naks = 0;
    /// As the account of the queue pairs has them; nullopt: they were not followed.
    std::optional<std::uint64_t> retransmissions;
    std::optional<Time> first, last;
    std::uint64_t first_frame = 0;
};

struct Connection {
    std::uint32_t id = 0;       ///< n in "cm-n", from 1
    bool began_before = false;  ///< before the capture: its REQ or SIDR_REQ is not in it
    /// Whether the messages tell who is the client; if not, it is who sent the first one.
    bool roles_known = true;
    Service service = Service::unknown;
    std::optional<std::uint64_t> service_id;
    std::optional<SocketAddress> client, server;  ///< as the RDMA IP CM service tells them
    std::optional<AddressHeader> header;          ///< nullopt: the request has none, or it was not captured
    std::optional<std::uint8_t> protocol;         ///< IP protocol number; nullopt if the service id has none
    PerSide<Endpoint> end;
    std::optional<std::uint16_t> p_key;
    std::optional<std::uint32_t> mtu;  ///< octets
    std::optional<ib::CmPath> path;    ///< the primary one, as the client names it
    std::optional<ib::CmPath> alternate_path;
    std::optional<std::uint8_t> retry_count;
    std::optional<std::uint8_t> max_cm_retries;
    Outcome outcome = Outcome::unknown;
    std::optional<RejectSeen> reject;
    bool unread_reject = false;  ///< a REJ was cut before its reason
    std::optional<FrameStamp> req, mra, rep, rtu, dreq,
        drep;                                ///< the first of each; SIDR_REQ and SIDR_REP count as REQ, REP
    std::optional<Side> disconnected_by;     ///< who sent the first DREQ
    bool both_disconnect = false;            ///< DREQs of both sides crossed
    std::optional<FrameStamp> lap, apr;      ///< the first of each: another alternate path
    std::optional<std::uint8_t> apr_status;  ///< see ib::apr_status_names
    bool peer_to_peer = false;               ///< both sides sent REQ; the client is whose REQ was answered
    bool merged = false;      ///< the other REQ of a peer-to-peer connection; nothing further happens here
    Time answer_timeout = 0;  ///< how long the client waits for an answer to REQ; 0 = not known
    Time dreq_timeout = 0;    ///< how long either side waits for an answer to DREQ; 0 = not known
    std::uint32_t req_transmissions = 0;
    std::uint32_t rep_transmissions = 0;
    std::uint32_t dreq_transmissions = 0;
    Sent last_req, last_rep;
    std::vector<MessageOfMany> of_many;  ///< MRA, LAP, APR, DREQ, DREP: the first Limits::messages of them
    std::vector<MessageSeen> messages;   ///< the first Limits::messages of them
    std::uint64_t message_count = 0;
    PerSide<Traffic> from;
    std::uint64_t first_frame = 0;
    Time last_time = 0;
};

/// Which side has the queue pair at that port, as far as both are known; nullopt: neither.
std::optional<Side> side_of(const Connection& connection, const Address& port, std::optional<std::uint32_t> qpn);

/// Whether anything that this side sent was captured.
bool is_heard(const Connection& connection, Side side);

/// Whether the client says that it got no answer to its REQ.
bool has_timed_out(const Connection& connection);
/// The transmission of a message by which the server asked the client to wait for the answer to REQ.
const MessageOfMany* mra_for_req(const Connection& connection);
/// Whether the connection is one of the RDMA IP CM service, as its service id tells.
bool is_of_service(const Connection& connection);

/// Whether its consumer rejects say in which layer, and its requests have addresses: as in the service, so in
/// librdmacm.
bool has_ip_header(const Connection& connection);

/// Whether all of the 12 octets before an IPv4 address are zero.
bool is_padded(const Bytes<12>& padding);
/// Whether an IPv6 address is one of a single host, without an IPv4 address in it.
bool is_ordinary(const Address& address);

/// "tcp", "udp", "ib", "sctp", or the number; empty if there is none.
std::string protocol_text(const Connection& connection);

struct Model : RuleRecord<rules::catalogue> {
    std::deque<Connection> connections;  ///< connections[id - 1]
    /// How often a limit kept a connection from being followed; 0 in any ordinary capture.
    std::uint64_t dropped_connections = 0;
};

}  // namespace fabricscope::engine::rdma_cm
