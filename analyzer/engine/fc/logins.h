// SPDX-License-Identifier: GPL-2.0-or-later
// Who is logged in with whom, with which parameters: FLOGI, PLOGI, PRLI, their answers, RTV, PRLO, LOGO
// (FC-PH 23; FC-LS).
#pragma once

#include <unordered_map>

#include "analyzer/engine/fc/exchanges.h"

namespace fabricscope::engine::fibre_channel {

class Logins {
public:
    Logins(const Limits& limits, Observer& observer, Model& model)
        : limits_(limits), observer_(observer), model_(model) {}

    /// A whole request; its Exchange's first Sequence.
    void on_request(const Arrival& arrival, const wire::ElsMessage& message);
    /// An LS_ACC or LS_RJT, whose request is `arrival.exchange.els`.
    void on_answer(const Arrival& arrival, const wire::ElsMessage& message);

    const Login* between(const Fabric& fabric, std::uint32_t a, std::uint32_t b) const;
    std::optional<Time> r_a_tov(const Fabric& fabric, std::uint32_t a, std::uint32_t b) const;

private:
    struct Pair {
        Fabric fabric;
        std::uint32_t low, high;
        LoginKind kind;
        bool operator==(const Pair&) const = default;
    };
    struct PairHash {
        std::size_t operator()(const Pair& pair) const noexcept;
    };
    static Pair pair_of(LoginKind kind, const Fabric& fabric, std::uint32_t a, std::uint32_t b) {
        return {fabric, std::min(a, b), std::max(a, b), kind};
    }

    Login* current(const Pair& pair) const;
    Login* create(const Arrival& arrival, LoginKind kind, std::uint8_t command);
    /// The port login that this Exchange's service builds on; taken for granted if it was not captured.
    Login* underlying(const Arrival& arrival);
    static Party party_of(const Login& login, std::uint32_t port);

    void ask_login(const Arrival& arrival, const wire::Login& request, std::uint8_t command);
    void ask_process_login(const Arrival& arrival, const wire::Prli& request);
    void log_out(const Arrival& arrival);
    void end(Login& login, const Step& step, std::optional<Party> by);
    void accept_login(const Arrival& arrival, const wire::Login& answer);
    void accept_process_login(const Arrival& arrival, const wire::PrliAccept& answer);
    void accept_process_logout(const Arrival& arrival, const wire::Prlo& answer);
    void note_timeouts(const Arrival& arrival, const wire::RtvAccept& answer);
    void reject(const Arrival& arrival, const wire::LsRjt& answer);
    void reject_login(const Arrival& arrival, const Refusal& refusal);
    void reject_process_login(const Arrival& arrival, const Refusal& refusal);

    const Limits& limits_;
    Observer& observer_;
    Model& model_;
    std::unordered_map<Pair, std::uint32_t, PairHash> latest_;  ///< id of the latest login
};

}  // namespace fabricscope::engine::fibre_channel
