// SPDX-License-Identifier: GPL-2.0-or-later
// Two FC-VI ports whose frames go straight into a tracker: each call is an IU as the standard has it, and may be
// changed before it is sent.
#pragma once

#include <functional>
#include <map>

#include "analyzer/engine/fcvi/tracker.h"
#include "protocols/fc/els.h"

namespace fabricscope::engine::fcvi::test {

using Octets = std::vector<std::uint8_t>;
using Ids = std::vector<std::string>;
using wire::IuType;
using wire::Reliability;
using wire::Version;

/// A frame before it is sent.
struct Spec {
    Side from{};
    Side originator{};  ///< of the Exchange
    std::uint16_t ox_id = 0;
    wire::DeviceHeader header;
    Octets payload;
    std::uint8_t r_ctl = 0;
    bool first_sequence = false, last_sequence = false, end_sequence = true, initiative = false;
    bool preference = false;
    std::optional<std::uint8_t> seq_id{};
    std::optional<std::uint16_t> seq_cnt{};
    std::optional<std::uint32_t> offset{};
    bool lost = false;  ///< sent, but not captured

    template <class Head> Head& head() { return std::get<Head>(header.head); }
    wire::RdmaTarget& target() { return std::get<wire::RdmaTarget>(header.target); }
    wire::ConnectionTarget& connection() { return std::get<wire::ConnectionTarget>(header.target); }
    void say(std::uint8_t reason) {
        if (header.version == Version::iso) header.parameter = wire::ConnectionStatus{{.reason = reason}};
        else header.parameter = wire::ConnectionStatusRev10{{.reason = reason}};
        std::visit(
            [](auto& head) {
                if constexpr (requires { head.conn_sts; }) head.conn_sts = true;
                if constexpr (requires { head.conn_err; }) head.conn_err = true;
            },
            header.head);
    }
};
using Change = std::function<void(Spec&)>;
inline void unchanged(Spec&) {}

constexpr std::uint32_t handle_of(Side side) { return side == Side::client ? 0x0000'0A01 : 0x0000'0B02; }
constexpr Time r_a_tov = 10 * capture::second;

class World : public Observer {
public:
    explicit World(Version the_version = Version::iso, Reliability the_level = Reliability::reliable_reception)
        : World(the_version, the_level, {.limits = {}, .version = {}, .r_a_tov = r_a_tov}) {}
    World(Version the_version, Reliability the_level, Options options)
        : version(the_version), level(the_level), tracker(options, this) {}

    // ---- logins --------------------------------------------------------------------------------

    void login(Side side, std::uint64_t name, bool s = true, bool c = true) {
        tracker.on_login({port(side), port(other(side)), name, s, c});
    }
    void login() { login(Side::client, 0x2000'0000'0000'0002), login(Side::server, 0x2000'0000'0000'0001); }
    void logout(Side from) { tracker.on_logout(port(from), port(other(from)), {now, frames, 0}); }

    // ---- setups --------------------------------------------------------------------------------

