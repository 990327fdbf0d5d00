// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/variants/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "analyzer/engine/engine.h"
#include "analyzer/report/json.h"

namespace fabricscope::variants {
namespace {

using nlohmann::json;

bool is_among(std::string_view key, std::span<const std::string_view> keys) {
    return std::ranges::find(keys, key) != keys.end();
}

/// Numbers that a list gives, not a message; how far things had got, of which the latest may not have been seen; and
/// how times are spread, which is another with fewer of them.
bool is_not_compared(std::string_view key) {
    static constexpr std::array<std::string_view, 26> keys{
        "id",
        "replaces",
        "connection",
        "connections",
        "link_group",
        "region",
        "rmb",
        "first_frame",
        "last_frame",
        "first_time",
        "last_time",
        "first",
        "last",
        "first_data",
        "last_data",
        "wraps",
        "sequence_count",
        "producer",
        "consumer",
        "initiative",
        "session",
        "p50",
        "p99",
        "max",
        "expected_message",
        "expected_seq_cnt"};
    return is_among(key, keys);
}

/// What becomes of a session, and what a capture that ends before cannot hold.
bool is_progress(std::string_view key) {
    static constexpr std::array<std::string_view, 4> keys{"state", "outcome", "close", "deleted"};
    return is_among(key, keys);
}

/// States that mean "as far as was seen", in the order in which one comes after the other.
struct Course {
    std::string_view where;
    std::array<std::string_view, 6> states;
};
constexpr std::array courses{
    Course{"fc.exchanges.state", {"open", "closed", "aborted"}},
    Course{"fc.logins.state", {"midstream", "requested", "accepted", "logged-out"}},
    Course{"fcvi.connections.close", {"open", "half", "closed"}},
    Course{
        "fcvi.connections.client_end.state",
        {"pending connect", "pending connect retry", "connected", "error", "idle"}},
    Course{
        "fcvi.connections.server_end.state",
        {"pending connect", "pending connect retry", "connected", "error", "idle"}},
    Course{"fcvi.messages.state", {"open", "incomplete", "open", "complete", "aborted", "failed"}},
    Course{"fc_ae_rdma.messages.state", {"open", "complete", "aborted", "failed"}},
    Course{"rdma.streams.learned", {"acknowledgments", "smcr", "cm"}},
    Course{"rdma.streams.end", {"open", "disconnected", "unknown", "nak", "retries-exhausted"}},
};

bool came_less_far(std::string_view where, const json& whole, const json& part) {
    const auto course = std::ranges::find(courses, where, &Course::where);
    if (course == courses.end() || !whole.is_string() || !part.is_string()) return false;
    const auto of_part = std::ranges::find(course->states, part.get<std::string_view>());
    return std::ranges::find(of_part, course->states.end(), whole.get<std::string_view>()) != course->states.end();
}

/// How much of something was seen.
bool is_count(std::string_view key) {
    static constexpr std::array<std::string_view, 55> keys{
        "bytes",
        "bytes_announced",
        "bytes_written",
        "bytes_acknowledged",
        "bytes_replayed",
        "writes",
        "reads",
        "sends",
        "atomics",
        "acks",
        "naks",
        "rnr_naks",
        "unheeded_naks",
        "cdcs",
        "failover_cdcs",
        "peak_in_flight",
        "count",
        "total",
        "longest",
        "urgent",
        "retransmissions",
        "packets",
        "llc_exchange_count",
        "message_count",
        "req_transmissions",
        "rep_transmissions",
        "dreq_transmissions",
        "frames",
        "sequences",
        "repeated",
        "repeated_frames",
        "busies",
        "requests",
        "iu_count",
        "messages",
        "incomplete_sequences",
        "responses",
        "failed_responses",
        "lost",
        "nak",
        "rnr",
        "implied",
        "timeout",
        "timeouts",
        "longest_timeout",
        "rnr_waited",
        "duplicate_requests",
        "out_of_order",
        "cnps",
        "ce_marked",
        "icrcs_checked",
        "wrong_icrcs",
        "end",
        "read_bytes",
        "written_bytes"};
    return is_among(key, keys);
}

/// What only something missing makes true, or more. Annex B of FC-VI counts what the receiver would have missed, had it
/// seen no more than the capture.
bool tells_of_missing(std::string_view key) {
    static constexpr std::array<std::string_view, 17> keys{"midstream",      "half",
                                                           "truncated",      "rmbe_size_inferred",
                                                           "missing",        "missing_frames",
                                                           "missing_bytes",  "incomplete_sequences",
                                                           "trouble",        "late_frames",
                                                           "late_messages",  "missing_messages",
                                                           "message_errors", "handle_error_frame",
                                                           "not_captured",   "unseen",
                                                           "unanswered"};
    return is_among(key, keys);
}

bool says_unknown(const json& value) { return value.is_null() || value == "unknown" || value == ""; }

/// How much of two records is equal: records that share most are the same thing.
std::size_t best_likeness(const json& list, const json& record);

/// What keeps its frame numbers begins within that which it is a part of.
bool begins_outside(const json& part, const json& whole) {
    const auto first = part.find("first_frame");
    if (first == part.end() || !first->is_number()) return false;
    const auto begin = whole.find("first_frame"), end = whole.find("last_frame");
    return (begin != whole.end() && *first < *begin) || (end != whole.end() && *first > *end);
}

/// Where records say who or what they are: those that differ there are not the same thing.
bool are_told_apart(const json& a, const json& b) {
    static const std::array identities{
        json::json_pointer("/client"),     json::json_pointer("/server"),
        json::json_pointer("/originator"), json::json_pointer("/originator_parameters/port_name"),
        json::json_pointer("/responder"),  json::json_pointer("/ox_id"),
        json::json_pointer("/command"),    json::json_pointer("/lun"),
        json::json_pointer("/a"),          json::json_pointer("/b"),
        json::json_pointer("/owner")};
    return std::ranges::any_of(identities, [&](const json::json_pointer& where) {
        if (!a.contains(where) || !b.contains(where)) return false;
        const json &of_a = a[where], &of_b = b[where];
        const bool names = !of_a.is_null() && !of_b.is_null() && !of_a.is_structured() && !of_a.is_number_float();
        return names && of_a != of_b;
    });
}

std::size_t likeness(const json& a, const json& b) {
    if (a.type() != b.type() && !(a.is_number() && b.is_number())) return 0;
    if (a.is_array())
        return std::accumulate(a.begin(), a.end(), std::size_t{0}, [&](std::size_t sum, const json& element) {
            return sum + best_likeness(b, element);
        });
    if (a.is_object() && are_told_apart(a, b)) return 0;
    if (!a.is_object()) return !a.is_null() && !a.is_boolean() && a == b ? 1 : 0;
    std::size_t sum = 0;
    for (const auto& [key, value] : a.items())
        if (const auto found = b.find(key); found != b.end() && key != "id") sum += likeness(value, *found);
    return sum;
}

std::size_t best_likeness(const json& list, const json& record) {
    std::size_t best = 0;
    for (const json& candidate : list) best = std::max(best, likeness(record, candidate));
    return best;
}

class Comparison {
public:
    Comparison(bool same_times, bool to_the_end) : same_times_(same_times), to_the_end_(to_the_end) {}

