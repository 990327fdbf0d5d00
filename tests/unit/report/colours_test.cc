// SPDX-License-Identifier: GPL-2.0-or-later
// What stands in one picture can be told apart by the colour-blind, too.
#include <gmock/gmock.h>

#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/overview.h"
#include "tests/unit/report/colour_vision.h"

namespace fabricscope::report {
namespace {

constexpr double apart = 10;

void expect_apart(const std::vector<Colour>& colours) {
    for (std::size_t i = 0; i < colours.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_GE(difference(colours[i], colours[j]), apart) << i << ", " << j;
}

TEST(Colours, DifferenceIsThatOfWhoSeesLeast) {
    EXPECT_DOUBLE_EQ(difference(palette::green, palette::green), 0);
    EXPECT_GT(difference(palette::black, palette::white), 99);
    EXPECT_LT(difference({200, 80, 0}, {110, 140, 0}), apart) << "red and green are one for many";
}

TEST(Colours, ActivitiesAreApart) {
    std::vector<Colour> colours;
    for (std::size_t i = 0; i < activity_count; ++i) colours.push_back(colour_of(static_cast<Activity>(i)));
    expect_apart(colours);
}

TEST(Colours, CurvesAndMarksAreApart) {
    expect_apart(
        {produced_colour, consumed_colour, window_colour, flight_colour, again_colour, palette::vermilion,
         palette::purple});
}

}  // namespace
}  // namespace fabricscope::report
