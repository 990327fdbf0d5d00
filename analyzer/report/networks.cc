// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/engine/smcr/model.h"

namespace fabricscope::report {
namespace {

using capture::Address;

constexpr std::size_t most_sessions = 200'000;

/// Of the fabric, the name server and such: every Fibre Channel network has them (FC-FS-3, 11.3).
constexpr std::uint32_t first_well_known = 0xFF'FFF0;

/// Addresses that belong together, and in which frame one of them turned up first.
struct Session {
    std::uint64_t frame = 0;  ///< 0: of the addresses nothing but that is known
    std::vector<Address> addresses;
};

template <class End> void add(Session& session, const std::optional<End>& end) {
    if (end) session.addresses.push_back(end->address);
}

void add(std::vector<Session>& sessions, const engine::smcr::Model& model) {
    for (const auto& connection : model.connections) {
        Session& session = sessions.emplace_back(Session{connection.first_frame, {}});
        add(session, connection.client);
        add(session, connection.server);
    }
    // What CLC and LLC tell of the RDMA ports, which TCP's addresses need not be of.
    for (const auto& group : model.link_groups) {
        Session& session = sessions.emplace_back();
        for (const auto& link : group.links)
            for (const auto& end : link.end.values)
                if (end.gid) session.addresses.push_back(Address::of(*end.gid));
        for (const std::uint32_t id : group.connections) add(session, model.connections[id - 1].client);
    }
}

void add(std::vector<Session>& sessions, const engine::rdma_cm::Model& model) {
    for (const auto& connection : model.connections) {
        Session& session = sessions.emplace_back(Session{connection.first_frame, {}});
        add(session, connection.client);
        add(session, connection.server);
        for (const auto& end : connection.end.values) {
            session.addresses.push_back(end.address);
            if (end.lid) session.addresses.push_back(*end.lid);
        }
    }
}

void add(std::vector<Session>& sessions, const engine::rdma::Model& model) {
    for (const auto& stream : model.streams)
        sessions.push_back({stream.first_frame, {stream.end[0].address, stream.end[1].address}});
}

void add(std::vector<Session>& sessions, const engine::fibre_channel::Model& model) {
    for (const auto& exchange : model.exchanges) {
        Session& session = sessions.emplace_back(Session{exchange.first_frame, {}});
        for (const std::uint32_t port_id : {exchange.originator, exchange.responder})
            if (port_id != 0 && port_id < first_well_known) session.addresses.push_back(Address::of_port_id(port_id));
    }
}

std::vector<Session> sessions_of(const engine::Models& models) {
    std::vector<Session> sessions;
    if (models.smcr != nullptr) add(sessions, *models.smcr);
    if (models.rdma_cm != nullptr) add(sessions, *models.rdma_cm);
    if (models.rdma != nullptr) add(sessions, *models.rdma);
    if (models.fc != nullptr) add(sessions, *models.fc);
    return sessions;
}

/// Sets that grow together: of files, which have the first numbers, and of addresses.
class Networks {
public:
    explicit Networks(std::size_t files) : parent_(files) { std::iota(parent_.begin(), parent_.end(), 0U); }

    std::size_t of(std::size_t member) {
        while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
        return member;
    }
    std::size_t of(const Address& address) {
        const auto [known, is_new] = addresses_.emplace(address, parent_.size());
        if (is_new) parent_.push_back(known->second);
        return of(known->second);
    }
    void join(std::size_t a, std::size_t b) { parent_[of(a)] = of(b); }

private:
    std::vector<std::size_t> parent_;
    std::unordered_map<Address, std::size_t> addresses_;
};

}  // namespace

std::vector<std::string> strangers(
    const engine::Models& models, const capture::Origins& origins, const std::vector<std::string>& files) {
    std::vector<Session> sessions = sessions_of(models);
    if (files.size() < 2 || sessions.size() > most_sessions) return {};
    std::set<std::uint64_t> frames;
    for (Session& session : sessions) {
        std::erase_if(session.addresses, [](const Address& one) { return one.kind == Address::Kind::none; });
        frames.insert(session.frame);
    }
    const auto places = origins.of(frames);
    Networks networks(files.size());
    std::set<std::size_t> with_sessions;
    for (const Session& session : sessions) {
        if (session.addresses.empty()) continue;
        const std::size_t first = networks.of(session.addresses.front());
        for (const Address& address : session.addresses) networks.join(networks.of(address), first);
        const auto place = places.find(session.frame);
        if (place == places.end()) continue;
        networks.join(place->second.source, first);
        with_sessions.insert(place->second.source);
    }
    std::vector<std::string> sentences;
    for (const std::size_t file : with_sessions)
        if (networks.of(file) != networks.of(*with_sessions.begin()))
            sentences.push_back(fmt::format(
                "{} has no address in common with {}: if they have nothing to do with each other, --each reports each "
                "by itself",
                files[file], files[*with_sessions.begin()]));
    return sentences;
}

}  // namespace fabricscope::report
