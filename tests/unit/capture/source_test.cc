// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

#include "capture/packet_source.h"
#include "tests/unit/capture/files.h"

namespace fabricscope::capture::source_test {
namespace {

using namespace test;

constexpr Time start = 1'700'000'000 * second;

struct Seen {
    std::uint64_t number;
    Time time;
    std::uint32_t interface;
    LinkType link;
    Octets octets;
    bool operator==(const Seen&) const = default;
};

Seen seen(const Frame& frame) {
    return {frame.number, frame.time, frame.interface, frame.link, {frame.data.begin(), frame.data.end()}};
}

std::vector<Seen> read_all(Source& source) {
    std::vector<Seen> all;
    Frame frame;
    while (source.next(frame)) all.push_back(seen(frame));
    return all;
}

std::vector<Seen> read_file(const std::string& path) {
    const OpenResult result = open(path);
    EXPECT_TRUE(result) << to_string(result.error);
    if (!result) return {};
    std::vector<Seen> all = read_all(*result.source);
    EXPECT_TRUE(result.source->errors().empty());
    return all;
}

/// Frames that differ in length and content, one each second.
Octets small_pcap(std::uint16_t link_type = linktype_ethernet, std::size_t count = 3) {
    Octets file = pcap_header(link_type);
    for (std::size_t i = 0; i < count; ++i)
        file = join({file, pcap_record(start + static_cast<Time>(i) * second + 123'456'789, counting(20 + i))});
    return file;
}

const std::vector<Seen> small_frames{
    {1, start + 123'456'789, 0, LinkType::ethernet, counting(20)},
    {2, start + second + 123'456'789, 0, LinkType::ethernet, counting(21)},
    {3, start + 2 * second + 123'456'789, 0, LinkType::ethernet, counting(22)},
};

/// Standard input becomes another descriptor until the end of the scope.
class StandardInput {
public:
    explicit StandardInput(int fd) : saved_(dup(STDIN_FILENO)) {
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;
    ~StandardInput() {
        dup2(saved_, STDIN_FILENO);
        close(saved_);
    }

private:
    int saved_;
};

// ---- kinds of files ----

class Kinds : public testing::Test {
protected:
    Folder folder_;
};

TEST_F(Kinds, PcapInNanoseconds) { EXPECT_EQ(read_file(folder_.write("a.pcap", small_pcap())), small_frames); }

TEST_F(Kinds, PcapInMicroseconds) {
    Octets file = pcap_header(linktype_ethernet);
    file[0] = 0xD4;
    file[1] = 0xC3;
    file = join({file, u32(5), u32(7), u32(4), u32(100), counting(4)});
    const OpenResult result = open(folder_.write("us.pcap", file));
    Frame frame;
    ASSERT_TRUE(result && result.source->next(frame));
    EXPECT_EQ(frame.time, 5 * second + 7 * microsecond);
    EXPECT_EQ(frame.wire_length, 100U);
    EXPECT_EQ(frame.data.size(), 4U);
}

TEST_F(Kinds, LinkTypes) {
    const std::pair<std::uint16_t, LinkType> types[] = {
        {linktype_ethernet, LinkType::ethernet},
        {linktype_raw, LinkType::raw_ip},
        {linktype_sll, LinkType::linux_cooked_v1},
        {linktype_fc2, LinkType::fc2},
        {linktype_infiniband, LinkType::infiniband},
        {linktype_sll2, LinkType::linux_cooked_v2},
        {105, LinkType::unknown}};
    for (const auto& [number, link] : types) {
        const Octets file = small_pcap(number, 1);
        EXPECT_EQ(read_file(folder_.write("plain", file)).at(0).link, link) << number << " by libpcap";
        if (link == LinkType::infiniband) continue;  // unknown to wiretap
        EXPECT_EQ(read_file(folder_.write("compressed", gzip(file))).at(0).link, link) << number << " by wiretap";
    }
}

TEST_F(Kinds, Compressed) {
    EXPECT_EQ(read_file(folder_.write("a.gz", gzip(small_pcap()))), small_frames);
    EXPECT_EQ(read_file(folder_.write("a.zst", zstd(small_pcap()))), small_frames);
    EXPECT_EQ(read_file(folder_.write("a.lz4", lz4(small_pcap()))), small_frames);
}

TEST_F(Kinds, PcapngOfOneInterface) {
    Octets file = join({pcapng_section(), pcapng_interface(linktype_ethernet)});
    for (const Seen& seen : small_frames) file = join({file, pcapng_packet(0, seen.time, seen.octets)});
    EXPECT_EQ(read_file(folder_.write("a.pcapng", file)), small_frames);
}

TEST_F(Kinds, PcapngOfTwoEqualInterfaces) {
    const Octets file = join(
        {pcapng_section(), pcapng_interface(linktype_ethernet), pcapng_interface(linktype_ethernet),
         pcapng_packet(1, start, counting(20)), pcapng_packet(0, start, counting(21))});
    const OpenResult result = open(folder_.write("a.pcapng", file));
    ASSERT_TRUE(result);
    EXPECT_EQ(result.source->interface_count(), 2U) << "before the first frame";
    const auto frames = read_all(*result.source);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].interface, 1U);
    EXPECT_EQ(frames[1].interface, 0U);
}

TEST_F(Kinds, PcapngOfDifferentLinkTypes) {
    const Octets interfaces = join(
        {pcapng_section(), pcapng_interface(linktype_ethernet), pcapng_interface(linktype_fc2)});
    const Octets packets = join({pcapng_packet(0, start, counting(20)), pcapng_packet(1, start, counting(20))});
    const auto frames = read_file(folder_.write("a.pcapng", join({interfaces, packets})));
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].link, LinkType::ethernet);
    EXPECT_EQ(frames[1].link, LinkType::fc2);
}

