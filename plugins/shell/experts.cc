// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/experts.h"

#include <deque>
#include <string>
#include <vector>

#include "analyzer/engine/finding.h"

namespace fabricscope::plugin {
namespace {

std::vector<ExpertKind> kinds_of_all(Experts& common) {
    using engine::Severity;
    const auto finding = [&common](Severity severity) { return &common.finding[static_cast<std::size_t>(severity)]; };
    return {
        {&common.malformed, "malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself"},
        {&common.cut, "cut", PI_UNDECODED, PI_NOTE, "The message was not captured whole"},
        {&common.reserved_set, "reserved_set", PI_PROTOCOL, PI_NOTE, "Reserved, but not zero"},
        {&common.retransmission, "repeated", PI_SEQUENCE, PI_NOTE, "The packet was seen before"},
        {&common.late, "late", PI_SEQUENCE, PI_NOTE,
         "The capture is not in order of time, so what is derived from earlier frames may be wrong: sort it with "
         "reordercap"},
        {finding(Severity::note), "finding.note", PI_PROTOCOL, PI_NOTE, "A rule is broken"},
        {finding(Severity::warning), "finding.warning", PI_PROTOCOL, PI_WARN, "A rule is broken"},
        {finding(Severity::error), "finding.error", PI_PROTOCOL, PI_ERROR, "A rule is broken"},
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
