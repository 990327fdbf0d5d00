// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <optional>

#include "capture/decode_state.h"
#include "protocols/layout/layout.h"

namespace fabricscope::capture {

/// What a carrier holds, as it is taken apart: `captured` of `wire` octets.
struct Content {
    ByteView captured;
    std::uint32_t wire;

    Content behind(std::uint32_t count) const {
        return {captured.subspan(std::min<std::size_t>(captured.size(), count)), wire - std::min(wire, count)};
    }
    Content first(std::uint32_t count) const {
        return {captured.first(std::min<std::size_t>(captured.size(), count)), std::min(wire, count)};
    }
    /// The T that begins at `offset`, if it was captured whole.
    template <layout::WireFormat T> std::optional<T> at(std::uint32_t offset) const {
        T part;
        if (offset > captured.size() || layout::parse_into(part, captured.subspan(offset))) return std::nullopt;
        return part;
    }
    /// What to call it when `count` octets are asked for that are not there.
    DecodeState lack_of(std::uint32_t count) const {
        return wire >= count ? DecodeState::truncated : DecodeState::malformed;
    }
};

}  // namespace fabricscope::capture
