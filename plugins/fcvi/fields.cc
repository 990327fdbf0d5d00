// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcvi/fields.h"

#include "protocols/fcvi/registry.h"

namespace fabricscope::plugin {
namespace {

Fields registered;

void register_experts() {
    static ExpertRegistry registry("fcvi");
    registry.add(registered.experts);
    registry.add(registered.rejected, {"rejected", PI_RESPONSE_CODE, PI_NOTE, "The connection is rejected"});
    registry.add(registered.failed, {"failed", PI_RESPONSE_CODE, PI_WARN, "The Message failed"});
    registry.register_with(registered.protocol);
}

}  // namespace

Fields& fields() { return registered; }

void register_fields() {
    registered.protocol = proto_register_protocol("Virtual Interface on Fibre Channel", kProtocolName, "fcvi");
    registered.registry.add_layouts(fcvi::layouts());
    registered.registry.add_generated(engine::fcvi::generated_fields, registered.generated);
    registered.registry.add(
        registered.octets, "fcvi.octets", "Octets", FT_BYTES, BASE_NONE, "Octets without a known meaning");
    registered.registry.add_subtree(registered.subtree);
    registered.registry.add_subtree(registered.segments_subtree);
    registered.registry.add_subtree(registered.other_subtree);
    registered.registry.register_with(registered.protocol);
    register_experts();
}

}  // namespace fabricscope::plugin
