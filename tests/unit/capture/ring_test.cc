// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace fabricscope::capture {
namespace {

using Numbers = Ring<std::vector<int>, 4>;

/// Fills slots with the numbers from 0, until nobody takes them.
void count(Numbers& ring) {
    for (int i = 0;; ++i) {
        std::vector<int>* slot = ring.free_slot();
        if (slot == nullptr) return;
        slot->assign(1, i);
        ring.filled();
    }
}

TEST(Ring, GivesWhatItsThreadMakesInOrder) {
    Numbers ring(count);
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(ring.take(), std::vector{i});
}

TEST(Ring, EndsThoughNotAllIsTaken) {
    std::atomic has_ended = false;
    {
        Numbers ring([&](Numbers& filled) {
            count(filled);
            has_ended = true;
        });
        ring.take();
    }
    EXPECT_TRUE(has_ended);
}

TEST(Ring, WhatIsTakenStaysUntilTheNextIs) {
    Numbers ring(count);
    for (int i = 0; i < 1000; ++i) {
        const std::vector<int>& taken = ring.take();
        std::this_thread::yield();
        ASSERT_EQ(taken, std::vector{i});
    }
}

TEST(Ring, AFailureComesAfterAllThatWasFilled) {
    Numbers ring([](Numbers& filled) {
        for (int i = 0; i < 3; ++i) {
            filled.free_slot()->assign(1, i);
            filled.filled();
        }
        throw std::runtime_error("no more");
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ring.take(), std::vector{i});
    EXPECT_THROW(ring.take(), std::runtime_error);
    EXPECT_THROW(ring.take(), std::runtime_error);
}

}  // namespace
}  // namespace fabricscope::capture
