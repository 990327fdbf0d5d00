// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/smcr_traffic.h"

#include <algorithm>
#include <deque>
#include <random>

#include "protocols/smcr/tcp_option.h"
#include "tests/traffic/frame_builder.h"

namespace fabricscope::traffic {
namespace {

namespace wire = fabricscope::smcr;
using engine::smcr::other;
using FrameStamp = std::function<void()>;

constexpr std::uint32_t most_open_connections = 512;
constexpr std::uint32_t connections_per_group = 200;
constexpr std::uint32_t largest_write = 1024;
constexpr std::uint32_t smallest_write = 64;
constexpr std::uint32_t writes_in_a_burst = 6;
constexpr std::size_t most_unacknowledged = 8;
constexpr std::uint8_t mtu_1024 = 3;
constexpr std::uint8_t no_eye_catcher = 3;  // cursors start at 0, as Linux has it
constexpr std::uint32_t psn_mask = 0xFF'FFFF;

using namespace ib::rc;
enum TcpFlags : std::uint8_t { fin = 0x01, syn = 0x02, ack = 0x10 };

struct Connection;

/// A request that has not been acknowledged yet, as it was sent.
struct Unacknowledged {
    ib::Bth bth;
    Octets extended;
    Octets payload;
    Connection* connection = nullptr;
};

/// One end of a link.
struct QueuePair {
    Port* port = nullptr;
    std::uint32_t qpn = 0;
    std::uint32_t initial_psn = 0;
    std::uint32_t psn = 0;                       ///< of the next request
    std::uint32_t messages = 0;                  ///< received
    std::vector<Unacknowledged> unacknowledged;  ///< of what was sent
};

struct Link {
    std::uint8_t number = 1;
    PerSide<QueuePair> end;
};

struct Host {
    std::array<Port, 2> ports;
    wire::PeerId id;
};

struct Group {
    std::uint32_t number = 0;  ///< in Truth::groups, from 1; 0 = not yet
    std::uint8_t version = 2;
    bool second_link = false;
    PerSide<Host> host;
    std::vector<Link> links;
    std::deque<FrameStamp> script;  ///< set-ups and LLC exchanges, one at a time
    std::uint32_t next_rkey = 0x1000;
    std::uint32_t next_token = 0;
    std::uint32_t next_port = 0;
};

/// An RMB of one element: an RKey on each link.
struct Rmb {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::vector<std::uint32_t> rkeys;
};

/// What one side sends.
struct Direction {
    std::uint64_t written = 0;
    std::uint64_t announced = 0;
    std::uint64_t consumed = 0;      ///< by the receiving application
    std::uint64_t acknowledged = 0;  ///< by a consumer cursor
    std::uint16_t sequence = 0;
    std::uint32_t burst = 0;  ///< WRITEs left to do before a CDC message
};

struct Connection {
    std::uint32_t id = 0;
    Group* group = nullptr;
    std::size_t link = 0;
    std::uint64_t budget = 0;  ///< WRITEs and CDC messages left to send
    bool active = false;
    PerSide<Rmb> rmb;
    PerSide<std::uint32_t> token;
    PerSide<Direction> from;
    PerSide<std::uint32_t> sequence;  ///< TCP's
    std::deque<FrameStamp> closing;
};

wire::Cursor cursor_at(std::uint64_t position, std::uint64_t size) {
    return {static_cast<std::uint16_t>(position / size), static_cast<std::uint32_t>(position % size)};
}

/// LLC octets: header, parts, zeros up to `size`.
template <class... Parts>
Octets llc_octets(const Group& group, std::uint8_t type, std::size_t size, const Parts&... parts) {
    Octets octets(size);
    std::size_t at = 3;
    const auto put = [&](const auto& part) {
        layout::build_into(part, std::span(octets).subspan(at));
        at += layout::size_of<std::remove_cvref_t<decltype(part)>>;
    };
    (put(parts), ...);
    const bool v1 = group.version == 1;
    octets[0] = static_cast<std::uint8_t>(v1 ? type : 0x20 | type);
    octets[1] = static_cast<std::uint8_t>(size);  // version 2: the low octet first, as x86 has it
    return octets;
}

Octets clc_octets(wire::ClcType type, wire::ClcMessage message) {
    message.header.type = type;
    message.trailer = wire::ClcTrailer{};
    message.header.length = static_cast<std::uint16_t>(wire::build(message).size());
    return wire::build(message);
}

class Generator {
public:
    Generator(const TrafficOptions& options, const FrameSink& sink)
        : options_(options), sink_(sink), random_(options.seed) {
        const std::uint32_t groups = std::max(
            std::min(4U, options.connections), options.connections / connections_per_group);
        for (std::uint32_t i = 0; i < groups; ++i) add_group(i);
    }

