// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace fabricscope::engine::smcr {

/// Adds an entry to a list that holds `most`; if it is full, the oldest one makes room. Returns whether it did.
template <class T> bool keep_youngest(std::vector<T>& entries, std::size_t most, T entry) {
    const bool full = entries.size() >= most;
    if (full) entries.erase(entries.begin());
    entries.push_back(std::move(entry));
    return full;
}

}  // namespace fabricscope::engine::smcr