    /// The connect payload of one side, with the addresses of both.
    Octets connect_payload(Side side) const {
        return version == Version::iso ? payload_of<wire::ConnectIso>(side) : payload_of<wire::ConnectRev10>(side);
    }
    void rqst(Side from = Side::client, const Change& change = unchanged) {
        Spec s = spec(from, from, setup_ox_id(from), IuType::connect_rqst);
        s.payload = connect_payload(from);
        s.first_sequence = true;
        s.initiative = true;
        if (peers) set_mode(s, 2);
        set_connection_id(s, from);
        send(s, change);
    }
    void resp1(Side from = Side::server, const Change& change = unchanged) {
        Spec s = spec(from, other(from), setup_ox_id(other(from)), IuType::connect_resp1);
        s.payload = connect_payload(from);
        s.initiative = true;
        set_connection_id(s, other(from));
        send(s, change);
    }
    void resp2(Side from = Side::client, const Change& change = unchanged) {
        Spec s = spec(from, from, setup_ox_id(from), IuType::connect_resp2);
        s.header.common().handle = handle_of(other(from));
        s.initiative = version == Version::iso;
        s.last_sequence = version != Version::iso;
        set_connection_id(s, from);
        send(s, change);
    }
    void resp3(Side from = Side::server, const Change& change = unchanged) {
        Spec s = spec(from, other(from), setup_ox_id(other(from)), IuType::connect_resp3);
        s.header.common().handle = handle_of(other(from));
        s.last_sequence = true;
        set_connection_id(s, other(from));
        send(s, change);
    }
    /// RESP2 and what follows it.
    void finish_setup(Side from = Side::client) {
        resp2(from);
        if (version == Version::iso) resp3(other(from));
    }
    void connect() { rqst(), resp1(), finish_setup(); }
    /// RESP2 and RESP3 of a setup that RESP1 refused.
    void finish_refused(Side from = Side::client) {
        const Change unassigned = [](Spec& s) { s.header.common().handle = wire::unassigned_handle; };
        resp2(from, unassigned);
        if (version == Version::iso) resp3(other(from), unassigned);
    }

    // ---- Messages ------------------------------------------------------------------------------

    /// A request in one IU of one frame.
    void request(Side from, IuType type, std::uint32_t octets, const Change& change = unchanged) {
        data(from, type, octets, 0, octets, true, change);
    }
    /// Octets [begin, end) of a Message, as an IU of one frame.
    void data(
        Side from, IuType type, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, bool last,
        const Change& change = unchanged) {
        if (begin == 0) ++messages_[from];
        Spec s = spec(from, from, message_ox_id(from), type);
        s.header.common().handle = handle_of(other(from));
        s.header.common().msg_id = msg_id(from);
        set_target(s, octets);
        s.payload.assign(type == IuType::read_rqst ? 0 : end - begin, std::uint8_t{0x5A});
        s.offset = begin;
        s.first_sequence = begin == 0;
        const bool answered = type == IuType::read_rqst || level == Reliability::reliable_reception;
        s.last_sequence = last && !answered;
        s.initiative = last && answered;
        send(s, change);
    }
    void respond(Side from, IuType type, const Change& change = unchanged) {
        Spec s = spec(from, other(from), message_ox_id(other(from)), type);
        s.header.common().handle = handle_of(other(from));
        s.header.common().msg_id = msg_id(other(from));
        s.last_sequence = true;
        send(s, change);
    }
    void read_data(Side from, std::uint32_t octets, const Change& change = unchanged) {
        respond(from, IuType::read_resp, [&](Spec& s) {
            set_target(s, octets);
            s.payload.assign(octets, std::uint8_t{0xA5});
            s.offset = 0;
            change(s);
        });
    }
    void send_message(Side from, std::uint32_t octets = 100) {
        request(from, IuType::send_rqst, octets);
        if (level == Reliability::reliable_reception) respond(other(from), IuType::send_resp);
    }
    void write_message(Side from, std::uint32_t octets = 100) {
        request(from, IuType::write_rqst, octets);
        if (level == Reliability::reliable_reception) respond(other(from), IuType::write_resp);
    }
    void read_message(Side from, std::uint32_t octets = 100) {
        request(from, IuType::read_rqst, octets);
        read_data(other(from), octets);
    }
    std::uint32_t msg_id(Side side) const {
        const auto found = messages_.find(side);
        return (found == messages_.end() ? 0 : found->second) - (version == Version::iso ? 0 : 1);
    }
    void skip_message(Side side, std::uint32_t count = 1) { messages_[side] += count; }

    // ---- Disconnects ---------------------------------------------------------------------------

