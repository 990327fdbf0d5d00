// SPDX-License-Identifier: GPL-2.0-or-later
// write_edits COUNT SEED FILE: so many samples, edited at random, as one capture for Wireshark's dissectors. The same
// seed, the same file. write_edits INPUT FILE: what an input of fuzz_edits means.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include "tests/fuzz/edits.h"

namespace fabricscope::fuzz {
namespace {

// Sessions of one end long before those of the next begin.
constexpr capture::Time apart = 1000 * capture::second;

unsigned number_in(std::string_view text) {
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::uint32_t interface_of(traffic::Recording& all, capture::LinkType link) {
    auto found = std::ranges::find(all.interfaces, link, &capture::CaptureInterface::link);
    if (found == all.interfaces.end()) {
        found = all.interfaces.emplace(found);
        found->link = link;
    }
    return static_cast<std::uint32_t>(found - all.interfaces.begin());
}

traffic::Recording edited_samples(unsigned count, unsigned seed) {
    constexpr std::size_t longest_script = 200;
    const std::vector<traffic::Recording> samples = short_samples();
    std::mt19937 random(seed);
    traffic::Recording all;
    for (unsigned i = 0; i < count; ++i) {
        std::vector<std::uint8_t> script(random() % longest_script);
        std::ranges::generate(script, [&] { return static_cast<std::uint8_t>(random()); });
        traffic::Recording edited = edited_sample(samples, script);
        if (edited.frames.empty()) continue;
        const capture::Time begin = edited.frames.front().time;
        for (synth::RecordedFrame& frame : edited.frames) {
            frame.interface = interface_of(all, edited.interfaces[frame.interface].link);
            frame.time = std::max<capture::Time>(frame.time - begin, 0) + (i + 1) * apart;
            all.frames.push_back(std::move(frame));
        }
    }
    return all;
}

}  // namespace
}  // namespace fabricscope::fuzz

int main(int argc, char** argv) try {
    using namespace fabricscope;
    if (argc == 3) {
        std::ifstream file(argv[1], std::ios::binary);
        const std::vector<char> input(std::istreambuf_iterator<char>(file), {});
        const std::vector<std::uint8_t> octets(input.begin(), input.end());
        traffic::write(fuzz::edited_sample(fuzz::short_samples(), octets), argv[2]);
        return 0;
    }
    if (argc != 4) {
        std::fputs("usage: write_edits COUNT SEED FILE, or write_edits INPUT FILE\n", stderr);
        return 2;
    }
    traffic::write(fuzz::edited_samples(fuzz::number_in(argv[1]), fuzz::number_in(argv[2])), argv[3]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "write_edits: %s\n", error.what());
    return 2;
}
