// SPDX-License-Identifier: GPL-2.0-or-later
// Every CLC, LLC and CDC message of the real captures, parsed and built again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analyzer/engine/engine.h"
#include "capture/source.h"

namespace fabricscope::engine::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;

class RoundTrips : public Observer {
public:
    void on_clc(const ClcSeen& seen) override {
        const wire::ClcMessage message = wire::parse_clc(seen.octets);
        EXPECT_FALSE(message.error) << seen.frame << ": " << to_string(message.error);
        expect_same(wire::build(message), seen.octets, seen.frame);
        ++clc;
    }
    void on_facts(const FrameFacts& seen) override {
        if (seen.what == FrameFacts::What::llc) {
            const wire::LlcMessage message = wire::parse_llc(seen.message, seen.message_length);
            EXPECT_FALSE(message.error) << seen.frame << ": " << to_string(message.error);
            expect_same(wire::build(message), seen.message, seen.frame);
            ++llc;
        } else if (seen.what == FrameFacts::What::cdc) {
            wire::Cdc message;
            EXPECT_FALSE(layout::parse_into(message, seen.message)) << seen.frame;
            Octets built(wire::cdc_size);
            layout::build_into(message, built);
            expect_same(built, seen.message, seen.frame);
            ++cdc;
        }
    }

    std::size_t clc = 0, llc = 0, cdc = 0;

private:
    static void expect_same(const Octets& built, ByteView seen, std::uint64_t frame) {
        EXPECT_TRUE(std::ranges::equal(built, seen)) << "frame " << frame;
    }
};

class RealMessages : public ::testing::TestWithParam<std::string> {};

TEST_P(RealMessages, BuildBack) {
    const std::string path = std::string(FABRICSCOPE_SAMPLES) + "/" + GetParam();
    capture::OpenResult opened = capture::open(path);
    ASSERT_TRUE(opened) << to_string(opened.error);
    RoundTrips seen;
    Engine engine({.interfaces = opened.source->interface_count()}, {.smcr = &seen});
    for (capture::Frame frame; opened.source->next(frame);) engine.on_frame(frame);
    engine.finish();
    const bool fallback = GetParam().find("fallback") != std::string::npos;
    if (fallback) return;
    EXPECT_GT(seen.clc, 0U);
    EXPECT_GT(seen.llc, 0U);
    EXPECT_GT(seen.cdc, 0U);
}

std::vector<std::string> smcr_samples() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICSCOPE_SAMPLES)) {
        const std::string name = entry.path().filename();
        const bool is_capture = entry.path().extension() == ".pcap" || entry.path().extension() == ".pcapng";
        if (is_capture && name.starts_with("smcr_")) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Samples, RealMessages, ::testing::ValuesIn(smcr_samples()), [](const auto& instance) {
    return instance.param.substr(0, instance.param.find('.'));
});

}  // namespace
}  // namespace fabricscope::engine::smcr
