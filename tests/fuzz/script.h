// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as a source of decisions: small numbers, so that states are reached by chance.
#pragma once

#include "protocols/layout/types.h"

namespace fabricscope::fuzz {

class Script {
public:
    explicit Script(ByteView octets) : octets_(octets) {}

    bool more() const { return at_ < octets_.size(); }
    std::uint8_t octet() { return more() ? octets_[at_++] : 0; }
    std::uint32_t below(std::uint32_t limit) { return octet() % limit; }
    bool flag() { return (octet() & 1) != 0; }
    /// Often small, sometimes anything.
    std::uint32_t number() {
        const std::uint8_t first = octet();
        if (first < 0xC0) return first;
        std::uint32_t value = first;
        for (int i = 0; i < (first & 3) + 1; ++i) value = value << 8 | octet();
        return value;
    }
    ByteView octets(std::size_t count) {
        const ByteView taken = octets_.subspan(at_, std::min(count, octets_.size() - at_));
        at_ += taken.size();
        return taken;
    }

private:
    ByteView octets_;
    std::size_t at_ = 0;
};

}  // namespace fabricscope::fuzz
