// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/plugin.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "analyzer/engine/common_fields.h"
#include "plugins/shell/flow_graph.h"
#include "plugins/shell/taps.h"

namespace fabricscope::plugin {
namespace {

constexpr struct {
    std::string_view name;
    int CommonFields::*id;
} common_names[] = {
    {"source", &CommonFields::source},
    {"destination", &CommonFields::destination},
    {"endpoint", &CommonFields::endpoint},
    {"request_in", &CommonFields::request_in},
    {"time", &CommonFields::time},
    {"response_in", &CommonFields::response_in},
    {"copy_of", &CommonFields::copy_of},
    {"repeated", &CommonFields::repeated},
    {"retransmission", &CommonFields::repeated},
    {"rule", &CommonFields::rule},
};

void find_common_fields(const engine::Protocol& protocol, Fields& fields) {
    const std::size_t prefix = std::string_view(protocol.filter).size() + 1;
    for (std::size_t i = 0; i < protocol.generated_fields.size(); ++i)
        for (const auto& common : common_names)
            if (std::string_view(protocol.generated_fields[i].filter).substr(prefix) == common.name)
                fields.common.*common.id = fields.generated[i];
}

void register_fields(const Description& description, Fields& fields) {
    const engine::Protocol& protocol = description.protocol;
    FieldRegistry& registry = fields.registry;
    fields.name = protocol.title;
    fields.protocol = proto_register_protocol(description.title, protocol.title, protocol.filter);
    fields.generated.assign(protocol.generated_fields.size(), -1);
    if (protocol.layouts != nullptr) registry.add_layouts(protocol.layouts());
    if (protocol.octets != nullptr) registry.add_octets(protocol.octets());
    registry.add_generated(protocol.generated_fields, fields.generated);
    const char* octets = registry.kept(fmt::format("{}.{}", protocol.filter, engine::unknown_octets.name));
    const char* description_of_octets = registry.kept(sentence(engine::unknown_octets.description));
    registry.add(fields.octets, octets, "Bytes", FT_BYTES, BASE_NONE, description_of_octets);
    registry.add_subtree(fields.subtree);
    for (int* subtree : description.subtrees) registry.add_subtree(*subtree);
    registry.register_with(fields.protocol);
    find_common_fields(protocol, fields);
    register_experts(fields.protocol, protocol.filter, fields.experts, description.experts);
}

/// Wireshark asks for the tables of a protocol by its id.
std::unordered_map<int, const Description*>& descriptions() {
    static std::unordered_map<int, const Description*> by_protocol;
    return by_protocol;
}

void make_response_time_tables(register_srt_t* of, GArray* tables) {
    for (const ResponseTimeTable& table : descriptions().at(get_srt_proto_id(of))->response_times)
        add_response_time_table(tables, table);
}

}  // namespace

void Plugin::register_protocol() {
    register_fields(description_, fields_);
    descriptions()[fields_.protocol] = &description_;
    if (description_.register_preferences != nullptr)
        description_.register_preferences(prefs_register_protocol(fields_.protocol, nullptr));
    register_windows();
}

void Plugin::register_windows() {
    const char* filter = description_.protocol.filter;
    const int protocol = fields_.protocol;
    fields_.tap = register_tap(filter);
    register_conversations(fields_);
    register_srt_table(
        protocol, filter, static_cast<int>(description_.response_times.size()), description_.response_time_packet,
        make_response_time_tables, nullptr);
    stats_tree_register_plugin(
        filter, filter, description_.protocol.title, 0, description_.count_packet, description_.make_counts, nullptr);
    register_flow_graph(protocol, filter, description_.flows, filter, description_.flow_packet);
    if (const Follower* follower = description_.follower) {
        register_tap(follower->tap);
        register_follower(
            protocol, follower->tap, follower->filter_for_packet, follower->filter_for, follower->filter_for_addresses,
            follower->port_text, follower->packet);
    }
    if (description_.export_packet != nullptr)
        fields_.export_tap = register_export_object(protocol, description_.export_packet, description_.forget_exports);
    register_menu(protocol, description_);
}

}  // namespace fabricscope::plugin
