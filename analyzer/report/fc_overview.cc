// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;

Activity activity_of(const Exchange& exchange) {
    if (!trouble_of(exchange).empty()) return Activity::trouble;
    return exchange.els || exchange.ct ? Activity::control : Activity::span;
}

}  // namespace

void fc_overview(const engine::Models& models, Overview& overview) {
    for (const Exchange& exchange : models.fc->exchanges.without_details()) {
        const std::size_t ports = overview.group(
            Node::none,
            pair_name(to_string(exchange.port(Party::originator)), to_string(exchange.port(Party::responder))));
        Node& node = overview.nodes[overview.group(ports, "Exchanges")];
        std::uint64_t octets = 0;
        for (const Party party : {Party::originator, Party::responder}) octets += exchange.sent[party].octets;
        const bool is_service = exchange.els || exchange.ct;
        node.lane(is_service ? "link services" : kind_text(exchange), "xchg-")
            .slices.push_back(
                {.begin = exchange.first_time,
                 .end = exchange.last_time,
                 .frame = exchange.first_frame,
                 .octets = octets,
                 .label = overview.label(kind_text(exchange)),
                 .session = exchange.id,
                 .activity = activity_of(exchange),
                 .ended = exchange.state != ExchangeState::open});
    }
}

}  // namespace fabricscope::report
