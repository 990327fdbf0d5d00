// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/hostile.h"

#include <random>

#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"
#include "tests/traffic/fc_builder.h"
#include "tests/traffic/frame_builder.h"

namespace fabricscope::traffic {
namespace {

namespace wire = fabricscope::smcr;

using namespace ib::rc;
enum TcpFlags : std::uint8_t { syn = 0x02, ack = 0x10 };

constexpr std::uint64_t rmb_address = 0xFF00'0000'0000'0000;
constexpr std::uint32_t link_qpn = 0x11;

/// Two hosts, and frames between them.
class Script {
public:
    explicit Script(const FrameSink& sink) : sink_(sink) {}

    void move_hosts(std::uint64_t number) {
        for (Port* port : {&client, &server}) {
            port->ip.octets[1] = static_cast<std::uint8_t>(number >> 16);
            port->ip.octets[2] = static_cast<std::uint8_t>(number >> 8);
            port->ip.octets[3] = static_cast<std::uint8_t>(number);
        }
    }

    void tcp(
        bool from_client, std::uint16_t client_port, std::uint32_t sequence, std::uint8_t flags, ByteView options,
        ByteView payload) {
        const TcpFields fields{
            from_client ? client_port : std::uint16_t{18001}, from_client ? std::uint16_t{18001} : client_port,
            sequence, 0, flags};
        emit(frames_.tcp(ends(from_client), fields, options, payload));
    }
    void syn_with_option(std::uint16_t client_port, std::uint32_t sequence) {
        static constexpr std::array<std::uint8_t, 8> options{1, 1, 254, 6, 0xE2, 0xD4, 0xC3, 0xD9};
        tcp(true, client_port, sequence, syn, options, {});
    }

    void roce(bool from_client, std::uint32_t qpn, std::uint8_t opcode, ByteView extended, ByteView payload) {
        ib::Bth bth{};
        bth.opcode = opcode;
        bth.destination_qpn = qpn;
        bth.psn = psn_[from_client ? 0 : 1]++ & 0xFF'FFFF;
        bth.p_key = 0xFFFF;
        emit(frames_.roce(ends(from_client), builders::RoceVersion::v2, bth, extended, payload));
    }
    void write(std::uint32_t qpn, std::uint64_t address, std::uint32_t rkey, ByteView octets, std::uint32_t length) {
        roce(true, qpn, write_only, octets_of(ib::Reth{address, rkey, length}), octets);
    }
    void cdc(
        bool from_client, std::uint32_t qpn, std::uint32_t token, std::uint16_t sequence, wire::Cursor producer,
        wire::Cursor consumer) {
        wire::Cdc message;
        message.alert_token = token;
        message.sequence = sequence;
        message.producer = producer;
        message.consumer = consumer;
        roce(from_client, qpn, send_only, {}, octets_of(message));
    }
    template <class... Parts> void llc(bool from_client, std::uint8_t type, const Parts&... parts) {
        Octets octets(wire::llc_size);
        octets[0] = type;
        octets[1] = wire::llc_size;
        [[maybe_unused]] std::size_t at = 3;
        ((layout::build_into(parts, std::span(octets).subspan(at)), at += layout::size_of<Parts>), ...);
        roce(from_client, link_qpn, send_only, {}, octets);
    }

