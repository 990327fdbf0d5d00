// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/clocks.h"

#include <gmock/gmock.h>

#include "tests/unit/report/models.h"

namespace fabricscope::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A SYN in frame 2 and its SYN-ACK in frame 1, so many milliseconds later.
Model handshake(Time after) {
    Model model;
    model.connections = {connection(1)};
    Setup& setup = model.connections[0].setup;
    setup = {};
    setup.syn = FrameStamp{start, 2};
    setup.syn_ack = FrameStamp{start + after * capture::millisecond, 1};
    return model;
}

const std::map<std::uint64_t, Place> two_files{{1, {"b.pcap", 1}}, {2, {"a.pcap", 1}}};

TEST(Clocks, AnAnswerBeforeItsQuestionContradicts) {
    EXPECT_THAT(
        clock_warnings(handshake(-500), two_files),
        ElementsAre(HasSubstr(
            "b.pcap is at least 0.500000000 s behind a.pcap (smcr-1: SYN-ACK in frame 1 before SYN in frame 2)")));
}

TEST(Clocks, AnAnswerAfterItsQuestionDoesNot) { EXPECT_THAT(clock_warnings(handshake(1), two_files), IsEmpty()); }

TEST(Clocks, NothingIsSaidOfOneFile) {
    EXPECT_THAT(clock_warnings(handshake(-500), {}), IsEmpty());
    EXPECT_THAT(clock_warnings(handshake(-500), {{1, {"a.pcap", 1}}, {2, {"a.pcap", 2}}}), IsEmpty());
}

TEST(Clocks, TheWidestGapCounts) {
    Model model = handshake(-500);
    model.connections.push_back(handshake(-900).connections[0]);
    EXPECT_THAT(clock_warnings(model, two_files), ElementsAre(HasSubstr("at least 0.900000000 s")));
}

TEST(Clocks, WantsTheFramesOfEachStep) { EXPECT_THAT(frames_with_an_order(handshake(1)), ElementsAre(1, 2)); }

}  // namespace
}  // namespace fabricscope::report
