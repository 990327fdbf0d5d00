// SPDX-License-Identifier: GPL-2.0-or-later
// All who listen to the Fibre Channel tracker: each is told everything, in the order of the list.
#pragma once

#include <array>
#include <cassert>
#include <vector>

#include "analyzer/engine/fc/observer.h"

namespace fabricscope::engine::fibre_channel {

inline constexpr std::size_t most_listeners = 4;

/// FrameFacts::kept of an Exchange, for each listener.
using KeptNumbers = std::array<std::uint32_t, most_listeners>;

class Listeners {
public:
    explicit Listeners(std::vector<Observer*> list) : list_(std::move(list)) {
        std::erase(list_, nullptr);
        assert(list_.size() <= most_listeners);
    }

    template <class Call> void tell(Call&& call) const {
        for (Observer* listener : list_) call(*listener);
    }
    /// Each is asked: it counts on that.
    bool want_data(const capture::Packet& packet) const {
        bool wanted = false;
        for (Observer* listener : list_) wanted |= listener->wants_data(packet);
        return wanted;
    }
    void on_forgotten(const KeptNumbers& kept) const {
        for (std::size_t i = 0; i < list_.size(); ++i)
            if (kept[i] != 0) list_[i]->on_forgotten(kept[i]);
    }
    /// `facts_for(std::uint32_t& kept)`: what one listener is told.
    template <class FactsFor> void on_frame(KeptNumbers& kept, FactsFor&& facts_for) const {
        for (std::size_t i = 0; i < list_.size(); ++i) list_[i]->on_frame(facts_for(kept[i]));
    }

private:
    std::vector<Observer*> list_;
};

}  // namespace fabricscope::engine::fibre_channel
