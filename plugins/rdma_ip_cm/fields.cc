// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_ip_cm/fields.h"

#include "protocols/rdma_ip_cm/registry.h"

namespace fabricscope::plugin {
namespace {

Fields registered;

void register_experts() {
    static ExpertRegistry registry("rdma_ip_cm");
    registry.add(registered.experts);
    registry.add(registered.rejected, {"rejected", PI_RESPONSE_CODE, PI_NOTE, "The connection is rejected"});
    registry.register_with(registered.protocol);
}

}  // namespace

Fields& fields() { return registered; }

void register_fields() {
    registered.protocol = proto_register_protocol("RDMA IP CM Service (fabricscope)", kProtocolName, "rdma_ip_cm");
    registered.registry.add_layouts(rdma_ip_cm::layouts());
    registered.registry.add_octets(rdma_ip_cm::octets());
    registered.registry.add_generated(engine::rdma_cm::generated_fields, registered.generated);
    registered.registry.add(
        registered.octets, "rdma_ip_cm.octets", "Octets", FT_BYTES, BASE_NONE, "Octets without a known meaning");
    registered.registry.add_subtree(registered.subtree);
    registered.registry.add_subtree(registered.traffic_subtree);
    registered.registry.register_with(registered.protocol);
    register_experts();
}

}  // namespace fabricscope::plugin
