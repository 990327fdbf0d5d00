// SPDX-License-Identifier: GPL-2.0-or-later
// A host that offers services over RDMA CM and uses those of others, as it is told by plans: messages, RDMA WRITEs and
// READs over reliable connections, and datagrams.
#pragma once

#include <deque>
#include <map>

#include "replay/stack/ib/rdma_host.h"

namespace fabricscope::stack {

enum class CmAnswer : std::uint8_t { accept, reject, none };

/// How a server treats one service id.
struct ServicePlan {
    std::uint64_t service_id = 0;
    CmAnswer answer = CmAnswer::accept;
    CmRejection rejection;  ///< if it rejects
    Time think = 0;         ///< before it answers
    std::uint8_t mra = 0;   ///< coded; sent at once if not 0
    bool echo = true;       ///< whether messages are sent back
    /// Messages name memory of the client, which the server fills by a WRITE; then it answers by a SEND with
    /// Invalidate, as storage does (NVMe over Fabrics).
    bool commands = false;
    unsigned receive_buffers = 64;  ///< posted again `repost` after they were used
    Time repost = 0;
    std::uint32_t memory =
        65'536;  ///< octets that the client may use; named at the beginning of the REP's private data
    std::uint8_t access = remote_read | remote_write | remote_atomic;
    std::uint32_t q_key = 0x0111'1111;    ///< datagrams
    Octets private_data;                  ///< behind the name of the memory
    Time disconnect_after = never;        ///< the server ends the connection
    std::optional<std::uint8_t> refusal;  ///< it says this NAK to one message ...
    unsigned refused_message = 0;         ///< ... this one of each connection, from 0
};

enum class TransferType : std::uint8_t {
    send,
    write,
    read,
    add,      ///< Fetch and Add of a number at the beginning of the server's memory
    swap,     ///< Compare and Swap there
    command,  ///< see ServicePlan::commands
};
enum class ClientEnd : std::uint8_t {
    disconnect,  ///< when all is done
    leave,       ///< the connection open
    refuse,      ///< says no to the REP
};

/// What a client does with one connection, or with a datagram service.
struct ClientPlan {
    CmRequest request;  ///< the agent fills in queue pair and PSN
    bool datagrams = false;
    TransferType type = TransferType::send;
    unsigned messages = 0;
    std::uint32_t octets = 0;  ///< of each message
    bool echoed = true;        ///< SEND: the server sends each message back, which is waited for
    Time pause = 0;            ///< between two messages
    std::uint64_t beyond = 0;  ///< WRITE, READ and atomics so far behind the server's memory
    Time hold = 0;             ///< before the end
    ClientEnd end = ClientEnd::disconnect;
    RcConfig rc;  ///< timeouts and retries of the queue pair
};

/// What a side knows of a connection.
struct RdmaPeerAccount {
    bool client = false;
    std::uint32_t qpn = 0;         ///< its own; 0 if it never had one
    std::string outcome = "open";  ///< "connected", "rejected", "timeout", "disconnected" or a queue pair's error
    std::uint16_t reject_reason = 0;
    std::uint64_t sent = 0;      ///< octets that the peer has acknowledged, of SENDs and WRITEs
    std::uint64_t received = 0;  ///< octets of SENDs and READs
    std::uint64_t messages_sent = 0;
    std::uint64_t messages_received = 0;
    bool data_right = true;  ///< what was received is what the peer ought to have sent
    std::uint64_t retransmissions = 0;
    RequesterAccount requester;
};

class RdmaPeer final : public RdmaHost {
public:
    explicit RdmaPeer(const RdmaHostConfig& config) : RdmaHost(config) {}

    void offer(const ServicePlan& plan);
    void start(Time now, const ClientPlan& plan);
    /// Of every connection, in the order in which they began.
    std::vector<RdmaPeerAccount> accounts() const;

protected:
    void on_cm_event(Time now, const CmEvent& event) override;
    void on_completion(Time now, Completion completion) override;
    void on_consumer_timer(Time now) override;
    Time consumer_wakeup() const override;

private:
    enum class Due : std::uint8_t { answer, next_message, end, repost };
    struct Timer {
        Time at = never;
        Due what{};
        std::size_t session = 0;
    };
    struct Session {
        CmId id = 0;
        std::uint32_t qpn = 0;
        std::optional<ServicePlan> service;  ///< a server's
        std::optional<ClientPlan> plan;      ///< a client's
        IbAddress peer;
        std::uint32_t remote_qpn = 0;
        std::uint32_t remote_q_key = 0;
        Octets memory;              ///< the server's, or what the client reads into
        std::uint32_t rkey = 0;     ///< of that memory, if the peer uses it
        std::uint64_t counter = 0;  ///< what a client's atomic operations must find in the server's memory
        std::uint64_t remote_address = 0;
        std::uint32_t remote_rkey = 0;
        unsigned messages_begun = 0;
        unsigned messages_done = 0;
        bool ended = false;
        RdmaPeerAccount account;
    };

    void set_timer(Time at, Due what, std::size_t session);
    std::size_t session_of(CmId id) const;
    std::size_t session_of_qpn(std::uint32_t qpn) const;
    void on_request(Time now, CmId id);
    void answer(Time now, std::size_t index);
    void on_reply(Time now, std::size_t index);
    void on_sidr_reply(Time now, std::size_t index, const CmEvent& event);
    void connect_queue_pair(std::size_t index, const CmConnection& connection);
    void next_message(Time now, std::size_t index);
    void one_done(Time now, std::size_t index);
    WorkRequest work_of(std::size_t index, unsigned number);
    WorkRequest command_of(std::size_t index, unsigned number);
    void answer_command(Time now, const Session& session, unsigned number, ByteView command);
    void check_received(Session& session, unsigned number, const Completion& completion);
    void check_work(Session& session, const Completion& completion);
    void end(Time now, std::size_t index);
    void on_message(Time now, std::size_t index, const Completion& completion);
    void on_work(Time now, std::size_t index, const Completion& completion);
    void close_queue_pair(Session& session);

    std::map<std::uint64_t, ServicePlan> services_;
    std::deque<Session> sessions_;
    std::vector<Timer> timers_;
};

/// What message number `message` of a connection holds at `offset`; both sides know it.
std::uint8_t rdma_octet(unsigned message, std::size_t offset);

}  // namespace fabricscope::stack
