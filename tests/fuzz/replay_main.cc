// SPDX-License-Identifier: GPL-2.0-or-later
// Feeds a fuzz target the files it is given, and those below the folders it is given: a fuzz target as a
// regression test, for compilers without libFuzzer. A folder that does not exist holds no files. With --mutations N
// it then gets N damaged versions of them, with --random N as many texts of any octets, the same ones every time.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Octets = std::vector<std::uint8_t>;

constexpr const char* finding = "finding.bin";  // in the working directory
const Octets* running = nullptr;

/// What the target aborts at is kept.
void keep_input(int) {
    std::FILE* file = std::fopen(finding, "wb");
    if (file == nullptr || running == nullptr) return;
    std::fwrite(running->data(), 1, running->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is in %s\n", finding);
}

void run(const Octets& octets) {
    running = &octets;
    LLVMFuzzerTestOneInput(octets.data(), octets.size());
}

/// Larger ones are replayed, but not mutated: many small inputs find more in the same time.
constexpr std::size_t largest_mutated = 20'000;

Octets read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    return {content.begin(), content.end()};
}

/// One damage: a bit, an octet, a piece that is lost, repeated or comes from elsewhere, an end that is missing.
void damage(Octets& octets, std::mt19937& random) {
    if (octets.empty()) return;
    const auto place = [&] { return octets.begin() + static_cast<std::ptrdiff_t>(random() % octets.size()); };
    const auto at = place();
    const auto length = std::min<std::ptrdiff_t>(octets.end() - at, static_cast<std::ptrdiff_t>(random() % 64));
    switch (random() % 6) {
        case 0: *at ^= static_cast<std::uint8_t>(1U << random() % 8); return;
        case 1: *at = static_cast<std::uint8_t>(random()); return;
        case 2: octets.erase(at, at + length); return;
        case 3: {
            const Octets piece(at, at + length);
            octets.insert(place(), piece.begin(), piece.end());
            return;
        }
        case 4: std::fill_n(at, length, random() % 2 == 0 ? std::uint8_t{0} : std::uint8_t{0xFF}); return;
        case 5:
            if (random() % 8 == 0) octets.erase(at, octets.end());
            return;
    }
}

void mutate(const std::vector<Octets>& inputs, unsigned long count) {
    std::mt19937 random(1);
    for (unsigned long i = 0; i < count && !inputs.empty(); ++i) {
        Octets octets = inputs[random() % inputs.size()];
        for (unsigned left = 1 + static_cast<unsigned>(random() % 8); left != 0; --left) damage(octets, random);
        run(octets);
    }
    std::printf("%lu mutations\n", count);
}

void try_any(unsigned long count) {
    constexpr std::size_t most = 512;
    std::mt19937 random(1);
    for (unsigned long i = 0; i < count; ++i) {
        Octets octets(random() % most);
        std::ranges::generate(octets, [&] { return static_cast<std::uint8_t>(random()); });
        run(octets);
    }
    std::printf("%lu of any octets\n", count);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGABRT, keep_input);
    std::vector<Octets> inputs;
    const auto replay = [&](const fs::path& path) {
        Octets octets = read(path);
        std::printf("%s: %zu octets\n", path.c_str(), octets.size());
        run(octets);
        if (octets.size() <= largest_mutated) inputs.push_back(std::move(octets));
    };
    const auto replay_folder = [&](const fs::path& path) {
        std::vector<fs::path> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
            if (entry.is_regular_file()) files.push_back(entry.path());
        std::ranges::sort(files);
        std::ranges::for_each(files, replay);
    };
    unsigned long mutations = 0, any = 0;
    const auto number_behind = [&](int& i) { return i + 1 < argc ? std::strtoul(argv[++i], nullptr, 10) : 0; };
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--mutations") == 0) mutations = number_behind(i);
        else if (std::strcmp(argv[i], "--random") == 0) any = number_behind(i);
        else if (fs::is_directory(argv[i])) replay_folder(argv[i]);
        else if (fs::is_regular_file(argv[i])) replay(argv[i]);
    }
    mutate(inputs, mutations);
    try_any(any);
}
