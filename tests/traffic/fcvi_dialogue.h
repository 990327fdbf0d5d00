// SPDX-License-Identifier: GPL-2.0-or-later
// Two FC-VI ports that talk with each other: each call is an IU as the documents have it, in either version, and may
// be changed before it is sent. Where its frames go, who derives from this says.
#pragma once

#include <functional>
#include <map>

#include "analyzer/engine/sides.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"
#include "tests/traffic/fc_talk.h"

namespace fabricscope::traffic {

using engine::other;
using engine::Side;

/// A frame before it is sent.
struct FcviSpec {
    Side from{};
    Side originator{};  ///< of the Exchange
    std::uint16_t ox_id = 0;
    fcvi::DeviceHeader header;
    Octets payload;
    std::uint8_t r_ctl = 0;
    bool begins_exchange = false;
    bool first_sequence = false, last_sequence = false, end_sequence = true, initiative = false;
    bool preference = false;
    std::optional<std::uint8_t> seq_id{};
    std::optional<std::uint16_t> seq_cnt{};
    std::optional<std::uint32_t> offset{};
    bool lost = false;  ///< sent, but not captured
    /// In class 2: how the frame is answered.
    std::uint8_t link_control = fc::r_ctl_ack_1;
    std::uint32_t link_parameter = fc::to_parameter(fc::AckParameter{0, false, 1});
    std::uint8_t abort_condition = 0;  ///< Abort Sequence Condition that the answer asks for
    bool answered = true;

    template <class Head> Head& head() { return std::get<Head>(header.head); }
    fcvi::RdmaTarget& target() { return std::get<fcvi::RdmaTarget>(header.target); }
    fcvi::ConnectionTarget& connection() { return std::get<fcvi::ConnectionTarget>(header.target); }
    bool iso() const { return header.version == fcvi::Version::iso; }
    /// Sets CONN_STS or CONN_ERR, with this reason.
    void say(std::uint8_t reason);
    /// Sets RETRY, if the IU has it.
    void set_retry();
    void set_immediate_data(std::uint32_t data);
};

class FcviDialogue : public FcTalk {
public:
    using Version = fcvi::Version;
    using Reliability = fcvi::Reliability;
    using IuType = fcvi::IuType;
    using Change = std::function<void(FcviSpec&)>;

    static void unchanged(FcviSpec&) {}
    /// The handle that a side gives its endpoint.
    static constexpr std::uint32_t handle_of(Side side) { return side == Side::client ? 0x0000'0A01 : 0x0000'0B02; }
    static constexpr std::uint32_t port_id(Side side) { return side == Side::client ? 0x01'0203 : 0x04'0506; }

    FcviDialogue(Version the_version, Reliability the_level) : version(the_version), level(the_level) {}

    // ---- setups --------------------------------------------------------------------------------

    /// The connect payload of one side, with the addresses of both.
    Octets connect_payload(Side side) const { return connect_payload(side, handle_of(side)); }
    Octets connect_payload(Side side, std::uint32_t handle) const;
    void rqst(Side from = Side::client, const Change& change = unchanged);
    void resp1(Side from = Side::server, const Change& change = unchanged);
    /// A RESP1 that tells a reason; it has no endpoint to give (5.3.3).
    void refuse(Side from, std::uint8_t reason);
    void resp2(Side from = Side::client, const Change& change = unchanged);
    void resp3(Side from = Side::server, const Change& change = unchanged);
    /// RESP2 and what follows it.
    void finish_setup(Side from = Side::client, const Change& change = unchanged);
    void connect() { rqst(), resp1(), finish_setup(); }
    /// RESP2 and RESP3 of a setup that RESP1 refused without giving a handle (5.3.3).
    void finish_refused(Side from = Side::client);

    // ---- Messages ------------------------------------------------------------------------------

