// SPDX-License-Identifier: GPL-2.0-or-later
// A small SMC-R world for tests: two hosts whose packets go straight into a tracker.
#pragma once

#include <limits>
#include <map>

#include "analyzer/engine/smcr/tracker.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/tcp_option.h"
#include "tests/unit/engine/ib_packets.h"

namespace fabricscope::engine::smcr::test {

using Octets = std::vector<std::uint8_t>;

using layout::octets_of;

/// One end of a link.
struct Port {
    std::uint8_t host;
    std::uint32_t qpn;
    std::uint32_t psn;  ///< of its next request
};

class World : public Observer {
public:
    explicit World(Options options = {}) : tracker(options, this), profile(options.profile) {}

    // ---- TCP ----
    void segment(Side from, std::uint8_t flags, const Octets& payload = {}, bool smc_option = false) {
        capture::Packet p = packet(host(from), host(other(from)));
        p.transport = capture::Transport::tcp;
        p.source.kind = p.destination.kind = tcp_kind;
        p.tcp.source_port = from == Side::client ? client_port : 18001;
        p.tcp.destination_port = from == Side::client ? 18001 : client_port;
        p.tcp.flags = flags;
        p.tcp.sequence = sequence[from];
        p.tcp.acknowledgment = acknowledged[from].value_or(sequence[other(from)]);
        if (smc_option) options_ = octets_of(wire::TcpOption{}), p.tcp.options = options_;
        p.tcp.payload = payload;
        p.tcp.payload_length = static_cast<std::uint32_t>(payload.size());
        sequence[from] += p.tcp.payload_length + ((flags & (capture::syn | capture::fin)) != 0 ? 1 : 0);
        tracker.on_packet(p);
    }
    void handshake(bool client_offers = true, bool server_takes = true) {
        ++handshakes_;
        sequence = {{1000 * handshakes_, 0xFFFFFFF0 + handshakes_}};  // the server's wraps soon
        acknowledged = {};
        segment(Side::client, capture::syn, {}, client_offers);
        segment(Side::server, capture::syn | capture::ack, {}, server_takes);
        segment(Side::client, capture::ack);
    }
    /// The stream octets in segments of `step` octets.
    void send(Side from, const Octets& octets, std::size_t step = 1460) {
        for (std::size_t at = 0; at < octets.size(); at += step) {
            const auto end = octets.begin() + static_cast<std::ptrdiff_t>(std::min(octets.size(), at + step));
            segment(from, capture::ack, {octets.begin() + static_cast<std::ptrdiff_t>(at), end});
        }
    }

    static Octets clc(wire::ClcType type, wire::ClcMessage message) {
        message.header.type = type;
        message.trailer = wire::ClcTrailer{};
        message.header.length = static_cast<std::uint16_t>(wire::build(message).size());
        return wire::build(message);
    }
    static Octets proposal() {
        wire::Proposal body;
        body.ip.emplace();
        wire::ClcMessage m;
        m.body = body;
        return clc(wire::ClcType::proposal, m);
    }
    static Octets accept_or_confirm(
        wire::ClcType type, const Port& port, std::uint32_t token, std::uint32_t rkey, bool first) {
        wire::SmcrAcceptConfirm body;
        body.body.first_contact = first;
        body.body.gid = gid_of(port.host);
        body.body.qpn = port.qpn;
        body.body.rkey = rkey;
        body.body.rmb_index = 1;
        body.body.alert_token = token;
        body.body.mtu = 3;
        body.body.initial_psn = port.psn;
        body.body.rmb_address = address_of(rkey);
        wire::ClcMessage m;
        m.body = body;
        return clc(type, m);
    }
    static Octets decline(std::uint32_t diagnosis, bool out_of_sync = false) {
        wire::Decline body;
        body.body.diagnosis = diagnosis;
        body.body.out_of_sync = out_of_sync;
        wire::ClcMessage m;
        m.body = body;
        return clc(wire::ClcType::decline, m);
    }
    static std::uint64_t address_of(std::uint32_t rkey) {
        return 0xFF00'0000'0000'0000 + std::uint64_t{rkey} * 0x10'0000;
    }

