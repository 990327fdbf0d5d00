// SPDX-License-Identifier: GPL-2.0-or-later
// dump_fc: every field of each Frame_Header in a capture, for comparison with Wireshark: a JSON object a line.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "capture/fcip.h"
#include "capture/source.h"

namespace {

namespace capture = fabricscope::capture;
namespace fc = fabricscope::fc;
namespace layout = fabricscope::layout;

void print(const capture::Packet& packet) {
    const capture::FcPacket& frame = *packet.fc;
    nlohmann::ordered_json json{{"frame", packet.number}};
    layout::for_each_field(frame.frame.header, [&](const layout::FieldInfo& info, auto value) {
        json[info.filter] = static_cast<std::uint64_t>(value);
    });
    json["sof"] = fc::name_of(frame.sof);
    json["eof"] = fc::name_of(frame.eof);
    json["fabric"] = frame.fabric ? nlohmann::ordered_json(*frame.fabric) : nlohmann::ordered_json();
    const auto good = capture::fc_crc_is_good(packet);
    json["crc"] = good ? nlohmann::ordered_json(*good) : nlohmann::ordered_json();
    json["payload"] = frame.frame.payload_length;
    std::puts(json.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    capture::OpenResult opened = capture::open(argv[1]);
    if (!opened) {
        std::fprintf(stderr, "%s\n", to_string(opened.error).c_str());
        return 3;
    }
    capture::FcipStreams fcip;
    for (capture::Frame frame; opened.source->next(frame);) {
        const capture::Packet packet = capture::decode(frame);
        if (packet.transport == capture::Transport::fc) print(packet);
        else if (capture::FcipStreams::takes(packet)) fcip.on_packet(packet, print);
    }
    fcip.finish(print);
}