    std::vector<Difference> found;

    void compare_lists(const std::string& where, const json& whole, const json& part) {
        constexpr std::size_t most = 400;  // more take too long to be matched
        if (whole.size() > most || part.size() > most) return;
        if (!part.empty() && !part.front().is_object()) return;
        std::vector<const json*> left;
        for (const json& record : whole) left.push_back(&record);
        for (const json& record : part) {
            if (began_before(record)) continue;  // nothing tells for certain what it is a part of
            const auto like = [&](const json* of) {
                return same_times_ && begins_outside(record, *of) ? 0 : likeness(record, *of);
            };
            const auto best = std::ranges::max_element(left, {}, like);
            if (best == left.end() || like(*best) == 0) {
                tell(where, "new: " + record.dump());
                continue;
            }
            compare(where, **best, record);
            if (!is_half(record)) left.erase(best);
        }
    }

private:
    /// A queue pair of which nothing tells who answers it.
    static bool is_half(const json& record) {
        return record.contains("a_qpn") && (record["a_qpn"].is_null() || record["b_qpn"].is_null());
    }

    static bool began_before(const json& record) {
        return record.value("midstream", false) || record.value("began_before", false) ||
               !record.value("from_start", true) || record.value("state", json()) == "midstream";
    }

    void tell(const std::string& where, std::string text) { found.push_back({where, std::move(text)}); }