    /// A whole set-up; tokens and RKeys follow from `n`.
    void connect(std::uint32_t n, bool first, std::size_t step = 1460) {
        rendezvous(n, first, step);
        if (first) confirm_link();
    }
    /// What of it happens before the first message on a new link.
    void rendezvous(std::uint32_t n, bool first, std::size_t step = 1460) {
        rendezvous_before_confirm(n, first, step);
        send_confirm(n, first, step);
    }
    void rendezvous_before_confirm(std::uint32_t n, bool first, std::size_t step = 1460) {
        client_port = static_cast<std::uint16_t>(40000 + n);
        const bool announce = !first && group_made_;
        group_made_ |= first;
        handshake();
        send(Side::client, proposal(), step);
        if (announce) announce_rmb(Side::server, 0x5000 + n);
        send(
            Side::server, accept_or_confirm(wire::ClcType::accept, port[Side::server], 0x100 + n, 0x5000 + n, first),
            step);
        if (announce) announce_rmb(Side::client, 0xC000 + n);
    }
    void send_confirm(std::uint32_t n, bool first, std::size_t step = 1460) {
        send(
            Side::client, accept_or_confirm(wire::ClcType::confirm, port[Side::client], 0x200 + n, 0xC000 + n, first),
            step);
    }

    // ---- RoCE ----
    void request(
        Side from, std::uint8_t opcode, const Octets& payload, std::optional<ib::Reth> reth = {},
        std::optional<std::uint32_t> immediate = {}) {
        repeat(from, opcode, port[from].psn, payload, reth, immediate);
        port[from].psn = (port[from].psn + 1) & 0xFFFFFF;
    }
    void repeat(
        Side from, std::uint8_t opcode, std::uint32_t psn, const Octets& payload, std::optional<ib::Reth> reth = {},
        std::optional<std::uint32_t> immediate = {}) {
        capture::Packet p = packet(port[from].host, port[other(from)].host);
        p.transport = capture::Transport::ib;
        p.ib.carrier = capture::IbCarrier::roce_v2;
        p.ib.bth.opcode = opcode;
        p.ib.bth.destination_qpn = port[other(from)].qpn;
        p.ib.bth.psn = psn;
        p.ib.payload = ByteView(payload).first(std::min(payload.size(), kept));
        p.ib.payload_length = static_cast<std::uint32_t>(payload.size());
        p.ib.has_reth = reth.has_value();
        if (reth) p.ib.reth = *reth;
        p.ib.has_immdt = immediate.has_value();
        if (immediate) p.ib.immdt.immediate_data = *immediate;
        tracker.on_packet(p);
    }
    void confirm_link(bool eye_catcher = false) {
        for (const Side from : {Side::server, Side::client}) {
            wire::ConfirmLink body = confirmation(from);
            body.no_rmbe_eye_catcher = eye_catcher ? 0 : 3;
            llc(from, body);
        }
    }
    /// The server requests, the client replies.
    wire::ConfirmLink confirmation(Side from, std::uint8_t number = 1) const {
        wire::ConfirmLink body;
        body.reply = from == Side::client;
        body.no_rmbe_eye_catcher = 3;
        body.gid = gid_of(port[from].host);
        body.qpn = port[from].qpn;
        body.link = number;
        body.max_links = max_links;
        return body;
    }
    /// ADD LINK for the link between the `second` ports: the server requests, the client replies.
    wire::AddLink addition(Side from, std::uint8_t number) const {
        wire::AddLink body;
        body.reply = from == Side::client;
        body.gid = gid_of(second[from].host);
        body.qpn = second[from].qpn;
        body.initial_psn = second[from].psn;
        body.link = number;
        body.mtu = 3;
        return body;
    }
    /// A second link comes up.
    void add_link(std::uint8_t number = 2) {
        for (const Side from : {Side::server, Side::client}) llc(from, addition(from, number));
        change_link();
        for (const Side from : {Side::server, Side::client}) llc(from, confirmation(from, number));
        change_link();
    }
    /// From now on `port` are the ends of the other link.
    void change_link() { std::swap(port, second); }
    static wire::DeleteLink deletion(Side from, std::uint8_t number) {
        wire::DeleteLink body;
        body.reply = from == Side::client;
        body.link = number;
        return body;
    }
    static wire::DeleteLink deletion_of_all(Side from) {
        wire::DeleteLink body = deletion(from, 0);
        body.all = true;
        return body;
    }
    /// The client asks the server to do it (RFC 7609, 3.5.4).
    static wire::DeleteLink request_for_deletion(std::uint8_t number) {
        wire::DeleteLink body = deletion(Side::client, number);
        body.reply = false;
        return body;
    }
    static wire::ConfirmRkey announcement(std::uint32_t rkey, bool reply) {
        wire::ConfirmRkey body;
        body.reply = reply;
        body.rkey = rkey;
        body.address = address_of(rkey);
        return body;
    }
    /// CONFIRM RKEY and the reply.
    void announce_rmb(Side owner, std::uint32_t rkey) {
        llc(owner, announcement(rkey, false));
        llc(other(owner), announcement(rkey, true));
    }
    /// What follows the body are its slots, and zeros.
    template <layout::WireFormat Body> void llc(Side from, const Body& body, const Octets& slots = {}) {
        constexpr std::uint8_t type = std::is_same_v<Body, wire::ConfirmLink>           ? 1
                                      : std::is_same_v<Body, wire::AddLink>             ? 2
                                      : std::is_same_v<Body, wire::AddLinkContinuation> ? 3
                                      : std::is_same_v<Body, wire::DeleteLink>          ? 4
                                      : std::is_same_v<Body, wire::ConfirmRkey>         ? 6
                                      : std::is_same_v<Body, wire::TestLink>            ? 7
                                      : std::is_same_v<Body, wire::DeleteRkey>          ? 9
                                                                                        : 8;
        Octets octets{type, 44, 0};
        for (const Octets& part : {octets_of(body), slots}) octets.insert(octets.end(), part.begin(), part.end());
        octets.resize(wire::llc_size);
        request(from, send_only, octets);
    }
    /// The next message of this side: it proves that nothing before it is missing.
    void hear(Side from) {
        wire::TestLink body;
        llc(from, body);
    }
    /// The same on both links.
    void hear_on_both_links(Side from) {
        for (int i = 0; i < 2; ++i) hear(from), change_link();
    }
    /// Requests of this side that are not captured.
    void lose(Side from, std::uint32_t count = 1) { port[from].psn = (port[from].psn + count) & 0xFFFFFF; }
    /// The client wants the whole link group to end, and the server ends it.
    void delete_group() {
        for (const Side from : {Side::client, Side::server}) {
            wire::DeleteLink body;
            body.all = true;
            llc(from, body);
        }
    }
    /// An RC acknowledgement from one side.
    void acknowledge(Side from) {
        capture::Packet p = packet(port[from].host, port[other(from)].host);
        p.transport = capture::Transport::ib;
        p.ib.carrier = capture::IbCarrier::roce_v2;
        p.ib.bth.opcode = acknowledge_only;
        p.ib.bth.destination_qpn = port[other(from)].qpn;
        p.ib.bth.psn = (port[other(from)].psn - 1) & 0xFFFFFF;
        p.ib.has_aeth = true;
        tracker.on_packet(p);
    }
    /// Communication Management of this side's host asks for a connection, or grants one, with a queue pair.
    void mad(Side from, ib::CmAttribute attribute, std::uint32_t qpn) {
        fabricscope::rdma_cm::Message message;
        message.mad.attribute_id = static_cast<std::uint16_t>(attribute);
        fabricscope::rdma_cm::Req req;
        ib::CmRep rep;
        req.body.local_qpn = rep.local_qpn = qpn;
        if (attribute == ib::CmAttribute::req) message.body = req;
        else message.body = rep;
        const Octets octets = fabricscope::rdma_cm::build(message);
        capture::Packet p = packet(port[from].host, port[other(from)].host);
        p.transport = capture::Transport::ib;
        p.ib.carrier = capture::IbCarrier::roce_v2;
        p.ib.bth.opcode = ud_send_only;
        p.ib.bth.destination_qpn = ib::gsi_qpn;
        p.ib.has_deth = true;
        p.ib.payload = octets;
        p.ib.payload_length = static_cast<std::uint32_t>(octets.size());
        tracker.on_packet(p);
    }
    void pass(Time time) { now += time; }
    void write(Side from, std::uint32_t rkey, std::uint64_t offset, const Octets& octets) {
        request(
            from, write_only, octets,
            ib::Reth{address_of(rkey) + offset, rkey, static_cast<std::uint32_t>(octets.size())});
    }
    void cdc(
        Side from, std::uint32_t token, std::uint16_t sequence_number, wire::Cursor producer, wire::Cursor consumer,
        wire::CdcStateFlags state = {}) {
        wire::Cdc message;
        message.alert_token = token;
        message.sequence = sequence_number;
        message.producer = producer;
        message.consumer = consumer;
        message.state = state;
        cdc(from, message);
    }
    void cdc(Side from, const wire::Cdc& message) { request(from, send_only, octets_of(message)); }