TEST_F(Kinds, PcapngThatChangesItsLinkTypeLater) {
    const Octets file = join(
        {pcapng_section(), pcapng_interface(linktype_ethernet), pcapng_packet(0, start, counting(20)),
         pcapng_packet(0, start, counting(21)), pcapng_interface(linktype_raw), pcapng_packet(1, start, counting(22)),
         pcapng_packet(0, start, counting(23))});
    const auto frames = read_file(folder_.write("a.pcapng", file));
    ASSERT_EQ(frames.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(frames[i].number, i + 1);
        EXPECT_EQ(frames[i].octets, counting(20 + i));
    }
    EXPECT_EQ(frames[2].link, LinkType::raw_ip);
    EXPECT_EQ(frames[2].interface, 1U);
    EXPECT_EQ(frames[3].interface, 0U);
}

TEST_F(Kinds, PcapngSectionsCountTheirInterfacesAnew) {
    const Octets two = join(
        {pcapng_section(), pcapng_interface(linktype_ethernet), pcapng_interface(linktype_ethernet)});
    const Octets packets = join({pcapng_packet(0, start, counting(20)), pcapng_packet(1, start, counting(20))});
    const auto frames = read_file(folder_.write("a.pcapng", join({two, packets, two, packets})));
    ASSERT_EQ(frames.size(), 4U);
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(frames[i].interface, i);
}

TEST_F(Kinds, Erf) {
    const Octets packet = with_icrc(
        ib::IcrcStart::lrh, lrh(ib::LinkNextHeader::local_bth, bth(0x04, 1, {}, counting(44))), 8);
    Octets records;
    for (Time i = 0; i < 4; ++i) records = join({records, erf_record(21, start + i * second, packet)});
    const Octets in_pcap = join({pcap_header(linktype_erf), pcap_record(start, erf_record(21, start, packet))});
    for (const std::string& path : {folder_.write("a.erf", records), folder_.write("erf.pcap", in_pcap)}) {
        const OpenResult result = open(path);
        ASSERT_TRUE(result) << path;
        Frame frame;
        ASSERT_TRUE(result.source->next(frame)) << path;
        EXPECT_EQ(frame.link, LinkType::infiniband);
        const Packet decoded = decode(frame);
        EXPECT_EQ(decoded.transport, Transport::ib);
        EXPECT_EQ(icrc_is_good(decoded), true);
    }
}

// ---- standard input ----

