// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcaerdma/fields.h"

#include "protocols/fc_ae_rdma/registry.h"

namespace fabricscope::plugin {
namespace {

Fields registered;

void register_experts() {
    static ExpertRegistry registry("fcaerdma");
    registry.add(registered.experts);
    registry.add(registered.failed, {"failed", PI_RESPONSE_CODE, PI_WARN, "The message failed"});
    registry.register_with(registered.protocol);
}

}  // namespace

Fields& fields() { return registered; }

void register_fields() {
    registered.protocol = proto_register_protocol("FC Avionics Environment RDMA", kProtocolName, "fcaerdma");
    registered.registry.add_layouts(fc_ae_rdma::layouts());
    registered.registry.add_generated(engine::fc_ae_rdma::generated_fields, registered.generated);
    registered.registry.add(
        registered.octets, "fcaerdma.octets", "Octets", FT_BYTES, BASE_NONE, "Octets without a known meaning");
    registered.registry.add_subtree(registered.subtree);
    registered.registry.add_subtree(registered.segments_subtree);
    registered.registry.add_subtree(registered.other_subtree);
    registered.registry.register_with(registered.protocol);
    register_experts();
}

}  // namespace fabricscope::plugin