    void disconnect_rqst(Side from, const Change& change = unchanged) {
        Spec s = spec(from, from, disconnect_ox_id(from), IuType::disconnect_rqst);
        s.header.common().handle = handle_of(other(from));
        s.header.common().msg_id = version == Version::iso ? 0 : msg_id(from) + 1;
        if (version == Version::iso) s.head<wire::DisconnectHead>().vi_app_discon = true;
        else s.head<wire::ConnectRequestHeadRev10>().mode = wire::rev_1_0_application_disconnect;
        s.first_sequence = true;
        s.initiative = true;
        send(s, change);
    }
    void disconnect_resp(Side from, const Change& change = unchanged) {
        Spec s = spec(from, other(from), disconnect_ox_id(other(from)), IuType::disconnect_resp);
        s.header.common().handle = handle_of(other(from));
        s.header.common().msg_id = version == Version::iso ? 0 : msg_id(other(from)) + 1;
        if (version == Version::iso) s.head<wire::DisconnectHead>().vi_app_discon = true;
        s.last_sequence = true;
        send(s, change);
    }
    void disconnect(Side from) { disconnect_rqst(from), disconnect_resp(other(from)); }

    // ---- other frames --------------------------------------------------------------------------

    void abts(Side from, Side originator, std::uint16_t ox_id) {
        fc::Frame frame;
        frame.header.r_ctl = fc::r_ctl_abts;
        address(frame, from, originator, ox_id);
        submit(frame);
    }
    void farp(Side from, fc::Farp farp) {
        fc::Frame frame;
        frame.header.r_ctl = fc::r_ctl_els_request;
        frame.header.type = fc::type_els;
        address(frame, from, from, 0x7777);
        fc::ElsMessage message;
        message.command = farp.command;
        message.body = farp;
        const Octets payload = fc::build(message);
        frame.payload = payload;
        frame.payload_length = static_cast<std::uint32_t>(payload.size());
        submit(frame);
    }

    // ---- results -------------------------------------------------------------------------------