TEST_F(Kinds, StandardInputAsPipe) {
    for (const Octets& file : {small_pcap(), gzip(small_pcap())}) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        ASSERT_EQ(write(ends[1], file.data(), file.size()), static_cast<ssize_t>(file.size()));
        close(ends[1]);
        const StandardInput redirected(ends[0]);
        EXPECT_EQ(read_file("-"), small_frames);
    }
}

TEST_F(Kinds, StandardInputAsFile) {
    for (const Octets& file : {small_pcap(), gzip(small_pcap())}) {
        const StandardInput redirected(::open(folder_.write("a", file).c_str(), O_RDONLY));
        EXPECT_EQ(read_file("-"), small_frames);
    }
}

TEST_F(Kinds, NamedPipe) {
    const std::string path = folder_.write("fifo", {});
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] {
        const Octets file = small_pcap();
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    });
    EXPECT_EQ(read_file(path), small_frames);
    writer.join();
}

// ---- errors ----

TEST_F(Kinds, WhatCannotBeOpened) {
    EXPECT_FALSE(open(folder_.write("a", {}) + ".missing"));
    EXPECT_EQ(open("/nonexistent").error.file, "/nonexistent");
    EXPECT_FALSE(open("/"));
    EXPECT_FALSE(open(folder_.write("a.txt", {'h', 'e', 'l', 'l', 'o', '\n'})));
    const OpenResult picture = open(
        folder_.write("a.png", join({{0x89, 'P', 'N', 'G', 13, 10, 26, 10}, counting(200)})));
    EXPECT_FALSE(picture);
    EXPECT_FALSE(picture.error.message.empty());
}

TEST_F(Kinds, EmptyFileIsAnError) {
    const OpenResult result = open(folder_.write("empty.pcap", {}));
    ASSERT_TRUE(result);
    EXPECT_TRUE(read_all(*result.source).empty());
    EXPECT_EQ(result.source->errors().size(), 1U);
}

TEST_F(Kinds, CutFileDeliversWhatIsThereAndSaysWhereItEnds) {
    Octets pcapng = join({pcapng_section(), pcapng_interface(linktype_ethernet)});
    for (const Seen& seen : small_frames) pcapng = join({pcapng, pcapng_packet(0, seen.time, seen.octets)});
    const Octets pcap = small_pcap();
    for (const Octets& whole : {pcap, pcapng, gzip(pcap)}) {
        const Octets cut(whole.begin(), whole.end() - 10);
        const OpenResult result = open(folder_.write("cut", cut));
        ASSERT_TRUE(result);
        EXPECT_EQ(read_all(*result.source).size(), 2U);
        const auto errors = result.source->errors();
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors[0].frame, 3U);
        EXPECT_EQ(errors[0].offset, cut.size());
        EXPECT_NE(errors[0].message.find("truncated"), std::string::npos) << errors[0].message;
        EXPECT_NE(to_string(errors[0]).find("cut: frame 3, offset "), std::string::npos);
        Frame frame;
        EXPECT_FALSE(result.source->next(frame)) << "and stays at its end";
    }
}

TEST(Time, IsHeldInRange) {
    EXPECT_EQ(time_of(5, 7), 5 * second + 7);
    EXPECT_EQ(time_of(INT64_MAX, 0), time_of(std::int64_t{1} << 32, 0));
    EXPECT_GT(time_of(INT64_MAX, 0) - time_of(INT64_MIN, 0), 0);
}

// ---- several files ----

/// A source of frames made up by a test, each with its interface.
class Fixed final : public Source {
public:
    using Frames = std::vector<std::pair<Time, std::uint32_t>>;
    Fixed(Frames frames, std::uint32_t interfaces) : frames_(std::move(frames)), interfaces_(interfaces) {}

    bool next(Frame& frame) override {
        if (at_ == frames_.size()) return false;
        const auto [time, interface] = frames_[at_++];
        octets_ = u64(static_cast<std::uint64_t>(time));  // the last frame's octets are gone
        frame = {at_, time, 8, octets_, LinkType::ethernet, interface};
        return true;
    }
    std::vector<Error> errors() const override {
        return at_ == frames_.size() ? std::vector{Error{"made up", at_, {}, "end"}} : std::vector<Error>{};
    }
    std::uint32_t interface_count() const override { return interfaces_; }

private:
    Frames frames_;
    std::uint32_t interfaces_;
    std::size_t at_ = 0;
    Octets octets_;
};

