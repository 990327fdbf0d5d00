// SPDX-License-Identifier: GPL-2.0-or-later
// What the adapters at both ends should have counted, as far as a capture tells: the counters of `rdma statistic show
// link` and of sysfs (hw_counters), by the names that soft-RoCE (rxe) and ConnectX (mlx5) give them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/rdma/model.h"

namespace fabricscope::report {

/// How a counter relates to what the capture shows: an end sees more than the wire does, and refuses to count some of
/// it.
enum class Relation : std::uint8_t { equal, at_least, at_most };
/// "equal", "at least", "at most"
const char* name_of(Relation relation);

struct AdapterCounter {
    engine::rdma::Address host;
    const char* adapter;  ///< "rxe" or "mlx5"
    const char* name;
    Relation relation{};
    std::uint64_t expected = 0;
    std::optional<std::uint64_t> read;  ///< what the host's adapter has counted

    /// Whether what was read is what the capture shows; nothing if nothing was read.
    std::optional<bool> agrees() const;
};

/// By name.
using Counters = std::map<std::string, std::uint64_t, std::less<>>;

/// Each name in `text` that a number follows: what `rdma statistic show`, with or without -j, `ethtool -S` and
/// `grep . /sys/class/infiniband/DEV/ports/1/hw_counters/*` print.
Counters counters_in(std::string_view text);

/// How much the counters that are in both went up; nothing if one went down.
std::optional<Counters> increase(const Counters& before, const Counters& after);

/// What was read of a host, which is named as reports name it.
struct HostCounters {
    std::string host;
    Counters counters;
};

/// Of each host with queue pairs that talk. Of hosts whose counters were read: these only, as far as a capture shows
/// them.
std::vector<AdapterCounter> counters_of(const engine::rdma::Model& model, std::span<const HostCounters> read);

}  // namespace fabricscope::report
