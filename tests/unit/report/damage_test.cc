// SPDX-License-Identifier: GPL-2.0-or-later
// Every capture cut at many lengths (small ones at each) and with bits turned over, from the file to all reports. With
// FABRICSCOPE_THOROUGH=N in the environment N times as many: enough of it is every length.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/fuzz/pipeline.h"

namespace fabricscope::report {
namespace {

using Octets = std::vector<std::uint8_t>;

std::size_t thoroughness() {
    const char* wanted = std::getenv("FABRICSCOPE_THOROUGH");
    return wanted == nullptr ? 1 : std::strtoul(wanted, nullptr, 10);
}

namespace fs = std::filesystem;

constexpr std::size_t small = 1'300;             ///< octets: such a capture is cut at each of them
constexpr std::size_t runs_for_all_reports = 8;  ///< in one of so many, every report is written
constexpr unsigned most_seconds = 60;            ///< of one run; then the signal ends the test

fuzz::PipelineResult run_once(ByteView octets, std::size_t number) {
    ::alarm(most_seconds);
    const auto extent = number % runs_for_all_reports == 0 ? fuzz::Extent::every_report : fuzz::Extent::usual;
    const fuzz::PipelineResult result = fuzz::run_pipeline(octets, extent);
    ::alarm(0);
    return result;
}

/// "real/smcr_v2_echo.pcap". Those of synth/ hold nothing that the others do not.
std::vector<std::string> captures() {
    const fs::path samples = fs::path(FABRICSCOPE_SAMPLES).parent_path();
    std::vector<std::string> paths;
    for (const char* folder : {"real", "fcvi", "fc_ae_rdma"})
        for (const fs::directory_entry& entry : fs::directory_iterator(samples / folder))
            if (entry.path().extension().string().starts_with(".pcap"))
                paths.push_back(fs::relative(entry.path(), samples));
    std::ranges::sort(paths);
    return paths;
}

Octets content_of(const std::string& name) {
    std::ifstream file(fs::path(FABRICSCOPE_SAMPLES).parent_path() / name, std::ios::binary);
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    return {content.begin(), content.end()};
}

class Damaged : public testing::TestWithParam<std::string> {
protected:
    /// So that each capture takes about the same time, whatever its size.
    std::size_t runs() const { return std::max<std::size_t>(2, 200'000 / octets_.size()) * thoroughness(); }

    const Octets octets_ = content_of(GetParam());
};

TEST_P(Damaged, CutAtAnyLength) {
    const fuzz::PipelineResult whole = run_once(octets_, 0);
    ASSERT_TRUE(whole.opened);
    EXPECT_EQ(whole.problems, 0U);
    const std::size_t step = octets_.size() <= small ? 1 : std::max<std::size_t>(1, octets_.size() / runs());
    std::uint64_t frames = 0;
    for (std::size_t length = 0; length < octets_.size(); length += step) {
        const fuzz::PipelineResult cut = run_once(ByteView(octets_).first(length), length / step);
        EXPECT_GE(cut.frames, frames) << "more octets, fewer frames at " << length;
        frames = cut.frames;
    }
    EXPECT_LT(frames, whole.frames + 1);
}

TEST_P(Damaged, WithBitsTurnedOver) {
    for (std::size_t seed = 0; seed < runs(); ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        Octets damaged = octets_;
        const std::size_t errors = 1 + damaged.size() / (1U << (6 + random() % 8));
        for (std::size_t i = 0; i < errors; ++i)
            damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
        run_once(damaged, seed);  // aborts where something is wrong
    }
}

std::string name_of_capture(const testing::TestParamInfo<std::string>& info) {
    std::string name = fs::path(info.param).replace_extension();
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Sample, Damaged, testing::ValuesIn(captures()), name_of_capture);

}  // namespace
}  // namespace fabricscope::report
