// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of DECLINE: when it may come, and what it puts an end to (RFC 7609, C.1 to C.3).
#pragma once

#include <unordered_set>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/clc_rules.h"

namespace fabricscope::engine::smcr {

class DeclineRules {
public:
    DeclineRules(const Model& model, Verdicts& verdicts, const ClcRules& clc)
        : model_(model), verdicts_(verdicts), clc_(clc) {}

    /// A DECLINE, before ClcRules and the model have taken it in.
    void on_decline(const TcpArrival& a);

    /// A new WRITE or CDC message of a connection that has been declined.
    void on_data(const Arrival& a, const Connection& connection);

    /// TCP ends.
    void on_end(const Connection& connection);

private:
    void judge_chase(const TcpArrival& a);
    void judge_window(const TcpArrival& a);
    const LinkGroup* group_of(const Connection& connection) const {
        return connection.link_group != 0 ? &model_.link_groups[connection.link_group - 1] : nullptr;
    }

    const Model& model_;
    Verdicts& verdicts_;
    const ClcRules& clc_;
    std::unordered_set<std::uint32_t> unstopped_;  ///< connections that went on after DECLINE
};

}  // namespace fabricscope::engine::smcr
