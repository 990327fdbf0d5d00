// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "analyzer/engine/part_table.h"
#include "analyzer/observations/capture.h"
#include "analyzer/report/document.h"
#include "analyzer/report/joined_output.h"
#include "analyzer/report/joining.h"
#include "analyzer/report/json.h"
#include "analyzer/report/sqlite.h"

namespace fabricscope::report {
namespace {

using namespace joining;
using observations::Observation;

// ---- the parts -------------------------------------------------------------------------------------

constexpr std::uint64_t most_parts = std::uint64_t{std::numeric_limits<engine::PartTable::Part>::max()} + 1;

/// JSON's lists and objects inside each other. What goes through them calls itself.
constexpr std::size_t most_nesting = 64;

std::size_t nesting_of(std::string_view json) {
    std::size_t depth = 0, deepest = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (in_text && json[i] == '\\') ++i;
        else if (json[i] == '"') in_text = !in_text;
        else if (in_text) continue;
        else if (json[i] == '[' || json[i] == '{') deepest = std::max(deepest, ++depth);
        else if ((json[i] == ']' || json[i] == '}') && depth != 0) --depth;
    }
    return deepest;
}

/// A result while it is read.
struct Part {
    ResultLines lines;
    ResultLines::Member member{};
    std::string run;
    std::uint64_t number = 0, of = 0;
    TurningUpByPrefix sessions{};
    std::map<std::string, std::string> options{};  ///< that shape it, and their values

    explicit Part(const std::string& path) : lines(path) {}

    /// The place in the list that its member is has been reached.
    std::optional<ordered_json> element() {
        if (member.kind != ResultLines::Kind::list) return std::nullopt;
        const std::optional<std::string> text = lines.element();
        if (!text) member.kind = ResultLines::Kind::end;
        return text ? std::optional(parsed(*text)) : std::nullopt;
    }

    ordered_json parsed(const std::string& text) const {
        if (nesting_of(text) > most_nesting) lines.refuse();
        ordered_json json = ordered_json::parse(text, nullptr, false);
        if (json.is_discarded()) lines.refuse();
        return json;
    }

    void take_header() {
        const std::optional<ordered_json> header = element();
        if (!header || element()) lines.refuse();
        run = header->at("run");
        number = header->at("number");
        of = header->at("of");
        for (const ordered_json& numbering : header->at("numbering"))
            sessions[numbering.at("prefix")] = {numbering.at("frames"), numbering.at("times")};
        for (const ordered_json& option : header->at("options")) options[option.at("option")] = option.at("value");
    }

    /// "without --rule", "with --profile linux"
    std::string setting(const std::string& option) const {
        const auto given = options.find(option);
        if (given == options.end()) return "without " + option;
        return fmt::format("with {}{}{}", option, given->second.empty() ? "" : " ", given->second);
    }
};

void refuse_other_options(const Part& one, const Part& other) {
    if (one.options == other.options) return;
    std::set<std::string> names;
    for (const Part* part : {&one, &other})
        for (const auto& [name, value] : part->options) names.insert(name);
    const auto name = std::ranges::find_if(
        names, [&](const std::string& option) { return one.setting(option) != other.setting(option); });
    throw ResultError(fmt::format(
        "{} was made {}, and {} {}", one.lines.path(), one.setting(*name), other.lines.path(), other.setting(*name)));
}

Observation observation_of(const ordered_json& json, const observations::Kind& kind) {
    return {
        .kind = &kind,
        .id = kind.id,
        .severity = kind.severity,
        .frames = json.at("frames"),
        .count = json.at("count"),
        .text = json.at("text")};
}

class Merger {
public:
    Merger(const std::vector<std::string>& paths, Sink& sink) : sink_(sink) {
        for (const std::string& path : paths) parts_.emplace_back(path);
    }

    MergeOutcome merge() {
        sink_.begin();
        members(document_columns, "");
        sink_.end();
        if (renamings_.empty()) parts_.front().lines.refuse();
        return outcome_;
    }

private:
    using Kind = ResultLines::Kind;

    void members(std::span<const Column> columns, const std::string& prefix) {
        while (const Column* column = next_member(columns)) {
            if (column->name == std::string_view("part")) {
                take_headers();
            } else if (column->is_list) {
                sink_.begin_list(*column);
                list(*column);
                sink_.end_list();
            } else if (parts_.front().member.kind == Kind::object) {
                sink_.begin_object(*column);
                members(column->members(), prefix + column->name + '.');
                sink_.end_object();
            } else {
                value(*column);
            }
        }
    }

