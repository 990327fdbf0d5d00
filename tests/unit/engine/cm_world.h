// SPDX-License-Identifier: GPL-2.0-or-later
// CM messages and packets made by hand for the RDMA CM tracker.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "analyzer/engine/rdma_cm/tracker.h"

namespace fabricscope::engine::rdma_cm::test {

using enum Side;
using Octets = std::vector<std::uint8_t>;

inline constexpr std::uint64_t iser = 0x0000'0000'0106'0CBC;  // TCP port 3260

inline Address address_of(Side side) {
    return Address::of(Ipv4{{192, 0, 2, static_cast<std::uint8_t>(side == client ? 10 : 20)}});
}

/// Two hosts whose CM messages and packets go straight into a tracker. The client's communication id
/// is 0x100 + n, the server's 0x200 + n.
class CmWorld : public Observer {
public:
    explicit CmWorld(Options options = {}) : tracker(options, this) {}

    template <class Body> void send(Side from, ib::CmAttribute attribute, const Body& body, std::uint64_t tid = 1) {
        send_with_private_data(from, attribute, body, {}, tid);
    }
    template <class Body>
    void send_with_private_data(
        Side from, ib::CmAttribute attribute, const Body& body, ByteView private_data, std::uint64_t tid = 1) {
        wire::Message message;
        message.private_data = private_data;
        message.mad.attribute_id = static_cast<std::uint16_t>(attribute);
        message.mad.transaction_id = tid;
        message.body = body;
        mad(from, wire::build(message));
    }
    void mad(Side from, ByteView octets) {
        const std::size_t size = captured != 0 ? std::min(captured, octets.size()) : octets.size();
        payload_.assign(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
        capture::Packet p = packet(from, 0x64, ib::gsi_qpn, ib::gsi_qpn);
        p.ib.payload_length = ib::mad_size;
        p.ib.bth.psn = ++gsi_psn[from];
        if (icrc) add_icrc(p, *icrc);
        tracker.on_packet(p);
    }
    /// `edit` may change the client's REQ before it is sent.
    void req(
        std::uint32_t n, std::uint64_t tid = 1, std::uint8_t retries = 3,
        const std::function<void(wire::Req&)>& edit = nullptr) {
        wire::Req body;
        body.body.local_comm_id = 0x100 + n;
        body.body.service_id = iser;
        body.body.local_qpn = 0x10 + n;
        body.body.max_cm_retries = retries;
        body.body.remote_response_timeout = 20;  // 4.3 s
        wire::Ipv4Addresses addresses;
        addresses.source = Ipv4{{192, 0, 2, 10}};
        addresses.destination = Ipv4{{192, 0, 2, 20}};
        body.ip = wire::IpHeader{{.source_port = 5000}, addresses};
        if (edit) edit(body);
        transactions[n] = tid;
        send(client, ib::CmAttribute::req, body, tid);
    }
    void rep(std::uint32_t n, Side from = server) {
        ib::CmRep body;
        body.local_comm_id = 0x200 + n;
        body.remote_comm_id = 0x100 + n;
        body.local_qpn = 0x20 + n;
        send(from, ib::CmAttribute::rep, body, transactions[n]);
    }
    void rtu(std::uint32_t n) { send(client, ib::CmAttribute::rtu, ib::CmRtu{0x100 + n, 0x200 + n}, transactions[n]); }
    void rej(
        Side from, std::uint32_t local, std::uint32_t remote, std::uint16_t reason,
        std::uint8_t message = ib::rejects_req) {
        wire::Rej body;
        body.body.message = message;
        body.body.local_comm_id = local;
        body.body.remote_comm_id = remote;
        body.body.reason = reason;
        rejection = body;
        send(from, ib::CmAttribute::rej, body);
    }
    /// A consumer reject of the server with additional information; its length is that of `ari`.
    void reject(std::uint32_t n, const Octets& ari) {
        wire::Rej body;
        body.body.remote_comm_id = 0x100 + n;
        body.body.reason = ib::consumer_reject;
        body.body.ari_length = static_cast<std::uint8_t>(ari.size());
        Octets field = ari;
        field.resize(ib::ari_size);
        if (!ari.empty()) {
            std::size_t read = 4;
            if (ari.front() == wire::service_layer) layout::parse_into(body.information.emplace(), field);
            else body.layer = wire::RejectLayer{ari.front()}, read = 1;
            field.erase(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(read));
        }
        body.additional = field;
        send(server, ib::CmAttribute::rej, body);
    }
    void connect(std::uint32_t n) { req(n, n), rep(n), rtu(n); }
    void dreq(Side from, std::uint32_t n, std::uint64_t tid = 1) {
        send(
            from, ib::CmAttribute::dreq,
            ib::CmDreq{id(from, n), id(other(from), n), (from == client ? 0x20 : 0x10) + n}, tid);
    }
    void drep(Side from, std::uint32_t n, std::uint64_t tid = 1) {
        send(from, ib::CmAttribute::drep, ib::CmDrep{id(from, n), id(other(from), n)}, tid);
    }
    /// An RC SEND to a queue pair.
    void data(Side from, std::uint32_t qpn, std::uint32_t psn, std::size_t octets = 100) {
        payload_.assign(octets, 0);
        capture::Packet p = packet(from, 0x04, qpn, 0);
        p.ib.has_deth = false;
        p.ib.bth.psn = psn;
        tracker.on_packet(p);
    }
    void datagram(Side from, std::uint32_t qpn, std::uint32_t source_qpn) {
        payload_.assign(50, 0);
        tracker.on_packet(packet(from, 0x64, qpn, source_qpn));
    }

    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    const Connection& connection(std::uint32_t id) {
        tracker.finish();
        return tracker.model().connections.at(id - 1);
    }
    std::size_t count() const { return tracker.model().connections.size(); }

    Tracker tracker;
    Time now = 0;
    std::uint64_t frames = 0;
    std::uint32_t interface = 0;  ///< by which packets come
    std::size_t captured = 0;     ///< octets of each MAD; 0 = all
    capture::IbCarrier carrier = capture::IbCarrier::roce_v2;
    bool by_lid = false;  ///< packets have LID 3 of the client and 4 of the server
    PerSide<std::uint32_t> gsi_psn;
    std::map<std::uint32_t, std::uint64_t> transactions;  ///< of the REQ with that number
    std::optional<bool> icrc;                             ///< whether MADs have a right one, if they have any
    wire::Rej rejection;
    std::vector<FrameFacts> facts;

private:
    static Address lid_of(Side side) { return Address::of_lid(side == client ? 3 : 4); }
    static std::uint32_t id(Side side, std::uint32_t n) { return (side == client ? 0x100 : 0x200) + n; }
    capture::Packet packet(Side from, std::uint8_t opcode, std::uint32_t qpn, std::uint32_t source_qpn) {
        capture::Packet p;
        p.number = ++frames;
        p.time = now += capture::millisecond;
        p.interface = interface;
        p.source = by_lid ? lid_of(from) : address_of(from);
        p.destination = by_lid ? lid_of(other(from)) : address_of(other(from));
        p.transport = capture::Transport::ib;
        p.ib.carrier = carrier;
        p.ib.bth.opcode = opcode;
        p.ib.bth.destination_qpn = qpn;
        p.ib.has_deth = true;
        p.ib.deth.source_qpn = source_qpn;
        p.ib.deth.q_key = ib::gsi_q_key;
        p.ib.payload = payload_;
        p.ib.payload_length = static_cast<std::uint32_t>(payload_.size());
        return p;
    }
    /// Some octets with their ICRC: what is covered does not matter.
    void add_icrc(capture::Packet& p, bool right) {
        covered_.assign(64, 0);
        covered_[0] = 0x45;
        p.ib.icrc_start = ib::IcrcStart::ipv4;
        p.ib.bth_offset = 28;
        const std::uint32_t made = *ib::icrc(p.ib.icrc_start, ByteView(covered_).first(60), 28);
        for (std::size_t i = 0; i < 4; ++i) covered_[60 + i] = static_cast<std::uint8_t>(made >> 8 * i);
        if (!right) covered_[63] ^= 1;
        p.ib.covered = covered_;
        p.segment = ByteView(covered_).subspan(28);
    }
    Octets payload_, covered_;
};

}  // namespace fabricscope::engine::rdma_cm::test
