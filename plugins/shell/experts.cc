// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/experts.h"

#include <deque>
#include <string>
#include <vector>

#include "analyzer/engine/common_fields.h"
#include "analyzer/engine/finding.h"

namespace fabricscope::plugin {
namespace {

std::vector<ExpertKind> kinds_of_all(Experts& common) {
    using engine::Severity;
    namespace expert = engine::expert;
    const auto finding = [&common](Severity severity) -> expert_field& {
        return common.finding[static_cast<std::size_t>(severity)];
    };
    const auto kind = [](expert_field& id, const engine::CommonField& field, int group, int severity) {
        return ExpertKind{&id, field.name, group, severity, field.label};
    };
    return {
        kind(common.malformed, expert::malformed, PI_MALFORMED, PI_ERROR),
        kind(common.cut, expert::cut, PI_UNDECODED, PI_NOTE),
        kind(common.reserved_set, expert::reserved_set, PI_PROTOCOL, PI_NOTE),
        kind(common.retransmission, expert::repeated, PI_SEQUENCE, PI_NOTE),
        kind(common.late, expert::late, PI_SEQUENCE, PI_NOTE),
        kind(finding(Severity::note), expert::note, PI_PROTOCOL, PI_NOTE),
        kind(finding(Severity::warning), expert::warning, PI_PROTOCOL, PI_WARN),
        kind(finding(Severity::error), expert::error, PI_PROTOCOL, PI_ERROR),
    };
}

}  // namespace

void register_experts(int protocol, const char* filter, Experts& common, std::span<const ExpertKind> more) {
    // Wireshark keeps pointers to both.
    static std::deque<std::vector<ei_register_info>> registered;
    static std::deque<std::string> names;
    std::vector<ExpertKind> kinds = kinds_of_all(common);
    kinds.insert(kinds.end(), more.begin(), more.end());
    std::vector<ei_register_info>& infos = registered.emplace_back();
    for (const ExpertKind& kind : kinds) {
        const std::string& name = names.emplace_back(std::string(filter) + "." + kind.name);
        infos.push_back({kind.id, {name.c_str(), kind.group, kind.severity, kind.summary, EXPFILL}});
    }
    expert_register_field_array(expert_register_protocol(protocol), infos.data(), static_cast<int>(infos.size()));
}

}  // namespace fabricscope::plugin
