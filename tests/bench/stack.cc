// SPDX-License-Identifier: GPL-2.0-or-later
// How fast the emulated stack is, in memory: scenarios from the first SYN to the last FIN, capture included.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "replay/synth/families.h"

namespace {

using namespace fabricscope;

synth::Recording play(benchmark::State& state, const std::string& scenario) {
    const synth::Scenario parsed = synth::parse_scenario(scenario);
    synth::Recording recording;
    for (auto _ : state) recording = synth::run(parsed);
    state.counters["frames"] = benchmark::Counter(
        static_cast<double>(recording.frames.size()), benchmark::Counter::kIsIterationInvariantRate);
    return recording;
}

void rate(benchmark::State& state, const char* name, double count) {
    state.counters[name] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}

/// Connections that are set up, say nothing and close, in one link group.
void setups(benchmark::State& state) {
    constexpr int count = 100;
    play(state, fmt::format("protocol smc-r\nhosts rmbe=16K\nlisten\nconnect count={} interval=1ms\n", count));
    rate(state, "setups", count);
}
BENCHMARK(setups)->Unit(benchmark::millisecond);

/// Messages of 100 octets that come back.
void messages(benchmark::State& state) {
    constexpr int count = 2000;
    play(state, fmt::format("protocol smc-r\nlisten\nconnect messages={} octets=100\n", count));
    rate(state, "messages", 2 * count);
}
BENCHMARK(messages)->Unit(benchmark::millisecond);

/// Octets in one direction.
void octets(benchmark::State& state) {
    constexpr int count = 300, size = 64 * 1024;
    play(
        state, fmt::format(
                   "protocol smc-r\nhosts rmbe=512K send-buffer=512K\nlisten echo=no\nconnect messages={} octets={} "
                   "ping-pong=no\n",
                   count, size));
    rate(state, "octets", double{count} * size);
}
BENCHMARK(octets)->Unit(benchmark::millisecond);

/// FC-VI: connections that are set up, say nothing and are disconnected by both sides; one login for all. Small
/// buffers, since otherwise it is the clearing of memory that is measured.
void vi_setups(benchmark::State& state) {
    constexpr int count = 100;
    play(
        state,
        fmt::format(
            "protocol fcvi\nlisten vis={} max-transfer=1K memory=1K\nconnect vis={} max-transfer=1K interval=100us\n",
            count, count));
    rate(state, "setups", count);
}
BENCHMARK(vi_setups)->Unit(benchmark::millisecond);

/// FC-VI: Sends of 100 octets on one connection, reliable reception.
void vi_messages(benchmark::State& state) {
    constexpr int count = 2000;
    play(
        state, fmt::format(
                   "protocol fcvi\nlisten level=reliable-reception max-transfer=1K\nconnect level=reliable-reception "
                   "max-transfer=1K messages={} octets=100\n",
                   count));
    rate(state, "messages", count);
}
BENCHMARK(vi_messages)->Unit(benchmark::millisecond);

}  // namespace
