// SPDX-License-Identifier: GPL-2.0-or-later
// carry_fc: writes the Fibre Channel frames of a capture anew, over another carrier.
#include <cstdio>

#include "capture/packet.h"
#include "capture/source.h"
#include "tests/traffic/fc_writer.h"

namespace capture = fabricscope::capture;
namespace fc = fabricscope::fc;
namespace traffic = fabricscope::traffic;

namespace {

/// Delimiters of class 3, as the header has them.
traffic::FcFrame frame_of(const capture::FcPacket& packet) {
    const fc::FrameHeader& header = packet.frame.header;
    return {
        {packet.octets.begin(), packet.octets.end()},
        header.seq_cnt == 0 ? fc::Sof::i3 : fc::Sof::n3,
        header.f_ctl.end_sequence ? fc::Eof::t : fc::Eof::n};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const auto carrier = std::ranges::find(traffic::fc_carriers(), argv[3], &traffic::FcCarrierName::name);
    capture::OpenResult opened = capture::open(argv[1]);
    if (carrier == traffic::fc_carriers().end() || !opened) {
        std::fprintf(stderr, "carry_fc IN OUT CARRIER\n");
        return 2;
    }
    traffic::FcWriter writer(argv[2], *carrier);
    for (capture::Frame frame; opened.source->next(frame);)
        if (const capture::Packet packet = capture::decode(frame); packet.transport == capture::Transport::fc)
            writer.write(packet.time, frame_of(*packet.fc));
    return writer.finish() ? 0 : 1;
}