    Truth run() {
        while (opened_ < options_.connections || !active_.empty() || busy_groups() != 0) {
            const std::size_t in_work = active_.size() + opening_;
            if (opened_ < options_.connections && in_work < most_open_connections && below(8) == 0) open_connection();
            if (active_.empty() || below(16) == 0) step_a_group();
            if (!active_.empty()) turn(*active_[below(active_.size())]);
        }
        for (Group& group : groups_)
            for (Link& link : group.links)
                for (const Side side : {Side::client, Side::server}) acknowledge_requests(link, side);
        return std::move(truth_);
    }

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    std::uint32_t random_psn() { return static_cast<std::uint32_t>(random_()) & psn_mask; }
    std::size_t busy_groups() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(groups_, [](const Group& g) { return !g.script.empty(); }));
    }

    // ---- frames ----

    void emit(ByteView frame) {
        now_ += static_cast<engine::smcr::Time>(300 + below(3000));
        ++truth_.frames;
        sink_(now_, frame);
    }

    void segment(Connection& c, Side from, std::uint8_t flags, ByteView options = {}, ByteView payload = {}) {
        constexpr std::uint16_t server_port = 18001;
        const std::uint16_t client_port = truth_.connections[c.id - 1].client_port;
        const bool client = from == Side::client;
        const TcpFields fields{
            client ? client_port : server_port, client ? server_port : client_port, c.sequence[from],
            (flags & ack) != 0 ? c.sequence[other(from)] : 0, flags};
        Port& sender = c.group->host[from].ports[0];
        emit(frames_.tcp(between(sender, c.group->host[other(from)].ports[0]), fields, options, payload));
        c.sequence[from] += static_cast<std::uint32_t>(payload.size()) + ((flags & (syn | fin)) != 0 ? 1 : 0);
    }

    void emit_roce(QueuePair& from, const QueuePair& to, ib::Bth bth, ByteView extended, ByteView payload) {
        bth.p_key = 0xFFFF;
        emit(frames_.roce(between(*from.port, *to.port), builders::RoceVersion::v2, bth, extended, payload));
        ++truth_.roce_frames;
    }

    void request(Link& link, Side side, std::uint8_t opcode, Octets extended, Octets payload, Connection* c = nullptr) {
        QueuePair& from = link.end[side];
        QueuePair& to = link.end[other(side)];
        ib::Bth bth{};
        bth.opcode = opcode;
        bth.destination_qpn = to.qpn;
        bth.psn = from.psn;
        bth.ack_request = opcode == send_only;
        from.psn = (from.psn + 1) & psn_mask;
        ++to.messages;
        emit_roce(from, to, bth, extended, payload);
        from.unacknowledged.push_back({bth, std::move(extended), std::move(payload), c});
        if (from.unacknowledged.size() >= most_unacknowledged || (opcode == send_only && below(2) == 0))
            acknowledge_requests(link, side);
    }

    /// What `side` sent is acknowledged; now and then only when it has been sent once more.
    void acknowledge_requests(Link& link, Side side) {
        QueuePair& from = link.end[side];
        QueuePair& to = link.end[other(side)];
        if (from.unacknowledged.empty()) return;
        if (below(200) == 0) repeat_requests(from, to, side);
        ib::Bth bth{};
        bth.opcode = acknowledge;
        bth.destination_qpn = from.qpn;
        bth.psn = from.unacknowledged.back().bth.psn;
        const ib::Aeth aeth{0x1F, to.messages & psn_mask};  // ACK without credits
        emit_roce(to, from, bth, octets_of(aeth), {});
        from.unacknowledged.clear();
    }

