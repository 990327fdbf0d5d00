// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as a MAD of Communication Management: parsing reads nothing it was not given, what parses without
// error builds to the same octets, and what was cut parses as far as it goes.
#include <algorithm>
#include <cstdlib>

#include "protocols/rdma_cm/message.h"

namespace cm = fabricscope::rdma_cm;
using fabricscope::ByteView;

namespace {

void check(ByteView octets) {
    cm::is_cm(octets, octets.size());
    const cm::Message message = cm::parse(octets);
    const bool whole = !message.error && octets.size() == fabricscope::ib::mad_size;
    if (whole && !std::ranges::equal(cm::build(message), octets)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView octets(data, size);
    check(octets.first(std::min(size, fabricscope::ib::mad_size)));
    // Wherever a frame of a capture begins, a MAD begins somewhere behind it.
    for (std::size_t i = 0; i + fabricscope::ib::mad_size <= std::min<std::size_t>(size, 4096); ++i)
        if (cm::is_cm(octets.subspan(i), fabricscope::ib::mad_size))
            check(octets.subspan(i, fabricscope::ib::mad_size));
    return 0;
}
