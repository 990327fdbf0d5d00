// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/report/run_report.h"

namespace fabricscope::replay {

namespace {

using report::Json;

Json number_or_null(std::uint64_t number) { return number != 0 ? Json(number) : Json(); }
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Difference& difference) {
    return {
        {"level", name_of(difference.level)},
        {"where", difference.where},
        {"message", text_or_null(difference.message)},
        {"field", text_or_null(difference.field)},
        {"recorded", difference.recorded},
        {"actual", difference.actual},
        {"recorded_frame", number_or_null(difference.recorded_frame)},
        {"actual_frame", number_or_null(difference.actual_frame)},
        {"clause", text_or_null(difference.clause)},
        {"cause", text_or_null(difference.cause)}};
}

Json json_of(const engine::Finding& finding) {
    return {{"rule", finding.rule->id}, {"severity", engine::name_of(finding.rule->severity)},
            {"frames", finding.frames}, {"session", text_or_null(finding.session)},
            {"text", finding.text},     {"clause", finding.rule->clause}};
}

/// Where a message stands in one of the runs; times count from its first message.
Json place_of(const Conversation& conversation, std::optional<std::size_t> index) {
    if (!index) return {};
    const Message& message = conversation.messages[*index];
    return {
        {"frame", message.frame},
        {"time", static_cast<double>(message.time - conversation.messages.front().time) / 1e9}};
}

Json json_of(const Pairing& pair, const RunReport& report) {
    const Message& message = pair.recorded ? report.recorded.messages[*pair.recorded]
                                           : report.actual.messages[*pair.actual];
    return {
        {"name", message.name},
        {"from", engine::name_of(message.from)},
        {"lane", message.channel},
        {"recorded", place_of(report.recorded, pair.recorded)},
        {"actual", place_of(report.actual, pair.actual)},
        {"differs", pair.differs}};
}

template <class List, class Convert> Json array_of(const List& list, const Convert& convert) {
    Json::List array;
    for (const auto& element : list) array.push_back(convert(element));
    return array;
}

}  // namespace

Json json_of(const RunReport& report, bool messages) {
    Json json{
        {"session", report.session},
        {"about", report.about},
        {"play", engine::name_of(report.played)},
        {"against", report.target},
        {"speed", report.speed},
        {"result", report.same() ? "same" : "differs"},
        {"waiting_for", text_or_null(report.waiting_for)},
        {"recording_complete", report.recorded.complete},
        {"differences", array_of(report.comparison.differences, [](const auto& d) { return json_of(d); })},
        {"findings", array_of(report.comparison.broken, [](const auto& f) { return json_of(f); })},
        {"played_findings", array_of(report.comparison.own, [](const auto& f) { return json_of(f); })},
        {"broken_off", text_or_null(report.broken_off)},
        {"refusal", text_or_null(report.refusal)},
        {"proof", text_or_null(report.proof)}};
    if (messages)
        json.add("messages", array_of(report.comparison.pairs, [&](const auto& p) { return json_of(p, report); }));
    json.add("notes", report.notes);
    return json;
}

}  // namespace fabricscope::replay