    void repeat_requests(QueuePair& from, QueuePair& to, Side side) {
        for (const Unacknowledged& again : from.unacknowledged) {
            emit_roce(from, to, again.bth, again.extended, again.payload);
            if (again.connection != nullptr) ++truth(*again.connection, side).retransmissions;
        }
    }

    // ---- link groups ----

    Port port(std::uint8_t net, std::uint32_t group) {
        const auto high = static_cast<std::uint8_t>(options_.tap + (group >> 8)),
                   low = static_cast<std::uint8_t>(group);
        return {{{0x02, 0, 0, net, high, low}}, {{10, net, high, low}}};
    }

    QueuePair queue_pair(Group& group, Side side, std::size_t which) {
        const std::uint32_t psn = random_psn();
        // Both sides have equal numbers, as they do on small systems.
        return {&group.host[side].ports[which], static_cast<std::uint32_t>(0x11 + which), psn, psn, 0, {}};
    }

    void add_group(std::uint32_t index) {
        Group& group = groups_.emplace_back();
        group.version = index % 2 == 0 ? 2 : 1;
        group.second_link = index % 4 < 2;
        group.host[Side::client].ports = {port(1, index), port(2, index)};
        group.host[Side::server].ports = {port(3, index), port(4, index)};
        for (Host& host : group.host.values)
            host.id = {static_cast<std::uint16_t>(1 + below(0xFFFF)), host.ports[0].mac};
        add_link(group);
    }

    Link& add_link(Group& group) {
        const std::size_t which = group.links.size();
        Link& link = group.links.emplace_back();
        link.number = static_cast<std::uint8_t>(which + 1);
        for (const Side side : {Side::client, Side::server}) link.end[side] = queue_pair(group, side, which);
        return link;
    }

