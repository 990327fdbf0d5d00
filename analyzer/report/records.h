// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of each thing, under which name: the one place that JSON, CSV and SQLite take it from.
#pragma once

#include <map>
#include <optional>

#include "analyzer/report/json_value.h"
#include "analyzer/report/results.h"

namespace fabricscope::report {

inline double seconds_of(capture::Time duration) {
    return static_cast<double>(duration) / static_cast<double>(capture::second);
}

/// Times of one capture, as seconds since its first frame; null where there is none.
class Clock {
public:
    explicit Clock(std::optional<capture::Time> start) : start_(start.value_or(0)) {}
    double operator()(capture::Time time) const { return seconds_of(time - start_); }
    Json operator()(const std::optional<capture::Time>& time) const { return time ? Json((*this)(*time)) : Json(); }
    Json operator()(const std::optional<engine::Step>& step) const { return step ? Json((*this)(step->time)) : Json(); }

private:
    capture::Time start_;
};

// Each is an object; what is unknown is null. docs/tables.md says what the members mean.

Json capture_record(const Results& results);
/// What was left out because a limit was reached.
Json limits_record(const engine::smcr::Model& model);
Json limits_record(const engine::rdma_cm::Model& model);
/// `cursors` adds each direction's timeline.
Json record_of(const engine::smcr::Connection& connection, const Clock& clock, bool cursors);
Json record_of(const engine::smcr::LinkGroup& group, const Clock& clock);
Json record_of(const engine::rdma_cm::Connection& connection, const Clock& clock);
Json record_of(const engine::fibre_channel::Exchange& exchange, const Clock& clock);
Json record_of(const engine::fibre_channel::Login& login, const Clock& clock);
Json record_of(const engine::fibre_channel::Resolution& resolution, const Clock& clock);
/// Frames, and what was left out.
Json limits_record(const engine::fibre_channel::Model& model);
/// With several files, `places` says where the frames lie.
Json record_of(const engine::Finding& finding, const std::map<std::uint64_t, Place>& places);
Json record_of(const engine::Rule& rule);
Json record_of(const engine::RuleResult& result);

}  // namespace fabricscope::report
