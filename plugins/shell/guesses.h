// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's guesses about payloads: its heuristic dissectors, kept from single packets.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

/// Dissectors that the user chose by Decode As are no guesses. What is switched off for a packet is as it was
/// afterwards.
class Guesses {
public:
    /// find() looks up the heuristic dissectors in `lists`. For each capture: the user, and other plugins, take some
    /// out of their lists or put them back.
    void find(std::span<const char* const> lists);
    void forget();

    /// keep_off() switches off those for whose protocol `is_allowed(its filter name)` is false, until allow_all().
    template <class Allowed> void keep_off(Allowed&& is_allowed) {
        for (const Guess& guess : guesses_)
            if (guess.entry->enabled && !is_allowed(guess.protocol)) switch_off(guess.entry);
    }
    void allow_all();

private:
    struct Guess {
        heur_dtbl_entry_t* entry;
        std::string_view protocol;  ///< its filter name
    };
    void switch_off(heur_dtbl_entry_t* entry);

    std::vector<Guess> guesses_;
    std::vector<heur_dtbl_entry_t*> switched_off_;
};

}  // namespace fabricscope::plugin
