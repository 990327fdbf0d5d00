// SPDX-License-Identifier: GPL-2.0-or-later
// SMC-R in Wireshark: the description of its plugin.
#include "plugins/smcr/plugin.h"

#include "plugins/smcr/hooks.h"

namespace fabricscope::plugin::smcr {
namespace {

// ---- preferences ---------------------------------------------------------------------------------

enum CursorBase : int { automatic = -1, zero = 0, four = 4 };

wireshark_bool replace_builtin = true;
int cursor_base = CursorBase::automatic;
int profile = static_cast<int>(engine::Profile::linux_);

void register_preferences(module_t* module) {
    static const enum_val_t bases[] = {
        {"auto", "Find out", CursorBase::automatic},
        {"0", "0 (Linux)", CursorBase::zero},
        {"4", "4 (RFC 7609)", CursorBase::four},
        {nullptr, nullptr, 0},
    };
    prefs_register_bool_preference(
        module, "replace_builtin", "Replace Wireshark's own decode of SMC",
        "Whether this plugin decodes instead of Wireshark's dissector \"smc\", or beside it", &replace_builtin);
    prefs_register_enum_preference(
        module, "cursor_base", "Cursors start at",
        "Offset of the first byte of data in an RMB element: 4 behind RFC 7609's eye catcher, 0 where "
        "implementations leave it out. Needed only for captures that do not tell.",
        &cursor_base, bases, false);
    static const enum_val_t profiles[] = {
        {"linux", "RFC 7609, with Linux's deviations waived", static_cast<int>(engine::Profile::linux_)},
        {"rfc7609", "RFC 7609 alone", static_cast<int>(engine::Profile::standard)},
        {nullptr, nullptr, 0},
    };
    prefs_register_enum_preference(
        module, "profile", "Hold traffic against", "What counts as breaking a rule", &profile, profiles, false);
}

// ---- filters -------------------------------------------------------------------------------------

FrameFacts facts_of(std::uint32_t frame) {
    FrameFacts facts;
    const Record* record = current_record();
    return record != nullptr && record->find_facts(frame, facts) ? Record::known_now(facts) : facts;
}

char* connection_filter(std::uint32_t frame) {
    const std::uint32_t connection = connection_of(frame);
    return connection != 0 ? filter_for_connection(connection) : nullptr;
}

char* link_group_filter(std::uint32_t frame) {
    const std::uint32_t group = facts_of(frame).link_group;
    return group != 0 ? g_strdup_printf("smcr.link_group == \"lg-%u\"", group) : nullptr;
}

constexpr FrameFilter frame_filters[] = {
    frame_filter<connection_filter>(
        "Filter &Connection", "Show only the selected frame's connection", "SMC-R connection"),
    frame_filter<link_group_filter>(
        "Filter Link &Group", "Show only the selected frame's link group", "SMC-R link group"),
};
constexpr MenuFilter menu_filters[] = {
    {"Filter &Findings", "Show only frames that break a rule, or show what is observed", "smcr.rule || fabricscope"},
    {"Filter &Stalls", "Show where windows are full and open again", "smcr.stall || smcr.stall_time"},
};

constexpr ExpertKind experts[] = {
    {&rfc_add_link, Generated("smcr.llc.add_link.rfc_shape").field(), PI_PROTOCOL, PI_NOTE}};

}  // namespace

std::uint32_t connection_of(std::uint32_t frame) { return facts_of(frame).connection; }

bool wants_to_replace_builtin() { return replace_builtin != 0; }

engine::smcr::Options engine_options() {
    engine::smcr::Options options;
    options.profile = static_cast<engine::Profile>(profile);
    if (cursor_base != CursorBase::automatic) options.cursor_base = static_cast<std::uint8_t>(cursor_base);
    return options;
}

const Description& description() {
    static const Description made{
        .protocol = engine::protocol("smcr"),
        .title = "Shared Memory Communications over RDMA (fabricscope)",
        .experts = experts,
        .register_preferences = register_preferences,
        .frame_filters = frame_filters,
        .menu_filters = menu_filters,
        .document = {"&RFC 7609", "https://www.rfc-editor.org/rfc/rfc7609"},
        .response_times = response_times,
        .response_time_packet = response_time_packet,
        .make_counts = make_counts,
        .count_packet = count_packet,
        .flows = "SMC-R Flows",
        .flow_packet = flow_packet,
        .follower = &follower,
        .export_packet = export_packet,
        .forget_exports = begin_export};
    return made;
}

}  // namespace fabricscope::plugin::smcr
