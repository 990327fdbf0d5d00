// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/spans.h"

#include <gmock/gmock.h>

namespace fabricscope::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> files{"a.pcap", "b.pcap", "c.pcap"};
constexpr capture::Time day = 24 * Spans::hour;

capture::Frame frame(std::uint32_t file, capture::Time time) {
    capture::Frame frame;
    frame.time = time;
    frame.origin.source = file;
    return frame;
}

TEST(Spans, FilesThatOverlapAreOneCapture) {
    Spans spans(2);
    for (capture::Time time = 0; time < 10 * day; time += day) {
        EXPECT_TRUE(spans.take(frame(0, time)));
        EXPECT_TRUE(spans.take(frame(1, time + 1)));
    }
    EXPECT_THAT(spans.gaps(files), IsEmpty());
}

TEST(Spans, AQuietFileIsNoGap) {
    Spans spans(2);
    EXPECT_TRUE(spans.take(frame(0, 0)));
    EXPECT_TRUE(spans.take(frame(1, 2 * Spans::hour)));
    EXPECT_TRUE(spans.take(frame(0, 30 * day))) << "the file itself says that it is one capture";
    EXPECT_THAT(spans.gaps(files), IsEmpty());
}

TEST(Spans, FilesOfOneAfterAnotherAreTold) {
    Spans spans(3);
    for (const auto& [file, time] : {std::pair{1U, 0 * day}, {0U, Spans::hour}, {2U, 3 * day}})
        EXPECT_TRUE(spans.take(frame(file, time)));
    EXPECT_THAT(spans.gaps(files), ElementsAre(HasSubstr("c.pcap begins 3.0 days after a.pcap ends")));
}

TEST(Spans, WhatIsAWeekLaterIsAnotherCapture) {
    Spans spans(2);
    EXPECT_TRUE(spans.take(frame(1, day)));
    EXPECT_TRUE(spans.take(frame(1, 2 * day)));
    const capture::Frame later = frame(0, 9 * day + 1);
    EXPECT_FALSE(spans.take(later));
    EXPECT_THAT(spans.why_not(later, files), HasSubstr("a.pcap begins 7.0 days after b.pcap ends, so that"));
    EXPECT_TRUE(Spans(2).take(later)) << "the first frame of all";
}

}  // namespace
}  // namespace fabricscope::report
