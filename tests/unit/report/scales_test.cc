// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/scales.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace fabricscope::report {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const TimeScale& scale) {
    std::vector<std::string> texts;
    for (const TimeScale::Label& label : scale.labels()) texts.push_back(label.text);
    return texts;
}

TEST(Ticks, AreRoundAndWithinTheRange) {
    const Ticks ticks = ticks_between(0, 65'536, 5);
    EXPECT_DOUBLE_EQ(ticks.step, 20'000);
    EXPECT_EQ(ticks.count, 4U);
    EXPECT_DOUBLE_EQ(ticks_between(0.13, 0.97, 10).first, 0.2);
    EXPECT_EQ(ticks_between(5, 5, 10).count, 1U);
}

TEST(OctetScale, LabelsInItsUnit) {
    const OctetScale small{.top = 0, .bottom = 100, .most = 500}, large{.top = 0, .bottom = 100, .most = 65'536};
    EXPECT_EQ(small.unit(), "bytes");
    EXPECT_EQ(large.unit(), "KiB");
    EXPECT_EQ(large.label(20 * 1'024), "20");
    EXPECT_DOUBLE_EQ(large.ticks(5).step, 20 * 1'024);
    EXPECT_EQ(large.ticks(5).count, 4U);
    EXPECT_DOUBLE_EQ(small.y(0), 100);
    EXPECT_DOUBLE_EQ(small.y(500), 0);
    EXPECT_DOUBLE_EQ(small.y(900), 0) << "what is higher stays within the picture";
}

TEST(OctetScale, RatesAndPacketsAreDecimal) {
    const OctetScale rate{.top = 0, .bottom = 100, .most = 65'536, .per = "/s"};
    EXPECT_EQ(rate.unit(), "kB/s");
    EXPECT_EQ(rate.label(20'000), "20");
    EXPECT_DOUBLE_EQ(rate.ticks(5).step, 20'000);
    const OctetScale packets{.top = 0, .bottom = 100, .most = 65'536, .things = "packets"};
    EXPECT_EQ(packets.unit(), "packets");
    EXPECT_EQ(packets.label(20'000), "20,000");
    EXPECT_DOUBLE_EQ(packets.ticks(5).step, 20'000);
}

TEST(TimeScale, CountsFromTheCapturesStart) {
    const TimeScale scale{
        .start = 0, .begin = 2 * capture::second, .end = 6 * capture::second, .left = 0, .right = 400};
    EXPECT_THAT(texts(scale), ElementsAre("2", "2.5", "3", "3.5", "4", "4.5", "5", "5.5", "6"));
    EXPECT_DOUBLE_EQ(scale.x(3 * capture::second), 100);
    EXPECT_DOUBLE_EQ(scale.x(0), 0);
    EXPECT_EQ(scale.title(), "time since the first frame, s");
}

TEST(TimeScale, CountsFromItsOwnBeginIfThatIsFarAway) {
    const Time begin = 100 * capture::second;
    const TimeScale scale{.start = 0, .begin = begin, .end = begin + 4 * capture::millisecond, .left = 0, .right = 400};
    EXPECT_EQ(texts(scale).front(), "0");
    EXPECT_EQ(texts(scale).back(), "4");
    EXPECT_EQ(scale.title(), "time since 100.000000000 s of the capture, ms");
}

TEST(StepLine, GoesAlongAndThenUp) {
    const std::vector<StepValue> steps{{10, 0}, {50, 100}};
    const auto points = step_line(
        steps, {.start = 0, .begin = 0, .end = 100, .left = 0, .right = 100}, {.top = 0, .bottom = 100, .most = 100});
    std::vector<std::pair<double, double>> places;
    for (const Point& point : points) places.emplace_back(point.x, point.y);
    using P = std::pair<double, double>;
    EXPECT_THAT(places, ElementsAre(P(10, 100), P(50, 100), P(50, 0), P(100, 0)));
}

TEST(StepLine, HasAFewPointsForEachPixelAndKeepsPeaks) {
    std::vector<StepValue> steps;
    for (Time time = 0; time < 100'000; ++time) steps.push_back({time, static_cast<std::uint64_t>(time * 7919 % 50)});
    steps[54'321].value = 100;
    const auto points = step_line(
        steps, {.start = 0, .begin = 0, .end = 100'000, .left = 0, .right = 900},
        {.top = 0, .bottom = 100, .most = 100});
    EXPECT_LE(points.size(), 4 * 901U + 1);
    EXPECT_DOUBLE_EQ(std::ranges::min(points, {}, &Point::y).y, 0);
}

TEST(Spans, ThoseThatTouchAreOneAndEachCanBeSeen) {
    const TimeScale time{.start = 0, .begin = 0, .end = 1'000, .left = 0, .right = 100};
    const std::vector<StepValue> steps{{100, 1}, {101, 0}, {105, 1}, {106, 0}, {500, 1}};
    const auto spans = spans_of(steps, time);
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_DOUBLE_EQ(spans[0].left, 10);
    EXPECT_DOUBLE_EQ(spans[0].right, 11.5);
    EXPECT_DOUBLE_EQ(spans[1].right, 100);
}

}  // namespace
}  // namespace fabricscope::report
