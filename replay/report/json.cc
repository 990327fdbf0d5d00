// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/report/run_report.h"

namespace fabricscope::replay {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(std::uint64_t number) { return number != 0 ? Json(number) : Json(); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Difference& difference) {
    Json json;
    json["level"] = name_of(difference.level);
    json["where"] = difference.where;
    json["message"] = text_or_null(difference.message);
    json["field"] = text_or_null(difference.field);
    json["recorded"] = difference.recorded;
    json["actual"] = difference.actual;
    json["recorded_frame"] = number_or_null(difference.recorded_frame);
    json["actual_frame"] = number_or_null(difference.actual_frame);
    json["clause"] = text_or_null(difference.clause);
    return json;
}

Json json_of(const engine::Finding& finding) {
    Json json;
    json["rule"] = finding.rule->id;
    json["severity"] = engine::name_of(finding.rule->severity);
    json["frames"] = finding.frames;
    json["session"] = text_or_null(finding.session);
    json["text"] = finding.text;
    json["clause"] = finding.rule->clause;
    return json;
}

/// Where a message stands in one of the runs; times count from its first message.
Json place_of(const Conversation& conversation, std::optional<std::size_t> index) {
    if (!index) return {};
    const Message& message = conversation.messages[*index];
    Json json;
    json["frame"] = message.frame;
    json["time"] = static_cast<double>(message.time - conversation.messages.front().time) / 1e9;
    return json;
}

Json json_of(const Pairing& pair, const RunReport& report) {
    const Message& message = pair.recorded ? report.recorded.messages[*pair.recorded]
                                           : report.actual.messages[*pair.actual];
    Json json;
    json["name"] = message.name;
    json["from"] = engine::name_of(message.from);
    json["lane"] = message.lane;
    json["recorded"] = place_of(report.recorded, pair.recorded);
    json["actual"] = place_of(report.actual, pair.actual);
    json["differs"] = pair.differs;
    return json;
}

template <class List, class Convert> Json array_of(const List& list, const Convert& convert) {
    Json array = Json::array();
    for (const auto& element : list) array.push_back(convert(element));
    return array;
}

}  // namespace

Json json_of(const RunReport& report) {
    Json json;
    json["session"] = report.session;
    json["about"] = report.about;
    json["play"] = engine::name_of(report.played);
    json["against"] = report.target;
    json["speed"] = report.speed;
    json["result"] = report.same() ? "same" : "differs";
    json["waiting_for"] = text_or_null(report.waiting_for);
    json["recording_complete"] = report.recorded.complete;
    json["differences"] = array_of(report.comparison.differences, [](const auto& d) { return json_of(d); });
    json["findings"] = array_of(report.comparison.broken, [](const auto& f) { return json_of(f); });
    json["messages"] = array_of(report.comparison.pairs, [&](const auto& p) { return json_of(p, report); });
    json["notes"] = report.notes;
    return json;
}

}  // namespace fabricscope::replay
