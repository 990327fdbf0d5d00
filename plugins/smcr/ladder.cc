// SPDX-License-Identifier: GPL-2.0-or-later
// The flow graph: a link group's ladder. Both hosts stand for all their RoCE addresses, so that a second
// link is no third party.
#include "plugins/common/addresses.h"
#include "plugins/common/flow_graph.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/summary.h"
#include "plugins/smcr/taps.h"
#include "protocols/smcr/cdc.h"

namespace fabricscope::plugin {
namespace {

using engine::smcr::Side;
using What = FrameFacts::What;

struct Hosts {
    address from = ADDRESS_INIT_NONE;
    address to = ADDRESS_INIT_NONE;
};

/// False: take the frame's own addresses.
bool find_hosts(const TapData& tap, Hosts& hosts) {
    const FrameFacts& facts = *tap.facts;
    const Record::Parties& parties = facts.connection != 0 ? tap.record->parties(facts.connection)
                                                           : tap.record->parties_of_group(facts.link_group);
    if (!facts.from || parties.text[Side::client].empty()) return false;
    hosts.from = address_of(parties.address[*facts.from].address);
    hosts.to = address_of(parties.address[other(*facts.from)].address);
    return true;
}

void add_rung(void* graph, packet_info* pinfo, const TapData& tap, const char* label, const Line& comment) {
    Hosts hosts;
    const bool known = find_hosts(tap, hosts);
    Arrow arrow;
    if (known) arrow.from = &hosts.from, arrow.to = &hosts.to;
    arrow.label = label;
    arrow.comment = comment.c_str();
    arrow.conversation = static_cast<std::uint16_t>(tap.facts->link_group);
    arrow.width = tap.facts->what == What::write ? 2 : 1;
    add_arrow(graph, pinfo, arrow);
}

const char* name_or(const char* name, const char* otherwise) { return name != nullptr ? name : otherwise; }

tap_packet_status ladder_packet(void* graph, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    const auto& tap = *static_cast<const TapData*>(data);
    const FrameFacts& facts = *tap.facts;
    for (const Record::Clc& clc : tap.record->clc(facts.frame)) {
        const smcr::ClcMessage message = smcr::parse_clc(clc.octets);
        const auto type = static_cast<std::uint64_t>(message.header.type);
        add_rung(graph, pinfo, tap, name_or(layout::name_of(smcr::kClcTypeNames, type), "CLC"), summary_of(message));
    }
    if (facts.what == What::llc) {
        const smcr::LlcMessage message = smcr::parse_llc(tap.message, facts.message_length);
        const char* name = layout::name_of(smcr::kLlcTypeNames, message.raw_type());
        add_rung(graph, pinfo, tap, name_or(name, "LLC"), summary_of(message, facts));
    } else if (facts.what == What::cdc) {
        smcr::Cdc cdc;
        layout::parse_into(cdc, tap.message);
        add_rung(graph, pinfo, tap, "CDC", summary_of(cdc, facts));
    } else if (facts.what == What::write) {
        add_rung(graph, pinfo, tap, "RDMA WRITE", summary_of_write(facts));
    }
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

void register_ladder() { register_flow_graph(fields().protocol, "smcr", "SMC-R Flows", kFrameTap, ladder_packet); }

}  // namespace fabricscope::plugin
