// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/given_ids.h"

#include <algorithm>

namespace fabricscope::engine::fibre_channel {

/// The number nearest to the latest one.
std::uint64_t GivenIds::Ids::counted_on(std::uint16_t id) const {
    const auto ahead = static_cast<std::int16_t>(id - static_cast<std::uint16_t>(latest));
    return latest + static_cast<std::uint64_t>(std::int64_t{ahead});
}

void GivenIds::Ids::note(std::uint16_t id) {
    if (!one_by_one) return;
    constexpr std::uint64_t room_before = 0x1'0000;
    const bool is_first = seen.ranges().empty();
    const std::uint64_t count = is_first ? room_before + id : counted_on(id);
    // What was sent about the same time may be captured in another order, but not much later.
    constexpr std::uint64_t most_behind = 64;
    const bool far_behind = !is_first && count + most_behind < latest;
    const bool again = seen.add(count, count + 1) == 0;
    latest = std::max(latest, count);
    if (again || far_behind || seen.ranges().size() > most_gaps) *this = {{}, 0, false};
}

/// One number alone does not show that the port counts.
bool GivenIds::Ids::has_all(std::uint16_t from, std::uint16_t to) const {
    const auto& runs = seen.ranges();
    const bool are_several = runs.size() > 1 || (!runs.empty() && runs.front().end - runs.front().begin > 1);
    if (!one_by_one || !are_several) return false;
    const std::uint64_t last = counted_on(to);
    const auto count = static_cast<std::uint16_t>(to - from);
    return count < 0x8000 && seen.covers(last - count, last + 1);
}

void GivenIds::note(const Port& port, Party as, std::uint16_t id) {
    if (ports_.size() >= most_ports && !ports_.contains(key_of(port))) return;
    PortIds& ids = ports_[key_of(port)];
    if (as == Party::originator) ids.ox_ids.note(id);
    ids.all.note(id);
}

bool GivenIds::has_all(const Port& port, std::uint16_t from, std::uint16_t to) const {
    const auto found = ports_.find(key_of(port));
    return found != ports_.end() && (found->second.ox_ids.has_all(from, to) || found->second.all.has_all(from, to));
}

bool GivenIds::has_all_of_both(const Port& port, std::uint16_t from, std::uint16_t to) const {
    const auto found = ports_.find(key_of(port));
    return found != ports_.end() && found->second.all.has_all(from, to);
}

}  // namespace fabricscope::engine::fibre_channel
