// SPDX-License-Identifier: GPL-2.0-or-later
// generate_fc: writes a capture of healthy Fibre Channel traffic.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "tests/traffic/fc_traffic.h"
#include "tests/traffic/frame_builder.h"
#include "tests/traffic/pcap_writer.h"

namespace traffic = fabricscope::traffic;
using fabricscope::ByteView;

namespace {

/// One FCIP connection: everything goes one way, as a bridge sends it.
class FcipConnection {
public:
    explicit FcipConnection(traffic::PcapWriter& writer) : writer_(writer) {}

    void send(fabricscope::capture::Time time, const traffic::FcFrame& frame) {
        constexpr std::size_t segment = 1400;
        const traffic::Octets octets = traffic::as_fcip(frame);
        for (std::size_t at = 0; at < octets.size(); at += segment) {
            const ByteView payload = ByteView(octets).subspan(at, std::min(segment, octets.size() - at));
            writer_.write(
                time, builder_.tcp(traffic::between(from_, to_), {50000, 3225, sequence_, 1, 0x18}, {}, payload));
            sequence_ += static_cast<std::uint32_t>(payload.size());
        }
    }

private:
    traffic::PcapWriter& writer_;
    traffic::FrameBuilder builder_;
    traffic::Port from_{{{0, 0, 0x5E, 0, 0x53, 0x0A}}, {{192, 0, 2, 10}}};
    traffic::Port to_{{{0, 0, 0x5E, 0, 0x53, 0x14}}, {{192, 0, 2, 20}}};
    std::uint32_t sequence_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
    CLI::App program("Write a capture of Fibre Channel traffic in which nothing is wrong");
    traffic::FcTrafficOptions options;
    std::string file, name = "fcoe", names;
    for (const traffic::FcCarrierName& carrier : traffic::fc_carriers())
        names += (names.empty() ? "" : ", ") + std::string(carrier.name);
    program.add_option("FILE", file, "pcap file to write")->required();
    program.add_option("--carrier", name, "one of: " + names)->capture_default_str();
    program.add_option("--frames", options.frames, "Fibre Channel frames, at least")->capture_default_str();
    program.add_option("--payload", options.payload, "octets of a full frame's payload")->capture_default_str();
    CLI11_PARSE(program, argc, argv);

    const auto carrier = std::ranges::find(traffic::fc_carriers(), name, &traffic::FcCarrierName::name);
    if (carrier == traffic::fc_carriers().end()) {
        std::fprintf(stderr, "no carrier %s; there are %s\n", name.c_str(), names.c_str());
        return 2;
    }
    traffic::PcapWriter writer(file, carrier->link);
    FcipConnection fcip(writer);
    traffic::generate_fc(options, [&](fabricscope::capture::Time time, const traffic::FcFrame& frame) {
        if (carrier->wrap == nullptr) fcip.send(time, frame);
        else writer.write(time, carrier->wrap(frame));
    });
    if (!writer.finish()) {
        std::perror(file.c_str());
        return 1;
    }
}
