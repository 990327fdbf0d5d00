// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/experts.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/engine/common_fields.h"
#include "analyzer/engine/finding.h"
#include "plugins/shell/fields.h"

namespace fabricscope::plugin {
namespace {

/// What Wireshark registers. It keeps pointers to all texts.
class Infos {
public:
    void add(
        expert_field& id, const char* name, int group, int severity, const char* summary, std::string description) {
        infos_.push_back(expert_info_of(id, name, group, severity, summary, kept(std::move(description))));
    }
    void add_common(const char* filter, expert_field& id, const engine::CommonField& field, int group, int severity) {
        const char* name = kept(std::string(filter) + "." + field.name);
        add(id, name, group, severity, field.label, sentence(field.description));
    }
    void register_with(int protocol) {
        expert_register_field_array(expert_register_protocol(protocol), infos_.data(), static_cast<int>(infos_.size()));
    }

private:
    const char* kept(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

    std::vector<ei_register_info> infos_;
    std::deque<std::string> texts_;
};

void add_those_of_all(Infos& infos, const char* filter, Experts& common) {
    using engine::Severity;
    namespace expert = engine::expert;
    const auto add = [&](expert_field& id, const engine::CommonField& field, int group, int severity) {
        infos.add_common(filter, id, field, group, severity);
    };
    const auto finding = [&common](Severity severity) -> expert_field& {
        return common.finding[static_cast<std::size_t>(severity)];
    };
    add(common.malformed, expert::malformed, PI_MALFORMED, PI_ERROR);
    add(common.cut, expert::cut, PI_UNDECODED, PI_NOTE);
    add(common.reserved_set, expert::reserved_set, PI_PROTOCOL, PI_NOTE);
    add(common.retransmission, expert::repeated, PI_SEQUENCE, PI_NOTE);
    add(common.late, expert::late, PI_SEQUENCE, PI_NOTE);
    add(finding(Severity::note), expert::note, PI_PROTOCOL, PI_NOTE);
    add(finding(Severity::warning), expert::warning, PI_PROTOCOL, PI_WARN);
    add(finding(Severity::error), expert::error, PI_PROTOCOL, PI_ERROR);
}

}  // namespace

ei_register_info expert_info_of(
    expert_field& id, const char* name, int group, int severity, const char* summary, const char* description) {
    ei_register_info info{&id, {name, group, severity, summary, EXPFILL}};
    info.eiinfo.hf_info.hfinfo.blurb = description;
    return info;
}

void register_experts(int protocol, const char* filter, Experts& common, std::span<const ExpertKind> more) {
    static std::deque<Infos> of_all_protocols;
    Infos& infos = of_all_protocols.emplace_back();
    add_those_of_all(infos, filter, common);
    for (const ExpertKind& kind : more)
        infos.add(
            *kind.id, kind.field.filter, kind.group, kind.severity, kind.field.description,
            sentence(kind.field.description, kind.field.clause));
    infos.register_with(protocol);
}

}  // namespace fabricscope::plugin
