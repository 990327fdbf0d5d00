// SPDX-License-Identifier: GPL-2.0-or-later
// What a partition that has not been finished leaves beside its parts, so that it can be gone on with.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/engine/part_table.h"
#include "analyzer/report/partition.h"
#include "capture/pcapng_copy.h"

namespace fabricscope::report {

/// What the first pass over the captures found out.
struct PartitionPlan {
    Partition partition;        ///< of the parts, what they are called and how many components they have
    std::uint64_t octets = 0;   ///< captured, of frames with an address
    std::uint64_t largest = 0;  ///< those of the largest component
    engine::PartTable table;
};

inline constexpr const char* plan_schema = "fabricscope-partition-plan/1";

/// `run` tells what the plan is of: the captures as they are, and what is asked for.
void write_plan(std::ostream& out, const PartitionPlan& plan, const std::string& run, const std::string& application);
/// Nothing if it is no plan of that run.
std::optional<PartitionPlan> read_plan(std::istream& in, const std::string& run);

/// Paths are not told.
std::string text_of(const capture::PartsProgress& progress);
/// Nothing if it is none of so many parts.
std::optional<capture::PartsProgress> progress_of(std::string_view text, std::size_t parts);

}  // namespace fabricscope::report
