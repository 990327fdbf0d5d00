// SPDX-License-Identifier: GPL-2.0-or-later
// Who is logged in with whom, with which parameters: FLOGI, PLOGI, PRLI, their answers, RTV, PRLO, LOGO
// (FC-PH 23; FC-LS).
#pragma once

#include <map>
#include <unordered_map>

#include "analyzer/engine/fc/exchanges.h"

namespace fabricscope::engine::fibre_channel {

class Logins {
public:
    Logins(const Limits& limits, const Listeners& listeners, Exchanges& exchanges, Model& model)
        : limits_(limits), listeners_(listeners), exchanges_(exchanges), model_(model) {}

    /// A whole request; its Exchange's first Sequence.
    void on_request(const Arrival& arrival, const wire::ElsMessage& message);
    /// An LS_ACC or LS_RJT, whose request is `arrival.exchange.els`.
    void on_answer(const Arrival& arrival, const wire::ElsMessage& message);
    void on_fip_control(const capture::Packet& fip, Fabric fabric);
    static constexpr std::size_t most_cleared = 64, most_stations = 1024;

    // For those who build on logins, while frames are coming.

    /// The latest port login between two N_Ports, whoever asked; nullptr if none was seen.
    const Login* between(const Port& a, const Port& b) const;
    /// What `port` said to `peer` in the latest port login that was accepted; nullptr if none was seen.
    const ServiceParameters* parameters(const Port& port, const Port& peer) const;
    /// Port_Name and Node_Name, of any such login of the port.
    struct Names {
        std::uint64_t port, node;
    };
    std::optional<Names> names(const Port& port) const;
    std::optional<std::uint64_t> port_name(const Port& port) const;
    /// R_A_TOV between two ports: as RTV told, or the fabric's login; nothing if neither was seen.
    std::optional<Time> r_a_tov(const Port& a, const Port& b) const;

    static Party party_of(const Login& login, std::uint32_t port) {
        return login.responder == port ? Party::responder : Party::originator;
    }

private:
    struct Pair {
        std::uint16_t fabric;
        std::uint32_t low, high;
        LoginKind kind;
        bool operator==(const Pair&) const = default;
    };
    struct PairHash {
        std::size_t operator()(const Pair& pair) const noexcept;
    };
    static Pair pair_of(LoginKind kind, const Port& a, const Port& b) {
        return {a.fabric, std::min(a.id, b.id), std::max(a.id, b.id), kind};
    }
    static Pair pair_of(LoginKind kind, const Exchange& exchange) {
        return pair_of(kind, exchange.port(Party::originator), exchange.port(Party::responder));
    }
    struct Latest {
        std::uint32_t asked_for = 0, accepted = 0;  ///< ids
    };

    Login* current(const Pair& pair) const;
    /// The one that the Exchange has asked for, or what is most likely it if the request was not captured.
    Login* asked_in(const Exchange& exchange, LoginKind kind) const;
    void name(const Port& port, std::uint64_t port_name);
    void note_accepted(const Login& login);
    template <class Call> void tell(Call&& call) const { listeners_.tell(call); }
    Login* create(const Arrival& arrival, LoginKind kind, std::uint8_t command);
    /// The port login that this Exchange's service builds on; taken for granted if it was not captured.
    Login* underlying(const Arrival& arrival);

    void ask_login(const Arrival& arrival, const wire::Login& request, std::uint8_t command);
    void ask_process_login(const Arrival& arrival, const wire::Prli& request);
    void log_out(const Arrival& arrival);
    void clear_links(const capture::Packet& fip, Fabric fabric);
    void clear_link(const capture::Packet& fip, Fabric fabric, std::optional<std::uint32_t> id);
    void end(Login& login, const FrameStamp& step, std::optional<Party> by);
    void accept_login(const Arrival& arrival, const wire::Login& answer);
    void accept_process_login(const Arrival& arrival, const wire::PrliAccept& answer);
    void accept_process_logout(const Arrival& arrival, const wire::Prlo& answer);
    void note_timeouts(const Arrival& arrival, const wire::RtvAccept& answer);
    void reject(const Arrival& arrival, const wire::LsRjt& answer);
    void reject_login(const Arrival& arrival, const Refusal& refusal);
    void reject_process_login(const Arrival& arrival, const Refusal& refusal);

    const Limits& limits_;
    const Listeners& listeners_;
    Exchanges& exchanges_;
    Model& model_;
    std::unordered_map<Pair, Latest, PairHash> latest_;
    std::unordered_map<std::uint64_t, Names> names_;  ///< by fabric and N_Port_ID
    std::map<Mac, Time> keep_alives_;                 ///< the latest of each station, or of each of its VN_Ports
};

}  // namespace fabricscope::engine::fibre_channel
