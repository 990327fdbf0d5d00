// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/flat_map.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

namespace fabricscope::engine {
namespace {

/// All have the same place, or its neighbour's.
struct Crowded {
    std::size_t operator()(std::uint32_t key) const { return key % 2; }
};

template <class Hash> void expect_what_a_map_says(std::uint32_t keys) {
    FlatMap<std::uint32_t, std::uint32_t, Hash> flat;
    std::map<std::uint32_t, std::uint32_t> known;
    std::mt19937 random(1);
    for (std::uint32_t i = 0; i < 5000; ++i) {
        const auto key = static_cast<std::uint32_t>(random() % keys);
        if (random() % 2 == 0) {
            flat[key] = known[key] = i;
        } else {
            flat.erase(key);
            known.erase(key);
        }
        ASSERT_EQ(flat.size(), known.size());
        for (std::uint32_t each = 0; each < keys; ++each) {
            const std::uint32_t* found = flat.find(each);
            const auto is = known.find(each);
            ASSERT_EQ(found != nullptr, is != known.end()) << each;
            if (found != nullptr) {
                ASSERT_EQ(*found, is->second) << each;
            }
        }
    }
}

TEST(FlatMap, EntriesAreFoundAndErased) { expect_what_a_map_says<std::hash<std::uint32_t>>(40); }
TEST(FlatMap, ErasingClosesGapsBetweenThoseThatAreCrowded) { expect_what_a_map_says<Crowded>(12); }

TEST(FlatMap, WhatIsNotThereIsErasedToNoEffect) {
    FlatMap<int, int> map;
    map.erase(1);
    map[2] = 3;
    map.erase(1);
    EXPECT_EQ(*map.find(2), 3);
}

}  // namespace
}  // namespace fabricscope::engine
