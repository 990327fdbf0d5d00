// SPDX-License-Identifier: GPL-2.0-or-later
// How the N_Ports of a run are attached, played or emulated.
#pragma once

#include <algorithm>

#include "replay/engine/fc/recording.h"
#include "replay/engine/player.h"
#include "replay/stack/fc/exchanges.h"

namespace fabricscope::replay::fibre_channel {

/// Frames are as long as the longest that was recorded, but there is room for a Device_Header and some data.
inline stack::fibre_channel::ExchangeConfig exchange_config_of(const Recording& recording, Side side) {
    constexpr std::size_t least = 128;
    stack::fibre_channel::ExchangeConfig config;
    if (recording.link == capture::LinkType::ethernet) {
        config.link = stack::fibre_channel::Link::fcoe;
        config.addresses = {recording.addresses[side], recording.addresses[engine::other(side)]};
    }
    config.data_field_size = std::clamp<std::size_t>(
        (recording.data_field_size + 3) / 4 * 4, least, fc::max_data_field);
    return config;
}

template <class Attached, class Endpoint>
Attached attached(const Recording& recording, Side side, std::unique_ptr<Endpoint> endpoint) {
    Attached attached;
    attached.endpoint = std::move(endpoint);
    attached.link = recording.link;
    if (recording.link == capture::LinkType::ethernet) attached.addresses = {recording.addresses[side]};
    return attached;
}

}  // namespace fabricscope::replay::fibre_channel
