// SPDX-License-Identifier: GPL-2.0-or-later
// generate_smcr: writes a capture of healthy SMC-R traffic.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/traffic/pcap_writer.h"
#include "tests/traffic/smcr_traffic.h"

namespace traffic = fabricscope::traffic;

int main(int argc, char** argv) {
    CLI::App program("Write a capture of SMC-R traffic in which nothing is wrong");
    traffic::TrafficOptions options;
    std::string file;
    program.add_option("FILE", file, "pcap file to write")->required();
    program.add_option("--frames", options.roce_frames, "RoCEv2 frames, at least")->capture_default_str();
    program.add_option("--connections", options.connections, "TCP connections that move to SMC-R")
        ->capture_default_str();
    program.add_option("--seed", options.seed, "the same seed gives the same capture")->capture_default_str();
    program.add_option("--tap", options.tap, "with another one the hosts are others")->capture_default_str();
    CLI11_PARSE(program, argc, argv);

    traffic::PcapWriter writer(file);
    const traffic::Truth truth = traffic::generate(
        options, [&](fabricscope::capture::Time time, fabricscope::ByteView frame) { writer.write(time, frame); });
    if (!writer.finish()) {
        std::perror(file.c_str());
        return 1;
    }
    std::printf(
        "%s: %llu frames, %llu of them RoCEv2, %zu connections, %zu link groups\n", file.c_str(),
        static_cast<unsigned long long>(truth.frames), static_cast<unsigned long long>(truth.roce_frames),
        truth.connections.size(), truth.groups.size());
}