    /// A PROPOSAL is not needed: ACCEPT and CONFIRM tell all.
    void accept_and_confirm(
        std::uint16_t port, std::uint32_t qpn, std::uint32_t number, bool first, std::uint8_t size = 0) {
        for (const bool from_client : {false, true}) {
            const Port& sender = from_client ? client : server;
            wire::SmcrAcceptConfirm body;
            body.body.first_contact = first;
            body.body.gid = sender.gid();
            body.body.mac = sender.mac;
            body.body.qpn = qpn;
            body.body.rkey = number;
            body.body.rmb_index = 1;
            body.body.alert_token = number;
            body.body.buffer_size = size;
            body.body.mtu = 3;
            body.body.rmb_address = rmb_address;
            wire::ClcMessage clc;
            clc.body = body;
            clc.header.type = from_client ? wire::ClcType::confirm : wire::ClcType::accept;
            clc.trailer = wire::ClcTrailer{};
            clc.header.length = 68;
            tcp(from_client, port, 1, ack, {}, wire::build(clc));
        }
    }
    void confirm_link() {
        for (const bool from_client : {false, true}) {
            wire::ConfirmLink body;
            body.reply = from_client;
            body.no_rmbe_eye_catcher = 3;
            body.mac = (from_client ? client : server).mac;
            body.gid = (from_client ? client : server).gid();
            body.qpn = link_qpn;
            body.link = 1;
            body.max_links = 2;
            llc(from_client, 1, body);
        }
    }
    /// A link group with one connection, whose RKey and token are 1.
    void one_connection(std::uint8_t size = 0) {
        syn_with_option(40'000, 0);
        accept_and_confirm(40'000, link_qpn, 1, true, size);
        confirm_link();
    }

    Port client{{{2, 0, 0, 0, 0, 1}}, {{10, 0, 0, 1}}, 0};
    Port server{{{2, 0, 0, 0, 0, 2}}, {{11, 0, 0, 1}}, 0};

private:
    builders::FrameEnds ends(bool from_client) {
        return between(from_client ? client : server, from_client ? server : client);
    }
    void emit(ByteView frame) { sink_(now_ += 1000, frame); }

    const FrameSink& sink_;
    FrameBuilder frames_;
    std::array<std::uint32_t, 2> psn_{};
    engine::smcr::Time now_ = engine::smcr::Time{1'700'000'000} * capture::second;
};

/// Octets 0, 1, 2 ... of a number that grows, as a place to put things.
std::uint32_t n32(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

void half_open(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) {
        script.move_hosts(i >> 15);
        script.syn_with_option(static_cast<std::uint16_t>(1024 + (i & 0x7FFF)), 7);
    }
}

void same_ports(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) script.syn_with_option(40'000, n32(i));
}

void link_groups(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) {
        script.move_hosts(i >> 15);
        script.accept_and_confirm(static_cast<std::uint16_t>(1024 + (i & 0x7FFF)), n32(i) & 0xFF'FFFF, n32(i), true);
    }
}

/// One group, ever new connections with new RMBs.
void connections(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) {
        script.client.ip.octets[1] = script.server.ip.octets[1] = 0;
        script.accept_and_confirm(static_cast<std::uint16_t>(1024 + i % 30'000), link_qpn, 2 + n32(i), false);
    }
}

/// Groups whose set-up was not captured.
void midstream_groups(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) {
        script.move_hosts(i);
        script.cdc(true, link_qpn, 1, 1, {0, 100}, {0, 0});
    }
}

void midstream_queue_pairs(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) script.cdc(true, n32(i) & 0xFF'FFFF, 1, 1, {0, 100}, {0, 0});
}

void midstream_tokens(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint64_t i = 0; i < count; ++i) script.cdc(true, link_qpn, n32(i), 1, {0, 100}, {0, n32(i % 77)});
}

void unknown_tokens(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) script.cdc(true, link_qpn, 2 + n32(i), 1, {0, 100}, {0, 0});
}

void unanswered_requests(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) {
        wire::TestLink body;
        body.user_data.octets[0] = static_cast<std::uint8_t>(i);
        script.llc(i % 2 == 0, 7, body);
    }
}

void rkeys(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) {
        wire::ConfirmRkey body;
        body.other_links = 2;
        body.rkey = 2 + n32(i);
        body.address = rmb_address + (i << 20);
        script.llc(i % 2 == 0, 6, body, wire::LinkRtoken{1, n32(i), i}, wire::LinkRtoken{1, n32(~i), i});
    }
}

/// ADD LINK and its reply: ever new links of one group.
void links(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) {
        wire::AddLink body;
        body.reply = i % 2 != 0;
        body.gid = (body.reply ? script.client : script.server).gid();
        body.qpn = 0x100 + n32(i / 2);
        body.link = static_cast<std::uint8_t>(2 + i / 2);
        body.mtu = 3;
        script.llc(body.reply, 2, body);
    }
}

void violations(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) script.llc(i % 2 == 0, 0x1F);
}

/// Octets here and there in the largest element there is, none of them announced.
void scattered_writes(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection(15);
    std::mt19937_64 random(1);
    const Octets octet{0x55};
    for (std::uint64_t i = 0; i < count; ++i) script.write(link_qpn, rmb_address + random() % (1U << 29), 1, octet, 1);
}

/// The same from the end of the element to its begin: each one new, each one at the front.
void backward_writes(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection(15);
    const Octets octet{0x55};
    for (std::uint64_t i = 0; i < count; ++i)
        script.write(link_qpn, rmb_address + (1U << 29) - 2 * (1 + i % (1U << 28)), 1, octet, 1);
}

void absurd_cursors(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    std::mt19937_64 random(1);
    const auto cursor = [&] { return wire::Cursor{static_cast<std::uint16_t>(random()), n32(random())}; };
    for (std::uint64_t i = 0; i < count; ++i)
        script.cdc(random() % 2 == 0, link_qpn, 1, static_cast<std::uint16_t>(i), cursor(), cursor());
}

/// WRITEs that claim lengths and places out of this world.
void absurd_writes(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    std::mt19937_64 random(1);
    const Octets octets(64, 0xAA);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Octets reth = octets_of(ib::Reth{random(), random() % 2 == 0 ? 1 : n32(random()), n32(random())});
        script.roce(random() % 2 == 0, link_qpn, random() % 2 == 0 ? write_first : write_only, reth, octets);
    }
}

