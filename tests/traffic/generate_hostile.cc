// SPDX-License-Identifier: GPL-2.0-or-later
// generate_hostile KIND COUNT FILE: writes a capture that asks for much state. Without arguments: lists the kinds.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/traffic/hostile.h"
#include "tests/traffic/pcap_writer.h"

namespace traffic = fabricscope::traffic;

int main(int argc, char** argv) {
    for (const traffic::HostileKind& kind : traffic::hostile_kinds()) {
        if (argc < 4) std::printf("%s: %s\n", kind.name, kind.what);
        else if (std::strcmp(kind.name, argv[1]) == 0) {
            traffic::PcapWriter writer(argv[3]);
            kind.generate(
                std::strtoull(argv[2], nullptr, 10), [&](auto time, auto frame) { writer.write(time, frame); });
            return writer.finish() ? 0 : 1;
        }
    }
    return argc < 4 ? 0 : 2;
}
