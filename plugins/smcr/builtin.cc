// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/builtin.h"

namespace fabricscope::plugin::smcr {
namespace {

struct Heuristic {
    const char* list;
    const char* short_name;
    heur_dtbl_entry_t removed;  ///< as it was; `dissector` is null while it is in its list
};

Heuristic heuristics[] = {{"infiniband.payload", "smcr_infiniband", {}}, {"tcp", "smc_tcp", {}}};

void take_out(Heuristic& heuristic) {
    const heur_dtbl_entry_t* entry = find_heur_dissector_by_unique_short_name(heuristic.short_name);
    if (entry == nullptr) return;
    heuristic.removed = *entry;
    heur_dissector_delete(heuristic.list, entry->dissector, proto_get_id(entry->protocol));
}

void put_back(Heuristic& heuristic) {
    const heur_dtbl_entry_t& entry = heuristic.removed;
    if (entry.dissector == nullptr) return;
    const heuristic_enable_e enable = entry.enabled ? HEURISTIC_ENABLE : HEURISTIC_DISABLE;
    heur_dissector_add(
        heuristic.list, entry.dissector, entry.display_name, heuristic.short_name, proto_get_id(entry.protocol),
        enable);
    heuristic.removed = {};
}

struct Settings {
    dissector_handle_t payload = nullptr;  ///< what the user chose by Decode As
    wireshark_bool heuristics_first = true;
};
Settings before;
bool is_our_turn = false;

dissector_table_t payload_table() {
    static dissector_table_t table = find_dissector_table("infiniband");
    return table;
}

pref_t* heuristics_first() {
    static pref_t* const preference = prefs_find_preference(prefs_find_module("infiniband"), "try_heuristic_first");
    return preference;
}

}  // namespace

void replace_builtin_decode(bool replace) {
    for (Heuristic& heuristic : heuristics) {
        if (replace) take_out(heuristic);
        else put_back(heuristic);
    }
}

void begin_infiniband_turn(dissector_handle_t handle) {
    if (is_our_turn) return;
    is_our_turn = true;
    before.payload = dissector_get_payload_handle(payload_table());
    before.heuristics_first = prefs_get_bool_value(heuristics_first(), pref_current);
    dissector_change_payload("infiniband", handle);
    prefs_set_bool_value(heuristics_first(), false, pref_current);
}

void end_infiniband_turn() {
    if (!is_our_turn) return;
    is_our_turn = false;
    prefs_set_bool_value(heuristics_first(), before.heuristics_first, pref_current);
    // Without a choice, too: the table then has an entry that chooses nobody, which counts as unchanged
    // and is cheaper than making and removing one for each frame.
    dissector_change_payload("infiniband", before.payload);
}

}  // namespace fabricscope::plugin::smcr
