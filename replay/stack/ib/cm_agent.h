// SPDX-License-Identifier: GPL-2.0-or-later
// Communication Management of an adapter (InfiniBand Architecture Specification Volume 1, chapter 12) with the RDMA IP
// CM service (annex A11), both sides: connections of any transport service, and service id resolution for datagrams.
//
// The agent exchanges messages; queue pairs belong to its consumer, who is told of everything by events.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "protocols/rdma_cm/message.h"
#include "replay/stack/ib/adapter.h"

namespace fabricscope::stack {

/// The wire formats.
namespace cm = fabricscope::rdma_cm;

struct CmConfig {
    std::uint8_t response_timeout = 20;  ///< coded: how long this side may take to answer, and grants the peer
    std::uint8_t packet_lifetime = 18;   ///< coded: one way; waits are longer by two of them
    std::uint8_t max_cm_retries = 15;
    bool reject_on_timeout =
        true;  ///< whether it tells the peer that it gives up waiting (IBA 12.9.8.3); Linux does not
    Time time_wait = 500 * millisecond;  ///< how long a finished connection still answers repeated messages
    // The RDMA IP CM service (annex A11)
    bool ip_service = true;  ///< whether this server offers it at all
    std::uint8_t major_version = 0;
    std::uint8_t minor_version = 0;  ///< the highest one supported
    bool ipv4 = true;
    bool ipv6 = true;
    std::vector<Gid> own_ips;  ///< besides the adapter's own address
};

/// A REQ of an adapter of 25 Gb/s.
cm::Req usual_request();

/// What a client asks for. Codes are as in the REQ.
struct CmRequest {
    IbAddress peer;
    std::uint64_t service_id = 0;
    std::optional<cm::IpHeader> ip;  ///< if the service id promises one
    ib::Service service = ib::Service::rc;
    std::uint32_t qpn = 0;
    std::uint32_t starting_psn = 0;  ///< at which the server shall begin (IBA 12.7.31)
    std::uint8_t path_mtu = 3;
    std::uint8_t responder_resources = 4;
    std::uint8_t initiator_depth = 4;
    std::uint8_t retry_count = 7;
    std::uint8_t rnr_retry_count = 7;
    std::uint8_t ack_timeout = 19;
    Octets private_data;
    cm::Req like = usual_request();  ///< what else the REQ holds: whatever is not named above and not the agent's own
};

/// Of the queue pairs that a REQ asks for.
ib::Service service_of(const ib::CmReq& req);
/// The same as a REQ tells it.
CmRequest request_of(const cm::Req& req, const IbAddress& peer, ByteView private_data);

/// What a server agrees to.
struct CmReply {
    std::uint32_t qpn = 0;
    std::uint32_t starting_psn = 0;  ///< at which the client shall begin
    std::uint8_t responder_resources = 4;
    std::uint8_t initiator_depth = 4;
    std::uint8_t rnr_retry_count = 7;
    Octets private_data;
    ib::CmRep like{};  ///< what else the REP holds
};

struct CmRejection {
    std::uint16_t reason = ib::consumer_reject;
    Octets additional{};  ///< at most 72 octets
    Octets private_data{};
};

/// A consumer reject with the RDMA IP CM service's own reason (A11.7, tables 4 and 5).
CmRejection ip_service_rejection(std::uint8_t code, const Octets& suggested = {});

/// The head of private data for a connection between two IP addresses of one version.
cm::IpHeader ip_header(const Gid& source, std::uint16_t source_port, const Gid& destination);
/// A11.5
constexpr std::uint64_t socket_service_id(std::uint8_t protocol, std::uint16_t port) {
    return cm::service_prefix << 24 | std::uint64_t{protocol} << 16 | port;
}

enum class CmState : std::uint8_t {
    req_sent,      ///< client
    rep_wait,      ///< client: the server asked for more time
    rep_received,  ///< client: its consumer decides
    req_received,  ///< server: its consumer decides
    rep_sent,      ///< server
    mra_received,  ///< server: the client asked for more time
    established,
    dreq_sent,
    dreq_received,  ///< its consumer has to agree
    sidr_sent,
    sidr_received,
    over,  ///< rejected, timed out or disconnected; still answers what is repeated
};

/// Names a connection within an agent: its local communication id, or the id of a SIDR request.
using CmId = std::uint32_t;

struct CmConnection {
    CmId id = 0;
    std::uint32_t remote_id = 0;
    CmState state = CmState::req_sent;
    bool client = false;
    IbAddress peer;
    std::uint64_t service_id = 0;
    CmRequest request;             ///< the client's; as received on the server
    std::optional<CmReply> reply;  ///< the server's
    std::uint32_t remote_qpn() const { return client ? (reply ? reply->qpn : 0) : request.qpn; }

