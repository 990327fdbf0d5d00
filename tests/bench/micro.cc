// SPDX-License-Identifier: GPL-2.0-or-later
// Frames a second through each stage, on a real capture repeated in memory.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "capture/packet.h"
#include "capture/source.h"

namespace capture = fabricscope::capture;
namespace engine = fabricscope::engine;

namespace {

const std::string sample = FABRICSCOPE_SAMPLES "/smcr_v2_20conns.pcap";

struct StoredFrame {
    capture::Frame frame;
    std::vector<std::uint8_t> octets;
};

std::vector<StoredFrame> load() {
    std::vector<StoredFrame> frames;
    const capture::OpenResult opened = capture::open(sample);
    capture::Frame frame;
    while (opened && opened.source->next(frame)) {
        frames.push_back({frame, {frame.data.begin(), frame.data.end()}});
        frames.back().frame.data = frames.back().octets;
    }
    return frames;
}

void count(benchmark::State& state, std::size_t frames) {
    state.SetItemsProcessed(static_cast<std::int64_t>(frames) * state.iterations());
}

void read_file(benchmark::State& state) {
    std::size_t frames = 0;
    for (auto _ : state) {
        const capture::OpenResult opened = capture::open(sample);
        capture::Frame frame;
        for (frames = 0; opened && opened.source->next(frame); ++frames) benchmark::DoNotOptimize(frame.data.data());
    }
    count(state, frames);
}
BENCHMARK(read_file);

void decode(benchmark::State& state) {
    const std::vector<StoredFrame> frames = load();
    for (auto _ : state)
        for (const StoredFrame& stored : frames) benchmark::DoNotOptimize(capture::decode(stored.frame));
    count(state, frames.size());
}
BENCHMARK(decode);

void check_icrc(benchmark::State& state) {
    const std::vector<StoredFrame> frames = load();
    for (auto _ : state)
        for (const StoredFrame& stored : frames)
            benchmark::DoNotOptimize(capture::icrc_is_good(capture::decode(stored.frame)));
    count(state, frames.size());
}
BENCHMARK(check_icrc);

void analyze(benchmark::State& state) {
    const std::vector<StoredFrame> frames = load();
    for (auto _ : state) {
        engine::Engine engine;
        for (const StoredFrame& stored : frames) engine.on_frame(stored.frame);
        engine.finish();
        benchmark::DoNotOptimize(engine.smcr());
    }
    count(state, frames.size());
}
BENCHMARK(analyze);

}  // namespace
