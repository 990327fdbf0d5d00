// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of how a server answers a REQ of the RDMA IP CM service (annex A11.4, A11.6, A11.7).
#pragma once

#include <unordered_map>

#include "analyzer/engine/rdma_cm/arrival.h"
#include "analyzer/engine/rdma_cm/verdicts.h"

namespace fabricscope::engine::rdma_cm {

class AnswerRules {
public:
    explicit AnswerRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// The first REP of a connection.
    void on_rep(const Arrival& a, const Connection& connection);
    /// The first REJ of a connection, of either side.
    void on_rej(const Arrival& a, const Connection& connection, const wire::Rej& rej);

private:
    /// What a server has shown by accepting.
    struct Server {
        bool ipv4 = false, ipv6 = false;
        std::vector<std::uint64_t> services;  ///< the first few
    };
    /// The REJ of a server that answers a REQ whose addresses were captured.
    struct Rejection {
        const Arrival& a;
        const Connection& connection;
        const wire::Rej& rej;
        const Server* server;              ///< nullptr: has accepted nothing yet
        std::optional<std::uint8_t> code;  ///< of the service's own ARI, as far as the annex defines it

        const AddressHeader& header() const { return *connection.header; }
    };

    bool is_judged(const Connection& connection);
    const Server* find(const Connection& connection) const;
    void remember(const Connection& connection);

    void judge_information(const Rejection& r);
    void judge_suggestion(const Rejection& r, const wire::RejectInformation& information);
    void judge_versions(const Rejection& r);
    void judge_ip_version(const Rejection& r);
    void judge_address_code(const Rejection& r);
    void judge_unknown_address(const Rejection& r);
    void judge_reason(const Rejection& r);
    void judge_invalid_service_id(const Rejection& r, const char* defect);
    void broken(const Rejection& r, RuleRef::OfMessages rule, std::string text);

    Verdicts& verdicts_;
    std::unordered_map<Address, Server> servers_;
};

}  // namespace fabricscope::engine::rdma_cm
