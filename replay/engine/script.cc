// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/script.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

Script::Script(const Conversation& recorded, Side played, Pace pace)
    : recorded_(recorded), played_(played), pace_(pace), course_(recorded.messages.size()) {}

void Script::start(Time now) { start_ = now; }

std::optional<std::size_t> Script::first_open(Side from, std::string_view lane, std::string_view name) const {
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        const Message& candidate = message(i);
        if (!course_[i].done && candidate.from == from && candidate.lane == lane && candidate.name == name) return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> Script::expected(std::string_view lane, std::string_view name) const {
    return first_open(engine::other(played_), lane, name);
}

std::optional<std::size_t> Script::received(Time now, std::string_view lane, std::string_view name, ByteView octets) {
    const std::optional<std::size_t> found = expected(lane, name);
    if (!found) return std::nullopt;
    bindings_.learn(message(*found), octets);
    sent(now, *found);
    return found;
}

std::optional<std::size_t> Script::sent(Time now, std::string_view lane, std::string_view name) {
    const std::optional<std::size_t> found = first_open(played_, lane, name);
    if (found) sent(now, *found);
    return found;
}

/// The played side's answer to something that need not come.
bool Script::is_moot(std::size_t index) const {
    const std::optional<std::size_t>& cause = message(index).answers;
    return cause && message(*cause).optional && message(*cause).from != played_ && !course_[*cause].done;
}

void Script::sent(Time now, std::size_t message) {
    course_[message] = {true, now};
    while (begun_ < course_.size() && course_[begun_].done) ++begun_;
}

template <class Visit> void Script::each_cause(std::size_t index, Visit visit) const {
    const Message& waiting = message(index);
    if (waiting.answers) visit(*waiting.answers);
    for (std::size_t i = waiting.answers ? *waiting.answers + 1 : 0; i < index; ++i) {
        const bool same_cause = message(i).from == played_ && message(i).answers == waiting.answers;
        if (is_waited_for(i) && (!waiting.answers || same_cause)) visit(i);
    }
}

/// What the other side may do or not is not waited for, but for answers to what this side asked.
bool Script::is_waited_for(std::size_t index) const {
    const Message& awaited = message(index);
    const bool answer = awaited.answers && message(*awaited.answers).from == played_;
    return !is_moot(index) && (awaited.from == played_ || !awaited.optional || answer);
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

/// The first message that has to come or go before all that is no answer.
std::size_t Script::first_awaited() const {
    std::size_t i = begun_;
    while (i < course_.size() && (course_[i].done || !is_waited_for(i))) ++i;
    return i;
}

template <class Visit> void Script::each_released(Visit visit) const {
    const std::size_t barrier = first_awaited();
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        if (course_[i].done || message(i).from != played_ || (i > barrier && !message(i).answers)) continue;
        const std::optional<Time> since = released(i);
        if (since && visit(i, due(i, *since))) return;
    }
}

std::optional<std::size_t> Script::ready(Time now, const std::function<bool(std::size_t)>& may_send) const {
    std::optional<std::size_t> found;
    each_released([&](std::size_t index, Time at) {
        if (at <= now && may_send(index)) found = index;
        return found.has_value();
    });
    return found;
}

Time Script::wakeup() const {
    Time earliest = never;
    each_released([&](std::size_t, Time at) {
        earliest = std::min(earliest, at);
        return false;
    });
    return earliest;
}

bool Script::over() const {
    for (std::size_t i = begun_; i < course_.size(); ++i)
        if (!course_[i].done && is_waited_for(i)) return false;
    return true;
}

std::string Script::waiting_for() const {
    for (std::size_t i = begun_; i < course_.size(); ++i) {
        const Message& next = message(i);
        if (course_[i].done || !is_waited_for(i)) continue;
        return fmt::format("{} of the {} (recorded in frame {})", next.name, engine::name_of(next.from), next.frame);
    }
    return {};
}

}  // namespace fabricscope::replay