/// Each side announces its cursor with every message: a timeline as long as the capture.
void cursor_steps(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    for (std::uint64_t i = 0; i < count; ++i) {
        const wire::Cursor at{static_cast<std::uint16_t>(i >> 14), n32(i & 0x3FFF)};
        script.cdc(i % 2 == 0, link_qpn, 1, static_cast<std::uint16_t>(1 + i / 2), at, at);
    }
}

/// CLC streams with a hole at the front, so that what follows has to be kept.
void tcp_holes(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    const Octets payload(200, 0xE2);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto port = static_cast<std::uint16_t>(1024 + i % 30'000);
        const auto round = n32(i / 30'000);
        if (round == 0) script.syn_with_option(port, 0);
        else script.tcp(true, port, 100 + round * 300, ack, {}, payload);
    }
}

/// SENDs of several packets that never end, on ever new queue pairs.
void endless_sends(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    script.one_connection();
    const Octets payload(1024, 0x21);
    for (std::uint64_t i = 0; i < count; ++i) script.roce(i % 2 == 0, link_qpn, i < 8 ? send_first : 0x01, {}, payload);
}

/// Queue pairs that nothing announced: a READ of one and a SEND that never ends of the other, neither of which anybody
/// answers.
void queue_pairs(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    const Octets payload(64, 0x21);
    const Octets read = octets_of(ib::Reth{rmb_address, 1, 1 << 20});
    constexpr std::uint32_t first_qpn = 0x100, qpns = 0xFF'0000;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint32_t qpn = first_qpn + n32(i % qpns);
        if (qpn == first_qpn) script.move_hosts(i / qpns);
        script.roce(true, qpn, read_request, read, {});
        script.roce(false, qpn, send_first, {}, payload);
    }
}

// ---- RDMA CM -------------------------------------------------------------------------------------

namespace cm = fabricscope::rdma_cm;

/// A CM message from one host to the other.
template <class Body>
void send_cm(Script& script, bool from_client, std::uint64_t transaction, ib::CmAttribute attribute, const Body& body) {
    cm::Message message;
    message.mad.attribute_id = static_cast<std::uint16_t>(attribute);
    message.mad.transaction_id = transaction;
    message.body = body;
    ib::Deth deth{};
    deth.q_key = ib::gsi_q_key;
    deth.source_qpn = ib::gsi_qpn;
    script.roce(from_client, ib::gsi_qpn, ib::ud_send_only, octets_of(deth), cm::build(message));
}

cm::Req cm_request(const Script& script, std::uint32_t number) {
    cm::Req req;
    req.body.local_comm_id = number;
    req.body.service_id = 0x0000'0000'0106'0CBC;
    req.body.local_qpn = number & 0xFF'FFFF;
    req.body.remote_response_timeout = 20;
    req.body.max_cm_retries = 15;
    req.body.path_mtu = 3;
    cm::Ipv4Addresses addresses;
    addresses.source = script.client.ip;
    addresses.destination = script.server.ip;
    req.ip = cm::IpHeader{{.source_port = static_cast<std::uint16_t>(number)}, addresses};
    return req;
}