template <class... Sources> std::vector<std::unique_ptr<Source>> list_of(Sources... sources) {
    std::vector<std::unique_ptr<Source>> list;
    (list.push_back(std::move(sources)), ...);
    return list;
}
std::unique_ptr<Source> fixed(const Fixed::Frames& frames, std::uint32_t interfaces) {
    return std::make_unique<Fixed>(frames, interfaces);
}
/// Of the interfaces in turn.
std::unique_ptr<Source> fixed(const std::vector<Time>& times, std::uint32_t interfaces = 1) {
    Fixed::Frames frames;
    for (const Time time : times) frames.emplace_back(time, static_cast<std::uint32_t>(frames.size()) % interfaces);
    return fixed(frames, interfaces);
}

std::vector<Time> times_of(const std::vector<Seen>& frames) {
    std::vector<Time> times;
    for (const Seen& seen : frames) {
        times.push_back(seen.time);
        EXPECT_EQ(seen.octets, u64(static_cast<std::uint64_t>(seen.time)));
    }
    return times;
}

TEST(Merge, OneTimeline) {
    const auto source = merge(list_of(fixed({1, 4, 4, 9}), fixed({0, 4, 5}, 2), fixed({}), fixed({20})));
    EXPECT_EQ(source->interface_count(), 5U);
    const auto frames = read_all(*source);
    EXPECT_EQ(times_of(frames), (std::vector<Time>{0, 1, 4, 4, 4, 5, 9, 20}));
    std::vector<std::uint32_t> interfaces;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        EXPECT_EQ(frames[i].number, i + 1);
        interfaces.push_back(frames[i].interface);
    }
    EXPECT_EQ(interfaces, (std::vector<std::uint32_t>{1, 0, 0, 0, 2, 1, 0, 4}))
        << "at equal times the first file first";
    EXPECT_EQ(source->errors().size(), 4U);
}

TEST(Merge, EachCaptureKeepsItsOwnOrder) {
    const auto source = merge(list_of(fixed({5, 2, 7}), fixed({1, 3, 6})));
    EXPECT_EQ(times_of(read_all(*source)), (std::vector<Time>{1, 3, 5, 2, 6, 7}));
}

TEST(Merge, OneSourceStaysAsItIs) {
    auto only = fixed({3, 1});
    const Source* before = only.get();
    EXPECT_EQ(merge(list_of(std::move(only))).get(), before);
}

TEST(Merge, NothingAtAll) {
    const auto source = merge({});
    Frame frame;
    EXPECT_FALSE(source->next(frame));
    EXPECT_EQ(source->interface_count(), 0U);
}

TEST(InTimeOrder, OneInterfaceStaysAsItIs) {
    auto only = fixed({3, 1});
    const Source* before = only.get();
    EXPECT_EQ(in_time_order(std::move(only)).get(), before);
}

TEST(InTimeOrder, SortsWithinTheWindowAndKeepsNumbers) {
    const auto frames = read_all(*in_time_order(fixed({10, 30, 20, 20, 40, 35}, 2)));
    EXPECT_EQ(times_of(frames), (std::vector<Time>{10, 20, 20, 30, 35, 40}));
    std::vector<std::uint64_t> numbers;
    numbers.reserve(frames.size());
    for (const Seen& seen : frames) numbers.push_back(seen.number);
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 3, 4, 2, 6, 5}));
}

TEST(InTimeOrder, LimitsBoundWhatIsHeld) {
    EXPECT_EQ(
        times_of(read_all(*in_time_order(fixed({0, 10, 20, 5, 30}, 2), {.window = 10}))),
        (std::vector<Time>{0, 10, 5, 20, 30}));
    EXPECT_EQ(
        times_of(read_all(*in_time_order(fixed({3, 2, 1, 0}, 2), {.frames = 2}))), (std::vector<Time>{2, 1, 0, 3}));
    EXPECT_EQ(
        times_of(read_all(*in_time_order(fixed({3, 2, 1, 0}, 2), {.octets = 24}))), (std::vector<Time>{1, 0, 2, 3}));
}

