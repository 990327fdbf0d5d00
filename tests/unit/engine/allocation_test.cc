// SPDX-License-Identifier: GPL-2.0-or-later
// Data packets of connections that have been set up, or of streams that are known, cost no allocation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "analyzer/engine/engine.h"
#include "tests/traffic/rc_traffic.h"
#include "tests/traffic/smcr_traffic.h"

namespace {
std::atomic<std::uint64_t> allocations = 0;
}  // namespace

// The other forms of new come down to these, AddressSanitizer's too. Seen inline, new and delete would not look like a
// pair to the compiler.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    const auto unit = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace fabricscope::engine {
namespace {

using smcr::FrameFacts;

class LatestFacts : public smcr::Observer {
public:
    void on_facts(const FrameFacts& facts) override { what = facts.what; }
    FrameFacts::What what = FrameFacts::What::other;
};

TEST(Allocation, aligned_memory_is_counted) {
    struct alignas(64) Aligned {
        char octets[64] = {};
    };
    const std::uint64_t before = allocations;
    auto one = std::make_unique<Aligned>();
    const std::vector<Aligned> several(3);
    EXPECT_EQ(allocations - before, 2U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.get()) % alignof(Aligned), 0U);
}

TEST(Allocation, none_for_data_packets) {
    constexpr std::uint64_t warm_up = 10'000, end = 30'000;
    LatestFacts latest;
    Engine engine({}, {.smcr = &latest});
    capture::Frame frame;
    std::uint64_t data_packets = 0;
    traffic::generate({.roce_frames = 40'000, .connections = 12, .seed = 1}, [&](Time time, ByteView octets) {
        frame = {
            frame.number + 1, time, static_cast<std::uint32_t>(octets.size()), octets, capture::LinkType::ethernet, 0};
        const std::uint64_t before = allocations;
        engine.on_frame(frame);
        const std::uint64_t made = allocations - before;
        const bool is_data = latest.what != FrameFacts::What::tcp && latest.what != FrameFacts::What::llc;
        if (!is_data || frame.number < warm_up || frame.number > end) return;
        ++data_packets;
        EXPECT_EQ(made, 0U) << "frame " << frame.number;
    });
    EXPECT_GT(data_packets, (end - warm_up) * 9 / 10);
}

/// Once as many operations are kept as there is room for.
TEST(Allocation, none_for_packets_of_known_streams) {
    constexpr std::uint64_t warm_up = 10'000;
    Options options{.smcr = false, .rdma = true};
    options.rdma_options.limits.operations = 100;
    Engine engine(options, {});
    capture::Frame frame;
    const traffic::RcTruth truth = traffic::generate_rc(
        {.frames = 30'000, .streams = 12}, [&](Time time, ByteView octets) {
            frame = {frame.number + 1,
                     time,
                     static_cast<std::uint32_t>(octets.size()),
                     octets,
                     capture::LinkType::ethernet,
                     0};
            const std::uint64_t before = allocations;
            engine.on_frame(frame);
            const std::uint64_t made = allocations - before;
            if (frame.number <= warm_up) return;
            EXPECT_EQ(made, 0U) << "frame " << frame.number;
        });
    engine.finish();
    std::uint64_t bytes = 0;
    EXPECT_EQ(engine.rdma().streams.size(), 12U);
    for (const rdma::Stream& stream : engine.rdma().streams) bytes += stream.from[rdma::a].bytes;
    EXPECT_EQ(bytes, truth.bytes);
}

}  // namespace
}  // namespace fabricscope::engine
