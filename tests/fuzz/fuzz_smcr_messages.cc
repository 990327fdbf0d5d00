// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as a TCP option list, as CLC and as LLC: parsing reads nothing it was not given, and what parses
// without error builds to the same octets.
#include <algorithm>
#include <cstdlib>

#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"
#include "protocols/smcr/tcp_option.h"

namespace smcr = fabricscope::smcr;
using fabricscope::ByteView;

namespace {

template <class Message> void must_build_back(const Message& message, ByteView octets) {
    if (!message.error && !std::ranges::equal(smcr::build(message), octets)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView octets(data, size);

    smcr::find_tcp_option(octets);

    if (const std::size_t length = smcr::clc_length(octets); length != 0 && length <= size)
        must_build_back(smcr::parse_clc(octets.first(length)), octets.first(length));
    smcr::parse_clc(octets);

    smcr::looks_like_cdc(octets, size);
    if (smcr::looks_like_llc(octets, size)) must_build_back(smcr::parse_llc(octets, size), octets);
    smcr::parse_llc(octets, 2 * size);  // half of it was captured
    return 0;
}
