// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "replay/engine/bindings.h"
#include "replay/engine/field_values.h"

namespace fabricscope::replay {

namespace {

using Indices = std::vector<std::size_t>;

/// Above this many cells the longest common subsequence costs too much; then messages pair in order of their names.
constexpr std::size_t most_cells = 4'000'000;

/// Channel and sender. What may come at any time, or not at all, is in no order with the rest.
using Track = std::tuple<std::string_view, Side, bool>;

/// Of recorded messages: those of the run.
using Partners = std::vector<std::optional<std::size_t>>;

/// Of the messages that `counts` has.
template <class Counts> std::map<Track, Indices> tracks_of(const std::vector<Message>& messages, Counts counts) {
    std::map<Track, Indices> tracks;
    for (std::size_t i = 0; i < messages.size(); ++i)
        if (counts(i)) tracks[{messages[i].channel, messages[i].from, messages[i].optional}].push_back(i);
    return tracks;
}

class Comparer {
public:
    Comparer(const Conversation& recorded, const Conversation& actual, std::optional<Side> played)
        : recorded_(recorded), actual_(actual), played_(played) {}

    Comparison run() {
        pair_messages();
        for (Pairing& pair : result_.pairs) compare_pair(pair);
        compare_streams();
        compare_facts();
        compare_findings();
        tell_causes();
        return std::move(result_);
    }

private:
    const std::string& name(const Conversation& conversation, std::size_t index) const {
        return conversation.messages[index].name;
    }

    // ---- which message is which ----

    void pair_messages() {
        Partners partner(recorded_.messages.size());
        std::vector<bool> paired(actual_.messages.size());
        const auto mark = [&] {
            for (const auto& index : partner)
                if (index) paired[*index] = true;
        };
        pair_played(partner);
        pair_answers(partner);
        mark();
        std::map<Track, Indices> actual = tracks_of(actual_.messages, [&](std::size_t i) { return !paired[i]; });
        for (const auto& [track, recorded] : tracks_of(recorded_.messages, [&](std::size_t i) { return !partner[i]; }))
            pair_track(recorded, actual[track], partner);
        mark();
        merge(partner, paired);
    }

    /// What is played comes octet for octet as it was recorded, unless it has a name of the other side in it. Its
    /// answers may have overtaken its requests.
    void pair_played(Partners& partner) const {
        std::map<std::tuple<std::string_view, std::string_view, Octets>, std::deque<std::size_t>> said;
        const auto key = [](const Message& message) {
            return std::tuple(std::string_view(message.channel), std::string_view(message.name), message.octets);
        };
        for (std::size_t i = 0; i < actual_.messages.size(); ++i)
            if (actual_.messages[i].from == played_) said[key(actual_.messages[i])].push_back(i);
        for (std::size_t i = 0; i < partner.size(); ++i)
            if (recorded_.messages[i].from == played_) partner[i] = take_first(said, key(recorded_.messages[i]));
    }

    /// An answer stands beside the answer to the same request.
    void pair_answers(Partners& partner) const {
        std::map<std::pair<std::size_t, std::string_view>, std::deque<std::size_t>> answers;
        for (std::size_t i = 0; i < actual_.messages.size(); ++i)
            if (const auto& request = actual_.messages[i].answers) answers[{*request, name(actual_, i)}].push_back(i);
        for (std::size_t i = 0; i < partner.size(); ++i)
            if (const auto& request = recorded_.messages[i].answers; request && !partner[i] && partner[*request])
                partner[i] = take_first(answers, {*partner[*request], name(recorded_, i)});
    }

    template <class Waiting>
    static std::optional<std::size_t> take_first(Waiting& waiting, const typename Waiting::key_type& key) {
        const auto found = waiting.find(key);
        if (found == waiting.end() || found->second.empty()) return std::nullopt;
        const std::size_t first = found->second.front();
        found->second.pop_front();
        return first;
    }

    /// The longest common subsequence of names: first what is alike from the beginning.
    void pair_track(const Indices& recorded, const Indices& actual, Partners& partner) {
        std::size_t equal = 0;
        for (; equal < std::min(recorded.size(), actual.size()); ++equal) {
            if (name(recorded_, recorded[equal]) != name(actual_, actual[equal])) break;
            partner[recorded[equal]] = actual[equal];
        }
        const auto behind = static_cast<std::ptrdiff_t>(equal);
        pair_rest(
            Indices(recorded.begin() + behind, recorded.end()), Indices(actual.begin() + behind, actual.end()),
            partner);
    }

