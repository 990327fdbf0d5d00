// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/part_labels.h"

#include <gmock/gmock.h>

namespace fabricscope::capture {
namespace {

using testing::Eq;

const std::vector<std::string> one{"a.pcap"}, two{"a.pcap", "b, frame 7.pcap"};

TEST(PartLabels, OfOneCaptureItIsTheNumberThere) {
    const PartLabel label{18, {0, 18}};
    EXPECT_EQ(label_text(label, one), "a.pcap, frame 18");
    EXPECT_THAT(label_of("a.pcap, frame 18", one), Eq(label));
}

TEST(PartLabels, OfSeveralItIsTheNumberAmongAllAsWell) {
    const PartLabel label{412, {1, 18}};
    EXPECT_EQ(label_text(label, two), "b, frame 7.pcap, frame 18 (412 of all)");
    EXPECT_THAT(label_of(label_text(label, two), two), Eq(label));
}

TEST(PartLabels, OtherCommentsAreNone) {
    for (const char* comment :
         {"", "a.pcap", "a.pcap, frame ", "a.pcap, frame x", "a.pcap, frame 18 ", "c.pcap, frame 18",
          "a.pcap, frame 18 (412 of all)", "a.pcap, frame 99999999999999999999"})
        EXPECT_EQ(label_of(comment, one), std::nullopt) << comment;
    for (const char* comment :
         {"a.pcap, frame 18", "a.pcap, frame 18 (", "a.pcap, frame 18 (412", "a.pcap, frame 18 (412 of all) "})
        EXPECT_EQ(label_of(comment, two), std::nullopt) << comment;
}

}  // namespace
}  // namespace fabricscope::capture
