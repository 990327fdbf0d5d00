// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/sessions.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/queue_pair_key.h"

namespace fabricscope::engine::rdma {

namespace {

/// Two queue pairs that were connected.
struct Announced {
    std::array<QueuePairKey, 2> end;
    std::array<Address, 2> lid;  ///< the same ports' on native InfiniBand
    std::uint64_t first_frame = 0;
    std::uint32_t cm_connection = 0, link_group = 0;
    std::optional<std::uint32_t> mtu;
    bool disconnected = false;
    bool roles_known = false;
};

class Index {
public:
    explicit Index(const Announcements& announcements) {
        for (const rdma_cm::Connection& connection : announcements.cm.connections) add(connection);
        for (const smcr::LinkGroup& group : announcements.smcr.link_groups)
            for (const smcr::Link& link : group.links) add(group, link);
    }

    /// The one that this stream is of, and which of its ends the stream's `a` is; the youngest that began before.
    std::pair<const Announced*, Side> find(const Stream& stream) const {
        for (const Side side : {b, a}) {
            const Endpoint& end = stream.end[side];
            if (!end.qpn) continue;
            const auto found = by_end_.find({end.address, *end.qpn});
            if (found == by_end_.end()) continue;
            for (auto one = found->second.rbegin(); one != found->second.rend(); ++one)
                if (const auto fitting = fit(stream, all_[*one])) return {&all_[*one], *fitting};
        }
        return {nullptr, a};
    }

private:
    void add(const rdma_cm::Connection& connection) {
        const auto& client = connection.end[engine::Side::client];
        const auto& server = connection.end[engine::Side::server];
        const bool came_to_be = connection.outcome != rdma_cm::Outcome::rejected && !connection.merged;
        if (!came_to_be || (!client.qpn && !server.qpn)) return;
        Announced made;
        made.end = {{{client.address, client.qpn.value_or(0)}, {server.address, server.qpn.value_or(0)}}};
        made.lid = {{client.lid.value_or(Address{}), server.lid.value_or(Address{})}};
        made.first_frame = connection.first_frame;
        made.cm_connection = connection.id;
        made.mtu = connection.mtu;
        made.disconnected = connection.dreq || connection.drep;
        made.roles_known = connection.roles_known;
        add(std::move(made));
    }

    void add(const smcr::LinkGroup& group, const smcr::Link& link) {
        Announced made;
        for (const Side side : {a, b}) {
            const smcr::LinkEndpoint& end = link.end[static_cast<engine::Side>(side)];
            if (!end.gid || !end.qpn) return;
            made.end[side] = {Address::of(*end.gid), *end.qpn};
        }
        made.first_frame = link.first_frame;
        made.link_group = group.id;
        made.mtu = link.mtu;
        made.disconnected = link.state == smcr::LinkState::deleted;
        add(std::move(made));
    }

    void add(Announced made) {
        for (const Side side : {a, b}) {
            if (made.end[side].qpn == 0) continue;
            by_end_[made.end[side]].push_back(all_.size());
            if (made.lid[side].kind != Address::Kind::none)
                by_end_[{made.lid[side], made.end[side].qpn}].push_back(all_.size());
        }
        all_.push_back(std::move(made));
    }

    static bool is_at(const Endpoint& end, const Announced& announced, Side side) {
        const QueuePairKey& named = announced.end[side];
        const bool there = end.address == named.address || end.address == announced.lid[side];
        return there && (!end.qpn || named.qpn == 0 || *end.qpn == named.qpn);
    }

    /// Which end of the announced pair the stream's `a` is.
    static std::optional<Side> fit(const Stream& stream, const Announced& announced) {
        if (announced.first_frame > stream.last_frame) return std::nullopt;
        for (const Side of_a : {a, b})
            if (is_at(stream.end[a], announced, of_a) && is_at(stream.end[b], announced, other(of_a))) return of_a;
        return std::nullopt;
    }

    std::vector<Announced> all_;
    std::unordered_map<QueuePairKey, std::vector<std::size_t>, QueuePairHash> by_end_;
};

void swap_sides(Stream& stream) {
    std::swap(stream.end[a], stream.end[b]);
    std::swap(stream.from[a], stream.from[b]);
    std::swap(stream.unanswered[a], stream.unanswered[b]);
    if (stream.fatal) stream.fatal->by = other(stream.fatal->by);
}

void settle(Stream& stream, const Announced& announced, Side of_a) {
    stream.cm_connection = announced.cm_connection;
    stream.link_group = announced.link_group;
    if (stream.transport != Transport::ud) stream.learned = announced.cm_connection != 0 ? Learned::cm : Learned::smcr;
    if (!stream.mtu) stream.mtu = announced.mtu;
    for (const Side side : {a, b})
        if (const std::uint32_t qpn = announced.end[side == a ? of_a : other(of_a)].qpn;
            !stream.end[side].qpn && qpn != 0)
            stream.end[side].qpn = qpn;
    if (announced.disconnected) stream.ending = End::disconnected;
}

}  // namespace

void settle_sessions(Model& model, const Announcements& announcements) {
    const Index index(announcements);
    std::vector<bool> swapped(model.streams.size());
    for (Stream& stream : model.streams) {
        if (stream.merged) continue;
        const auto [announced, of_a] = index.find(stream);
        if (announced == nullptr) continue;
        settle(stream, *announced, of_a);
        if (of_a == a || !announced->roles_known) continue;
        swap_sides(stream);
        swapped[stream.id - 1] = true;
    }
    for (Operation& operation : model.operations)
        if (swapped[operation.stream - 1]) operation.by = other(operation.by);
    for (Event& event : model.events)
        if (swapped[event.stream - 1]) event.from = other(event.from);
}

}  // namespace fabricscope::engine::rdma
