// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/sessions.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

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

std::optional<Announced> announced_by(const rdma_cm::Connection& connection) {
    const auto& client = connection.end[engine::Side::client];
    const auto& server = connection.end[engine::Side::server];
    const bool came_to_be = connection.outcome != rdma_cm::Outcome::rejected && !connection.merged;
    if (!came_to_be || (!client.qpn && !server.qpn)) return std::nullopt;
    Announced made;
    made.end = {{{client.address, client.qpn.value_or(0)}, {server.address, server.qpn.value_or(0)}}};
    made.lid = {{client.lid.value_or(Address{}), server.lid.value_or(Address{})}};
    made.first_frame = connection.began_before ? 0 : connection.first_frame;
    made.cm_connection = connection.id;
    made.mtu = connection.mtu;
    made.disconnected = connection.dreq || connection.drep;
    made.roles_known = connection.roles_known;
    return made;
}

std::optional<Announced> announced_by(const smcr::LinkGroup& group, const smcr::Link& link) {
    Announced made;
    for (const Side side : {a, b}) {
        const smcr::LinkEndpoint& end = link.end[static_cast<engine::Side>(side)];
        if (!end.gid || !end.qpn) return std::nullopt;
        made.end[side] = {Address::of(*end.gid), *end.qpn};
    }
    made.first_frame = link.first_frame;
    made.link_group = group.id;
    made.mtu = link.mtu;
    made.disconnected = link.state == smcr::LinkState::deleted;
    return made;
}

bool is_at(const Endpoint& end, const Announced& announced, Side side) {
    const QueuePairKey& named = announced.end[side];
    const bool there = end.address == named.address || end.address == announced.lid[side];
    return there && (!end.qpn || named.qpn == 0 || *end.qpn == named.qpn);
}

/// Which end of the announced pair the stream's `a` is.
std::optional<Side> fit(const Stream& stream, const Announced& announced) {
    if (announced.first_frame > stream.last_frame) return std::nullopt;
    for (const Side of_a : {a, b})
        if (is_at(stream.end[a], announced, of_a) && is_at(stream.end[b], announced, other(of_a))) return of_a;
    return std::nullopt;
}

}  // namespace

/// Names of queue pairs, and who announced them. What is told of an announcement is read when it is asked for: a
/// connection goes on.
class Sessions::Index {
public:
    explicit Index(const Announcements& announcements) : announcements_(announcements) {}

    void update() {
        for (; connections_ < announcements_.cm.connections.size(); ++connections_)
            open_.push_back({.place = {.cm_connection = static_cast<std::uint32_t>(connections_ + 1)}});
        links_.resize(announcements_.smcr.link_groups.size());
        for (std::size_t i = 0; i < links_.size(); ++i)
            for (; links_[i] < announcements_.smcr.link_groups[i].links.size(); ++links_[i])
                open_.push_back({.place = {.link_group = static_cast<std::uint32_t>(i + 1), .link = links_[i]}});
        std::erase_if(open_, [this](Open& open) { return take(open); });
        if (open_.size() > most_open) open_.erase(open_.begin(), open_.end() - most_open);
    }

    std::optional<Session> find(const Stream& stream) const {
        for (const Side side : {b, a}) {
            const Endpoint& end = stream.end[side];
            if (!end.qpn) continue;
            const auto found = by_end_.find({end.address, *end.qpn});
            if (found == by_end_.end()) continue;
            for (auto place = found->second.rbegin(); place != found->second.rend(); ++place)
                if (const auto session = session_of(stream, *place)) return session;
        }
        return std::nullopt;
    }

    std::uint32_t latest_connection(const QueuePairKey& end) const {
        const auto found = by_end_.find(end);
        if (found == by_end_.end()) return 0;
        const auto& places = found->second;
        const auto latest = std::find_if(
            places.rbegin(), places.rend(), [](const Place& p) { return p.cm_connection; });
        return latest != places.rend() ? latest->cm_connection : 0;
    }

private:
    /// A connection, or a link of a group.
    struct Place {
        std::uint32_t cm_connection = 0, link_group = 0;
        std::size_t link = 0;
    };
    /// One that has not named both queue pairs.
    struct Open {
        Place place;
        std::array<bool, 2> named{};
    };
    static constexpr std::ptrdiff_t most_open = 4'096;