TEST(InTimeOrder, AnyDisorderWithinTheWindowIsSorted) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        std::vector<Time> times;
        for (Time i = 0; i < 2000; ++i)
            times.push_back(i * millisecond - static_cast<Time>(random() % 1000) * millisecond);
        const auto sorted = times_of(read_all(*in_time_order(fixed(times, 2))));
        std::ranges::sort(times);
        ASSERT_EQ(sorted, times) << seed;
    }
}

TEST(InTimeOrder, OneFrameWithAWrongTimeDoesNotUndoTheOrderOfOthers) {
    for (const Time wrong : {4 * start, Time{0}}) {
        std::vector<Time> times;
        for (Time i = 0; i < 2000; ++i) times.push_back(start + (i ^ 7) * millisecond);
        times[1000] = wrong;
        const auto sorted = times_of(read_all(*in_time_order(fixed(times, 2), {.window = 100 * millisecond})));
        // A frame of long ago cannot be put before those that have been delivered.
        std::erase(times, wrong);
        std::ranges::sort(times);
        if (wrong > start) times.push_back(wrong);
        auto others = sorted;
        if (wrong < start) std::erase(others, wrong);
        EXPECT_EQ(others, times);
    }
}

TEST(InTimeOrder, FollowsAClockThatWasSet) {
    for (const Time step : {-3600 * second, 3600 * second}) {
        std::vector<Time> times;
        for (Time i = 0; i < 1000; ++i) times.push_back(start + (i ^ 1) * second / 10);
        for (Time i = 0; i < 1000; ++i) times.push_back(start + step + (i ^ 1) * second / 10);
        const auto sorted = times_of(read_all(*in_time_order(fixed(times, 2))));
        const auto steps_back = [](const std::vector<Time>& all) {
            std::size_t count = 0;
            for (std::size_t i = 1; i < all.size(); ++i) count += all[i] < all[i - 1];
            return count;
        };
        EXPECT_EQ(steps_back(times), step < 0 ? 1001U : 1000U);
        EXPECT_LE(steps_back(sorted), step < 0 ? 3U : 0U) << "where the clock was set, order is a matter of taste";
    }
}

std::vector<Seen> timeline_of(const Fixed::Frames& frames, std::uint32_t interfaces) {
    const auto once = [&] { return list_of(fixed(frames, interfaces)); };
    return read_all(*timeline(once(), once, {.window = 10}));
}

TEST(Timeline, OneTapBehindTheOther) {
    const auto seen = timeline_of({{0, 0}, {40, 0}, {80, 0}, {20, 1}, {60, 1}, {55, 1}, {100, 1}}, 3);
    EXPECT_EQ(times_of(seen), (std::vector<Time>{0, 20, 40, 55, 60, 80, 100}));
    std::vector<std::uint64_t> numbers;
    for (const Seen& one : seen) numbers.push_back(one.number);
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 4, 2, 6, 5, 3, 7}));
}

TEST(Timeline, AClockThatWasSetIsNotHidden) {
    Fixed::Frames frames;
    for (Time time = 1000; time < 1100; ++time) frames.emplace_back(time, 1);
    for (Time time = 100; time < 200; ++time) frames.emplace_back(time, 1);
    for (Time time = 100; time < 1100; time += 10) frames.emplace_back(time, 0);
    EXPECT_EQ(times_of(timeline_of(frames, 2)), times_of(read_all(*in_time_order(fixed(frames, 2), {.window = 10}))));
}

