// SPDX-License-Identifier: GPL-2.0-or-later
// The links of all link groups and the queue pairs at their ends (RFC 7609, 2.2 and 3.5).
#pragma once

#include "analyzer/engine/queue_pair_key.h"
#include "analyzer/engine/smcr/sessions.h"
#include "analyzer/engine/smcr/tracked_group.h"

namespace fabricscope::engine::smcr {

/// QueuePairRef names a queue pair: `side` of a link receives on it.
struct QueuePairRef {
    std::uint32_t group = 0;  ///< id; 0: of none any more
    std::uint32_t link = 0;   ///< index in LinkGroup::links
    Side side{};
    bool operator==(const QueuePairRef&) const = default;
};

/// LinkTable creates link groups and links, and finds a link by the queue pair that a packet goes to.
class LinkTable {
public:
    /// The arguments outlive the table.
    LinkTable(const Options& options, Model& model, Sessions& sessions);

    /// create_group() returns the id of a new link group; nullopt if there are too many.
    std::optional<std::uint32_t> create_group();
    /// create_link() returns the index of a new link; nullopt if there are too many.
    std::optional<std::uint32_t> create_link(TrackedGroup& of);

    TrackedGroup& at(std::uint32_t id) { return *by_id_[id - 1]; }

    /// by_number() returns the index of the latest link that has this number.
    static std::optional<std::uint32_t> by_number(const LinkGroup& group, std::uint8_t number);

    /// bind() makes the queue pair of one end of a link known, as soon as its GID and its number are.
    void bind(const QueuePairRef& end);

    /// find() returns the queue pair of a port; nullptr if no link is known to have it. The pointer is valid until the
    /// next bind().
    const QueuePairRef* find(const Address& port, std::uint32_t qpn) const;

    /// release() forgets a queue pair that has become something else's.
    void release(const Address& port, std::uint32_t qpn);

    /// release_link() does so with both queue pairs of a link.
    void release_link(QueuePairRef end);
    /// release_older() does so if they are those of a link that began with another PSN: a first contact names this one.
    void release_older(const Gid& gid, std::uint32_t qpn, std::uint32_t initial_psn);

    /// first_contact() returns the server's end of the only link of a new group.
    std::optional<QueuePairRef> first_contact(const Gid& gid, std::uint32_t qpn);

    /// subsequent_contact() returns the end of `side` that an ACCEPT or CONFIRM names, on a link of group `id`. If the
    /// capture has not shown the link before, the group (0 = not known either) was made before the capture began.
    std::optional<QueuePairRef> subsequent_contact(std::uint32_t id, const Gid& gid, std::uint32_t qpn, Side side);

    /// name_by_rmb() is told what an ACCEPT or CONFIRM says of its sender: a queue pair, and an RMB. If no packet to
    /// that queue pair was captured, a link seen midway gets it, on which the same port has announced the same RMB.
    void name_by_rmb(const Gid& gid, std::uint32_t qpn, std::uint32_t rkey, std::uint64_t address);

    /// misnamed() returns the end of a new link whose GID or queue pair is another one than its CLC or ADD LINK message
    /// named: all else of the CONFIRM LINK request in `packet` fits, the PSN, too. The same for the client's end that
    /// nothing has named, since CONFIRM was not captured.
    std::optional<QueuePairRef> misnamed(const capture::Packet& packet) const;

    /// refused() returns the link group that `packet` begins a link of, with CONFIRM LINK, although its ADD LINK was
    /// rejected.
    std::optional<std::uint32_t> refused(const capture::Packet& packet) const;

    /// orient() names the sides of a group that was seen midway, which have been named by chance: `found` is known to
    /// be `wanted`. Returns whether the names had to change.
    bool orient(TrackedGroup& of, Side found, Side wanted);

    /// set_base() says where the cursors of a group's connections begin: 0, or 4 behind an eye catcher (4.2). What was
    /// said first holds.
    void set_base(LinkGroup& group, std::uint8_t base);

    /// note_news() says that something has become known that traffic may wait for; bind() does so itself.
    void note_news() { news_ = true; }
    /// consume_news() returns whether that has happened since the last call.
    bool consume_news() { return news_ && std::exchange(news_, false); }

private:
    /// Whether the CONFIRM of the first contact must have come before the packet, and is missing.
    bool lost_confirm(const TrackedGroup& tracked, const capture::Packet& packet) const;

    const Options& options_;
    Model& model_;
    Sessions& sessions_;
    RmbBudget rmb_budget_;
    std::size_t links_ = 0;  ///< of all groups together
    std::deque<TrackedGroup> groups_;
    std::vector<TrackedGroup*> by_id_;  ///< several times for each packet, so no deque's arithmetic
    FlatMap<QueuePairKey, QueuePairRef, QueuePairHash> ends_;
    bool news_ = false;
};

}  // namespace fabricscope::engine::smcr
