// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame of the capture, kept for whenever Wireshark shows the frame.
//
// Wireshark dissects a frame again and again, in any order. What is shown of a frame is what was said
// when the engine came past it; only what becomes of its connection is told as far as it is known.
#pragma once

#include <string>
#include <vector>

#include "plugins/shell/frame_list.h"
#include "plugins/shell/frame_notes.h"
#include "plugins/shell/session.h"

namespace fabricscope::plugin::rdma_cm {

namespace wire = fabricscope::rdma_cm;

using engine::rdma_cm::Connection;
using engine::rdma_cm::FrameFacts;
using engine::rdma_cm::Side;

class Record final : public engine::rdma_cm::Observer {
public:
    /// The engine has seen the packet, and says nothing of messages that belong to no connection.
    void note_message(const capture::Packet& packet);

    /// False: the frame has nothing to do with RDMA CM. A copy has its original's facts. Connection 0: a
    /// message that belongs to none.
    bool find_facts(std::uint64_t frame, FrameFacts& facts) const;
    /// Of a message.
    ib::CmAttribute attribute(std::uint64_t frame) const;
    const FrameNotes& notes() const { return notes_; }

    /// nullptr for connection 0
    const Connection* connection(std::uint32_t id) const;
    /// As far as the frames seen until now tell.
    engine::rdma_cm::Outcome outcome(const Connection& connection) const;

    /// A connection's two parties as the RDMA IP CM service tells them; empty if the request was not
    /// captured, or has no addresses.
    using Parties = engine::PerSide<std::string>;  ///< "192.0.2.10:38234"
    const Parties& parties(std::uint32_t connection) const;

private:
    struct Entry {
        std::uint32_t frame;
        std::uint32_t connection;
        std::uint32_t answer;  ///< place in answers_; 0 = answers nothing
        std::uint16_t attribute;
        bool message : 1;
        bool from_server : 1;
        bool retransmission : 1;
    };
    struct Answer {
        capture::Time time, request_time;
        std::uint64_t request_frame;
    };

    void on_facts(const FrameFacts& facts) override;
    void on_copy(std::uint64_t frame, std::uint64_t original) override { note_copy(frame, original); }
    void on_finding(const engine::Finding& finding) override { notes_.note_finding(finding); }

    FrameNotes notes_;
    FrameList<Entry> entries_;
    FrameDetails<Answer> answers_;
    mutable std::vector<Parties> parties_;  ///< by connection id - 1, made when first asked for
};

}  // namespace fabricscope::plugin::rdma_cm
