// SPDX-License-Identifier: GPL-2.0-or-later
// generate_fc: writes a capture of healthy Fibre Channel traffic.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "tests/traffic/fc_writer.h"

namespace traffic = fabricscope::traffic;

int main(int argc, char** argv) {
    CLI::App program("Write a capture of Fibre Channel traffic in which nothing is wrong");
    traffic::FcTrafficOptions options;
    std::string file, name = "fcoe", names;
    for (const traffic::FcCarrierName& carrier : traffic::fc_carriers())
        names += (names.empty() ? "" : ", ") + std::string(carrier.name);
    program.add_option("FILE", file, "pcap file to write")->required();
    program.add_option("--carrier", name, "one of: " + names)->capture_default_str();
    program.add_option("--frames", options.frames, "Fibre Channel frames, at least")->capture_default_str();
    CLI11_PARSE(program, argc, argv);

    const auto carrier = std::ranges::find(traffic::fc_carriers(), name, &traffic::FcCarrierName::name);
    if (carrier == traffic::fc_carriers().end()) {
        std::fprintf(stderr, "no carrier %s; there are %s\n", name.c_str(), names.c_str());
        return 2;
    }
    traffic::FcWriter writer(file, *carrier);
    traffic::generate_fc(
        options, [&](fabricscope::capture::Time time, const traffic::FcFrame& frame) { writer.write(time, frame); });
    if (!writer.finish()) {
        std::perror(file.c_str());
        return 1;
    }
}