    /// A request in one IU of one frame.
    void request(Side from, IuType type, std::uint32_t octets, const Change& change = unchanged) {
        data(from, type, octets, 0, octets, true, change);
    }
    /// Octets [begin, end) of a Message, as an IU of one frame.
    void data(
        Side from, IuType type, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, bool last,
        const Change& change = unchanged);
    /// Octets [begin, end) of a Message of so many octets, as an IU of as many frames as that takes.
    void data_frames(
        Side from, IuType type, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, std::uint32_t frame_size,
        const Change& change = unchanged);
    void respond(Side from, IuType type, const Change& change = unchanged);
    /// To one of the peer's Messages that is not its latest.
    void respond_to(std::uint32_t id, Side from, IuType type, const Change& change = unchanged);
    /// The answer to a Read in one IU of one frame.
    void read_data(Side from, std::uint32_t octets, const Change& change = unchanged) {
        read_data(from, octets, 0, octets, true, change);
    }
    /// Octets [begin, end) of the answer to a Read, as an IU of one frame.
    void read_data(
        Side from, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, bool last,
        const Change& change = unchanged);
    void send_message(Side from, std::uint32_t octets = 100, const Change& change = unchanged);
    void write_message(Side from, std::uint32_t octets = 100, const Change& change = unchanged);
    void read_message(Side from, std::uint32_t octets = 100, const Change& change = unchanged);
    /// Of the side's latest Message.
    std::uint32_t msg_id(Side side) const;
    /// The next Message has the MSG_ID after this one.
    void set_msg_id(Side side, std::uint32_t id);
    void skip_message(Side side, std::uint32_t count = 1) { messages_[side] += count; }

    // ---- Disconnects ---------------------------------------------------------------------------

    void disconnect_rqst(Side from, const Change& change = unchanged);
    void disconnect_resp(Side from, const Change& change = unchanged);
    void disconnect(Side from) { disconnect_rqst(from), disconnect_resp(other(from)); }

    // ---- other frames --------------------------------------------------------------------------

    void abts(Side from, Side originator, std::uint16_t ox_id) { basic(from, originator, ox_id, fc::r_ctl_abts, {}); }
    void ba_acc(Side from, Side originator, std::uint16_t ox_id);
    void farp(Side from, const fc::Farp& farp);
    /// FAN from the Fabric to a side's port.
    void fan(Side to, const fc::Fan& fan);

    void send(FcviSpec spec, const Change& change);

    std::uint16_t setup_ox_id(Side side) const { return static_cast<std::uint16_t>(ox_id_of(side) + setup_number); }
    std::uint16_t message_ox_id(Side side) const { return message_ox_id(side, msg_id(side)); }
    std::uint16_t disconnect_ox_id(Side side) const {
        return static_cast<std::uint16_t>(ox_id_of(side) + 0x80 + disconnect_number);
    }

    Version version;
    Reliability level;
    bool peers = false;
    bool rdma = true;
    std::uint32_t max_trans_size = 65'536;
    std::uint32_t pipeline_depth = 3;
    int setup_number = 0;       ///< Exchanges and FCVI_CONNECTION_IDs of setups; a retry has another
    int disconnect_number = 0;  ///< Exchanges of Disconnects
    int service_class = 3;      ///< 2: each data frame is answered by Link_Control

private:
    struct Counts {
        std::uint16_t count = 0;
        std::uint8_t sequence = 0;
        bool in_sequence = false;
    };

    static std::uint16_t ox_id_of(Side side) { return side == Side::client ? 0x1000 : 0x5000; }
    static std::uint16_t message_ox_id(Side side, std::uint32_t id) {
        return static_cast<std::uint16_t>(ox_id_of(side) + 0x100 + id);
    }
    FcviSpec spec(Side from, Side originator, std::uint16_t ox_id, IuType type) const;
    void set_connection_id(FcviSpec& s, Side originator) const;
    fc::FrameHeader header(Side from, Side originator, std::uint16_t ox_id) const;
    static FcFrame link_control(const FcFrame& frame, const FcviSpec& s);
    void tell(fc::FrameHeader header, const fc::ElsMessage& message);
    void basic(Side from, Side originator, std::uint16_t ox_id, std::uint8_t r_ctl, ByteView payload);

    std::map<Side, std::uint32_t> messages_;
    std::map<std::tuple<Side, std::uint16_t, Side>, Counts> counts_;
};

}  // namespace fabricscope::traffic