    void pair_rest(const Indices& recorded, const Indices& actual, Partners& partner) {
        if (recorded.size() * actual.size() > most_cells) return pair_in_order(recorded, actual, partner);
        const std::size_t width = actual.size() + 1;
        std::vector<std::uint32_t> length((recorded.size() + 1) * width);
        for (std::size_t i = recorded.size(); i-- > 0;)
            for (std::size_t j = actual.size(); j-- > 0;)
                length[i * width + j] = name(recorded_, recorded[i]) == name(actual_, actual[j])
                                            ? length[(i + 1) * width + j + 1] + 1
                                            : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
        for (std::size_t i = 0, j = 0; i < recorded.size() && j < actual.size();) {
            if (name(recorded_, recorded[i]) == name(actual_, actual[j])) partner[recorded[i++]] = actual[j++];
            else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) ++i;
            else ++j;
        }
    }

    void pair_in_order(const Indices& recorded, const Indices& actual, Partners& partner) {
        std::map<std::string_view, std::vector<std::size_t>> waiting;
        for (const std::size_t index : actual) waiting[name(actual_, index)].push_back(index);
        std::map<std::string_view, std::size_t> taken;
        for (const std::size_t index : recorded) {
            const Indices& same = waiting[name(recorded_, index)];
            std::size_t& next = taken[name(recorded_, index)];
            if (next < same.size()) partner[index] = same[next++];
        }
    }

    /// In order of the recording; what only this run has follows what it came after.
    void merge(const Partners& partner, const std::vector<bool>& paired) {
        std::size_t next = 0;
        const auto only_actual_before = [&](std::size_t end) {
            for (; next < end; ++next)
                if (!paired[next]) result_.pairs.push_back({std::nullopt, next});
        };
        for (std::size_t i = 0; i < partner.size(); ++i) {
            if (partner[i]) only_actual_before(*partner[i]);
            result_.pairs.push_back({i, partner[i]});
        }
        only_actual_before(paired.size());
    }

    // ---- messages ----

    void compare_pair(Pairing& pair) {
        if (!pair.actual) return missing(pair);
        if (!pair.recorded) return unexpected(pair);
        const Message& recorded = recorded_.messages[*pair.recorded];
        const Message& actual = actual_.messages[*pair.actual];
        if (recorded.from != played_) {
            compare_fields(pair, recorded, actual);
            compare_time(pair, recorded, actual);
        }
        bindings_.learn(recorded, actual.octets);
        latest_ = std::max(latest_.value_or(actual.time), actual.time);
    }

    /// Of a message with a time limit: since the one before it, whoever sent that.
    void compare_time(Pairing& pair, const Message& recorded, const Message& actual) {
        const auto limit = std::ranges::find(recorded.tolerances, time_field, &Tolerance::field);
        if (limit == recorded.tolerances.end() || !latest_) return;
        const auto took = static_cast<std::uint64_t>(std::max<Time>(actual.time - *latest_, 0));
        if (took <= *limit->high) return;
        pair.differs = true;
        const auto text = [](std::uint64_t time) {
            return fmt::format("{:.3f} ms", static_cast<double>(time) / static_cast<double>(capture::millisecond));
        };
        add(Level::exact, recorded, time_field, "within " + text(*limit->high), text(took), recorded.frame,
            actual.frame);
    }

    /// Whether another value of the field than the recorded one will do as well.
    static bool tolerates(const Message& recorded, const FieldAt& field, const Value& value) {
        if (recorded.tolerances.empty()) return false;
        for (const auto& [name, at] : named(fields_of(recorded, recorded.octets))) {
            if (!same_place(at, field) || at.offset != field.offset) continue;
            const auto given = std::ranges::find(recorded.tolerances, name, &Tolerance::field);
            if (given == recorded.tolerances.end()) return false;
            return !given->low ||
                   (is_number(field) && *given->low <= number_of(value) && number_of(value) <= *given->high);
        }
        return false;
    }