TEST(Timeline, OneInterfaceThatHoldsTheFramesOfSeveral) {
    constexpr Time ms = millisecond;
    const auto times = [](const Fixed::Frames& frames) {
        const auto once = [&] { return list_of(fixed(frames, 1)); };
        return times_of(read_all(*timeline(once(), once)));
    };
    EXPECT_EQ(
        times({{10 * ms, 0}, {30 * ms, 0}, {20 * ms, 0}, {50 * ms, 0}, {40 * ms, 0}, {70 * ms, 0}, {60 * ms, 0}}),
        (std::vector<Time>{10 * ms, 20 * ms, 30 * ms, 40 * ms, 50 * ms, 60 * ms, 70 * ms}));
    EXPECT_EQ(times({{10 * ms, 0}, {30 * ms, 0}, {20 * ms, 0}}), (std::vector<Time>{10 * ms, 30 * ms, 20 * ms}))
        << "its clock was set back";
}

TEST(InTimeOrder, RealCaptureOfTwoInterfaces) {
    const auto count_steps_back = [](Source& source) {
        Frame frame;
        Time last = 0;
        int steps = 0;
        std::uint64_t count = 0;
        for (; source.next(frame); ++count, last = frame.time) steps += frame.time < last;
        EXPECT_EQ(count, 1294U);
        return steps;
    };
    const std::string path = sample("smcr_v2_two_links.pcapng");
    EXPECT_GT(count_steps_back(*open(path).source), 0);
    EXPECT_EQ(count_steps_back(*in_time_order(open(path).source)), 0);
}

std::vector<Seen> read_all(PacketSource& packets) {
    std::vector<Seen> all;
    while (const DecodedFrame* at = packets.next()) {
        EXPECT_EQ(at->packet.number, at->frame.number);
        EXPECT_EQ(at->packet.captured_length, at->frame.data.size());
        all.push_back(seen(at->frame));
    }
    return all;
}

TEST(ReadAhead, SameFramesErrorsAndInterfaces) {
    for (const std::size_t count : {0U, 1U, 1023U, 1024U, 1025U, 100'000U}) {
        std::vector<Time> times(count);
        for (std::size_t i = 0; i < count; ++i) times[i] = static_cast<Time>(i);
        const std::array both{read_ahead(fixed(times, 3)), decoded(fixed(times, 3))};
        for (const auto& packets : both) {
            EXPECT_EQ(packets->interface_count(), 3U);
            EXPECT_EQ(read_all(*packets), read_all(*fixed(times, 3)));
            EXPECT_EQ(packets->errors().size(), 1U);
            EXPECT_EQ(packets->next(), nullptr) << "the end stays the end";
        }
    }
}

TEST(ReadAhead, PacketsPointIntoTheirFrames) {
    for (const char* name : {"smcr_v2_two_links.pcapng", "fcoe_vn2vn.pcap", "../fcvi/unreliable_delivery_iso.pcap"}) {
        const auto packets = read_ahead(open(sample(name)).source);
        std::size_t count = 0;
        while (const DecodedFrame* at = packets->next()) {
            const ByteView segment = at->packet.segment;
            if (segment.empty()) continue;
            ++count;
            EXPECT_GE(segment.data(), at->frame.data.data());
            EXPECT_LE(segment.data() + segment.size(), at->frame.data.data() + at->frame.data.size());
            const Packet again = decode(at->frame);
            EXPECT_TRUE(std::ranges::equal(segment, again.segment));
            EXPECT_EQ(at->packet.source, again.source);
            EXPECT_EQ(fc_crc_is_good(at->packet), fc_crc_is_good(again));
        }
        EXPECT_GT(count, 10U) << name;
    }
}

TEST(ReadAhead, MayBeGivenUpAtAnyTime) {
    for (std::size_t wanted = 0; wanted < 20'000; wanted += 999) {
        const auto packets = read_ahead(fixed(std::vector<Time>(20'000)));
        for (std::size_t i = 0; i < wanted; ++i) ASSERT_NE(packets->next(), nullptr);
    }
}

TEST(Merge, FilesOfTwoHosts) {
    auto merged = merge(
        list_of(open(sample("smcr_v1_echo.pcap")).source, open(sample("smcr_v2_two_links.pcapng")).source));
    EXPECT_EQ(merged->interface_count(), 3U);
    EXPECT_EQ(read_all(*merged).size(), 76U + 1294U);
    EXPECT_TRUE(merged->errors().empty());
}

}  // namespace
}  // namespace fabricscope::capture::source_test
