// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI in Wireshark: the description of its plugin.
#include "plugins/fcvi/plugin.h"

#include "plugins/fcvi/show.h"

namespace fabricscope::plugin::fcvi {
namespace {

// ---- preferences ---------------------------------------------------------------------------------

enum VersionChoice : int { automatic, rev_1_0, iso };

int chosen_version = VersionChoice::automatic;

void register_preferences(module_t* module) {
    static const enum_val_t versions[] = {
        {"auto", "As each connection's setup tells", VersionChoice::automatic},
        {"rev-1.0", "Draft revision 1.0 (1999)", VersionChoice::rev_1_0},
        {"iso", "ISO/IEC 14165-331:2007", VersionChoice::iso},
        {nullptr, nullptr, 0},
    };
    prefs_register_enum_preference(
        module, "version", "Version",
        "Which document frames are read with. Captures that begin after the setup may not tell.", &chosen_version,
        versions, false);
}

// ---- filters -------------------------------------------------------------------------------------

char* connection_filter(std::uint32_t frame) {
    const std::uint32_t connection = connection_of(frame);
    return connection != 0 ? filter_for_connection(connection) : nullptr;
}

char* message_filter(std::uint32_t frame) {
    const std::uint32_t message = plugin().entry_of(frame).message;
    return message != 0 ? g_strdup_printf("fcvi.message == \"fcvi-message-%u\"", message) : nullptr;
}

char* exchange_filter(std::uint32_t frame) {
    const std::uint32_t exchange = plugin().entry_of(frame).exchange;
    return exchange != 0 ? g_strdup_printf("fcvi.exchange == \"xchg-%u\"", exchange) : nullptr;
}

constexpr FrameFilter frame_filters[] = {
    frame_filter<connection_filter>(
        "Filter &Connection", "Show only the selected frame's connection", "FC-VI connection"),
    frame_filter<message_filter>("Filter &Message", "Show only the selected frame's Message", "FC-VI Message"),
    frame_filter<exchange_filter>("Filter &Exchange", "Show only the selected frame's Exchange", "FC-VI Exchange"),
};
constexpr MenuFilter menu_filters[] = {
    {"Filter &Rejections", "Show only connections that were rejected", "fcvi.rejection"},
    {"Filter &Findings", "Show only frames that break a rule, or show what is observed", "fcvi.rule || fabricscope"},
};

// ---- the plugin ----------------------------------------------------------------------------------

constexpr ExpertKind experts[] = {
    {&rejected, Generated("fcvi.rejected").field(), PI_RESPONSE_CODE, PI_NOTE},
    {&failed, Generated("fcvi.failed").field(), PI_RESPONSE_CODE, PI_WARN},
};
constexpr int* subtrees[] = {&segments_subtree, &other_subtree};

const Description& description() {
    static const Description made{
        .protocol = engine::protocol("fcvi"),
        .title = "Virtual Interface on Fibre Channel",
        .experts = experts,
        .subtrees = subtrees,
        .register_preferences = register_preferences,
        .frame_filters = frame_filters,
        .menu_filters = menu_filters,
        .response_times = response_times,
        .response_time_packet = response_time_packet,
        .make_counts = make_counts,
        .count_packet = count_packet,
        .flows = "FC-VI Flows",
        .flow_packet = flow_packet,
        .follower = &follower,
        .export_packet = export_packet,
        .forget_exports = forget_exports};
    return made;
}

class FcviPlugin final : public FcPlugin<Record> {
public:
    FcviPlugin() : FcPlugin(fcvi::description(), fields) {}

private:
    void follow_with(Record& record, engine::Options& options, engine::Observers& observers) override {
        observers.fcvi = &record;
        options.fc_protocols.fcvi = true;
        if (chosen_version == VersionChoice::rev_1_0)
            options.fc_protocols.fcvi_options.version = wire::Version::rev_1_0;
        if (chosen_version == VersionChoice::iso) options.fc_protocols.fcvi_options.version = wire::Version::iso;
    }
    void show_iu(const Display& display, const FcView& view, const FrameEntry& entry) override {
        fcvi::show_iu(display, *record(), view, entry);
    }
    void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry) override {
        fcvi::show_other(display, *record(), packet, entry);
    }
    plugin::TapFrame tap_of(const FrameEntry& entry) const override {
        return {&fields, ends_of(*record(), entry), entry.connection, record()->notes().broken_rules(entry.frame)};
    }
};

}  // namespace

FcPlugin<Record>& plugin() {
    static FcviPlugin plugin;
    return plugin;
}

}  // namespace fabricscope::plugin::fcvi
