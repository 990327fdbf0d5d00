// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/chart.h"

#include <gmock/gmock.h>

#include <sstream>

namespace fabricscope::report {
namespace {

using testing::HasSubstr;

std::vector<double> means(std::span<const Bucket> buckets) {
    std::vector<double> means;
    for (const Bucket& bucket : buckets) means.push_back(bucket.mean);
    return means;
}

std::vector<std::uint64_t> peaks(std::span<const Bucket> buckets) {
    std::vector<std::uint64_t> peaks;
    for (const Bucket& bucket : buckets) peaks.push_back(bucket.peak);
    return peaks;
}

TEST(Buckets, MeanIsOverTimeAndPeakAtAnyMoment) {
    const std::vector<StepValue> steps{{0, 10}, {150, 20}, {150, 90}, {151, 0}, {300, 8}};
    const std::vector<Bucket> buckets = buckets_of(steps, {.begin = 0, .end = 400, .columns = 4});
    EXPECT_THAT(means(buckets), testing::ElementsAre(10, 5 + 0.9, 0, 8));
    EXPECT_THAT(peaks(buckets), testing::ElementsAre(10, 90, 0, 8));
}

TEST(Buckets, BeforeTheFirstStepThereIsNothing) {
    const std::vector<StepValue> steps{{200, 4}};
    EXPECT_THAT(means(buckets_of(steps, {.begin = 0, .end = 400, .columns = 4})), testing::ElementsAre(0, 0, 4, 4));
    EXPECT_THAT(means(buckets_of({}, {.begin = 0, .end = 400, .columns = 4})), testing::Each(0));
}

TEST(Buckets, ASingleMomentHasAPeak) {
    const std::vector<StepValue> steps{{7, 3}};
    EXPECT_EQ(buckets_of(steps, {.begin = 7, .end = 7, .columns = 4})[0].peak, 3U);
}

TEST(Buckets, StepsThatGoBackInTimeDoNoHarm) {
    const std::vector<StepValue> steps{{300, 3}, {100, 5}, {200, 1}};
    EXPECT_EQ(buckets_of(steps, {.begin = 100, .end = 300, .columns = 2}).size(), 2U);
}

TEST(TimeAxis, MomentsOutsideGoToTheEdges) {
    const TimeAxis axis{.begin = 100, .end = 200, .columns = 10};
    EXPECT_EQ(axis.column_of(0), 0U);
    EXPECT_EQ(axis.column_of(155), 5U);
    EXPECT_EQ(axis.column_of(200), 9U);
    EXPECT_EQ(axis.column_of(999), 9U);
}

Chart chart() {
    const TimeAxis axis{.begin = 0, .end = 40, .columns = 40};
    const std::vector<StepValue> steps{{0, 100}, {10, 50}, {20, 0}, {30, 100}, {30, 0}};
    return {
        .axis = axis,
        .origin = 0,
        .scale = 100,
        .buckets = buckets_of(steps, axis),
        .marks = {
            {"full", 'F', Ink::yellow, std::vector<bool>(40, true)}, {"never", 'N', Ink::red, std::vector<bool>(40)}}};
}

TEST(Chart, PlainCharactersWithoutUnicode) {
    std::ostringstream out;
    draw(out, chart(), {});
    EXPECT_EQ(
        out.str(),
        "         100 +##########                    '\n"
        "             |##########\n"
        "             |##########\n"
        "             |##########\n"
        "          50 +####################\n"
        "             |####################\n"
        "             |####################\n"
        "             |####################\n"
        "           0 +----------------------------------------\n"
        "              0.000000000 s              0.000000040 s\n"
        "        full  FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\n");
}

TEST(Chart, BlocksWithUnicode) {
    std::ostringstream out;
    draw(out, chart(), {.unicode = true});
    EXPECT_THAT(out.str(), HasSubstr("         100 ┤██████████                    ·\n"));
    EXPECT_THAT(out.str(), HasSubstr("           0 └────"));
}

}  // namespace
}  // namespace fabricscope::report
