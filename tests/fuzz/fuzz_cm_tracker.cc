// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as a script of CM messages and packets that two hosts send each other, in any order. Few ids and queue
// pairs, so that they meet.
#include <algorithm>
#include <cstdlib>

#include "tests/fuzz/script.h"
#include "tests/unit/engine/cm_world.h"

namespace {

using namespace fabricscope;
using namespace engine::rdma_cm;
using engine::rdma_cm::test::CmWorld;
using ib::CmAttribute;

void must(bool condition) {
    if (!condition) std::abort();
}

Options options_of(fuzz::Script& script) {
    Options options;
    options.profile = script.flag() ? engine::Profile::linux_ : engine::Profile::standard;
    options.limits.connections = 1 + script.below(16);
    options.limits.messages = script.below(16);
    options.limits.findings = script.below(16);
    return options;
}

void check_model(const Model& model, const Options& options) {
    must(model.connections.size() <= options.limits.connections);
    must(model.findings.size() <= options.limits.findings);
    std::uint32_t id = 0;
    for (const Connection& connection : model.connections) {
        must(connection.id == ++id);
        must(connection.messages.size() <= options.limits.messages);
        must(connection.messages.size() <= connection.message_count);
        must(std::ranges::is_sorted(connection.messages, {}, &MessageSeen::frame));
        must(connection.outcome != Outcome::rejected || connection.reject);
    }
    for (const engine::Finding& finding : model.findings) must(finding.rule != nullptr && !finding.frames.empty());
}

class Player {
public:
    explicit Player(ByteView octets) : script_(octets), options_(options_of(script_)), world_(options_) {}

    void play() {
        while (script_.more()) step();
        world_.tracker.finish();
        check_model(world_.tracker.model(), options_);
    }

private:
    Side side() { return script_.flag() ? Side::client : Side::server; }
    std::uint32_t id() { return (script_.flag() ? 0x100 : 0x200) + script_.below(4); }
    std::uint32_t number() { return script_.below(4); }

    void step() {
        switch (script_.below(14)) {
            case 0: return world_.connect(number());
            case 1:
            case 2: return send_req();
            case 3: return world_.rep(number(), side());
            case 4: return world_.rtu(number());
            case 5: return send_rej();
            case 6: return world_.dreq(side(), number());
            case 7: return world_.drep(side(), number());
            case 8: return send_ids();
            case 9: return send_sidr();
            case 10: return world_.data(side(), 0x10 + script_.below(32), script_.below(16), script_.below(64));
            case 11: return world_.datagram(side(), 0x10 + script_.below(32), 0x10 + script_.below(32));
            case 12: return jump();
            case 13: return send_any();
        }
    }

    /// From either side, so that both may ask; with addresses that are right or not.
    void send_req() {
        wire::Req req;
        req.body.local_comm_id = id();
        req.body.service_id = script_.flag() ? test::iser : script_.number();
        req.body.local_qpn = 0x10 + script_.below(32);
        req.body.max_cm_retries = static_cast<std::uint8_t>(script_.below(16));
        req.body.remote_response_timeout = static_cast<std::uint8_t>(script_.below(32));
        const ByteView addresses = script_.octets(36);
        wire::IpHeader ip;
        layout::parse_into(ip.versions, addresses);
        if (ip.versions.ip_version == 4) ip.addresses = wire::Ipv4Addresses{};
        if (ip.versions.ip_version == 6) ip.addresses = wire::Ipv6Addresses{};
        if (wire::has_ip_header(req.body.service_id)) req.ip = ip;
        world_.send(side(), CmAttribute::req, req, number());
    }

    void send_rej() {
        if (script_.flag()) {
            const ByteView ari = script_.octets(script_.below(ib::ari_size + 1));
            return world_.reject(number(), {ari.begin(), ari.end()});
        }
        const Side from = side();
        const std::uint32_t local = id();
        world_.rej(from, local, id(), static_cast<std::uint16_t>(script_.below(40)));
    }

    /// The messages that have little more than two ids.
    void send_ids() {
        switch (script_.below(4)) {
            case 0: return send_ids<ib::CmMra>(CmAttribute::mra);
            case 1: return send_ids<ib::CmRtu>(CmAttribute::rtu);
            case 2: return send_ids<ib::CmLap>(CmAttribute::lap);
            case 3: return send_ids<ib::CmDrep>(CmAttribute::drep);
        }
    }
    template <class Body> void send_ids(CmAttribute attribute) {
        const Side from = side();
        Body body;
        body.local_comm_id = id();
        body.remote_comm_id = id();
        world_.send(from, attribute, body);
    }

    void send_sidr() {
        if (script_.flag()) {
            wire::SidrReq request;
            request.body.request_id = number();
            request.body.service_id = script_.number();
            return world_.send(side(), CmAttribute::sidr_req, request, number());
        }
        wire::SidrRep reply;
        reply.body.request_id = number();
        reply.body.status = static_cast<std::uint8_t>(script_.below(6));
        reply.body.qpn = 0x10 + script_.below(32);
        world_.send(side(), CmAttribute::sidr_rep, reply, number());
    }

    /// Time passes, MADs are lost, or frames are cut.
    void jump() {
        switch (script_.below(3)) {
            case 0: world_.now += script_.number() % 100'000 * 10 * capture::millisecond; return;
            case 1: world_.gsi_psn[side()] += script_.below(3); return;
            case 2: world_.captured = script_.below(ib::mad_size); return;
        }
    }

    void send_any() {
        const ByteView octets = script_.octets(ib::mad_size);
        if (octets.size() == ib::mad_size) world_.mad(side(), octets);
    }

    fuzz::Script script_;
    Options options_;
    CmWorld world_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Player({data, std::min<std::size_t>(size, 4096)}).play();
    return 0;
}
