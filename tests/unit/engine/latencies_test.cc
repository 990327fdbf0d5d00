// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/latencies.h"

#include <gtest/gtest.h>

#include <limits>

namespace fabricscope::engine {
namespace {

constexpr Time microsecond = 1000;

Latencies of_each_microsecond(Time first, Time last) {
    Latencies latencies;
    for (Time i = first; i <= last; ++i) latencies.add(i * microsecond);
    return latencies;
}

TEST(Latencies, PercentilesAreRightToAFewPercent) {
    const Latencies latencies = of_each_microsecond(1, 10'000);
    EXPECT_EQ(latencies.count(), 10'000U);
    for (const double share : {0.001, 0.5, 0.9, 0.99, 0.999}) {
        const double exact = share * 10'000 * microsecond;
        EXPECT_NEAR(static_cast<double>(*latencies.percentile(share)), exact, 0.04 * exact) << share;
    }
    EXPECT_EQ(latencies.max(), 10'000 * microsecond);
    EXPECT_EQ(latencies.percentile(1), latencies.max());
    EXPECT_FALSE(Latencies{}.percentile(0.5));
    EXPECT_FALSE(Latencies{}.max());
}

TEST(Latencies, ThoseOfTwoAreThoseOfBoth) {
    Latencies both = of_each_microsecond(1, 300);
    both.add(of_each_microsecond(301, 1000));
    both.add(Latencies{});
    const Latencies whole = of_each_microsecond(1, 1000);
    EXPECT_EQ(both.count(), whole.count());
    for (const double share : {0.0, 0.1, 0.5, 0.999, 1.0}) EXPECT_EQ(both.percentile(share), whole.percentile(share));
}

TEST(Latencies, TakeAnyTime) {
    Latencies latencies;
    for (const Time time : {Time{-1}, Time{0}, std::numeric_limits<Time>::max()}) latencies.add(time);
    EXPECT_EQ(latencies.percentile(0.5), 0);
    EXPECT_EQ(latencies.max(), std::numeric_limits<Time>::max());
}

}  // namespace
}  // namespace fabricscope::engine
