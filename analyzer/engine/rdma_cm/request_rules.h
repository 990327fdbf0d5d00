// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of what a client asks: the addresses in REQ and SIDR_REQ (annex A11.4, A11.5), and repetitions.
#pragma once

#include "analyzer/engine/rdma_cm/arrival.h"
#include "analyzer/engine/rdma_cm/verdicts.h"

namespace fabricscope::engine::rdma_cm {

class RequestRules {
public:
    explicit RequestRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// A REQ, when the model has taken it in.
    void on_req(const Arrival& a, const Connection& connection);
    /// The annex speaks of REQ only; a SIDR_REQ is judged where it plainly has the same addresses.
    void on_sidr_req(const Arrival& a, const Connection& connection);
    /// Before the model takes in that the REQ was repeated.
    void on_repetition(const Arrival& a, const Connection& connection);

private:
    void judge_service_id(const Arrival& a, const Connection& connection);
    void judge_format(const Arrival& a, const Connection& connection);
    void judge_fields(const Arrival& a, const Connection& connection);
    void judge_padding(const Arrival& a, const Connection& connection);
    void judge_addresses(const Arrival& a, const Connection& connection);
    void judge_address(
        const Arrival& a, const Connection& connection, const char* which, const Address& named, const Address& used);

    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::rdma_cm