    void missing(Pairing& pair) {
        const Message& message = recorded_.messages[*pair.recorded];
        // What could not be played because the other side stopped is no difference of its own.
        if (message.from == played_) return;
        pair.differs = !message.optional;
        add(message.optional ? Level::policy : Level::exact, message, "", "sent", "not sent", message.frame, 0);
    }

    void unexpected(Pairing& pair) {
        const Message& message = actual_.messages[*pair.actual];
        if (message.from == played_) return;
        const bool policy = message.optional || may_be_lacking(message);
        pair.differs = !policy;
        add(policy ? Level::policy : Level::exact, message, "", "not sent", "sent", 0, message.frame);
    }

    /// Whether such a message may have been there when it was recorded.
    bool may_be_lacking(const Message& message) const {
        return std::ranges::any_of(recorded_.causes, [&](const Cause& cause) {
            return cause.not_captured && is_about(cause, message.channel, message.name);
        });
    }

    void compare_fields(Pairing& pair, const Message& recorded, const Message& actual) {
        const std::vector<FieldAt> before = fields_of(recorded, recorded.octets);
        std::vector<FieldAt> now = with_names(actual.format->fields_of(actual.octets), recorded.embedded);
        for (const FieldAt& field : before) {
            const auto same = std::ranges::find_if(now, [&](const FieldAt& other) { return same_place(other, field); });
            if (same == now.end()) {
                compare_field(pair, recorded, actual, field, &field, nullptr);
                continue;
            }
            compare_field(pair, recorded, actual, field, &field, &*same);
            now.erase(same);
        }
        for (const FieldAt& field : now) compare_field(pair, recorded, actual, field, nullptr, &field);
    }

    /// `before` and `now`: the field where it stands in the messages; nullptr: this message does not have it.
    void compare_field(
        Pairing& pair, const Message& recorded, const Message& actual, const FieldAt& field, const FieldAt* before,
        const FieldAt* now) {
        const FieldRule rule = rule_of(recorded, field);
        if (rule.treatment == Treatment::ignored) return;
        const Value was = before != nullptr ? value_of(recorded.octets, *before) : Value{};
        const Value is = now != nullptr ? value_of(actual.octets, *now) : Value{};
        std::string expected = before != nullptr ? text_of(field, was) : "not there";
        if (before != nullptr && now != nullptr) {
            if (rule.treatment == Treatment::introduces) return;
            const std::string kind = kind_of(rule, recorded);
            const Value* bound = rule.treatment == Treatment::refers
                                     ? bindings_.find(kind, owner_of(rule, recorded.from), was)
                                     : nullptr;
            if (is == (bound != nullptr ? *bound : was)) return;
            // The first reference to a name that was not introduced binds it, unless this run's is another one's.
            const bool first = rule.treatment == Treatment::refers && bound == nullptr;
            if (first && !bindings_.stands_for_any(kind, owner_of(rule, recorded.from), is)) return;
            if (bound != nullptr) expected = fmt::format("{}, here {}", expected, text_of(field, *bound));
        }
        if (before != nullptr && now != nullptr && tolerates(recorded, *before, is)) return;
        const bool policy = rule.treatment == Treatment::policy;
        pair.differs = pair.differs || !policy;
        add(policy ? Level::policy : Level::exact, recorded, field.name(), std::move(expected),
            now != nullptr ? text_of(*now, is) : "not there", recorded.frame, actual.frame,
            field.clause() != nullptr ? field.clause() : recorded.format->clause);
    }

    void add(
        Level level, const Message& message, std::string field, std::string recorded, std::string actual,
        std::uint64_t recorded_frame, std::uint64_t actual_frame, const char* clause = nullptr) {
        result_.differences.push_back(
            {level, message.channel, message.name, std::move(field), std::move(recorded), std::move(actual),
             recorded_frame, actual_frame, clause != nullptr ? clause : message.format->clause});
    }

    // ---- data and states ----

    void compare_streams() {
        for (const Stream& recorded : recorded_.streams) {
            const auto actual = std::ranges::find_if(actual_.streams, [&](const Stream& stream) {
                return stream.name == recorded.name && stream.from == recorded.from;
            });
            if (actual == actual_.streams.end()) {
                if (!recorded.octets.empty()) stream_differs(recorded, "none", 0);
            } else {
                compare_stream(recorded, *actual);
            }
        }
    }

