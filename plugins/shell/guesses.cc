// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/guesses.h"

namespace fabricscope::plugin {

void Guesses::find(std::span<const char* const> lists) {
    const auto add = [](const char*, heur_dtbl_entry_t* entry, void* guesses) {
        if (entry->protocol == nullptr) return;
        const std::string_view protocol = proto_get_protocol_filter_name(proto_get_id(entry->protocol));
        static_cast<std::vector<Guess>*>(guesses)->push_back({entry, protocol});
    };
    forget();
    for (const char* list : lists)
        if (has_heur_dissector_list(list)) heur_dissector_table_foreach(list, add, &guesses_);
    switched_off_.reserve(guesses_.size());
}

void Guesses::forget() {
    allow_all();
    guesses_.clear();
}

void Guesses::switch_off(heur_dtbl_entry_t* entry) {
    entry->enabled = false;
    switched_off_.push_back(entry);
}

void Guesses::allow_all() {
    for (heur_dtbl_entry_t* entry : switched_off_) entry->enabled = true;
    switched_off_.clear();
}

}  // namespace fabricscope::plugin
