// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/observations.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/observations/generated_fields.h"
#include "plugins/shell/session.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin {
namespace {

using observations::generated_fields;
using observations::Observation;
using Name = GeneratedName<generated_fields>;

Fields registered;
std::array<expert_field, 3> observation_experts{{EI_INIT, EI_INIT, EI_INIT}};  // by engine::Severity
expert_field damaged_expert = EI_INIT;

int id_of(Name name) { return registered.generated[name.index]; }

ei_register_info expert_info(expert_field& id, int wiresharks, Name name) {
    const engine::GeneratedField& field = generated_fields[name.index];
    static std::deque<std::string> sentences;
    return expert_info_of(
        id, field.filter, PI_SEQUENCE, wiresharks, field.label,
        sentences.emplace_back(sentence(field.description)).c_str());
}

void register_expert_infos() {
    auto& [note, warning, error] = observation_experts;
    static std::array infos{
        expert_info(note, PI_NOTE, "fabricscope.observation.note"),
        expert_info(warning, PI_WARN, "fabricscope.observation.warning"),
        expert_info(error, PI_ERROR, "fabricscope.observation.error"),
        expert_info(damaged_expert, PI_WARN, "fabricscope.damaged")};
    expert_register_field_array(
        expert_register_protocol(registered.protocol), infos.data(), static_cast<int>(infos.size()));
}

/// Wireshark cuts long labels; places to look at are separated by semicolons.
void add_places_to_look(proto_tree* tree, tvbuff_t* tvb, const packet_info* pinfo, std::string_view look) {
    constexpr std::string_view separator = "; ";
    while (!look.empty()) {
        const std::string_view place = look.substr(0, look.find(separator));
        const char* text = packet_text(pinfo, std::string(place));
        add_text(tree, tvb, id_of("fabricscope.observation.look"), text);
        look.remove_prefix(std::min(look.size(), place.size() + separator.size()));
    }
}

void add_details(proto_tree* tree, tvbuff_t* tvb, const packet_info* pinfo, const Observation& observation) {
    add_text(tree, tvb, id_of("fabricscope.observation"), observation.id);
    if (!observation.session.empty())
        add_text(tree, tvb, id_of("fabricscope.observation.session"), observation.session.c_str());
    add_text(tree, tvb, id_of("fabricscope.observation.text"), observation.text.c_str());
    if (!observation.cause.empty())
        add_text(tree, tvb, id_of("fabricscope.observation.cause"), observation.cause.c_str());
    add_places_to_look(tree, tvb, pinfo, observation.look);
    if (observation.count > 1)
        add_number(tree, tvb, id_of("fabricscope.observation.count"), std::optional(observation.count));
    for (const std::uint64_t frame : observation.frames)
        if (frame != pinfo->num) add_frame(tree, tvb, id_of("fabricscope.observation.frame"), frame);
}

proto_item* add_head(proto_tree* tree, tvbuff_t* tvb, const char* title) {
    proto_item* item = proto_tree_add_protocol_format(
        tree, registered.protocol, tvb, 0, 0, "%s: %s", registered.name, title);
    proto_item_set_generated(item);
    return item;
}

void add(proto_tree* tree, tvbuff_t* tvb, packet_info* pinfo, const Observation& observation) {
    proto_item* item = add_head(tree, tvb, observation.kind->title);
    add_details(proto_item_add_subtree(item, registered.subtree), tvb, pinfo, observation);
    const bool has_session = !observation.session.empty();
    expert_add_info_format(
        pinfo, item, &observation_experts[static_cast<std::size_t>(observation.severity)], "%s%s%s: %s", observation.id,
        has_session ? ", " : "", observation.session.c_str(), observation.text.c_str());
}

void add_damaged(proto_tree* tree, tvbuff_t* tvb, packet_info* pinfo) {
    const engine::GeneratedField& field = generated_fields[Name("fabricscope.damaged").index];
    expert_add_info(pinfo, add_head(tree, tvb, field.label), &damaged_expert);
}

}  // namespace

int register_observations() {
    registered.name = "fabricscope";
    registered.protocol = proto_register_protocol(
        "Observations (fabricscope)", registered.name, observations::filter_name);
    registered.generated.assign(generated_fields.size(), -1);
    registered.registry.add_generated(generated_fields, registered.generated);
    registered.registry.add_subtree(registered.subtree);
    registered.registry.register_with(registered.protocol);
    register_expert_infos();
    return registered.protocol;
}

bool observations_are_enabled() { return proto_is_protocol_enabled(find_protocol_by_id(registered.protocol)) != 0; }

FrameObservations::FrameObservations(std::vector<Observation> all, std::uint64_t first_frame) : all_(std::move(all)) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Observation& one = all_[i];
        if (one.session.empty() && first_frame == 0) continue;
        for (const std::uint64_t frame : one.frames) by_frame_[frame].push_back(i);
        if (one.frames.empty()) by_frame_[first_frame].push_back(i);
    }
}

void FrameObservations::show(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) const {
    const auto found = by_frame_.find(pinfo->num);
    const bool damaged = is_damaged(pinfo->num) && observations_are_enabled();
    if (damaged) col_prepend_fence_fstr(pinfo->cinfo, COL_INFO, "[Damaged] ");
    if ((found == by_frame_.end() && !damaged) || !is_looked_at(tree, registered.protocol)) return;
    const char* around = pinfo->current_proto;
    pinfo->current_proto = registered.name;  // whose expert infos are
    if (damaged) add_damaged(tree, tvb, pinfo);
    if (found != by_frame_.end())
        for (const std::size_t place : found->second) add(tree, tvb, pinfo, all_[place]);
    pinfo->current_proto = around;
}

}  // namespace fabricscope::plugin