    void step_a_group() {
        const std::size_t first = below(groups_.size());
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            Group& group = groups_[(first + i) % groups_.size()];
            if (group.script.empty()) continue;
            const FrameStamp step = std::move(group.script.front());
            group.script.pop_front();
            return step();
        }
    }

    // ---- LLC ----

    void llc(Group& group, std::size_t link, Side from, Octets octets, bool is_reply) {
        if (!is_reply) ++truth_.groups[group.number - 1].llc_requests;
        request(group.links[link], from, send_only, {}, std::move(octets));
    }

    void confirm_link(Group& group, std::size_t index, Side from) {
        const QueuePair& end = group.links[index].end[from];
        wire::ConfirmLink body;
        body.reply = from == Side::client;
        body.no_rmbe_eye_catcher = no_eye_catcher;
        body.mac = end.port->mac;
        body.gid = end.port->gid();
        body.qpn = end.qpn;
        body.link = group.links[index].number;
        body.link_user_id = 0x100U + body.link;
        body.max_links = 2;
        body.max_connections = group.version == 2 ? 255 : 0;
        llc(group, index, from, llc_octets(group, 1, wire::llc_size, body), body.reply);
    }

    /// The second link; the client of a group with one refuses, having no second adapter.
    void add_link_message(Connection& c, Side from, bool accept) {
        Group& group = *c.group;
        const bool reply = from == Side::client;
        wire::AddLink body;
        body.reply = reply;
        body.link = 2;
        body.mtu = mtu_1024;
        if (accept) {
            const QueuePair& end = group.links[1].end[from];
            body.mac = end.port->mac;
            body.gid = end.port->gid();
            body.qpn = end.qpn;
            body.initial_psn = end.initial_psn;
        } else {  // the server has one adapter too
            const Port& only = group.host[from].ports[0];
            body.mac = only.mac;
            body.gid = only.gid();
            body.qpn = reply ? 0 : 0x12;
            body.initial_psn = reply ? 0 : random_psn();
            body.reject = reply;
            body.reject_reason_v2 = reply && group.version == 2 ? 1 : 0;
        }
        if (group.version == 1) {
            Octets octets = llc_octets(group, 2, wire::llc_size, body);
            octets[2] = body.reject ? 1 : 0;
            return llc(group, 0, from, std::move(octets), reply);
        }
        wire::AddLinkV2Little v2;
        v2.direct = true;
        v2.target_gid = body.gid;
        v2.rkey_count = accept ? 1 : 0;
        constexpr std::size_t fixed = 72;
        if (accept) llc(group, 0, from, llc_octets(group, 2, fixed + 16, body, v2, pair_of(c, from)), reply);
        else llc(group, 0, from, llc_octets(group, 2, fixed, body, v2), reply);
    }

    wire::RkeyPair pair_of(Connection& c, Side owner) {
        Rmb& rmb = c.rmb[owner];
        if (rmb.rkeys.size() < 2) rmb.rkeys.push_back(c.group->next_rkey++);
        return {rmb.rkeys[0], rmb.rkeys[1], rmb.address};
    }

    void add_link_continuation(Connection& c, Side from) {
        wire::AddLinkContinuation body;
        body.reply = from == Side::client;
        body.link = 2;
        body.rtokens_left = 1;
        llc(*c.group, 0, from, llc_octets(*c.group, 3, wire::llc_size, body, pair_of(c, from)), body.reply);
    }

    /// A new RMB; all links of the group have a token for it.
    void confirm_rkey(Connection& c, Side from, Side owner) {
        const Group& group = *c.group;
        wire::ConfirmRkey body;
        body.reply = from != owner;
        body.rkey = c.rmb[owner].rkeys[0];
        body.address = c.rmb[owner].address;
        body.other_links = static_cast<std::uint8_t>(group.links.size() - 1);
        wire::LinkRtoken second;
        if (group.links.size() > 1) second = {2, c.rmb[owner].rkeys[1], body.address};
        llc(*c.group, 0, from, llc_octets(group, 6, wire::llc_size, body, second), body.reply);
    }

    void delete_rkey(Connection& c, Side from, Side owner) {
        wire::DeleteRkey body;
        body.reply = from != owner;
        body.count = 1;
        const wire::DeletedRkey key{c.rmb[owner].rkeys[0]};
        llc(*c.group, 0, from, llc_octets(*c.group, 9, wire::llc_size, body, key), body.reply);
    }

    void test_link(Group& group, std::size_t link, Side from, bool reply, std::uint64_t number) {
        wire::TestLink body;
        body.reply = reply;
        for (std::size_t i = 0; i < 8; ++i) body.user_data.octets[i] = static_cast<std::uint8_t>(number >> (8 * i));
        llc(group, link, from, llc_octets(group, 7, wire::llc_size, body), reply);
    }

    void script_test_link(Group& group) {
        const std::size_t link = below(group.links.size());
        const Side asks = below(2) == 0 ? Side::client : Side::server;
        const std::uint64_t number = random_();
        group.script.emplace_back([=, this, &group] { test_link(group, link, asks, false, number); });
        group.script.emplace_back([=, this, &group] { test_link(group, link, other(asks), true, number); });
    }

    // ---- set-up ----

    DirectionTruth& truth(const Connection& c, Side from) { return truth_.connections[c.id - 1].from[from]; }

    void open_connection() {
        Group& group = groups_[opened_++ % groups_.size()];
        Connection& c = connections_.emplace_back();
        c.group = &group;
        c.budget = (options_.roce_frames + options_.connections - 1) / options_.connections;
        ++opening_;
        script_handshake(c);
        group.script.emplace_back([this, &c] { continue_setup(c); });
    }

    void script_handshake(Connection& c) {
        auto& script = c.group->script;
        script.emplace_back([this, &c] {
            // Ids are given in the order of SYNs.
            c.id = static_cast<std::uint32_t>(truth_.connections.size() + 1);
            ConnectionTruth& truth = truth_.connections.emplace_back();
            truth.client_port = static_cast<std::uint16_t>(2048 + c.group->next_port++ % 60'000);
            truth.version = c.group->version;
            for (std::uint32_t& sequence : c.sequence.values) sequence = static_cast<std::uint32_t>(random_());
            segment(c, Side::client, syn, tcp_options());
        });
        script.emplace_back([this, &c] { segment(c, Side::server, syn | ack, tcp_options()); });
        script.emplace_back([this, &c] { segment(c, Side::client, ack); });
        script_clc(c, Side::client, [](Connection& of) { return proposal(of); });
    }

    static ByteView tcp_options() {
        static constexpr std::array<std::uint8_t, 12> options{2, 4, 5, 0xB4, 1, 1, 254, 6, 0xE2, 0xD4, 0xC3, 0xD9};
        return options;
    }

    template <class Build> void script_clc(Connection& c, Side from, const Build& build) {
        c.group->script.emplace_back([=, this, &c] { segment(c, from, ack, {}, build(c)); });
        c.group->script.emplace_back([=, this, &c] { segment(c, other(from), ack); });
    }

    /// Whether it is a first contact is settled only when the connections before it are set up.
    void continue_setup(Connection& c) {
        Group& group = *c.group;
        const bool first = group.number == 0;
        if (first) {
            truth_.groups.push_back({group.version, 1, 0});
            group.number = static_cast<std::uint32_t>(truth_.groups.size());
        }
        ConnectionTruth& facts = truth_.connections[c.id - 1];
        facts.group = group.number;
        facts.first_contact = first;
        c.link = c.id % group.links.size();
        for (const Side side : {Side::client, Side::server}) make_rmb(c, side);
        // What is left of the set-up goes before the set-ups that are scripted already.
        std::deque<FrameStamp> later;
        later.swap(group.script);
        if (!first) script_rkey(c, Side::server);
        script_clc(
            c, Side::server, [this, first](Connection& of) { return accept_or_confirm(of, Side::server, first); });
        if (!first) script_rkey(c, Side::client);
        script_clc(
            c, Side::client, [this, first](Connection& of) { return accept_or_confirm(of, Side::client, first); });
        if (first) script_first_contact(c);
        group.script.emplace_back([this, &c] {
            c.active = true;
            --opening_;
            active_.push_back(&c);
        });
        std::ranges::move(later, std::back_inserter(group.script));
    }

    void make_rmb(Connection& c, Side side) {
        Rmb& rmb = c.rmb[side];
        rmb.size = static_cast<std::uint32_t>(wire::buffer_size(static_cast<std::uint8_t>(c.id % 3)));
        rmb.address = 0xFF00'0000'0000'0000 + (std::uint64_t{c.id} << 20);
        for (std::size_t i = 0; i < c.group->links.size(); ++i) rmb.rkeys.push_back(c.group->next_rkey++);
        c.token[side] = ++c.group->next_token;
        truth(c, other(side)).rmbe_size = rmb.size;
    }

    void script_rkey(Connection& c, Side owner) {
        c.group->script.emplace_back([=, this, &c] { confirm_rkey(c, owner, owner); });
        c.group->script.emplace_back([=, this, &c] { confirm_rkey(c, other(owner), owner); });
    }

    void script_first_contact(Connection& c) {
        Group& group = *c.group;
        auto& script = group.script;
        const bool accept = group.second_link;
        script.emplace_back([this, &group] { confirm_link(group, 0, Side::server); });
        script.emplace_back([this, &group] { confirm_link(group, 0, Side::client); });
        if (accept) script.emplace_back([this, &group] { add_link(group); });
        script.emplace_back([=, this, &c] { add_link_message(c, Side::server, accept); });
        script.emplace_back([=, this, &c] { add_link_message(c, Side::client, accept); });
        if (!accept) return;
        if (group.version == 1) {
            script.emplace_back([this, &c] { add_link_continuation(c, Side::server); });
            script.emplace_back([this, &c] { add_link_continuation(c, Side::client); });
        }
        script.emplace_back([this, &group] {
            truth_.groups[group.number - 1].links = 2;
            confirm_link(group, 1, Side::server);
        });
        script.emplace_back([this, &group] { confirm_link(group, 1, Side::client); });
    }

    static Octets proposal(const Connection& c) {
        const Group& group = *c.group;
        const Port& port = group.host[Side::client].ports[0];
        const bool v2 = group.version == 2;
        constexpr std::uint8_t smc_r = 0, neither = 2;
        wire::Proposal body;
        body.version = wire::ProposalVersion2{2, v2 ? smc_r : neither, v2 ? neither : smc_r};
        wire::SmcdArea area;
        Octets eid = octets_of(wire::Eid{enterprise()});
        if (v2) {
            area.v2_extension_offset = 28;
            wire::ProposalV2Extension extension;
            extension.eid_count = 1;
            extension.release = 1;
            extension.roce_gid = port.gid();
            extension.max_connections = 255;
            extension.max_links = 2;
            body.v2 = extension;
            body.eids.octets = eid;
        } else {
            body.body = {group.host[Side::client].id, port.gid(), port.mac, 40};
            body.ip = wire::IpArea{{{10, 0, 0, 0}}, 8, {}, 0};
        }
        body.smcd = area;
        wire::ClcMessage message;
        message.body = body;
        return clc_octets(wire::ClcType::proposal, message);
    }

    static Text<32> enterprise() {
        Text<32> text;
        text.octets.fill(' ');
        constexpr std::string_view name = "GENERATED";
        std::ranges::copy(name, text.octets.begin());
        return text;
    }

    Octets accept_or_confirm(Connection& c, Side side, bool first) {
        Group& group = *c.group;
        const QueuePair& end = group.links[c.link].end[side];
        const bool v2 = group.version == 2;
        wire::SmcrAcceptConfirm message;
        wire::SmcrAcceptConfirmBody& body = message.body;
        body.version = group.version;
        body.first_contact = first;
        body.peer_id = group.host[side].id;
        body.gid = end.port->gid();
        body.mac = end.port->mac;
        body.qpn = end.qpn;
        body.rkey = c.rmb[side].rkeys[c.link];
        body.rmb_index = 1;
        body.alert_token = c.token[side];
        body.buffer_size = static_cast<std::uint8_t>(c.id % 3);
        body.mtu = mtu_1024;
        body.rmb_address = c.rmb[side].address;
        body.initial_psn = end.initial_psn;
        Octets gids;
        if (v2) message.v2 = wire::SmcrAcceptConfirmV2{{enterprise()}, {}};
        if (v2 && first) {
            message.first_contact = wire::FirstContactExtension{true, 0, 2, 1, {}, enterprise()};
            message.first_contact_v2x = wire::FirstContactExtensionV2x{255, 2, 0, {}, {}};
        }
        if (v2 && first && side == Side::client) {
            message.gid_list = wire::GidListHeader{static_cast<std::uint8_t>(group.second_link ? 2 : 1), {}};
            for (std::size_t i = 0; i < message.gid_list->count; ++i)
                std::ranges::copy(group.host[side].ports[i].gid().octets, std::back_inserter(gids));
            message.gids.octets = gids;
        }
        wire::ClcMessage clc;
        clc.body = message;
        return clc_octets(side == Side::server ? wire::ClcType::accept : wire::ClcType::confirm, clc);
    }

    // ---- data ----

    void turn(Connection& c) {
        if (!c.closing.empty()) {
            const FrameStamp step = std::move(c.closing.front());
            c.closing.pop_front();
            return step();
        }
        const Side side = below(4) < (c.id % 2 == 0 ? 1U : 3U) ? Side::client : Side::server;
        Direction& out = c.from[side];
        Direction& in = c.from[other(side)];
        if (below(2) == 0) in.consumed = in.announced;
        if (out.burst != 0 && write(c, side)) return;
        if (out.written != out.announced) return cdc(c, side);
        if (update_is_due(c, side)) return cdc(c, side);
        if (c.budget != 0) {
            out.burst = static_cast<std::uint32_t>(1 + below(writes_in_a_burst));
            if (below(4096) == 0) script_test_link(*c.group);
        } else if (c.from[other(side)].written == c.from[other(side)].announced) {
            script_close(c);
        }
    }

    /// An RDMA WRITE, if the window has room. At the end of the element it stops; the next one goes on at
    /// the begin.
    bool write(Connection& c, Side side) {
        Direction& out = c.from[side];
        const Rmb& rmb = c.rmb[other(side)];
        if (c.budget == 0) out.burst = 0;
        if (out.burst == 0 || out.written - out.acknowledged + largest_write > rmb.size) return false;
        const std::uint64_t offset = out.written % rmb.size;
        const std::uint64_t wanted = smallest_write + below(largest_write - smallest_write + 1);
        const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, rmb.size - offset));
        Octets octets(length);
        for (std::uint32_t i = 0; i < length; ++i) octets[i] = stream_octet(c.id, side, out.written + i);
        const ib::Reth reth{rmb.address + offset, rmb.rkeys[c.link], length};
        // Before the request: a retransmission may come right behind it.
        out.written += length;
        --out.burst;
        if (length == wanted) --c.budget;  // the rest of one that met the end costs nothing
        ++truth(c, side).writes;
        request(c.group->links[c.link], side, write_only, octets_of(reth), std::move(octets), &c);
        return true;
    }

    /// A cursor update alone is due when the window is half closed and would open by a tenth (RFC 7609, 4.5.1).
    bool update_is_due(const Connection& c, Side side) const {
        const Direction& in = c.from[other(side)];
        const std::uint64_t size = c.rmb[side].size;
        return in.announced - in.acknowledged > size / 2 && in.consumed - in.acknowledged >= size / 10 + 1;
    }

    void cdc(Connection& c, Side side, bool closes = false) {
        Direction& out = c.from[side];
        Direction& in = c.from[other(side)];
        const std::uint64_t size = c.rmb[other(side)].size;
        DirectionTruth& sent = truth(c, side);
        DirectionTruth& received = truth(c, other(side));
        sent.wraps += out.written / size - out.announced / size;
        out.announced = sent.bytes = out.written;
        in.acknowledged = received.acknowledged = in.consumed;
        sent.peak_in_flight = std::max(sent.peak_in_flight, out.announced - out.acknowledged);
        ++sent.cdcs;
        if (c.budget != 0) --c.budget;
        wire::Cdc message;
        message.sequence = ++out.sequence;
        message.alert_token = c.token[other(side)];
        message.producer = cursor_at(out.announced, size);
        message.consumer = cursor_at(in.consumed, c.rmb[side].size);
        message.state.connection_closed = closes;
        request(c.group->links[c.link], side, send_only, {}, octets_of(message), &c);
    }

    // ---- close ----

    void script_close(Connection& c) {
        for (Direction& direction : c.from.values) direction.consumed = direction.announced;
        for (const Side side : {Side::client, Side::server})
            c.closing.emplace_back([=, this, &c] { cdc(c, side, true); });
        for (const Side side : {Side::client, Side::server}) {
            c.closing.emplace_back([=, this, &c] { segment(c, side, fin | ack); });
            c.closing.emplace_back([=, this, &c] { segment(c, other(side), ack); });
        }
        c.closing.emplace_back([this, &c] { script_cleanup(c); });
    }

    void script_cleanup(Connection& c) {
        std::erase(active_, &c);
        auto& script = c.group->script;
        for (const Side owner : {Side::server, Side::client}) {
            script.emplace_back([=, this, &c] { delete_rkey(c, owner, owner); });
            script.emplace_back([=, this, &c] { delete_rkey(c, other(owner), owner); });
        }
    }

    const TrafficOptions& options_;
    const FrameSink& sink_;
    std::mt19937_64 random_;
    FrameBuilder frames_;
    engine::smcr::Time now_ = engine::smcr::Time{1'700'000'000} * capture::second;
    std::deque<Group> groups_;
    std::deque<Connection> connections_;
    std::vector<Connection*> active_;
    std::uint32_t opened_ = 0;
    std::size_t opening_ = 0;
    Truth truth_;
};

}  // namespace

Truth generate(const TrafficOptions& options, const FrameSink& sink) { return Generator(options, sink).run(); }

}  // namespace fabricscope::traffic
