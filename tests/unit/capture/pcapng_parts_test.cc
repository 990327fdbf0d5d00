// SPDX-License-Identifier: GPL-2.0-or-later
// Distributing captures over parts: broken off behind any frame and gone on with, the parts are the same octets.
#include <gmock/gmock.h>

#include <iterator>

#include "capture/pcapng_copy.h"
#include "tests/unit/capture/files.h"

namespace fabricscope::capture {
namespace {

using namespace test;

constexpr std::uint64_t frames = 7;

Octets content_of(std::uint64_t number) { return Octets(40 + number, static_cast<std::uint8_t>(number)); }

/// A capture that names one of its interfaces at its beginning and another one behind its third frame.
Octets first_frames(std::uint64_t count) {
    Octets file = join({pcapng_section(), pcapng_interface(linktype_ethernet)});
    for (std::uint64_t number = 1; number <= count; ++number) {
        if (number == 4) file = join({file, pcapng_interface(linktype_ethernet)});
        file = join(
            {file, pcapng_packet(number < 4 ? 0 : number % 2, static_cast<Time>(number) * second, content_of(number))});
    }
    return file;
}

std::size_t part_of(const Frame& frame) { return frame.number % 2; }

class Parts : public testing::Test {
protected:
    PartsProgress nothing(const std::string& name) const {
        return {
            .frames = 0, .parts = {{.path = folder_.write(name + "-1", {})}, {.path = folder_.write(name + "-2", {})}}};
    }
    void copy(const std::string& capture, PartsProgress& progress) const {
        const auto error = copy_into_parts({capture}, progress, part_of, "test", [](const PartsProgress&) {});
        ASSERT_EQ(error, std::nullopt);
    }
    static std::vector<std::string> contents(const PartsProgress& progress) {
        std::vector<std::string> all;
        for (const PcapngPart& part : progress.parts) {
            std::ifstream file(part.path, std::ios::binary);
            all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
            EXPECT_EQ(all.back().size(), part.size);
        }
        return all;
    }
    static void add_rubbish(const PartsProgress& progress) {
        for (const PcapngPart& part : progress.parts)
            std::ofstream(part.path, std::ios::binary | std::ios::app) << "half a block";
    }

    Folder folder_;
};

TEST_F(Parts, GoOnWhereTheyWereBrokenOff) {
    PartsProgress at_once = nothing("whole");
    copy(folder_.write("capture", first_frames(frames)), at_once);
    EXPECT_EQ(at_once.frames, frames);
    for (std::uint64_t before = 0; before <= frames; ++before) {
        PartsProgress progress = nothing("part" + std::to_string(before));
        // The same file, as one that has no more frames yet: what it holds by then.
        copy(folder_.write("capture", first_frames(before)), progress);
        EXPECT_EQ(progress.frames, before);
        add_rubbish(progress);
        copy(folder_.write("capture", first_frames(frames)), progress);
        EXPECT_EQ(contents(progress), contents(at_once)) << before;
        for (std::size_t i = 0; i < progress.parts.size(); ++i) {
            EXPECT_EQ(progress.parts[i].frames, at_once.parts[i].frames);
            EXPECT_EQ(progress.parts[i].octets, at_once.parts[i].octets);
        }
    }
}

TEST_F(Parts, CapturesThatHaveLessThanTheyHadAreRefused) {
    PartsProgress progress = nothing("part");
    const std::string capture = folder_.write("capture", first_frames(frames));
    copy(capture, progress);
    folder_.write("capture", first_frames(frames - 1));
    EXPECT_THAT(
        copy_into_parts({capture}, progress, part_of, "test", [](const PartsProgress&) {}),
        testing::Optional(testing::HasSubstr("fewer frames")));
}

}  // namespace
}  // namespace fabricscope::capture
