// SPDX-License-Identifier: GPL-2.0-or-later
// Sets of numbers that grow together: what belongs together by way of third ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace fabricscope::engine {

class DisjointSets {
public:
    DisjointSets() = default;
    /// 0, 1, ... below `members`, each by itself.
    explicit DisjointSets(std::size_t members) : parent_(members) { std::iota(parent_.begin(), parent_.end(), 0U); }

    /// One more, by itself.
    std::uint32_t add() {
        parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
        return parent_.back();
    }
    std::size_t size() const { return parent_.size(); }

    /// The lowest member of the set, by which sets are told apart.
    std::uint32_t root_of(std::size_t member) const {
        auto root = static_cast<std::uint32_t>(member);
        while (parent_[root] != root) root = parent_[root];
        return root;
    }

    void unite(std::size_t one, std::size_t other) {
        const auto [low, high] = std::minmax({root_of(one), root_of(other)});
        for (const std::size_t member : {one, other, std::size_t{high}})  // paths become short as they are walked
            parent_[member] = low;
    }

    /// No set grows any more: makes root_of() one step. A parent stands before its children, so that one pass will do.
    void flatten() {
        for (std::uint32_t& parent : parent_) parent = parent_[parent];
    }

private:
    std::vector<std::uint32_t> parent_;
};

}  // namespace fabricscope::engine
