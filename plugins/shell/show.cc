// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/show.h"

#include <type_traits>

#include "analyzer/engine/common_fields.h"
#include "plugins/shell/plugin.h"

namespace fabricscope::plugin {
namespace {

static_assert(std::is_trivially_destructible_v<Display>);
static_assert(std::is_trivially_destructible_v<TreeBuilder>);

/// The engine's findings, which `fabricscope analyze` lists as well.
void add_findings(const Display& display, proto_tree* tree, tvbuff_t* tvb, std::span<const FrameNotes::Broken> broken) {
    Experts& experts = display.fields.experts;
    for (const FrameNotes::Broken& one : broken) {
        proto_item* item = proto_tree_add_string(tree, display.fields.common.rule, tvb, 0, 0, one.rule->id);
        proto_item_set_generated(item);
        expert_field* severity = &experts.finding[static_cast<std::size_t>(one.rule->severity)];
        const char* text = packet_text(display.pinfo, one.text);
        expert_add_info_format(display.pinfo, item, severity, "%s: %s (%s)", one.rule->id, text, one.rule->clause);
    }
}

void add_order_note(const Display& display, proto_item* head) {
    const OrderNote note = order_note();
    if (note.frame != display.pinfo->num || note.plugin->protocol() != display.fields.protocol) return;
    const char* what_of_it = file_in_time_order() != nullptr
                                 ? "what is shown was found in order of time"
                                 : "what is derived from earlier frames may be wrong, reordercap puts them in order";
    expert_add_info_format(
        display.pinfo, head, &display.fields.experts.late, "%s: %s", engine::expert::late.label, what_of_it);
}

}  // namespace

bool is_looked_at(proto_tree* tree, int protocol) {
    static const int expert_tap = find_tap_id("expert");
    static const int expert_protocol = proto_get_id_by_filter_name("_ws.expert");
    return proto_field_is_referenced(tree, protocol) != 0 || proto_field_is_referenced(tree, expert_protocol) != 0 ||
           have_tap_listener(expert_tap) != 0;
}

Display display_in(Fields& fields, const FrameNotes& notes, packet_info* pinfo, proto_tree* tree) {
    return {fields, notes, pinfo, tree, is_looked_at(tree, fields.protocol), pinfo->cinfo != nullptr};
}

void write_columns(const Display& display, const char* protocol, const Line& info, const char* separator) {
    column_info* columns = display.pinfo->cinfo;
    col_set_str(columns, COL_PROTOCOL, protocol);
    if (!display.first) return col_append_sep_str(columns, COL_INFO, separator, info.c_str());
    col_add_str(columns, COL_INFO, info.c_str());
}

void write_marked_columns(
    const Display& display, const char* protocol, std::uint64_t original, const char* repetition, const Line& info,
    const char* separator) {
    const bool is_copy = original != display.pinfo->num;
    if (!is_copy && repetition == nullptr) return write_columns(display, protocol, info, separator);
    write_columns(display, protocol, info::marked(is_copy ? original : 0, repetition, info), separator);
}

proto_tree* add_protocol(
    const Display& display, const char* protocol, tvbuff_t* tvb, int start, int length, const char* summary) {
    proto_item* item = proto_tree_add_protocol_format(
        display.tree, display.fields.protocol, tvb, start, length, "%s, %s", protocol, summary);
    return proto_item_add_subtree(item, display.fields.subtree);
}

TreeBuilder builder(const Display& display, tvbuff_t* message, proto_tree* tree) {
    return {display.fields, display.pinfo, message, tree};
}

void add_error(const Display& display, proto_tree* tree, const layout::ParseError& error) {
    if (!error) return;
    const bool cut = error.fault == layout::Fault::truncated;
    Experts& experts = display.fields.experts;
    const char* text = packet_text(display.pinfo, to_string(error));
    expert_add_info_format(
        display.pinfo, proto_tree_get_parent(tree), cut ? &experts.cut : &experts.malformed, "%s: %s",
        cut ? "Not captured whole" : "Malformed", text);
}

void add_id(proto_tree* tree, tvbuff_t* tvb, int id, const char* prefix, std::uint32_t number) {
    Line line(prefix);
    line << "-" << number;
    if (number != 0) add_text(tree, tvb, id, line.c_str());
}

void add_ends(const Display& display, proto_tree* tree, tvbuff_t* tvb, const Ends& ends) {
    if (ends.source == nullptr) return;
    const CommonFields& ids = display.fields.common;
    const auto is_known = [](const char* end) { return end != nullptr && *end != '\0'; };
    if (is_known(ends.source)) add_text(tree, tvb, ids.source, ends.source);
    if (is_known(ends.destination)) add_text(tree, tvb, ids.destination, ends.destination);
    for (const char* end : {ends.source, ends.destination})
        if (is_known(end)) add_hidden_text(tree, tvb, ids.endpoint, end);
}

void add_request(
    const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t request, capture::Time elapsed) {
    if (request == 0) return;
    add_frame(tree, tvb, display.fields.common.request_in, request);
    add_time_span(tree, tvb, display.fields.common.time, elapsed);
    mark_depended_upon(display.pinfo, static_cast<std::uint32_t>(request));
}

void add_response(const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t request) {
    add_frame(tree, tvb, display.fields.common.response_in, display.notes.response(request));
}

void add_remarks(
    const Display& display, proto_tree* tree, tvbuff_t* tvb, std::uint64_t original, bool repeated, bool at_field) {
    const CommonFields& ids = display.fields.common;
    Experts& experts = display.fields.experts;
    proto_item* head = proto_tree_get_parent(tree);
    if (original != display.pinfo->num) add_frame(tree, tvb, ids.copy_of, original);
    if (repeated) {
        proto_item* field = add_true(tree, tvb, ids.repeated);
        expert_add_info(display.pinfo, at_field ? field : head, &experts.retransmission);
    }
    if (!display.first) return;
    add_order_note(display, head);
    add_findings(display, tree, tvb, display.notes.broken_rules(original));
}

}  // namespace fabricscope::plugin
