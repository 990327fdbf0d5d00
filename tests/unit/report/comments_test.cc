// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/comments.h"

#include <gmock/gmock.h>

namespace fabricscope::report {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr engine::Rule rule{"SMCR-R34", engine::Severity::error, "RFC 7609, 4.3", "...", engine::messages("...")};

TEST(Comments, TheLastFrameBrokeTheRuleTheOthersAreEvidence) {
    const engine::Finding pair{&rule, {12, 15}, "smcr-1", "went back"};
    const engine::Finding alone{&rule, {15}, "", "as well"};
    const engine::CaptureSummary capture;
    const capture::Comments comments = comments_of(
        {.files = {}, .problems = {}, .capture = capture, .findings = {&pair, &alone}});
    EXPECT_THAT(
        comments, ElementsAre(
                      Pair(12, ElementsAre("SMCR-R34 error, smcr-1: went back [RFC 7609, 4.3]; evidence for frame 15")),
                      Pair(
                          15, ElementsAre(
                                  "SMCR-R34 error, smcr-1: went back [RFC 7609, 4.3]",
                                  "SMCR-R34 error: as well [RFC 7609, 4.3]"))));
}

}  // namespace
}  // namespace fabricscope::report