    void compare(const std::string& where, const json& whole, const json& part) {
        for (const auto& [key, value] : part.items()) {
            const auto of_whole = whole.find(key);
            if (of_whole == whole.end() || is_not_compared(key)) continue;
            const std::string inside = where + '.' + key;
            if (!same_times_ && key.ends_with("frames")) continue;
            if (value.is_object() && of_whole->is_object()) compare(inside, *of_whole, value);
            else if (value.is_array() && of_whole->is_array()) compare_lists(inside, *of_whole, value);
            else if (!agrees(key, *of_whole, value) && !came_less_far(inside, *of_whole, value))
                tell(inside, of_whole->dump() + " -> " + value.dump());
        }
    }

    bool agrees(std::string_view key, const json& whole, const json& part) const {
        if (is_progress(key) && !to_the_end_) return true;
        if (!same_times_ && (part.is_number_float() || key.ends_with("frame"))) return true;
        if (says_unknown(part) || part == whole || tells_of_missing(key)) return true;
        if (part.is_boolean()) return !part.get<bool>();
        return part.is_number() && whole.is_number() && is_count(key) && part <= whole;
    }

    bool same_times_, to_the_end_;
};

struct Section {
    const char* protocol;
    const char* list;
};
constexpr Section sections[] = {{"smcr", "connections"},    {"smcr", "link_groups"},  {"rdma_cm", "connections"},
                                {"rdma", "streams"},        {"fc", "exchanges"},      {"fc", "logins"},
                                {"fc", "addresses"},        {"fcvi", "connections"},  {"fcvi", "messages"},
                                {"fc_ae_rdma", "messages"}, {"fc_ae_rdma", "regions"}};

/// Which of two ends comes first depends on whose frame was seen first; here it is the one with the lower address.
void swap_ends(json& stream) {
    const auto end = [&](const char* address, const char* qpn) { return std::pair(stream[address], stream[qpn]); };
    if (end("a", "a_qpn") <= end("b", "b_qpn")) return;
    std::swap(stream["a"], stream["b"]);
    std::swap(stream["a_qpn"], stream["b_qpn"]);
    std::swap(stream["a_to_b"], stream["b_to_a"]);
}

/// Client is whose frame was seen first, if the set-up was not: the port tells more.
void name_sender(json& message, const json& connections) {
    for (const json& connection : connections)
        if (connection["id"] == message["connection"]) message["from"] = connection[message["from"]];
}

}  // namespace

json sessions_of(const engine::Engine& engine, capture::Time start) {
    engine::CaptureSummary capture = engine.capture();
    capture.start = start;
    std::ostringstream text;
    report::write_json(
        text, {.files = {}, .problems = {}, .capture = capture, .models = engine.models(), .findings = {}}, false);
    json sessions = json::parse(text.str());
    for (json& stream : sessions["rdma"]["streams"]) swap_ends(stream);
    for (json& message : sessions["fcvi"]["messages"]) name_sender(message, sessions["fcvi"]["connections"]);
    return sessions;
}

std::vector<Difference> differences(const json& whole, const json& part, bool same_times, bool to_the_end) {
    Comparison comparison(same_times, to_the_end);
    for (const auto& [protocol, list] : sections)
        comparison.compare_lists(fmt::format("{}.{}", protocol, list), whole[protocol][list], part[protocol][list]);
    return std::move(comparison.found);
}

}  // namespace fabricscope::variants
