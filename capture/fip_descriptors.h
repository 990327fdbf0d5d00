// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "capture/content.h"
#include "protocols/fc/encapsulation.h"

namespace fabricscope::capture {

/// Hands on each descriptor of a FIP frame, head and all, until one is what was wanted.
template <class Use>
DecodeState for_each_fip_descriptor(const Content& fip, const fc::FipHeader& header, Use is_wanted) {
    Content list = fip.behind(layout::size_of<fc::FipHeader>).first(header.descriptor_words * 4U);
    for (auto head = list.at<fc::FipDescriptor>(0); head; head = list.at<fc::FipDescriptor>(0)) {
        const std::uint32_t size = head->words * 4U;
        if (size == 0 || size > list.wire) return DecodeState::malformed;
        if (is_wanted(*head, list.first(size))) return DecodeState::ok;
        list = list.behind(size);
    }
    return list.wire > list.captured.size() ? DecodeState::truncated : DecodeState::ok;
}

}  // namespace fabricscope::capture
