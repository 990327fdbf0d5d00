// SPDX-License-Identifier: GPL-2.0-or-later
// The TCP connections over which SMC is negotiated: the option in SYN and SYN-ACK, then CLC messages
// at the start of both streams (RFC 7609, 3.1 and 3.5).
#pragma once

#include <deque>
#include <unordered_map>

#include "analyzer/engine/smcr/link_groups.h"
#include "analyzer/engine/smcr/plain_handshakes.h"
#include "capture/tcp_stream.h"

namespace fabricscope::engine::smcr {

class Rendezvous {
    static constexpr std::size_t stream_limit = 8 * 1024;  // a CLC message and what may overtake it
    static constexpr std::size_t most_streams = 8 * 1024;  // the oldest one that still waits is given up

public:
    Rendezvous(Observer& observer, Model& model, Sessions& sessions, LinkGroups& groups, SetupRules& rules)
        : observer_(observer), model_(model), sessions_(sessions), groups_(groups), rules_(rules) {}

    void on_tcp(const capture::Packet& packet);
    void finish();

private:
    /// The two ends of a connection, the same whichever way a segment goes.
    struct Key {
        SocketAddress low, high;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept;
    };
    struct Conversation {
        std::uint32_t session = 0;
        SocketAddress client;
        PerSide<std::unique_ptr<capture::TcpStream>> stream;  ///< once there is payload, while negotiating
        PerSide<std::optional<std::uint32_t>> start;          ///< sequence number of each stream's first octet
        Handshake handshake;
        PerSide<std::optional<std::uint32_t>> first;         ///< sequence number behind the SYN, if that was captured
        PerSide<std::optional<std::uint32_t>> acknowledged;  ///< up to where this side's stream was, by the other
        bool negotiating = true;                             ///< CLC messages may still come
        bool other_data = false;                             ///< TCP carries data, and no DECLINE was captured
        std::optional<FrameStamp> last_message;              ///< what the next one answers
    };
    struct Segment {
        const capture::Packet& packet;
        Conversation& conversation;
        Side from;
    };

    void make_room_for_stream(const Segment& segment);
    static Key key_of(const capture::Packet& packet);
    static bool is_of_another(const capture::Packet& packet, const Conversation& known);
    Conversation* conversation_of(const capture::Packet& packet, const Key& key);
    Conversation* begin(const Key& key, const capture::Packet& packet, Side sender);
    void note_plain_syn(const capture::Packet& packet);
    Conversation* begin_midway(const Key& key, const capture::Packet& packet);
    void recall(Conversation& conversation, Side side, std::uint32_t first);
    void resume(const Segment& segment);
    void on_syn(const Segment& segment);
    void on_fin(const Segment& segment);
    void on_reset(const Segment& segment);
    static bool is_in_window(const Segment& segment);
    static bool refuses(const Segment& segment);
    void note_acknowledgment(const Segment& segment);
    void on_end(const Segment& segment);
    void note_fins_before(const Segment& segment);
    TcpArrival arrival_of(const Segment& segment) const;
    TcpArrival arrival_of(const Segment& segment, std::uint64_t end) const;
    void on_payload(const Segment& segment);
    bool on_stream(const Segment& segment);
    void on_cut_message(const Segment& segment);
    static std::optional<std::uint32_t> next(const Conversation& conversation, Side side);
    static std::uint32_t pending(const Segment& segment);
    bool on_message(const Segment& segment, ByteView octets, std::uint64_t position);
    bool on_clc(const Segment& segment, const wire::ClcMessage& message, TcpArrival& arrival);
    bool on_accept(const TcpArrival& arrival, Session& session, const wire::SmcrAcceptConfirm& message);
    bool on_confirm(const TcpArrival& arrival, Session& session, const wire::SmcrAcceptConfirm& message);
    bool on_smcd(Connection& connection, const wire::SmcdAcceptConfirm& message, wire::ClcType type, FrameStamp step);
    bool on_decline(Session& session, const wire::ClcMessage& message, Side from, FrameStamp step);
    void stop(Conversation& conversation);

    Observer& observer_;
    Model& model_;
    Sessions& sessions_;
    LinkGroups& groups_;
    SetupRules& rules_;
    std::unordered_map<Key, Conversation, KeyHash> conversations_;
    struct Waiting {
        Key key;
        std::uint32_t session;
    };
    std::deque<Waiting> streams_;  ///< that were begun, the oldest first; most have been dealt with
    PlainHandshakes plain_;
};

}  // namespace fabricscope::engine::smcr
