// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/experts.h"

#include "plugins/common/tree.h"

namespace fabricscope::plugin {

using engine::Severity;

void ExpertRegistry::add(expert_field& id, const ExpertKind& kind) {
    const std::string& name = names_.emplace_back(protocol_ + "." + kind.name);
    infos_.push_back({&id, {name.c_str(), kind.group, kind.severity, kind.summary, EXPFILL}});
}

void ExpertRegistry::add(Experts& common) {
    const auto finding = [&common](Severity severity) -> expert_field& {
        return common.finding[static_cast<std::size_t>(severity)];
    };
    add(common.malformed, {"malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself"});
    add(common.cut, {"cut", PI_UNDECODED, PI_NOTE, "The message was not captured whole"});
    add(common.reserved_set, {"reserved_set", PI_PROTOCOL, PI_NOTE, "Reserved, but not zero"});
    add(common.retransmission, {"repeated", PI_SEQUENCE, PI_NOTE, "The packet was seen before"});
    add(common.late, {"late", PI_SEQUENCE, PI_NOTE,
                      "The capture is not in order of time, so what is derived from earlier frames may be wrong: "
                      "sort it with reordercap"});
    add(finding(Severity::note), {"finding.note", PI_PROTOCOL, PI_NOTE, "A rule is broken"});
    add(finding(Severity::warning), {"finding.warning", PI_PROTOCOL, PI_WARN, "A rule is broken"});
    add(finding(Severity::error), {"finding.error", PI_PROTOCOL, PI_ERROR, "A rule is broken"});
}

void ExpertRegistry::register_with(int protocol) {
    expert_register_field_array(expert_register_protocol(protocol), infos_.data(), static_cast<int>(infos_.size()));
}

void add_error(packet_info* pinfo, proto_tree* tree, Experts& experts, const layout::ParseError& error) {
    if (!error) return;
    const bool cut = error.fault == layout::Fault::truncated;
    const char* text = packet_text(pinfo, to_string(error));
    expert_add_info_format(
        pinfo, proto_tree_get_parent(tree), cut ? &experts.cut : &experts.malformed, "%s: %s",
        cut ? "Not captured whole" : "Malformed", text);
}

void add_findings(
    packet_info* pinfo, proto_tree* tree, tvbuff_t* tvb, int id, Experts& experts,
    std::span<const FrameNotes::Broken> broken) {
    for (const FrameNotes::Broken& one : broken) {
        proto_item* item = proto_tree_add_string(tree, id, tvb, 0, 0, one.rule->id);
        proto_item_set_generated(item);
        expert_field* severity = &experts.finding[static_cast<std::size_t>(one.rule->severity)];
        const char* text = packet_text(pinfo, one.text);
        expert_add_info_format(pinfo, item, severity, "%s: %s (%s)", one.rule->id, text, one.rule->clause);
    }
}

}  // namespace fabricscope::plugin