    std::optional<Announced> announced_at(const Place& place) const {
        if (place.cm_connection != 0) return announced_by(announcements_.cm.connections[place.cm_connection - 1]);
        const smcr::LinkGroup& group = announcements_.smcr.link_groups[place.link_group - 1];
        if (place.link >= group.links.size()) return std::nullopt;
        return announced_by(group, group.links[place.link]);
    }

    /// Whether there is nothing more to come.
    bool take(Open& open) {
        const std::optional<Announced> announced = announced_at(open.place);
        if (!announced) return false;
        for (const Side side : {a, b}) {
            const std::uint32_t qpn = announced->end[side].qpn;
            if (qpn == 0 || open.named[side]) continue;
            open.named[side] = true;
            by_end_[{announced->end[side].address, qpn}].push_back(open.place);
            if (announced->lid[side].kind != Address::Kind::none)
                by_end_[{announced->lid[side], qpn}].push_back(open.place);
        }
        return open.named[a] && open.named[b];
    }

    std::optional<Session> session_of(const Stream& stream, const Place& place) const {
        const std::optional<Announced> announced = announced_at(place);
        const std::optional<Side> of_a = announced ? fit(stream, *announced) : std::nullopt;
        if (!of_a) return std::nullopt;
        Session session{
            .cm_connection = announced->cm_connection,
            .link_group = announced->link_group,
            .link = place.link,
            .mtu = announced->mtu,
            .qpn = {},
            .disconnected = announced->disconnected,
            .of_a = *of_a,
            .swapped = *of_a == b && announced->roles_known};
        for (const Side side : {a, b})
            if (const std::uint32_t qpn = announced->end[side == a ? *of_a : other(*of_a)].qpn; qpn != 0)
                session.qpn[side] = qpn;
        return session;
    }

    Announcements announcements_;
    std::size_t connections_ = 0;     ///< that have been looked at
    std::vector<std::size_t> links_;  ///< the same of each link group
    std::vector<Open> open_;
    std::unordered_map<QueuePairKey, std::vector<Place>, QueuePairHash> by_end_;
};

Sessions::Sessions(const Announcements& announcements) : index_(std::make_unique<Index>(announcements)) {}
Sessions::~Sessions() = default;
void Sessions::update() { index_->update(); }
std::optional<Session> Sessions::find(const Stream& stream) const { return index_->find(stream); }
std::uint32_t Sessions::latest_connection(const QueuePairKey& end) const { return index_->latest_connection(end); }

namespace {

void settle(Stream& stream, const Session& session) {
    stream.cm_connection = session.cm_connection;
    stream.link_group = session.link_group;
    stream.link = session.link;
    if (stream.transport != Transport::ud) stream.learned = session.cm_connection != 0 ? Learned::cm : Learned::smcr;
    if (!stream.mtu) stream.mtu = session.mtu;
    for (const Side side : {a, b})
        if (!stream.end[side].qpn) stream.end[side].qpn = session.qpn[side];
    if (session.disconnected) stream.ending = End::disconnected;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> halves_of_one(const Model& model, const Sessions& sessions) {
    using Ways = std::array<std::vector<std::uint32_t>, 2>;  // by the end that packets go to
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, Ways> halves;
    for (const Stream& stream : model.streams) {
        if (stream.merged || stream.transport == Transport::ud ||
            stream.end[a].qpn.has_value() == stream.end[b].qpn.has_value())
            continue;
        const std::optional<Session> session = sessions.find(stream);
        if (!session) continue;
        Ways& ways = halves[{session->cm_connection, session->link_group, session->link}];
        ways[stream.end[a].qpn ? session->of_a : other(session->of_a)].push_back(stream.id);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [announced, ways] : halves)
        if (ways[a].size() == 1 && ways[b].size() == 1) pairs.emplace_back(ways[a].front(), ways[b].front());
    return pairs;
}

void settle_sessions(Model& model, const Sessions& sessions) {
    std::vector<bool> swapped(model.streams.size());
    for (Stream& stream : model.streams) {
        if (stream.merged) continue;
        const std::optional<Session> session = sessions.find(stream);
        if (!session) continue;
        settle(stream, *session);
        if (!session->swapped) continue;
        stream.turn();
        swapped[stream.id - 1] = true;
    }
    for (Operation& operation : model.operations)
        if (swapped[operation.stream - 1]) operation.by = other(operation.by);
    for (Event& event : model.events)
        if (swapped[event.stream - 1]) event.from = other(event.from);
}

}  // namespace fabricscope::engine::rdma