    /// All parts go to their next one; nullptr at the end of what they are in.
    const Column* next_member(std::span<const Column> columns) {
        for (Part& part : parts_) part.member = part.lines.member();
        const ResultLines::Member& first = parts_.front().member;
        for (const Part& part : parts_)
            if (part.member.name != first.name)
                throw ResultError(fmt::format(
                    "{} has {} where {} has {}: they are no results of one version of fabricscope", part.lines.path(),
                    shown(part.member), parts_.front().lines.path(), shown(first)));
        if (first.kind == Kind::end) return nullptr;
        const Column* column = find(columns, first.name);
        for (const Part& part : parts_)
            if (column == nullptr || !fits(*column, part.member) ||
                (column->is_object() && part.member.kind != first.kind))
                part.lines.refuse();
        return column;
    }

    static std::string shown(const ResultLines::Member& member) {
        return member.kind == Kind::end ? "nothing more" : '"' + member.name + '"';
    }

    static bool fits(const Column& column, const ResultLines::Member& member) {
        switch (member.kind) {
            case Kind::object: return column.is_object();
            case Kind::list: return column.is_list;
            case Kind::value: return !column.is_list || member.text == "[]";
            case Kind::end: return false;
        }
        return false;
    }

    void take_headers() {
        std::vector<TurningUpByPrefix> sessions;
        for (Part& part : parts_) {
            part.take_header();
            sessions.push_back(std::move(part.sessions));
        }
        renamings_ = number_all(sessions);
        const Part& first = parts_.front();
        if (first.of > most_parts) first.lines.refuse();
        std::vector<const Part*> by_number(first.of);
        for (const Part& part : parts_) {
            if (part.run != first.run)
                throw ResultError(
                    fmt::format("{} and {} are parts of different captures", first.lines.path(), part.lines.path()));
            refuse_other_options(first, part);
            if (part.number == 0 || part.number > by_number.size()) part.lines.refuse();
            const Part*& known = by_number[part.number - 1];
            if (known != nullptr)
                throw ResultError(
                    fmt::format("{} and {} are results of the same part", known->lines.path(), part.lines.path()));
            known = &part;
        }
        const auto missing = std::ranges::find(by_number, nullptr);
        if (missing != by_number.end())
            throw ResultError(fmt::format(
                "the result of part {} of {} is missing", missing - by_number.begin() + 1, by_number.size()));
    }

    const Renaming& renaming(std::size_t part) const {
        if (renamings_.empty()) parts_.front().lines.refuse();
        return renamings_[part];
    }

    void value(const Column& column) {
        ordered_json all = column.is_object() ? ordered_json::object() : ordered_json();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            ordered_json one = parts_[i].parsed(parts_[i].member.text);
            if (column.is_object()) {
                rename(column.members(), one, renaming(i));
                add_object(column.members(), all, one);
            } else {
                add_value(column, all, one);
            }
        }
        if (column.name == std::string_view("capture")) take_capture(all);
        sink_.value(column, all);
    }

    void take_capture(const ordered_json& capture) {
        capture_.frames = capture.at("frames");
        capture_.truncated_frames = capture.at("truncated_frames");
        capture_.undecoded_frames = capture.at("undecoded_frames");
        capture_.copies = capture.at("copied_frames");
        capture_.tcp_frames = capture.at("tcp_frames");
        capture_.rdma_frames = capture.at("rdma_frames");
        outcome_.complete = capture.at("errors").empty();
    }

    void list(const Column& column) {
        const auto order = order_of(column);
        if (order == nullptr) return sums(column);
        if (order == &of_observation) return observations(column);
        merge_in_order(column, order, {});
    }

    void sums(const Column& column) {
        ordered_json all = ordered_json::array();
        for (Part& part : parts_)
            while (const auto element = part.element()) add_elements(column, all, ordered_json::array({*element}));
        for (const ordered_json& element : all) sink_.element(element);
    }

