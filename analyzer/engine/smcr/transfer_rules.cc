// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/transfer_rules.h"

namespace fabricscope::engine::smcr {

void TransferRules::on_write_packet(const Arrival& a, const capture::RcEvent& event) {
    if (!event.immediate) return verdicts_.held(RuleName::immediate_data);
    verdicts_.broken(
        RuleName::immediate_data, {a.packet->number}, Subject::link_group(a.group), "RDMA WRITE with immediate data");
}

}  // namespace fabricscope::engine::smcr