/// Every second REQ is answered, up to an orderly disconnect.
void cm_storm(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint32_t i = 1; i <= count; ++i) {
        const std::uint32_t client = i, server = 0x8000'0000 + i;
        const auto send = [&](bool from_client, ib::CmAttribute attribute, const auto& body) {
            send_cm(script, from_client, i, attribute, body);
        };
        send(true, ib::CmAttribute::req, cm_request(script, client));
        if (i % 2 == 0) continue;
        send(
            false, ib::CmAttribute::rep,
            ib::CmRep{.local_comm_id = server, .remote_comm_id = client, .local_qpn = i & 0xFF'FFFF});
        send(true, ib::CmAttribute::rtu, ib::CmRtu{client, server});
        send(true, ib::CmAttribute::dreq, ib::CmDreq{client, server, i & 0xFF'FFFF});
        send(false, ib::CmAttribute::drep, ib::CmDrep{server, client});
    }
}

/// What breaks a rule in every REQ.
void cm_violations(std::uint64_t count, const FrameSink& sink) {
    Script script(sink);
    for (std::uint32_t i = 1; i <= count; ++i) {
        cm::Req req = cm_request(script, i);
        std::get<cm::Ipv4Addresses>(req.ip->addresses).source_padding.octets[0] = 1;
        send_cm(script, true, i, ib::CmAttribute::req, req);
    }
}

// ---- Fibre Channel -------------------------------------------------------------------------------

/// Frames over FCoE from ever new ports.
class FcScript {
public:
    explicit FcScript(const FrameSink& sink) : sink_(sink) {}

    /// The first IU of a new Exchange.
    void begin(std::uint64_t number, std::uint8_t type, const FcIu& iu) {
        originator_.id = n32(number >> 12 & 0xF'FFFF);
        originator_.port_name = number;
        FcExchange exchange(originator_, responder_, type);
        for (const FcFrame& frame : exchange.send(iu)) sink_(now_ += 1000, as_fcoe(frame));
    }
    const FcPort& originator() const { return originator_; }

private:
    const FrameSink& sink_;
    FcPort originator_, responder_{0x70'0001};
    engine::smcr::Time now_ = engine::smcr::Time{1'700'000'000} * capture::second;
};

/// Requests without an answer.
void fc_exchanges(std::uint64_t count, const FrameSink& sink) {
    FcScript script(sink);
    for (std::uint64_t i = 0; i < count; ++i) script.begin(i, 0xE0, {.r_ctl = 0x06, .passes_initiative = true});
}

/// PLOGI from ever new ports.
void fc_logins(std::uint64_t count, const FrameSink& sink) {
    FcScript script(sink);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Octets plogi = login_payload(FcPort{n32(i) & 0xFF'FFFF, i, i}, 0x03);
        script.begin(i << 12, 0x01, {.r_ctl = 0x22, .data = plogi, .passes_initiative = true});
    }
}

/// FCP_CMNDs of FC-AE-RDMA: ever new messages.
void fc_commands(std::uint64_t count, const FrameSink& sink) {
    FcScript script(sink);
    const Octets command(32);
    for (std::uint64_t i = 0; i < count; ++i)
        script.begin(i, 0x08, {.r_ctl = 0x06, .data = command, .passes_initiative = true});
}

/// FCIP connections whose first octets are missing, so that what follows has to be kept.
void fcip_streams(std::uint64_t count, const FrameSink& sink) {
    constexpr std::uint64_t segments = 40;
    FrameBuilder builder;
    Port from{{{2, 0, 0, 0, 0, 1}}, {{10, 0, 0, 1}}, 0}, to{{{2, 0, 0, 0, 0, 2}}, {{11, 0, 0, 1}}, 0};
    const Octets payload(1400, 0x55);
    engine::smcr::Time now = engine::smcr::Time{1'700'000'000} * capture::second;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t stream = i / segments;
        from.ip.octets[1] = static_cast<std::uint8_t>(stream >> 8);
        from.ip.octets[2] = static_cast<std::uint8_t>(stream);
        const std::uint32_t sequence = n32(1 + i % segments * 1401);
        sink(now += 1000, builder.tcp(between(from, to), {50'000, 3225, sequence, 0, ack}, {}, payload));
    }
}

constexpr HostileKind kinds[] = {
    {"half_open", "SYNs that offer SMC, of ever new connections", half_open},
    {"same_ports", "SYNs that offer SMC, each one a new connection of the same ports", same_ports},
    {"link_groups", "first contacts, each with new queue pairs", link_groups},
    {"connections", "subsequent contacts of one link group", connections},
    {"midstream_groups", "CDC messages between ever new hosts", midstream_groups},
    {"midstream_queue_pairs", "CDC messages to ever new queue pairs", midstream_queue_pairs},
    {"midstream_tokens", "CDC messages with ever new tokens on an unknown link", midstream_tokens},
    {"unknown_tokens", "CDC messages with ever new tokens on a known link", unknown_tokens},
    {"unanswered_requests", "TEST LINK without reply", unanswered_requests},
    {"rkeys", "ever new RKeys", rkeys},
    {"links", "ever new links of one link group", links},
    {"violations", "LLC messages of an unknown type", violations},
    {"scattered_writes", "octets written here and there, none announced", scattered_writes},
    {"backward_writes", "octets written from the end to the begin", backward_writes},
    {"absurd_cursors", "random cursors", absurd_cursors},
    {"absurd_writes", "random places and lengths", absurd_writes},
    {"cursor_steps", "cursors that move with every message", cursor_steps},
    {"tcp_holes", "set-ups whose first octets are missing", tcp_holes},
    {"endless_sends", "SENDs that never end", endless_sends},
    {"queue_pairs", "requests of ever new queue pairs that nobody answers", queue_pairs},
    {"cm_storm", "RDMA CM handshakes; half of them are never answered", cm_storm},
    {"cm_violations", "REQs of RDMA CM, each with an address that is wrong", cm_violations},
    {"fc_exchanges", "Fibre Channel requests that are never answered", fc_exchanges},
    {"fc_logins", "PLOGIs of ever new ports", fc_logins},
    {"fc_commands", "FCP_CMNDs of FC-AE-RDMA that are never answered", fc_commands},
    {"fcip_streams", "FCIP connections whose first octets are missing", fcip_streams},
};

}  // namespace

std::span<const HostileKind> hostile_kinds() { return kinds; }

}  // namespace fabricscope::traffic
