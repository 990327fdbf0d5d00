// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/fields.h"

#include "protocols/smcr/registry.h"

namespace fabricscope::plugin {
namespace {

using engine::Severity;
using engine::smcr::GeneratedField;
using engine::smcr::GeneratedType;

Fields registered;

struct Shape {
    enum ftenum type;
    int display;
};

Shape shape_of(GeneratedType type) {
    switch (type) {
        case GeneratedType::text: break;
        case GeneratedType::unsigned_number: return {FT_UINT64, BASE_DEC};
        case GeneratedType::signed_number: return {FT_INT64, BASE_DEC};
        case GeneratedType::boolean: return {FT_BOOLEAN, BASE_NONE};
        case GeneratedType::frame: return {FT_FRAMENUM, BASE_NONE};
        case GeneratedType::time_span: return {FT_RELATIVE_TIME, BASE_NONE};
        case GeneratedType::presence: return {FT_NONE, BASE_NONE};
    }
    return {FT_STRING, BASE_NONE};
}

void add_generated_fields() {
    for (std::size_t i = 0; i < registered.generated.size(); ++i) {
        const GeneratedField& field = engine::smcr::generated_fields[i];
        const Shape shape = shape_of(field.type);
        registered.generated[i] = -1;
        registered.registry.add(
            registered.generated[i], field.filter, field.label, shape.type, shape.display, field.description);
    }
}

expert_field& finding(Severity severity) { return registered.finding[static_cast<std::size_t>(severity)]; }

void register_expert_infos() {
    static ei_register_info infos[] = {
        {&registered.malformed, {"smcr.malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself", EXPFILL}},
        {&registered.cut, {"smcr.cut", PI_UNDECODED, PI_NOTE, "The message was not captured whole", EXPFILL}},
        {&registered.tree.reserved_set, {"smcr.reserved_set", PI_PROTOCOL, PI_NOTE, "Reserved, but not zero", EXPFILL}},
        {&registered.retransmission,
         {"smcr.repeated", PI_SEQUENCE, PI_NOTE, "The packet was seen before on this link", EXPFILL}},
        {&registered.late,
         {"smcr.late", PI_SEQUENCE, PI_NOTE,
          "The capture is not in order of time, so what is derived from earlier frames may be wrong: "
          "sort it with reordercap",
          EXPFILL}},
        {&registered.rfc_add_link,
         {"smcr.llc.add_link.rfc_shape", PI_PROTOCOL, PI_NOTE,
          "Laid out as RFC 7609 draws it, without the two reserved octets that implementations send", EXPFILL}},
        {&finding(Severity::note), {"smcr.finding.note", PI_PROTOCOL, PI_NOTE, "A rule is broken", EXPFILL}},
        {&finding(Severity::warning), {"smcr.finding.warning", PI_PROTOCOL, PI_WARN, "A rule is broken", EXPFILL}},
        {&finding(Severity::error), {"smcr.finding.error", PI_PROTOCOL, PI_ERROR, "A rule is broken", EXPFILL}},
    };
    expert_module_t* module = expert_register_protocol(registered.protocol);
    expert_register_field_array(module, infos, array_length(infos));
}

}  // namespace

Fields& fields() { return registered; }

void register_fields() {
    registered.protocol = proto_register_protocol(
        "Shared Memory Communications over RDMA (fabricscope)", "SMC-R", "smcr");
    registered.registry.add_layouts(smcr::layouts());
    add_generated_fields();
    registered.registry.add(
        registered.tree.octets, "smcr.octets", "Octets", FT_BYTES, BASE_NONE, "Octets without a known meaning");
    registered.registry.add_subtree(registered.subtree);
    registered.registry.register_with(registered.protocol);
    register_expert_infos();
}

}  // namespace fabricscope::plugin
