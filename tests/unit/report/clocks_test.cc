// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/clocks.h"

#include <gmock/gmock.h>

#include "tests/unit/report/models.h"

namespace fabricscope::report::clocks_test {
namespace {

using namespace models;
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

std::vector<std::string> clock_warnings(const Model& model, const std::map<std::uint64_t, Place>& places) {
    return report::clock_warnings({.smcr = &model}, places);
}

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

TEST(Clocks, WantsTheFramesOfEachStep) {
    const Model model = handshake(1);
    EXPECT_THAT(frames_with_an_order({.smcr = &model}), ElementsAre(1, 2));
}

TEST(Clocks, RequestsBehindTheirAnswersContradictIfTheyAreMany) {
    engine::rdma::Model model;
    engine::rdma::Stream& stream = model.streams.emplace_back();
    stream.id = 1;
    auto& belated = stream.from[engine::rdma::a].belated;
    belated = std::make_unique<engine::rdma::Belated>();
    for (Time i = 0; i < 8; ++i) {
        EXPECT_THAT(report::clock_warnings({.rdma = &model}, two_files), IsEmpty()) << "some may have been sent again";
        const Time late = (i == 5 ? 3 : 2) * capture::millisecond;
        belated->add({start, 1}, {start + late, 2, 1});
    }
    EXPECT_THAT(
        report::clock_warnings({.rdma = &model}, two_files),
        ElementsAre(HasSubstr(
            "b.pcap is at least 0.003000000 s behind a.pcap (rdma-1: an answer in frame 1 before its request in frame "
            "2)")));
}

}  // namespace
}  // namespace fabricscope::report::clocks_test