    void compare_stream(const Stream& recorded, const Stream& actual) {
        // Octets that are not compared are taken from the run.
        Octets expected = recorded.octets;
        for (const auto& [begin, end] : recorded.ignored)
            for (std::size_t i = begin; i < std::min({end, expected.size(), actual.octets.size()}); ++i)
                expected[i] = actual.octets[i];
        const auto [at, other] = std::ranges::mismatch(expected, actual.octets);
        const auto position = static_cast<std::size_t>(at - expected.begin());
        if (at == expected.end() && other == actual.octets.end()) return;
        if (at == expected.end() || other == actual.octets.end())
            return stream_differs(recorded, fmt::format("{} bytes", actual.octets.size()), actual.octets.size());
        stream_differs(recorded, fmt::format("another byte at position {}: 0x{:02x}", position, *other), position);
    }

    void stream_differs(const Stream& recorded, std::string actual, std::size_t position) {
        std::string text = fmt::format("{} bytes", recorded.octets.size());
        if (position < recorded.octets.size()) text += fmt::format(", 0x{:02x} there", recorded.octets[position]);
        if (recorded.missing != 0) text += fmt::format(" ({} of them not captured)", recorded.missing);
        // Octets that the capture does not have cannot differ.
        const Level level = recorded.missing != 0 ? Level::policy : Level::semantic;
        result_.differences.push_back(
            {level, recorded.name, "", fmt::format("data of the {}", engine::name_of(recorded.from)), std::move(text),
             std::move(actual), 0, 0, ""});
    }

    void compare_facts() {
        std::map<std::pair<std::string_view, std::string_view>, std::string_view> values;  // of this run
        for (const Fact& fact : actual_.facts) values.try_emplace({fact.about, fact.name}, fact.value);
        for (const Fact& recorded : recorded_.facts) {
            if (recorded.value == Fact::unknown) continue;
            const auto actual = values.find({recorded.about, recorded.name});
            const std::string value(actual == values.end() ? "none" : actual->second);
            if (value == recorded.value) continue;
            result_.differences.push_back(
                {recorded.policy ? Level::policy : Level::semantic, recorded.about, "", recorded.name, recorded.value,
                 value, 0, 0, ""});
        }
    }

    static bool is_about(const Cause& cause, const std::string& where, const std::string& what) {
        return (cause.about.empty() || cause.about == where) &&
               (cause.only.empty() || what.find(cause.only) != std::string::npos);
    }

    /// What a recording has and no run repeats is told with all that differs because of it.
    void tell_causes() {
        for (Difference& difference : result_.differences) {
            const auto leads_to = [&](const Cause& cause) {
                const std::string& what = difference.message.empty() ? difference.field : difference.message;
                return is_about(cause, difference.where, what) &&
                       (difference.recorded_frame == 0 || difference.recorded_frame >= cause.frame);
            };
            const auto cause = std::ranges::find_if(recorded_.causes, leads_to);
            if (cause != recorded_.causes.end()) difference.cause = cause->text;
        }
    }

    void compare_findings() {
        for (const engine::Finding& finding : actual_.findings) {
            const bool known = std::ranges::any_of(
                recorded_.findings, [&](const engine::Finding& other) { return other.rule == finding.rule; });
            if (!known) result_.broken.push_back(finding);
        }
    }

    const Conversation& recorded_;
    const Conversation& actual_;
    std::optional<Side> played_;
    Bindings bindings_;
    std::optional<Time> latest_;  ///< when the message before came, in the run
    Comparison result_;
};

}  // namespace

const char* name_of(Level level) {
    switch (level) {
        case Level::exact: return "exact";
        case Level::semantic: return "semantic";
        case Level::policy: break;
    }
    return "policy";
}

std::string title_of(const Difference& difference) {
    std::string text = difference.where;
    if (!difference.message.empty()) text += ": " + difference.message;
    if (!difference.field.empty()) text += (difference.message.empty() ? ": " : ", ") + difference.field;
    return text;
}

bool Comparison::same() const {
    return std::ranges::all_of(differences, [](const Difference& d) { return d.level == Level::policy; }) &&
           std::ranges::none_of(
               broken, [](const engine::Finding& f) { return f.rule->severity == engine::Severity::error; });
}

Comparison compare(const Conversation& recorded, const Conversation& actual, std::optional<Side> played) {
    return Comparer(recorded, actual, played).run();
}

}  // namespace fabricscope::replay
