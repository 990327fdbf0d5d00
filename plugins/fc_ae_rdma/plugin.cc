// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA in Wireshark: the description of its plugin.
#include "plugins/fc_ae_rdma/plugin.h"

#include "plugins/fc_ae_rdma/show.h"

namespace fabricscope::plugin::fc_ae_rdma {
namespace {

// ---- preferences ---------------------------------------------------------------------------------

wireshark_bool with_columns = true;
int profile = static_cast<int>(engine::Profile::standard);

void register_preferences(module_t* module) {
    prefs_register_bool_preference(
        module, "columns", "Write the columns",
        "Whether Protocol and Info of RDMA messages are this plugin's, or those of Wireshark's FCP dissector",
        &with_columns);
    static const enum_val_t profiles[] = {
        {"standard", "ISO/IEC TR 14165-314", static_cast<int>(engine::Profile::standard)},
        {"annex-a", "The same and the example profile of its annex A", static_cast<int>(engine::Profile::avionics)},
        {nullptr, nullptr, 0},
    };
    prefs_register_enum_preference(
        module, "profile", "Hold traffic against", "What counts as breaking a rule", &profile, profiles, false);
}

// ---- filters -------------------------------------------------------------------------------------

std::optional<Message> message_of(std::uint32_t frame) {
    const Record* record = plugin().record();
    return record == nullptr ? std::nullopt : record->message(plugin().entry_of(frame).message);
}

char* message_filter(std::uint32_t frame) {
    const auto message = message_of(frame);
    if (!message) return nullptr;
    return g_strdup_printf("fcaerdma.message == \"fc-ae-rdma-%" G_GUINT64_FORMAT "\"", message->id);
}

char* region_filter(std::uint32_t frame) {
    const auto message = message_of(frame);
    if (!message || !message->lun) return nullptr;
    const char* target = plugin().record()->parties(*message).target.c_str();
    return g_strdup_printf("fcaerdma.region == \"%s LUN %u\"", target, *message->lun);
}

constexpr FrameFilter frame_filters[] = {
    frame_filter<message_filter>("Filter &Message", "Show only the selected frame's message", "FC-AE-RDMA message"),
    frame_filter<region_filter>(
        "Filter Memory &Region", "Show only messages of the selected frame's memory region",
        "FC-AE-RDMA memory region"),
};
constexpr MenuFilter menu_filters[] = {
    {"Filter F&ailures", "Show only responses that say no", "fcaerdma.failed"},
    {"Filter &Findings", "Show only frames that break a rule, or show what is observed",
     "fcaerdma.rule || fabricscope"},
};

// ---- the plugin ----------------------------------------------------------------------------------

constexpr ExpertKind experts[] = {{&failed, Generated("fcaerdma.failed").field(), PI_RESPONSE_CODE, PI_WARN}};
constexpr int* subtrees[] = {&segments_subtree, &other_subtree};

const Description& description() {
    static const Description made{
        .protocol = engine::protocol("fc-ae-rdma"),
        .title = "FC Avionics Environment RDMA",
        .experts = experts,
        .subtrees = subtrees,
        .register_preferences = register_preferences,
        .frame_filters = frame_filters,
        .menu_filters = menu_filters,
        .response_times = response_times,
        .response_time_packet = response_time_packet,
        .make_counts = make_counts,
        .count_packet = count_packet,
        .flows = "FC-AE-RDMA Flows",
        .flow_packet = flow_packet,
        .export_packet = export_packet,
        .forget_exports = forget_exports};
    return made;
}

class FcAeRdmaPlugin final : public FcPlugin<Record> {
public:
    FcAeRdmaPlugin() : FcPlugin(fc_ae_rdma::description(), fields) {}

private:
    void follow_with(Record& record, engine::Options& options, engine::Observers& observers) override {
        observers.fc_ae_rdma = &record;
        options.fc_protocols.fc_ae_rdma = true;
        options.fc_protocols.fc_ae_rdma_options.profile = static_cast<engine::Profile>(profile);
    }
    void show_iu(const Display& display, const FcView& view, const FrameEntry& entry) override {
        fc_ae_rdma::show_iu(display, *record(), view, entry, with_columns != 0);
    }
    void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry) override {
        fc_ae_rdma::show_other(display, *record(), packet, entry);
    }
    plugin::TapFrame tap_of(const FrameEntry& entry) const override {
        return {&fields, ends_of(*record(), entry), 0, record()->notes().broken_rules(entry.frame)};
    }
};

}  // namespace

FcPlugin<Record>& plugin() {
    static FcAeRdmaPlugin plugin;
    return plugin;
}

}  // namespace fabricscope::plugin::fc_ae_rdma
