// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets of one connection say, whoever hears them: the reader of a recording, or an endpoint in a run.
#pragma once

#include <deque>

#include "capture/packet.h"
#include "protocols/rdma_ip_cm/message.h"
#include "replay/engine/conversation.h"

namespace fabricscope::replay::rdma_cm {

struct Heard {
    Message message;
    bool repeated = false;  ///< a CM message that was heard before
};

/// One end, as its CM messages tell it.
struct End {
    std::optional<std::uint32_t> qpn;
    std::uint32_t starting_psn = 0;  ///< at which the other side begins
    std::uint32_t q_key = 0;         ///< datagrams
};

/// Puts messages together from the packets of both sides. Of a reliable connection what its responders execute:
/// requests in order of their PSNs, each once. Packets have to be in order of time; they may be of other connections,
/// too.
class Ear {
public:
    /// Adds to `heard` what the packet completes. Times and frames are the packet's.
    void hear(Side from, const capture::Packet& packet, std::vector<Heard>& heard);

    const PerSide<End>& ends() const { return ends_; }
    /// The client's REQ; nullptr if none has been heard.
    const fabricscope::rdma_ip_cm::Req* request() const { return request_ ? &*request_ : nullptr; }
    /// The server's REP; nullptr if none has been heard.
    const ib::CmRep* reply() const { return reply_ ? &*reply_ : nullptr; }
    std::uint32_t mtu() const { return mtu_; }
    /// What cannot be replayed as it was heard; empty if all can.
    const std::string& problem() const { return problem_; }
    /// Whether all that was begun was heard to its end.
    bool whole() const;

private:
    /// A READ whose response is under way.
    struct Read {
        std::uint32_t first_psn = 0, packets = 0, arrived = 0;
        std::uint32_t length = 0;
        std::size_t number = 0;  ///< of its message
        Octets octets;
    };
    /// What one side sends as a requester.
    struct Requests {
        std::uint32_t next_psn = 0;
        std::optional<std::uint32_t> ahead{};  ///< the furthest request that came before its turn
        bool begun = false;                    ///< the connection is known
        std::optional<Message> open;           ///< a message of several packets
        std::deque<Read> reads;
        std::optional<std::uint32_t> refused_psn;
    };

    void hear_cm(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void learn(Side from, const fabricscope::rdma_ip_cm::Message& message);
    void hear_rc(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void hear_request(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void hear_read(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void hear_read_response(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void hear_acknowledge(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void hear_datagram(Side from, const capture::Packet& packet, std::vector<Heard>& heard);
    void complete(Message message, const capture::Packet& packet, std::vector<Heard>& heard);
    std::uint32_t packets_for(std::uint32_t length) const;
    void object(std::string problem);

    PerSide<End> ends_;
    PerSide<Requests> requests_;
    PerSide<std::vector<Octets>> mads_;  ///< that were heard
    std::optional<fabricscope::rdma_ip_cm::Req> request_;
    std::optional<ib::CmRep> reply_;
    std::uint32_t mtu_ = 1024;
    std::size_t completed_ = 0;  ///< messages handed out, but for repeated ones
    std::string problem_;
};

}  // namespace fabricscope::replay::rdma_cm
