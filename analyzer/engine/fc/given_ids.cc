// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/given_ids.h"

#include <algorithm>

namespace fabricscope::engine::fibre_channel {

/// The number nearest to the latest one.
std::uint64_t GivenIds::counted_on(const Ids& ids, std::uint16_t id) {
    const auto ahead = static_cast<std::int16_t>(id - static_cast<std::uint16_t>(ids.latest));
    return ids.latest + static_cast<std::uint64_t>(std::int64_t{ahead});
}

void GivenIds::note(const Port& port, std::uint16_t id) {
    if (ports_.size() >= most_ports && !ports_.contains(key_of(port))) return;
    const auto [place, is_first] = ports_.try_emplace(key_of(port));
    Ids& ids = place->second;
    if (!ids.one_by_one) return;
    constexpr std::uint64_t room_before = 0x1'0000;
    const std::uint64_t count = is_first ? room_before + id : counted_on(ids, id);
    // What was sent about the same time may be captured in another order, but not much later.
    constexpr std::uint64_t most_behind = 256;
    const bool far_behind = !is_first && count + most_behind < ids.latest;
    const bool again = ids.seen.add(count, count + 1) == 0;
    ids.latest = std::max(ids.latest, count);
    if (again || far_behind || ids.seen.ranges().size() > most_gaps) ids = {{}, 0, false};
}

bool GivenIds::has_all(const Port& port, std::uint16_t from, std::uint16_t to) const {
    const auto found = ports_.find(key_of(port));
    if (found == ports_.end() || !found->second.one_by_one) return false;
    const std::uint64_t last = counted_on(found->second, to);
    const auto count = static_cast<std::uint16_t>(to - from);
    return count < 0x8000 && found->second.seen.covers(last - count, last + 1);
}

}  // namespace fabricscope::engine::fibre_channel
