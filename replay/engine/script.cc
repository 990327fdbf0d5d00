// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/script.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

Script::Script(const Conversation& recorded, Side played, Pace pace)
    : recorded_(recorded), played_(played), pace_(pace), course_(recorded.messages.size()) {}

void Script::start(Time now) { start_ = now; }

std::optional<std::size_t> Script::expected(std::string_view lane, std::string_view name) const {
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        const Message& candidate = message(i);
        if (!course_[i].done && candidate.from != played_ && candidate.lane == lane && candidate.name == name) return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> Script::received(Time now, std::string_view lane, std::string_view name, ByteView octets) {
    const std::optional<std::size_t> found = expected(lane, name);
    if (!found) return std::nullopt;
    bindings_.learn(message(*found), octets);
    sent(now, *found);
    return found;
}

void Script::sent(Time now, std::size_t message) {
    course_[message] = {true, now};
    while (begun_ < course_.size() && course_[begun_].done) ++begun_;
}

template <class Visit> void Script::each_cause(std::size_t index, Visit visit) const {
    const Message& waiting = message(index);
    if (waiting.answers) visit(*waiting.answers);
    for (std::size_t i = waiting.answers ? begun_ : 0; i < index; ++i) {
        const Message& earlier = message(i);
        if (waiting.answers ? earlier.from == played_ && earlier.lane == waiting.lane
                            : earlier.from == played_ || !earlier.optional)
            visit(i);
    }
}

/// When the last of its causes happened; nothing if one has not.
std::optional<Time> Script::released(std::size_t index) const {
    Time latest = start_;
    bool all = true;
    each_cause(index, [&](std::size_t cause) {
        all = all && course_[cause].done;
        latest = std::max(latest, course_[cause].at);
    });
    return all ? std::optional(latest) : std::nullopt;
}

Time Script::due(std::size_t index, Time released) const {
    if (pace_.factor == 0) return released;
    Time cause = recorded_.messages.front().time;
    each_cause(index, [&](std::size_t i) { cause = std::max(cause, message(i).time); });
    const Time gap = std::max<Time>(message(index).time, cause) - cause;
    return released + static_cast<Time>(static_cast<double>(gap) * pace_.factor);
}

std::optional<std::size_t> Script::ready(Time now) const {
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        if (course_[i].done || message(i).from != played_) continue;
        const std::optional<Time> since = released(i);
        if (since && due(i, *since) <= now) return i;
    }
    return std::nullopt;
}

Time Script::wakeup() const {
    Time earliest = never;
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        if (course_[i].done || message(i).from != played_) continue;
        if (const std::optional<Time> since = released(i)) earliest = std::min(earliest, due(i, *since));
    }
    return earliest;
}

bool Script::over() const {
    for (std::size_t i = begun_; i < course_.size(); ++i)
        if (!course_[i].done && (message(i).from == played_ || !message(i).optional)) return false;
    return true;
}

std::string Script::waiting_for() const {
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        const Message& next = message(i);
        if (course_[i].done || (next.from != played_ && next.optional)) continue;
        return fmt::format("{} of the {} (recorded in frame {})", next.name, engine::name_of(next.from), next.frame);
    }
    return {};
}

}  // namespace fabricscope::replay
