// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/suite/recording.h"

namespace fabricscope::viewer {

struct Conversations::Read {
    replay::Recording recording;
    std::vector<replay::Candidate> candidates;

    const replay::Candidate* find(const std::string& session) const {
        const auto id_of = [](const replay::Candidate& candidate) { return candidate.info.id; };
        const auto found = std::ranges::find(candidates, session, id_of);
        return found != candidates.end() ? &*found : nullptr;
    }
    /// nullptr: there is none of that name. May throw NotPlayable.
    std::unique_ptr<replay::Session> open(const std::string& session) const {
        const replay::Candidate* candidate = find(session);
        return candidate != nullptr ? candidate->reader->reader->session(*recording.reading.engine, session) : nullptr;
    }
};

namespace {

std::string kind_of(const std::string& session) { return session.substr(0, session.rfind('-')); }

ComparedMessage shown(const replay::Message& message, const replay::Conversation& conversation) {
    return {
        .since_begin = message.time - conversation.messages.front().time,
        .time = message.time,
        .frame = message.frame,
        .from = message.from,
        .name = message.name,
        .channel = message.channel};
}

bool is_about(const replay::Difference& difference, const ComparedRow& row) {
    const auto frame_of = [](const std::optional<ComparedMessage>& message) { return message ? message->frame : 0; };
    const ComparedMessage& message = row.one ? *row.one : *row.other;
    return difference.message == message.name && difference.where == message.channel &&
           difference.recorded_frame == frame_of(row.one) && difference.actual_frame == frame_of(row.other);
}

std::string words_of(const replay::Difference& difference) {
    return fmt::format("{}: {} / {}", difference.field, difference.recorded, difference.actual);
}

void add_remarks(Compared& compared, const replay::Comparison& comparison) {
    for (const replay::Difference& difference : comparison.differences) {
        if (difference.level != replay::Level::policy) ++compared.differences;
        if (!difference.message.empty()) continue;
        std::string words = replay::title_of(difference) + ": " + difference.recorded + " / " + difference.actual;
        if (!difference.cause.empty()) words += " (" + difference.cause + ")";
        compared.remarks.push_back(std::move(words));
    }
    for (const engine::Finding& finding : comparison.broken)
        compared.remarks.push_back(fmt::format("{}, only on the right: {}", finding.rule->id, finding.text));
}

void fill(
    Compared& compared, const replay::Conversation& one, const replay::Conversation& other,
    const replay::Comparison& comparison) {
    std::size_t next = 0;  // differences come in the order of their pairs
    const auto& differences = comparison.differences;
    for (const replay::Pairing& pair : comparison.pairs) {
        ComparedRow& row = compared.rows.emplace_back();
        if (pair.recorded) row.one = shown(one.messages[*pair.recorded], one);
        if (pair.actual) row.other = shown(other.messages[*pair.actual], other);
        row.differs = pair.differs;
        for (; next < differences.size() && is_about(differences[next], row); ++next)
            if (row.one && row.other) row.differences.push_back(words_of(differences[next]));
    }
    add_remarks(compared, comparison);
    compared.same = comparison.same();
}

}  // namespace

Conversations::Conversations(std::vector<std::string> files, const std::function<bool()>& stop)
    : files_(std::move(files)) {
    try {
        auto read = std::make_unique<Read>();
        read->recording = replay::read_recording([&](const auto& options, const auto& observers) {
            return report::read(files_, options, observers, [&](const capture::DecodedFrame&) { return !stop(); });
        });
        for (const std::string& problem : read->recording.reading.problems)
            complaint_ += (complaint_.empty() ? "" : "\n") + problem;
        if (!read->recording.reading.engine) return;
        read->candidates = replay::candidates_of(read->recording);
        read_ = std::move(read);
    } catch (const std::exception& error) {
        complaint_ = error.what();
    }
}

Conversations::~Conversations() = default;

std::vector<std::string> Conversations::sessions() const {
    std::vector<std::string> names;
    if (!read_) return names;
    for (const replay::Candidate& candidate : read_->candidates) names.push_back(candidate.info.id);
    return names;
}

std::string Conversations::session_like(const Conversations& others, const std::string& session) const {
    const replay::Candidate* wanted = others.read_ ? others.read_->find(session) : nullptr;
    if (!read_ || wanted == nullptr) return {};
    const replay::Candidate* like = nullptr;
    for (const replay::Candidate& candidate : read_->candidates) {
        if (kind_of(candidate.info.id) != kind_of(session)) continue;
        if (candidate.info.about == wanted->info.about) return candidate.info.id;
        if (like == nullptr) like = &candidate;
    }
    return like != nullptr ? like->info.id : "";
}

Compared compare(
    const Conversations& one, const std::string& session, const Conversations& other,
    const std::string& other_session) {
    Compared compared{.one = session, .other = other_session};
    for (const Conversations* each : {&one, &other}) {
        if (each->read_) continue;
        compared.complaint = each->complaint();
        return compared;
    }
    try {
        const auto recorded = one.read_->open(session), actual = other.read_->open(other_session);
        if (!recorded || !actual || recorded->conversation().messages.empty()) {
            compared.complaint = "There is no session here whose messages could be laid beside those of another.";
            return compared;
        }
        const replay::Conversation& left = recorded->conversation();
        const replay::Conversation& right = actual->conversation();
        fill(compared, left, right, replay::compare(left, right, std::nullopt));
    } catch (const std::exception& error) {
        compared.complaint = error.what();
    }
    return compared;
}

Compared compare_with_run(
    const Conversations& recorded, const std::string& session, Side played, const std::function<bool()>& stop) {
    Compared compared{
        .one = session, .other = fmt::format("a run with the {} played from it", engine::name_of(played))};
    compared.complaint = recorded.read_ ? "" : recorded.complaint();
    const replay::Candidate* candidate = recorded.read_ ? recorded.read_->find(session) : nullptr;
    if (compared.complaint.empty() && candidate == nullptr) compared.complaint = "There is no session here to play.";
    else if (candidate != nullptr) compared.complaint = candidate->info.obstacle;
    if (!compared.complaint.empty()) return compared;
    try {
        std::string problem;
        const replay::PlaySettings settings{
            .target = *replay::parse_target("emulated", problem),
            .target_name = "emulated",
            .pace = replay::Pace{0},
            .address = {},
            .interface = {},
            .stop = stop};
        const auto run = replay::play(recorded.read_->recording, *candidate, played, settings);
        const replay::RunReport report = replay::report_of(*run, settings);
        fill(compared, report.recorded, report.actual, report.comparison);
        compared.same = report.same();
        for (const std::string& remark : {report.refusal, report.broken_off})
            if (!remark.empty()) compared.remarks.push_back(remark);
        if (!report.over && !report.waiting_for.empty())
            compared.remarks.push_back("The run waited for " + report.waiting_for + ".");
    } catch (const std::exception& error) {
        compared.complaint = error.what();
    }
    return compared;
}

}  // namespace fabricscope::viewer
