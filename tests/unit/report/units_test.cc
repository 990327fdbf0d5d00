// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/units.h"

#include <gtest/gtest.h>

namespace fabricscope::report {
namespace {

TEST(Units, GroupsDigits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(4'206'649), "4,206,649");
    EXPECT_EQ(grouped(18'446'744'073'709'551'615U), "18,446,744,073,709,551,615");
}

TEST(Units, CountsNouns) {
    EXPECT_EQ(counted(0, "frame"), "0 frames");
    EXPECT_EQ(counted(1, "frame"), "1 frame");
    EXPECT_EQ(counted(1'234, "frame"), "1,234 frames");
}

TEST(Units, DurationsHaveThreeDigits) {
    EXPECT_EQ(duration_text(0, false), "0 ns");
    EXPECT_EQ(duration_text(999, false), "999 ns");
    EXPECT_EQ(duration_text(1'000, false), "1.00 us");
    EXPECT_EQ(duration_text(12'345, true), "12.3 µs");
    EXPECT_EQ(duration_text(999'499, true), "999 µs");
    EXPECT_EQ(duration_text(999'501, true), "1.00 ms");
    EXPECT_EQ(duration_text(99'960'000, false), "100 ms");
    EXPECT_EQ(duration_text(1'234'000'000, false), "1.23 s");
    EXPECT_EQ(duration_text(3'600'000'000'000, false), "3600 s");
}

TEST(Units, SecondsKeepTheirSign) {
    EXPECT_EQ(seconds_text(1'000'000'001), "1.000000001");
    EXPECT_EQ(seconds_text(-5), "-0.000000005");
}

TEST(Units, TimestampsAreRfc3339) {
    EXPECT_EQ(timestamp_text(0), "1970-01-01T00:00:00.000000000Z");
    EXPECT_EQ(timestamp_text(1'795'220'061'283'330'129), "2026-11-21T00:14:21.283330129Z");
    EXPECT_EQ(timestamp_text(-1), "1969-12-31T23:59:59.999999999Z");
}

TEST(Units, RatesUseDecimalPrefixes) {
    EXPECT_EQ(rate_text(16.1), "16.1 B/s");
    EXPECT_EQ(rate_text(1'320'000), "1.32 MB/s");
    EXPECT_EQ(rate_text(5e12), "5000 GB/s");
}

TEST(Units, Versions) {
    EXPECT_EQ(version_text(std::nullopt, std::nullopt), "SMC-R");
    EXPECT_EQ(version_text(1, 0), "SMC-Rv1");
    EXPECT_EQ(version_text(2, std::nullopt), "SMC-Rv2");
    EXPECT_EQ(version_text(2, 1), "SMC-Rv2.1");
}

}  // namespace
}  // namespace fabricscope::report
