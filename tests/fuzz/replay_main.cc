// SPDX-License-Identifier: GPL-2.0-or-later
// Feeds a fuzz target the files it is given, and those below the folders it is given: a fuzz target as a
// regression test, for compilers without libFuzzer. A folder that does not exist holds no files.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    const std::vector<std::uint8_t> octets(content.begin(), content.end());
    std::printf("%s: %zu octets\n", path.c_str(), octets.size());
    LLVMFuzzerTestOneInput(octets.data(), octets.size());
}

}  // namespace

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    for (const char* argument : std::vector<const char*>(argv + 1, argv + argc)) {
        if (fs::is_regular_file(argument)) replay(argument);
        if (!fs::is_directory(argument)) continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument))
            if (entry.is_regular_file()) replay(entry.path());
    }
}