    /// The lists of the parts, and `more`, are in that order already.
    void merge_in_order(const Column& column, OrderOf order, std::vector<ordered_json> more) {
        struct Head {
            Order order{};
            std::optional<ordered_json> element;
        };
        std::vector<Head> heads(parts_.size() + 1);
        const bool has_places = has_places_ && find(column.members(), "places") != nullptr;
        auto rest = more.begin();
        const auto advance = [&](std::size_t i) {
            std::optional<ordered_json>& element = heads[i].element;
            if (i == parts_.size()) {
                element = rest != more.end() ? std::optional(std::move(*rest++)) : std::nullopt;
            } else {
                do element = next_own(column, i);
                while (element && order == &of_observation && is_of_capture(*element));
                // A part that names no frame does not say where they lie.
                if (element && has_places && !element->contains("places")) (*element)["places"] = ordered_json::array();
            }
            if (element) heads[i].order = order(*element);
        };
        for (std::size_t i = 0; i < heads.size(); ++i) advance(i);
        for (;;) {
            std::optional<std::size_t> next;
            for (std::size_t i = 0; i < heads.size(); ++i)
                if (heads[i].element && (!next || heads[i].order < heads[*next].order)) next = i;
            if (!next) return;
            sink_.element(*heads[*next].element);
            advance(*next);
        }
    }

    std::optional<ordered_json> next_own(const Column& column, std::size_t part) {
        std::optional<ordered_json> element = parts_[part].element();
        if (element) rename(column.members(), *element, renaming(part));
        return element;
    }

    // ---- observations ----

    /// Whether it is told of no session, and of no rule.
    static bool is_of_capture(const ordered_json& observation) {
        return observation.at("session").is_null() && kind_of(observation) != nullptr;
    }
    static const observations::Kind* kind_of(const ordered_json& observation) {
        return observations::find_kind(observation.at("id").get_ref<const std::string&>());
    }

    /// What each part says of the capture is joined first.
    void observations(const Column& column) {
        std::vector<Observation> of_capture;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const ResultLines::Member member = parts_[i].member;
            const std::streampos place = parts_[i].lines.place();
            while (const auto element = next_own(column, i)) {
                const observations::Kind* kind = kind_of(*element);
                if (is_of_capture(*element)) {
                    of_capture.push_back(observation_of(*element, *kind));
                    take_places(*element);
                }
                outcome_.errors_found |= kind == nullptr && element->at("severity") == "error";
                has_places_ |= element->contains("places");
            }
            parts_[i].member = member;
            parts_[i].lines.return_to(place);
        }
        std::vector<ordered_json> joined;
        for (const Observation& one : observations::joined(of_capture, capture_))
            joined.push_back(json_of(column, one));
        merge_in_order(column, &of_observation, std::move(joined));
    }

    void take_places(const ordered_json& observation) {
        const ordered_json* places = find(&observation, "places");
        for (std::size_t i = 0; places != nullptr && i < places->size(); ++i) {
            const ordered_json& place = (*places)[i];
            if (!place.is_null()) places_[observation.at("frames").at(i)] = {place.at("file"), place.at("frame")};
        }
    }

    ordered_json json_of(const Column& column, const Observation& observation) {
        if (has_places_) places_.try_emplace(0);  // no frame has that number: places are told of even if there are none
        const Context context{.places = &places_};
        std::string line;
        append_object(line, column.members(), &observation, context);
        return ordered_json::parse(line);
    }

    std::vector<Part> parts_;
    std::vector<Renaming> renamings_;
    Sink& sink_;
    engine::CaptureSummary capture_;
    std::map<std::uint64_t, Place> places_;  ///< of what is told of the capture
    bool has_places_ = false;
    MergeOutcome outcome_;
};

MergeOutcome merge(const std::vector<std::string>& results, Sink& sink) {
    try {
        return Merger(results, sink).merge();
    } catch (const nlohmann::json::exception& error) {
        throw ResultError(fmt::format("the results are not as analyze --as-part --json writes them: {}", error.what()));
    }
}

}  // namespace

MergeOutcome merge_json(const std::vector<std::string>& results, std::ostream& out) {
    return merge(results, *joining::json_to(out));
}

MergeOutcome merge_sqlite(const std::vector<std::string>& results, const std::string& path) {
    MergeOutcome outcome;
    write_sqlite(path, [&](RowSink& rows) {
        send_catalogue(rows);
        outcome = merge(results, *joining::rows_to(rows));
    });
    return outcome;
}

}  // namespace fabricscope::report