    bool wants_stream(const Connection&, Side) override { return true; }
    void on_stream(const StreamPiece& piece) override {
        auto& stream = streams[{piece.of.connection, piece.of.from}];
        stream.insert(stream.end(), piece.octets.begin(), piece.octets.end());
        stream.insert(stream.end(), piece.missing, 0);
    }
    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_clc(const ClcSeen& seen) override { clcs.push_back(seen); }

    const Connection& connection(std::uint32_t id) const { return tracker.model().connections.at(id - 1); }
    const LinkGroup& group(std::uint32_t id) const { return tracker.model().link_groups.at(id - 1); }

    static constexpr std::uint8_t send_only = 0x04, write_only = 0x0A, acknowledge_only = 0x11, ud_send_only = 0x64;

    Tracker tracker;
    Profile profile;
    PerSide<Port> port{{Port{10, 0x11, 100}, Port{20, 0x14, 0xFFFFFE}}};  // the server's PSN wraps soon
    PerSide<Port> second{{Port{11, 0x21, 500}, Port{21, 0x24, 900}}};
    PerSide<std::uint32_t> sequence;
    PerSide<std::optional<std::uint32_t>> acknowledged;  ///< by each side, if not all that the other one has sent
    Address::Kind tcp_kind = Address::Kind::ipv4;
    std::uint16_t client_port = 40000;
    std::uint32_t interface = 0;
    std::uint8_t max_links = 2;
    std::size_t kept = std::numeric_limits<std::size_t>::max();  ///< octets captured of the payload of RoCE packets
    Time now = 0;
    std::uint64_t frames = 0;
    std::map<std::pair<std::uint32_t, Side>, Octets> streams;
    std::vector<FrameFacts> facts;
    std::vector<ClcSeen> clcs;

private:
    std::uint8_t host(Side side) const { return port[side].host; }
    capture::Packet packet(std::uint8_t source, std::uint8_t destination) {
        capture::Packet p;
        p.number = ++frames;
        p.time = now += capture::millisecond;
        p.interface = interface;
        p.source = Address::of(gid_of(source));
        p.destination = Address::of(gid_of(destination));
        return p;
    }

    Octets options_;
    std::uint32_t handshakes_ = 0;
    bool group_made_ = false;
};

using Ids = std::vector<std::string>;

/// The ids of what was found when the capture has ended. The World speaks as Linux does: what a strict
/// profile merely notes of that is left out.
inline Ids found(World& world) {
    world.tracker.finish();
    Ids ids;
    for (const Finding& finding : world.tracker.model().findings)
        if (world.profile != Profile::standard || finding.rule->severity != Severity::note)
            ids.emplace_back(finding.rule->id);
    return ids;
}

/// What became of a rule.
inline const Tally& tally(const World& world, RuleRef rule) { return world.tracker.model().of(rule); }

inline Options strict() {
    Options options;
    options.profile = Profile::standard;
    return options;
}

}  // namespace fabricscope::engine::smcr::test
