// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/origins.h"

#include <gmock/gmock.h>

namespace fabricscope::capture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Frame frame(std::uint64_t number, std::uint32_t source) {
    Frame frame;
    frame.number = number;
    frame.origin.source = source;
    return frame;
}

TEST(Origins, CountFramesOfEachSource) {
    Origins origins;
    for (const auto& [number, source] : {std::pair{1, 0}, {2, 1}, {4, 1}, {3, 0}, {5, 0}})
        origins.add(frame(static_cast<std::uint64_t>(number), static_cast<std::uint32_t>(source)));
    EXPECT_THAT(
        origins.of({1, 3, 4, 5}),
        ElementsAre(Pair(1, Origin{0, 1}), Pair(3, Origin{0, 2}), Pair(4, Origin{1, 2}), Pair(5, Origin{0, 3})));
}

TEST(Origins, OfFramesThatWereNotAddedNothingIsSaid) {
    Origins origins;
    EXPECT_THAT(origins.of({0, 1}), IsEmpty());
    origins.add(frame(3, 0));
    EXPECT_THAT(origins.of({0, 1, 3, 9}), ElementsAre(Pair(3, Origin{0, 1})));
}

}  // namespace
}  // namespace fabricscope::capture
