// SPDX-License-Identifier: GPL-2.0-or-later
// What is read of one session once more.
#include "analyzer/report/detail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/report/fc_report.h"
#include "capture/source.h"

namespace fabricscope::report {
namespace {

std::vector<capture::Frame> frames_of(capture::Source& source, std::deque<std::vector<std::uint8_t>>& octets) {
    std::vector<capture::Frame> frames;
    for (capture::Frame frame; source.next(frame);) {
        octets.emplace_back(frame.data.begin(), frame.data.end());
        frame.data = octets.back();
        frames.push_back(frame);
    }
    return frames;
}

/// The octets of each frame behind those before it, in both directions, as its Exchange's model counts them.
TEST(Detail, RelativeOffsetsOfAnExchange) {
    const auto opened = capture::open(FABRICSCOPE_SAMPLES "/../fc_ae_rdma/several_sequences.pcap");
    ASSERT_TRUE(opened) << to_string(opened.error);
    std::deque<std::vector<std::uint8_t>> octets;
    const auto frames = frames_of(*opened.source, octets);
    engine::Engine first(engine::following_all(1));
    for (const capture::Frame& frame : frames) first.on_frame(frame);
    first.finish();
    std::size_t panels = 0;
    for (const auto& exchange : first.fc().exchanges) {
        const auto listener = exchange_detail(exchange);
        engine::Observers observers;
        listener->listen(observers);
        engine::Engine again(engine::following_all(1), observers);
        for (const capture::Frame& frame : frames) again.on_frame(frame);
        again.finish();
        for (const CurvePanel& panel : listener->take().panels) {
            ++panels;
            ASSERT_EQ(panel.curves.size(), 1U);
            const std::vector<StepValue>& steps = panel.curves[0].steps;
            using engine::fibre_channel::Party;
            const bool by_originator = panel.title.starts_with("originator");
            const auto& sent = exchange.sent[by_originator ? Party::originator : Party::responder];
            ASSERT_FALSE(steps.empty());
            EXPECT_LE(steps.size(), sent.frames);
            EXPECT_LE(steps.back().value, sent.octets) << panel.title;
            EXPECT_TRUE(std::ranges::is_sorted(steps, {}, &StepValue::value)) << panel.title;
        }
    }
    EXPECT_GT(panels, 0U);
}

}  // namespace
}  // namespace fabricscope::report
