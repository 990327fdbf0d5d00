// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/script/session_frames.h"

#include <algorithm>
#include <charconv>

namespace fabricscope::replay {

namespace {

/// The number in "smcr-3"; 0 if it is none of that kind.
std::uint32_t number_behind(std::string_view id, std::string_view prefix) {
    std::uint32_t number = 0;
    if (!id.starts_with(prefix)) return 0;
    id.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

}  // namespace

void FrameCollector::prepare(engine::Options& options, engine::Observers& observers) {
    options.smcr = options.rdma_cm = options.rdma = options.fc = true;
    options.fc_protocols.fcvi = options.fc_protocols.fc_ae_rdma = true;
    observers = {this, this, this, this, this, this};
}

// ---- what the trackers say -----------------------------------------------------------------------

void FrameCollector::on_facts(const engine::smcr::FrameFacts& facts) {
    const auto from = facts.roles_known ? facts.from : std::nullopt;
    smcr_.push_back({facts.frame, facts.connection, facts.link_group, from});
}

void FrameCollector::on_facts(const engine::rdma_cm::FrameFacts& facts) {
    cm_.push_back({facts.frame, facts.connection, 0, facts.from});
}

void FrameCollector::on_facts(const engine::rdma::FrameFacts& facts) {
    rdma_.push_back({facts.frame, facts.stream, 0, static_cast<Side>(facts.from)});
}

void FrameCollector::on_facts(const engine::fcvi::FrameFacts& facts) { fcvi_ = facts; }
void FrameCollector::on_facts(const engine::fc_ae_rdma::FrameFacts& facts) { fc_ae_rdma_ = facts; }

void FrameCollector::on_frame(const engine::fibre_channel::FrameFacts& facts) {
    const std::uint64_t number = facts.packet.number;
    FcExchange& exchange = exchanges_[facts.exchange.id];
    exchange.originator = facts.exchange.originator;
    exchange.responder = facts.exchange.responder;
    exchange.is_login = exchange.is_login || facts.exchange.els.has_value();
    if (fcvi_.frame == number && fcvi_.connection != 0) exchange.fcvi = fcvi_.connection;
    if (fc_ae_rdma_.frame == number && fc_ae_rdma_.message != 0) exchange.fc_ae_rdma = fc_ae_rdma_.message;
    fc_.push_back({number, facts.exchange.id, facts.packet.fc->frame.header.s_id});
}

// ---- sessions ------------------------------------------------------------------------------------

/// Where another connection has set the link group up, with that one.
void FrameCollector::add_smcr(const engine::Engine& engine, std::uint32_t connection, SessionFrames& session) const {
    const engine::smcr::Model& model = engine.smcr();
    if (connection > model.connections.size()) return;
    const std::uint32_t group = model.connections[connection - 1].link_group;
    std::uint32_t founder = 0;
    if (group != 0)
        for (const std::uint32_t other : model.link_groups[group - 1].connections)
            if (model.connections[other - 1].first_contact.value_or(false)) founder = other;
    for (const Frame& frame : smcr_) {
        const bool of_group = frame.session == 0 && group != 0 && frame.group == group;
        const bool sets_up = founder != 0 && frame.session == founder;
        if (frame.session == connection || of_group || sets_up) session.frames[frame.number] = frame.from;
    }
}

std::vector<FrameCollector::PortPair> FrameCollector::port_pairs() const {
    std::vector<PortPair> pairs;
    for (const auto& [id, exchange] : exchanges_) {
        const PortPair pair = exchange.ports();
        if (exchange.fcvi == 0 && exchange.fc_ae_rdma == 0 && !exchange.is_login) continue;
        if (pair.second < 0xFF'FC00 && std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
    return pairs;
}

void FrameCollector::add_fc(
    const std::function<bool(std::uint32_t, const FcExchange&)>& which, SessionFrames& session) const {
    std::vector<PortPair> pairs;
    for (const auto& [id, exchange] : exchanges_)
        if (which(id, exchange)) pairs.push_back(exchange.ports());
    std::optional<std::uint32_t> client;
    for (const FcFrame& frame : fc_) {
        const FcExchange& exchange = exchanges_.at(frame.exchange);
        const bool same_ports = std::ranges::find(pairs, exchange.ports()) != pairs.end();
        if (!which(frame.exchange, exchange) && !(exchange.is_login && same_ports)) continue;
        if (!client) client = frame.source;
        session.frames[frame.number] = frame.source == *client ? Side::client : Side::server;
    }
}

SessionFrames FrameCollector::of(const engine::Engine& engine, std::string_view id) const {
    SessionFrames session;
    const auto add = [&](const std::vector<Frame>& frames, std::uint32_t number) {
        for (const Frame& frame : frames)
            if (frame.session == number) session.frames[frame.number] = frame.from;
    };
    if (const std::uint32_t connection = number_behind(id, "smcr-"); connection != 0)
        add_smcr(engine, connection, session);
    else if (const std::uint32_t group = number_behind(id, "lg-"); group != 0) {
        if (group <= engine.smcr().link_groups.size()) {
            const auto& connections = engine.smcr().link_groups[group - 1].connections;
            for (const Frame& frame : smcr_)
                if (frame.group == group ||
                    (frame.session != 0 && std::ranges::find(connections, frame.session) != connections.end()))
                    session.frames[frame.number] = frame.from;
        }
    } else if (const std::uint32_t cm = number_behind(id, "cm-"); cm != 0) add(cm_, cm);
    else if (const std::uint32_t stream = number_behind(id, "rdma-"); stream != 0) add(rdma_, stream);
    else if (const std::uint32_t fcvi = number_behind(id, "fcvi-"); fcvi != 0)
        add_fc([&](std::uint32_t, const FcExchange& exchange) { return exchange.fcvi == fcvi; }, session);
    else if (const std::uint32_t message = number_behind(id, "fc-ae-rdma-"); message != 0)
        add_fc([&](std::uint32_t, const FcExchange& exchange) { return exchange.fc_ae_rdma == message; }, session);
    else if (const std::uint32_t exchange = number_behind(id, "xchg-"); exchange != 0)
        add_fc([&](std::uint32_t number, const FcExchange&) { return number == exchange; }, session);
    else if (const std::uint32_t number = number_behind(id, "fc-pair-"); number != 0) {
        const auto pairs = port_pairs();
        if (number <= pairs.size())
            add_fc([&](std::uint32_t, const FcExchange& one) { return one.ports() == pairs[number - 1]; }, session);
    }
    for (const auto& group : engine.smcr().link_groups)
        for (const engine::smcr::Link& link : group.links) {
            ConnectedPair pair;
            for (const Side side : {Side::client, Side::server}) {
                if (link.end[side].gid) pair.address[side] = capture::Address::of(*link.end[side].gid);
                pair.qpn[side] = link.end[side].qpn.value_or(0);
            }
            session.pairs.push_back(pair);
        }
    for (const auto& connection : engine.rdma_cm().connections) {
        ConnectedPair pair;
        for (const Side side : {Side::client, Side::server}) {
            pair.address[side] = connection.end[side].address;
            pair.qpn[side] = connection.end[side].qpn.value_or(0);
        }
        session.pairs.push_back(pair);
    }
    for (const auto& stream : engine.rdma().streams) {
        ConnectedPair pair;
        for (const Side side : {Side::client, Side::server}) {
            const auto& end = stream.end[static_cast<std::size_t>(side)];
            pair.address[side] = end.address;
            pair.qpn[side] = end.qpn.value_or(0);
        }
        session.pairs.push_back(pair);
    }
    return session;
}

}  // namespace fabricscope::replay