    // the agent's own
    std::uint64_t transaction_id = 0;
    std::uint8_t max_retries = 0;
    std::uint8_t peer_response_timeout = 0;
    Octets last_message;  ///< what is repeated, on a timer or when the peer repeats what it answered
    std::string last_note;
    Time deadline = never;
    unsigned repetitions = 0;
};

struct CmEvent {
    enum class Kind : std::uint8_t {
        request,        ///< server: accept(), reject() or delay()
        reply,          ///< client: confirm() or reject()
        established,    ///< server: RTU has come
        delayed,        ///< MRA has come
        rejected,       ///< by the peer
        timed_out,      ///< the peer does not answer
        disconnecting,  ///< the peer wants to end it: agree()
        disconnected,   ///< both sides know
        sidr_request,   ///< server: answer_sidr()
        sidr_reply,     ///< client
    };
    Kind kind{};
    CmId id = 0;
    CmRejection rejection{};       ///< rejected
    std::uint8_t sidr_status = 0;  ///< sidr_reply
    std::uint32_t q_key = 0;       ///< sidr_reply
    std::uint32_t qpn = 0;         ///< sidr_reply
};

class CmAgent {
public:
    /// Sends from queue pair 1 of `adapter`, which must live as long.
    CmAgent(Adapter& adapter, CmConfig config, Random random);

    void listen(std::uint64_t service_id) { listening_.insert(service_id); }

    CmId connect(Time now, CmRequest request);
    void confirm(Time now, CmId id);
    void accept(Time now, CmId id, CmReply reply);
    void reject(Time now, CmId id, CmRejection rejection);
    /// Sends MRA: the answer will take up to `service_timeout` (coded).
    void delay(Time now, CmId id, std::uint8_t service_timeout);
    void disconnect(Time now, CmId id);
    void agree(Time now, CmId id);
    /// SIDR: asks for the queue pair of a datagram service.
    CmId resolve(Time now, CmRequest request);
    void answer_sidr(Time now, CmId id, std::uint8_t status, std::uint32_t qpn, std::uint32_t q_key);

    /// A datagram that arrived at queue pair 1.
    void on_datagram(Time now, const Completion& datagram);
    void on_timer(Time now);
    Time wakeup() const { return deadlines_.empty() ? never : deadlines_.begin()->first; }
    std::deque<CmEvent>& events() { return events_; }
    /// nullptr if the id is unknown or has been forgotten.
    const CmConnection* find(CmId id) const;

private:
    struct Incoming {
        const cm::Message& message;
        IbAddress from;
    };

    CmConnection& add(CmId id, const IbAddress& peer);
    CmConnection& add_server(const IbAddress& peer, std::uint32_t remote_id);
    void forget(CmConnection& connection);
    void set_deadline(CmConnection& connection, Time deadline);
    CmConnection* by_local_id(std::uint32_t id, CmState state);
    CmConnection* answered(std::uint32_t local_id, std::uint32_t remote_id);
    CmConnection* by_remote(std::uint32_t remote_id, const IbAddress& peer, bool sidr);
    void on_req(Time now, const Incoming& in, const cm::Req& req);
    void on_mra(Time now, const ib::CmMra& mra);
    void on_rej(Time now, const Incoming& in, const cm::Rej& rej);
    void on_rep(const Incoming& in, const ib::CmRep& rep);
    void on_rtu(const ib::CmRtu& rtu);
    void on_dreq(Time now, const Incoming& in, const ib::CmDreq& dreq);
    void on_drep(Time now, const ib::CmDrep& drep);
    void on_sidr_req(Time now, const Incoming& in, const cm::SidrReq& request);
    void on_sidr_rep(Time now, const Incoming& in, const cm::SidrRep& reply);
    void on_lap(const Incoming& in, const ib::CmLap& lap);
    std::optional<CmRejection> objection(const std::optional<cm::IpHeader>& ip, std::uint64_t service_id) const;
    bool is_own_ip(const Gid& ip) const;

    template <class Body>
    void send(
        CmConnection& connection, ib::CmAttribute attribute, const Body& body, ByteView private_data, const char* note);
    template <class Body>
    Octets build(
        std::uint64_t transaction_id, ib::CmAttribute attribute, const Body& body, ByteView private_data) const;
    void transmit(const CmConnection& connection);
    void reject_unknown(const Incoming& in, std::uint32_t remote_id, std::uint8_t which);
    void wait_for_answer(Time now, CmConnection& connection, Time more = 0);
    void finish(Time now, CmConnection& connection);
    void give_up(Time now, CmConnection& connection);
    void report(CmEvent::Kind kind, const CmConnection& connection);
    std::uint64_t new_transaction();

    Adapter& adapter_;
    CmConfig config_;
    Random random_;
    std::map<CmId, CmConnection> connections_;
    std::set<std::pair<Time, CmId>> deadlines_;             ///< of those that wait for a time
    std::unordered_multimap<std::uint32_t, CmId> servers_;  ///< by the client's id
    std::set<std::uint64_t> listening_;
    std::deque<CmEvent> events_;
    std::uint64_t transactions_ = 0;
};

}  // namespace fabricscope::stack
