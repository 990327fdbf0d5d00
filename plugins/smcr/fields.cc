// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/fields.h"

#include "protocols/smcr/registry.h"

namespace fabricscope::plugin {
namespace {

Fields registered;

void register_experts() {
    static ExpertRegistry registry("smcr");
    registry.add(registered.experts);
    registry.add(
        registered.rfc_add_link,
        {"llc.add_link.rfc_shape", PI_PROTOCOL, PI_NOTE,
         "Laid out as RFC 7609 draws it, without the two reserved octets that implementations send"});
    registry.register_with(registered.protocol);
}

}  // namespace

Fields& fields() { return registered; }

void register_fields() {
    registered.protocol = proto_register_protocol(
        "Shared Memory Communications over RDMA (fabricscope)", "SMC-R", "smcr");
    registered.registry.add_layouts(smcr::layouts());
    registered.registry.add_generated(engine::smcr::generated_fields, registered.generated);
    registered.registry.add(
        registered.octets, "smcr.octets", "Octets", FT_BYTES, BASE_NONE, "Octets without a known meaning");
    registered.registry.add_subtree(registered.subtree);
    registered.registry.register_with(registered.protocol);
    register_experts();
}

}  // namespace fabricscope::plugin
