// SPDX-License-Identifier: GPL-2.0-or-later
// Traffic of link groups and connections whose set-up was not captured: only what the packets prove is told, and sides
// have names only once a message shows who is who.
#pragma once

#include <array>
#include <unordered_map>

#include "analyzer/engine/smcr/link_table.h"

namespace fabricscope::engine::smcr {

class Midstream {
public:
    /// The arguments outlive this object.
    Midstream(const Options& options, LinkTable& links, Sessions& sessions)
        : most_groups_(options.limits.midstream_groups), links_(links), sessions_(sessions) {}

    /// identify() looks at a packet to a queue pair that no message has named. A SEND that can only be SMC-R's makes
    /// its link known, and its link group, the one between the two ports; an acknowledgement belongs to the link of
    /// that group whose requests it acknowledges. A WRITE is remembered for a while: its queue pair may turn out to be
    /// a link's. Returns the packet's queue pair, whose link is known from now on.
    std::optional<QueuePairRef> identify(const capture::Packet& packet);

    /// begin_connection() returns the connection of a token whose assignment was not captured, and that no connection
    /// has yet: one of which only the other direction is known, if the cursors show which one; the one whose
    /// ACCEPT is missing, if it can be no other; or a new one. nullptr if there are too many.
    Session* begin_connection(const Arrival& a, const wire::Cdc& cdc);

    /// whole() returns the connection to which a message to `session` belongs: of one seen midway the token may name
    /// one half only, until the cursors join both.
    Session& whole(const Arrival& a, const wire::Cdc& cdc, Session& session);

private:
    /// The ports at both ends of a group: the lower address first.
    using PortPair = std::pair<Address, Address>;
    struct PortPairHash {
        std::size_t operator()(const PortPair& pair) const noexcept {
            return std::hash<Address>{}(pair.first) * 31 + std::hash<Address>{}(pair.second);
        }
    };
    /// A WRITE to a queue pair that nothing is known of.
    struct UnknownWrite {
        Address port;
        std::uint32_t qpn = 0;
        StrayWrite write{};
        bool used = false;
    };

    /// The end of a link at this port got the queue pair to which a SEND went, since no other end was without one.
    struct Guess {
        std::uint32_t group = 0;
        std::uint32_t link = 0;
        Address port;
    };

    static PortPair ports_of(const capture::Packet& packet);
    void remember(const capture::Packet& write);
    void hand_over_writes(const capture::Packet& packet, const QueuePairRef& to);
    std::vector<QueuePairRef> unnamed_ends(const capture::Packet& packet) const;
    bool is_taken(const QueuePairRef& end) const;
    std::optional<QueuePairRef> begin_group(const capture::Packet& packet);
    std::optional<QueuePairRef> continued(const std::vector<QueuePairRef>& ends, const capture::Packet& packet) const;
    std::optional<QueuePairRef> link_of_send(const capture::Packet& packet);
    std::optional<QueuePairRef> link_of_acknowledgement(const capture::Packet& packet);
    std::optional<QueuePairRef> acknowledged(
        const std::vector<QueuePairRef>& ends, const capture::Packet& packet) const;
    std::vector<QueuePairRef> guessed_ends(const capture::Packet& packet) const;
    void withdraw(const QueuePairRef& end);
    void name(const QueuePairRef& end, const capture::Packet& packet);
    Session* lacking_token(const LinkGroup& group, Side side);
    Session* new_connection(TrackedGroup& tracked, const Arrival& a);
    void join(std::uint32_t group, Session& kept, Session& gone, Side sender);

    std::size_t most_groups_;
    LinkTable& links_;
    Sessions& sessions_;
    std::unordered_map<PortPair, std::vector<std::uint32_t>, PortPairHash> groups_;
    std::size_t groups_made_ = 0;
    std::vector<Guess> guesses_;
    std::array<UnknownWrite, 8> unknown_writes_{};  ///< the latest
    std::size_t next_unknown_write_ = 0;
};

}  // namespace fabricscope::engine::smcr
