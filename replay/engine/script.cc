// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/script.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

Script::Script(const Conversation& recorded, Side played, Pace pace)
    : recorded_(recorded), played_(played), pace_(pace), progress_(recorded.messages.size()) {
    for (std::size_t i = 0; i < progress_.size(); ++i) {
        to_come_[key_of(message(i))].push_back(i);
        if (message(i).from == played_ && message(i).answers) answers_.emplace(*message(i).answers, i);
    }
    if (!recorded.messages.empty()) settled_.recorded = recorded.messages.front().time;
    advance();
}

Script::Key Script::key_of(const Message& message) { return {message.from, message.channel, message.name}; }

void Script::start(Time now) { settled_.at = now; }

std::optional<std::size_t> Script::first_open(Side from, std::string_view channel, std::string_view name) const {
    const auto found = to_come_.find({from, channel, name});
    if (found == to_come_.end() || found->second.empty()) return std::nullopt;
    return found->second.front();
}

std::optional<std::size_t> Script::expected(std::string_view channel, std::string_view name) const {
    return first_open(engine::other(played_), channel, name);
}

std::optional<std::size_t> Script::received(
    Time now, std::string_view channel, std::string_view name, ByteView octets) {
    const std::optional<std::size_t> found = expected(channel, name);
    if (!found) return std::nullopt;
    bindings_.learn(message(*found), octets);
    sent(now, *found);
    return found;
}

std::optional<std::size_t> Script::sent(Time now, std::string_view channel, std::string_view name) {
    const std::optional<std::size_t> found = first_open(played_, channel, name);
    if (found) sent(now, *found);
    return found;
}

bool Script::has_to_send(std::string_view channel, bool (*counts)(std::string_view name)) const {
    for (auto same = to_come_.lower_bound({played_, channel, {}}); same != to_come_.end(); ++same) {
        const auto& [from, of, name] = same->first;
        if (from != played_ || of != channel) break;
        if (!same->second.empty() && counts(name)) return true;
    }
    return false;
}

/// The played side's answer to something that need not come.
bool Script::is_moot(std::size_t index) const {
    const std::optional<std::size_t>& cause = message(index).answers;
    return cause && message(*cause).optional && message(*cause).from != played_ && !progress_[*cause].done;
}

void Script::sent(Time now, std::size_t index) {
    progress_[index] = {true, now};
    std::deque<std::size_t>& same = to_come_[key_of(message(index))];
    if (const auto open = std::ranges::find(same, index); open != same.end()) same.erase(open);
    due_answers_.erase(index);
    const auto [first, last] = answers_.equal_range(index);
    for (auto answer = first; answer != last; ++answer)
        if (!progress_[answer->second].done) due_answers_.insert(answer->second);
    advance();
}

/// Passes what is done, and what is not waited for.
void Script::advance() {
    for (; next_ < progress_.size(); ++next_) {
        const bool waited_for = is_waited_for(next_);
        if (waited_for && !progress_[next_].done) return;
        if (!waited_for) continue;
        settled_.at = std::max(settled_.at, progress_[next_].at);
        settled_.recorded = std::max(settled_.recorded, message(next_).time);
    }
}

/// What the other side may do or not is not waited for, but for answers to what this side asked.
bool Script::is_waited_for(std::size_t index) const {
    const Message& awaited = message(index);
    const bool answer = awaited.answers && message(*awaited.answers).from == played_;
    return !is_moot(index) && (awaited.from == played_ || !awaited.optional || answer);
}

/// When it may go: nothing if something that it waits for has not happened.
std::optional<Time> Script::due(std::size_t index) const {
    Moment cause = settled_;
    if (const auto& question = message(index).answers) {
        cause = {progress_[*question].at, message(*question).time};
        const auto [first, last] = answers_.equal_range(*question);
        for (auto earlier = first; earlier != last && earlier->second != index; ++earlier) {
            const auto& [done, at] = progress_[earlier->second];
            if (!done) return std::nullopt;
            cause = {std::max(cause.at, at), std::max(cause.recorded, message(earlier->second).time)};
        }
    }
    const Time gap = std::max<Time>(message(index).time - cause.recorded, 0);
    return cause.at + static_cast<Time>(static_cast<double>(gap) * pace_.factor);
}

/// Answers whose question has come, in order, and what all that came before has been done for.
template <class Visit> void Script::each_candidate(Visit visit) const {
    for (const std::size_t answer : due_answers_) visit(answer);
    if (next_ < progress_.size() && message(next_).from == played_ && !message(next_).answers) visit(next_);
}

std::optional<std::size_t> Script::ready(Time now, const std::function<bool(std::size_t)>& may_send) const {
    std::optional<std::size_t> found;
    each_candidate([&](std::size_t index) {
        const std::optional<Time> time = due(index);
        if (time && *time <= now && (!found || index < *found) && may_send(index)) found = index;
    });
    return found;
}

Time Script::wakeup(Time after) const {
    Time earliest = never;
    each_candidate([&](std::size_t index) {
        const Time time = due(index).value_or(never);
        if (time > after) earliest = std::min(earliest, time);
    });
    return earliest;
}

bool Script::over() const { return next_ == progress_.size() && due_answers_.empty(); }

std::string Script::waiting_for() const {
    if (over()) return {};
    const Message& next = message(next_ < progress_.size() ? next_ : *due_answers_.begin());
    return fmt::format("{} of the {} (recorded in frame {})", next.name, engine::name_of(next.from), next.frame);
}

}  // namespace fabricscope::replay
