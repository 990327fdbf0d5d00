// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>

#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/fc_report.h"
#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/rdma_cm_report.h"
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/smcr_report.h"

namespace fabricscope::report {

std::span<const ProtocolReport* const> protocol_reports() {
    static constexpr std::array all{&smcr_report, &rdma_cm_report,    &fc_report,
                                    &fcvi_report, &fc_ae_rdma_report, &rdma_report};
    static_assert(all.size() == engine::protocols.size());
    return all;
}

bool carries_others(const ProtocolReport& report) {
    return std::ranges::any_of(
        protocol_reports(), [&](const ProtocolReport* other) { return other->carrier == &report; });
}

}  // namespace fabricscope::report
