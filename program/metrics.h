// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of a live capture for Prometheus, in a text file as node_exporter's textfile collector takes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/interface.h"
#include "program/new_file.h"
#include "program/reporting.h"

namespace fabricscope::cli {

/// Files of such counts that the program has written.
extern const Replaceable our_metrics;

struct MetricSources {
    const engine::Engine& engine;
    const ReportOptions& options;
    std::span<capture::Interface* const> interfaces;
    std::uint64_t incident_files = 0;
};

/// In Prometheus' text format. Kinds of observations and rules that have not occurred are there with 0, so that a rate
/// shows the first one.
std::string metrics_of(const MetricSources& sources);

/// In the place of what `path` held before, at once. False after a complaint.
bool write_metrics(const std::string& path, const MetricSources& sources);

}  // namespace fabricscope::cli
