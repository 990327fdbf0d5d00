// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as a Fibre Channel frame, as an Extended Link Service and as a CT_IU: parsing reads nothing it was not
// given, and what parses without error builds to the same octets.
#include <algorithm>
#include <cstdlib>

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "protocols/fc/frame.h"

namespace fc = fabricscope::fc;
using fabricscope::ByteView;

namespace {

template <class Message> void must_build_back(const Message& message, ByteView octets) {
    if (!message.error && !std::ranges::equal(fc::build(message), octets)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView octets(data, size);

    const fc::Frame frame = fc::parse_frame(octets, size);
    must_build_back(frame, octets);
    frame.device_header();
    frame.network_header();
    frame.association_header();
    fc::parse_frame(octets, 2 * size);  // half of it was captured

    if (size == 0) return 0;
    const std::uint8_t request = octets[0];  // of the answer behind it
    const ByteView message = octets.subspan(1);
    must_build_back(fc::parse_els(message, message.size(), request), message);
    must_build_back(fc::parse_els(message, message.size()), message);
    fc::parse_els(message, 2 * message.size(), request);
    must_build_back(fc::parse_ct(message, message.size(), fc::ct_gid_ipp), message);
    must_build_back(fc::parse_ct(message, message.size()), message);
    fc::parse_ct(message, 2 * message.size(), fc::ct_gid_ipp);
    return 0;
}