    const Model& model() {
        tracker.finish();
        return tracker.model();
    }
    const Connection& connection(std::size_t i = 0) { return model().connections.at(i); }
    const Message& message(std::size_t i = 0) { return model().messages.at(i); }
    Ids found() {
        Ids ids;
        for (const Finding& finding : model().findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    std::string text() { return model().findings.empty() ? "" : model().findings.front().text; }

    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_data(const DataPiece& piece) override {
        Octets& octets = streams[piece.message.id];
        if (octets.size() < piece.offset + piece.octets.size()) octets.resize(piece.offset + piece.octets.size());
        std::copy(piece.octets.begin(), piece.octets.end(), octets.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    }

    static Port port(Side side) { return {0, side == Side::client ? 0x010203U : 0x040506U}; }
    std::uint16_t setup_ox_id(Side side) const { return static_cast<std::uint16_t>(ox_id_of(side) + setup_number); }
    std::uint16_t message_ox_id(Side side) const {
        return static_cast<std::uint16_t>(ox_id_of(side) + 0x100 + msg_id(side));
    }
    std::uint16_t disconnect_ox_id(Side side) const { return static_cast<std::uint16_t>(ox_id_of(side) + 0x80); }

    void send(Spec s, const Change& change) {
        change(s);
        const Octets device_header = wire::build(s.header);
        fc::Frame frame;
        frame.header.r_ctl = s.r_ctl;
        frame.header.type = wire::fc_type;
        frame.header.preference = s.preference;
        address(frame, s.from, s.originator, s.ox_id);
        auto& counts = counts_[{s.originator, s.ox_id, s.from}];
        if (s.first_sequence && s.from == s.originator && !s.seq_cnt) counts = {};
        frame.header.seq_cnt = s.seq_cnt.value_or(counts.count);
        frame.header.seq_id = s.seq_id.value_or(counts.sequence);
        counts.count = static_cast<std::uint16_t>(frame.header.seq_cnt + 1);
        if (s.end_sequence) ++counts.sequence;
        fc::FCtl& f_ctl = frame.header.f_ctl;
        f_ctl.first_sequence = s.first_sequence;
        f_ctl.last_sequence = s.last_sequence;
        f_ctl.end_sequence = s.end_sequence;
        f_ctl.sequence_initiative = s.initiative;
        f_ctl.relative_offset_present = s.offset.has_value();
        frame.header.parameter = s.offset.value_or(0);
        frame.header.df_ctl.device_header = fc::DfCtl::device_header_code(device_header.size());
        frame.optional_headers = device_header;
        frame.payload = s.payload;
        frame.payload_length = static_cast<std::uint32_t>(s.payload.size());
        if (s.lost) ++frames, now += capture::millisecond;
        else submit(frame);
    }

    Version version;
    Reliability level;
    bool peers = false;
    bool rdma = true;
    std::uint32_t max_trans_size = 65'536;
    std::uint32_t pipeline_depth = 3;
    int setup_number = 0;  ///< Exchanges and FCVI_CONNECTION_IDs of setups; a retry has another
    Time now = 0;
    std::uint64_t frames = 0;
    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, Octets> streams;
    Tracker tracker;

private:
    struct Counts {
        std::uint16_t count = 0;
        std::uint8_t sequence = 0;
    };

    static std::uint16_t ox_id_of(Side side) { return side == Side::client ? 0x1000 : 0x5000; }

    static void fill(wire::NetAddress& address, Side side) {
        address.host.octets[15] = side == Side::client ? 10 : 20;
        address.discriminator_length = 16;
        address.discriminator.octets[0] = side == Side::client ? 'c' : 's';
    }
    template <class Body> Octets payload_of(Side side) const {
        Body body;
        body.head.handle = handle_of(side);
        fill(body.local, side);
        fill(body.remote, other(side));
        body.attributes.reliability_level = wire::reliability_code(version, level);
        body.attributes.en_rdma_rd = body.attributes.en_rdma_wr = rdma;
        body.attributes.max_trans_size = max_trans_size;
        if (version == Version::iso) body.attributes.qos.pipeline_depth = pipeline_depth;
        return wire::build(wire::ConnectPayload{.body = body, .rest = {}, .error = {}});
    }
    Spec spec(Side from, Side originator, std::uint16_t ox_id, IuType type) const {
        Spec s;
        s.from = from;
        s.originator = originator;
        s.ox_id = ox_id;
        s.header = wire::make_device_header(version, type);
        s.r_ctl = wire::find_iu(version, type)->r_ctl;
        return s;
    }
    static void set_mode(Spec& s, std::uint8_t mode) {
        if (s.header.version == Version::iso) s.head<wire::ConnectRequestHead>().mode = mode;
        else s.head<wire::ConnectRequestHeadRev10>().mode = mode;
    }
    void set_connection_id(Spec& s, Side originator) const {
        if (version == Version::iso)
            s.connection().connection_id = static_cast<std::uint32_t>(ox_id_of(originator) + setup_number);
    }
    static void set_target(Spec& s, std::uint32_t octets) {
        if (auto* target = std::get_if<wire::RdmaTarget>(&s.header.target))
            *target = {0x0000'7F00'0000'1000, 0x77, s.header.version == Version::iso ? octets : 0};
        if (auto* target = std::get_if<wire::SendTarget>(&s.header.target)) target->tot_len = octets;
    }
    static void address(fc::Frame& frame, Side from, Side originator, std::uint16_t ox_id) {
        frame.header.s_id = port(from).id;
        frame.header.d_id = port(other(from)).id;
        frame.header.ox_id = ox_id;
        frame.header.f_ctl.exchange_responder = from != originator;
    }
    void submit(const fc::Frame& frame) { tracker.on_frame({++frames, now += capture::millisecond, 0, 0, frame}); }

    std::map<Side, std::uint32_t> messages_;
    std::map<std::tuple<Side, std::uint16_t, Side>, Counts> counts_;
};

}  // namespace fabricscope::engine::fcvi::test
