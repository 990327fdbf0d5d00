// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/merge_names.h"

#include <gmock/gmock.h>

namespace fabricscope::report {
namespace {

TurningUpByPrefix sessions(
    const char* prefix, std::vector<std::uint64_t> frames, std::vector<std::uint64_t> times = {}) {
    return {{prefix, {std::move(frames), std::move(times)}}};
}

TEST(MergeNames, SessionsAreNumberedByTheirFrames) {
    const auto parts = number_all({sessions("smcr-", {3, 9}), sessions("smcr-", {1, 5})});
    EXPECT_EQ(parts[0].renamed("smcr-1"), "smcr-2");
    EXPECT_EQ(parts[0].renamed("smcr-2"), "smcr-4");
    EXPECT_EQ(parts[1].renamed("smcr-1"), "smcr-1");
    EXPECT_EQ(parts[1].renamed("smcr-2"), "smcr-3");
}

TEST(MergeNames, WhereFramesWereSortedTheirTimesCountFirst) {
    const auto parts = number_all({sessions("lg-", {3}, {200}), sessions("lg-", {7, 8}, {100, 200})});
    EXPECT_EQ(parts[0].renamed("lg-1"), "lg-2");
    EXPECT_EQ(parts[1].renamed("lg-1, lg-2"), "lg-1, lg-3");
}

TEST(MergeNames, ThoseOfOneFrameKeepTheirOrder) {
    const auto parts = number_all({sessions("cm-", {4, 4, 4}), sessions("cm-", {2})});
    EXPECT_EQ(parts[0].renamed("cm-1 cm-2 cm-3"), "cm-2 cm-3 cm-4");
}

TEST(MergeNames, OnlyWholeWordsAreNames) {
    auto part = number_all({{}, sessions("rdma-", {2}), sessions("rdma-", {1})})[1];
    EXPECT_EQ(part.renamed("rdma-1: 'rdma-1' (rdma-1), rdma-1's"), "rdma-2: 'rdma-2' (rdma-2), rdma-2's");
    for (const char* other :
         {"fc-ae-rdma-1", "rdma-1-a", "rdma-2", "rdma-0", "rdma-", "rdma", "xrdma-1", "rdma-1x", "RDMA-1"})
        EXPECT_EQ(part.renamed(other), other);
}

TEST(MergeNames, NumberOfAName) {
    EXPECT_EQ(number_in("fc-ae-rdma-region-12"), 12);
    EXPECT_EQ(number_in("smcr-"), 0);
    EXPECT_EQ(number_in("SMCR-R34"), 0);
}

}  // namespace
}  // namespace fabricscope::report
