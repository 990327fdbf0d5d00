// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame of the capture, kept for whenever Wireshark shows the frame.
//
// Wireshark dissects a frame again and again, in any order. What is shown of a frame is what was said when the engine
// came past it; only its stream, the answer and the end of all retries are told as far as they are known.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "analyzer/engine/rdma/sessions.h"
#include "plugins/rdma/guesses.h"
#include "plugins/shell/frame_list.h"
#include "plugins/shell/frame_notes.h"
#include "plugins/shell/session.h"

namespace fabricscope::plugin::rdma {

using engine::rdma::AnswerFacts;
using engine::rdma::Cause;
using engine::rdma::Endpoint;
using engine::rdma::FrameFacts;
using engine::rdma::Oddities;
using engine::rdma::OperationType;
using engine::rdma::Session;
using engine::rdma::Side;
using engine::rdma::Stream;

class Record final : public engine::rdma::Observer {
public:
    /// False: the frame belongs to no stream. A copy has its original's facts.
    bool find_facts(std::uint64_t frame, FrameFacts& facts) const;
    /// Of the frame's stream, as far as the frames seen until now tell; nullptr if it belongs to none.
    const Content* content(std::uint64_t frame) const;
    /// The packet that completes the operation which begins in this frame; 0: none that is known yet.
    std::uint64_t response(std::uint64_t frame) const;
    /// The packet of which these facts are a retransmission, as it was sent first; 0: it was not seen, or long ago.
    std::uint64_t original(const FrameFacts& facts) const;
    /// The packet that acknowledges this request; 0: none that is known yet.
    std::uint64_t acknowledgment(const FrameFacts& facts) const;
    const FrameNotes& notes() const { return notes_; }

    /// Of the facts, as far as the frames seen until now tell.
    static const Stream& stream(const FrameFacts& facts);
    /// What the stream's set-up says, if the frames seen until now show it; nullptr if not.
    const Session* session(const Stream& stream) const;
    /// As its own packets tell it, or else its session.
    Endpoint end(const Stream& stream, Side side) const;
    /// "192.0.2.10 QP 0x000011"; lives as long as the record.
    const char* end_text(const Stream& stream, Side side) const;

private:
    /// Every packet has one, so that it is small.
    struct Entry {
        std::uint32_t frame;
        std::uint32_t stream;
        std::uint32_t psn;
        std::uint32_t relative_psn;
        std::uint32_t operation_number;
        std::uint32_t operation_bytes;
        std::uint32_t request_frame;
        std::uint32_t response;  ///< of the operation that begins here
        std::uint32_t packets_in_flight;
        std::uint32_t answer;  ///< place in answers_; 0: answers nothing
        std::uint32_t oddity;  ///< place in oddities_; 0: nothing is out of the ordinary
        OperationType type;
        bool from_b : 1;
        bool request : 1;
        bool response_packet : 1;
        bool cnp : 1;
        bool ce : 1;
        bool has_relative_psn : 1;
        bool has_type : 1;
        bool has_bytes : 1;
        bool has_in_flight : 1;
        bool has_bytes_in_flight : 1;
        std::uint64_t bytes_in_flight;
    };
    struct Answer : AnswerFacts {
        capture::Time time;
    };

    void on_facts(const FrameFacts& facts) override;
    void on_operation(const engine::rdma::Operation& operation) override;
    void on_packet(const FrameFacts& facts, const capture::Packet& packet) override;
    void on_merged(std::uint32_t stream, std::uint32_t into) override;
    void on_copy(std::uint64_t frame, std::uint64_t original) override { note_copy(frame, original); }
    void on_finding(const engine::Finding& finding) override { notes_.note_finding(finding); }

    /// A direction of a stream.
    struct Way {
        std::uint32_t stream;
        Side from;
        bool operator==(const Way&) const = default;
    };
    Way way_of(const Entry& entry) const;
    /// The earlier stream whose other half this one is; 0: none.
    std::uint32_t merged_into(std::uint32_t stream) const { return stream < merged_.size() ? merged_[stream] : 0; }
    Content& content_of(std::uint32_t stream);

    /// What is known of a stream's session, and when that was looked for.
    struct Known {
        std::array<std::string, 2> text;  ///< of its ends; empty before somebody looks at it
        std::array<bool, 2> named{};      ///< whether the text has the queue pair
        std::optional<Session> session;
        std::uint64_t packets = 0;  ///< of the stream
        std::uint64_t frames = 0;   ///< of the capture
    };
    Known& known_of(const Stream& stream) const;
    bool may_be_known_now(const Stream& stream, const Known& known) const;

    FrameNotes notes_;
    FrameList<Entry> entries_;
    FrameDetails<Answer> answers_;
    FrameDetails<Oddities> oddities_;
    std::vector<std::uint32_t> merged_;  ///< by stream: the earlier one whose other half it is; 0: none
    std::vector<Content> contents_;      ///< by the stream's id - 1
    // Frames are shown while they are read, too: sessions are looked for when somebody looks at a stream.
    mutable std::optional<engine::rdma::Sessions> sessions_;
    mutable std::deque<Known> known_;  ///< by the stream's id - 1
};

}  // namespace fabricscope::plugin::rdma
