// SPDX-License-Identifier: GPL-2.0-or-later
// Connection setups: each connect IU does its step (ISO/IEC 14165-331, 5.3, 8.2, 8.5; revision 1.0, 5.3).
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/farp_rules.h"
#include "analyzer/engine/fcvi/iu_rules.h"
#include "analyzer/engine/fcvi/setup_rules.h"
#include "analyzer/engine/fcvi/timeouts.h"

namespace fabricscope::engine::fcvi {

class Setups {
public:
    Setups(
        const Options& options, Connections& connections, IuRules& iu_rules, SetupRules& rules, FarpRules& farp_rules,
        Timeouts& timeouts)
        : options_(options),
          connections_(connections),
          iu_rules_(iu_rules),
          rules_(rules),
          farp_rules_(farp_rules),
          timeouts_(timeouts) {}

    /// A frame of a FCVI_CONNECT_ IU that was not seen before.
    void on_frame(const Arrival& a);
    /// The Exchange of a setup was given up with ABTS.
    void on_abts(Exchange& exchange, Side by, const FrameStamp& step);

private:
    struct Payload {
        ByteView octets;
        std::size_t length;
    };
    void receive(const Arrival& a);
    void note_ids(const Arrival& a);
    std::optional<Payload> whole_payload(const Arrival& a);
    void on_request(const Arrival& a, const Payload& octets);
    void on_response1(const Arrival& a, const Payload& octets);
    void on_response2(const Arrival& a);
    void without_setup(const Arrival& a);
    void on_response3(const Arrival& a);

    Connection* joined(const Arrival& a, const wire::ConnectPayload& payload);
    static bool is_taken(const Connection& connection, Side side);
    Connection* waiting_peer(const Arrival& a, const wire::ConnectPayload& payload);
    Connection* met_midway(const Arrival& a, const wire::ConnectPayload& payload);
    void learn_end(Connection& connection, Side side, const wire::ConnectPayload& payload);
    void note_end(const Connection& connection, std::size_t setup, Side side);
    void take_end(Connection& connection, std::size_t setup, Side side);
    void take_ends(Connection& connection, std::size_t setup);
    Setup* setup_of(const Arrival& a);
    Setup* named_setup(const Arrival& a);
    void note_status(const Arrival& a, Connection& connection, Setup& setup);
    void refuse(const Arrival& a, Connection& connection, const Setup& setup);
    void complete(const Arrival& a, Connection& connection);

    const Options& options_;
    Connections& connections_;
    IuRules& iu_rules_;
    SetupRules& rules_;
    FarpRules& farp_rules_;
    Timeouts& timeouts_;
};

}  // namespace fabricscope::engine::fcvi
