// SPDX-License-Identifier: GPL-2.0-or-later
// The messages of one RDMA CM connection, put together from the packets of both sides: for the reader of a recording,
// and for an endpoint in a run.
#pragma once

#include <deque>

#include "capture/rc_message_assembler.h"
#include "protocols/rdma_cm/message.h"
#include "replay/engine/conversation.h"

namespace fabricscope::replay::rdma_cm {

struct ConversationMessage {
    Message message;
    bool retransmitted = false;  ///< the same CM message has been received before
};

/// One end, as its CM messages tell it.
struct End {
    std::optional<std::uint32_t> qpn;
    std::uint32_t starting_psn = 0;  ///< at which the other side begins
    std::uint32_t q_key = 0;         ///< datagrams
};

/// CM messages, datagrams, and of a connection what its responders execute: requests in order of their PSNs,
/// each once. Packets have to be in order of time; they may be of other connections, too.
class ConversationAssembler {
public:
    /// Adds the messages that the packet completes, with its time and frame.
    void feed(Side from, const capture::Packet& packet, std::vector<ConversationMessage>& messages);

    const PerSide<End>& ends() const { return ends_; }
    /// The client's REQ; nullptr if there has been none.
    const fabricscope::rdma_cm::Req* request() const { return request_ ? &*request_ : nullptr; }
    /// The server's REP; nullptr if there has been none.
    const ib::CmRep* reply() const { return reply_ ? &*reply_ : nullptr; }
    std::uint32_t mtu() const { return mtu_; }
    /// Why the connection cannot be replayed; empty if it can.
    const std::string& obstacle() const { return obstacle_; }
    /// Whether no request is missing, and none incomplete.
    bool complete() const;
    /// Whether a READ or an atomic operation that was not refused has no response.
    bool lacks_responses() const;

private:
    /// A READ or an atomic operation whose response has not arrived completely.
    struct Asked {
        std::uint32_t psn;
        std::size_t message;                                  ///< the request's number
        std::optional<capture::MessageAssembler> response{};  ///< of a READ
    };
    /// What one side sends as a requester.
    struct Requests {
        std::uint32_t next_psn = 0;
        std::optional<std::uint32_t> ahead{};  ///< the furthest request that came before its turn
        bool started = false;                  ///< next_psn is known
        capture::MessageAssembler assembler{{.bytes = longest_message, .write_bytes = longest_message}};
        std::deque<Asked> asked;
        std::optional<std::uint32_t> refused_psn;
    };
    using Messages = std::vector<ConversationMessage>;

    void feed_cm(Side from, const capture::Packet& packet, Messages& messages);
    void learn_queue_pairs(Side from, const fabricscope::rdma_cm::Message& message);
    void feed_datagram(Side from, const capture::Packet& packet, Messages& messages);
    void feed_connected(Side from, const capture::Packet& packet, Messages& messages);
    void feed_request(Side from, const capture::Packet& packet, Messages& messages);
    void feed_read_request(Side from, const capture::Packet& packet, Messages& messages);
    void feed_atomic_request(Side from, const capture::Packet& packet, Messages& messages);
    void feed_atomic_response(Side from, const capture::Packet& packet, Messages& messages);
    void feed_read_response(Side from, const capture::Packet& packet, Messages& messages);
    void feed_acknowledge(Side from, const capture::Packet& packet, Messages& messages);
    void add(Message message, const capture::Packet& packet, Messages& messages);
    void set_obstacle(std::string obstacle);

    static constexpr std::size_t longest_message = std::size_t{1} << 26;

    PerSide<End> ends_;
    PerSide<Requests> requests_;
    PerSide<std::vector<Octets>> mads_;  ///< that were received
    std::optional<fabricscope::rdma_cm::Req> request_;
    std::optional<ib::CmRep> reply_;
    std::uint32_t mtu_ = 1024;
    std::size_t added_ = 0;  ///< messages, but for retransmitted ones
    std::string obstacle_;
};

}  // namespace fabricscope::replay::rdma_cm
