// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of captures under other names until all of them are whole. A run that is broken off leaves them, and the same
// command goes on there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/partition_plan.h"

namespace fabricscope::cli {

/// Files in the folder of the parts, for a sandbox does not let them go from one folder to another.
class Unfinished {
public:
    /// Why there can be none in `folder`; empty if there can.
    static std::string why_not(const std::string& folder, std::uint64_t parts);
    /// What an earlier run left in `folder`; nothing if it was another one.
    static std::optional<report::PartitionPlan> plan_in(const std::string& folder, const std::string& run);

    /// While another run is at work in the folder, files with names of their own, which nobody goes on with. Throws
    /// std::runtime_error, which says what cannot be made.
    Unfinished(const std::string& folder, std::uint64_t parts);
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished();

    std::string part(std::uint64_t number) const;
    /// How far an earlier run of the same plan came.
    capture::PartsProgress progress() const;
    /// False after a complaint.
    bool keep_plan(const report::PartitionPlan& plan, const std::string& run) const;
    void keep_progress(const capture::PartsProgress& progress) const;
    void remove();

private:
    void remove_parts() const;

    std::string prefix_;
    std::uint64_t parts_;
    int lock_ = -1;  ///< they are ours alone as long as this is open; -1: nobody else knows them
};

}  // namespace fabricscope::cli
