// SPDX-License-Identifier: GPL-2.0-or-later
// generate_rc: writes a capture of healthy RC traffic whose set-up is not in it.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/traffic/pcap_writer.h"
#include "tests/traffic/rc_traffic.h"

namespace traffic = fabricscope::traffic;

int main(int argc, char** argv) {
    CLI::App program("Write a capture of RC traffic in which nothing is wrong");
    traffic::RcOptions options;
    std::string file;
    program.add_option("FILE", file, "pcap file to write")->required();
    program.add_option("--frames", options.frames, "RoCEv2 frames, at least")->capture_default_str();
    program.add_option("--streams", options.streams, "pairs of queue pairs")->capture_default_str();
    CLI11_PARSE(program, argc, argv);

    traffic::PcapWriter writer(file);
    const traffic::RcTruth truth = traffic::generate_rc(
        options, [&](fabricscope::capture::Time time, fabricscope::ByteView frame) { writer.write(time, frame); });
    if (!writer.finish()) {
        std::perror(file.c_str());
        return 1;
    }
    std::printf(
        "%s: %llu frames, %u streams, %llu bytes\n", file.c_str(), static_cast<unsigned long long>(truth.frames),
        options.streams, static_cast<unsigned long long>(truth.bytes));
}
