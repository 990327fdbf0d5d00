// SPDX-License-Identifier: GPL-2.0-or-later
// Capture bytes to sessions: any octets as a pcap file, its frames through decoding and every tracker.
//
// The file is taken apart here, not by libpcap: that is not ours to fuzz, and this way damage to a length field does
// not end the run of what comes after it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "analyzer/engine/engine.h"
#include "tests/fuzz/fc_model.h"

namespace capture = fabricscope::capture;
using fabricscope::ByteView;

namespace {

std::uint32_t take_u32(ByteView& octets) {
    std::uint32_t value = 0;
    std::memcpy(&value, octets.data(), sizeof value);
    octets = octets.subspan(sizeof value);
    return value;
}

// The link types of the file header, LINKTYPE_ETHERNET first; others wrap around so that all are tried.
capture::LinkType link_type(std::uint32_t number) {
    using enum capture::LinkType;
    constexpr capture::LinkType types[] = {unknown,    ethernet, linux_cooked_v1,    linux_cooked_v2, raw_ip,
                                           infiniband, fc2,      fc2_with_delimiters};
    return types[number % std::size(types)];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t file_header_size = 24;
    constexpr std::size_t frame_header_size = 16;
    ByteView file(data, size);
    if (file.size() < file_header_size) return 0;
    const std::uint8_t knobs = file[8];  // of a field that is always 0
    ByteView type = file.subspan(20, 4);
    const capture::LinkType link = link_type(take_u32(type));
    file = file.subspan(file_header_size);

    fabricscope::engine::Options options = fabricscope::engine::following_all(1U + (knobs >> 7));
    options.smcr_options.timelines = (knobs & 1) != 0;
    if ((knobs & 4) != 0) options.fc_protocols.fc_ae_rdma_options.profile = fabricscope::engine::Profile::avionics;
    options.fc_options.check_crc = (knobs & 2) != 0;
    fabricscope::engine::Engine engine(options);
    for (std::uint64_t number = 1; file.size() >= frame_header_size; ++number) {
        const std::uint32_t seconds = take_u32(file);
        const std::uint32_t fraction = take_u32(file);
        const std::size_t captured = std::min<std::size_t>(take_u32(file), file.size());
        const std::uint32_t wire_length = std::max(take_u32(file), static_cast<std::uint32_t>(captured));
        engine.on_frame(
            {.number = number,
             .time = capture::time_of(seconds, fraction),
             .wire_length = wire_length,
             .data = file.first(std::min(captured, file.size())),
             .link = link,
             .interface = 0});
        file = file.subspan(std::min(captured, file.size()));
    }
    engine.finish();
    fabricscope::fuzz::check_models(engine);
    return 0;
}
