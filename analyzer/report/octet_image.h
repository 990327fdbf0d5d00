// SPDX-License-Identifier: GPL-2.0-or-later
// Octets by position, of which not all are known: a Message whose frames come in any order, a memory region.
#pragma once

#include <array>
#include <map>

#include "analyzer/engine/intervals.h"
#include "analyzer/report/streams.h"
#include "protocols/layout/layout.h"

namespace fabricscope::report {

class OctetImage {
public:
    /// What was there before is replaced.
    void put(std::uint64_t position, ByteView octets) {
        if (octets.empty()) return;
        known_.add(position, position + octets.size());
        while (!octets.empty()) {
            const std::size_t offset = position % page_size;
            const std::size_t now = std::min(octets.size(), page_size - offset);
            std::ranges::copy(
                octets.first(now), pages_[position / page_size].begin() + static_cast<std::ptrdiff_t>(offset));
            position += now;
            octets = octets.subspan(now);
        }
    }

    const engine::RangeSet& known() const { return known_; }
    /// Octets of memory that it takes, roughly.
    std::size_t size() const { return pages_.size() * page_size; }

    /// The octets of [begin, end), piece by piece in order; what is not known is zero.
    template <class Visit> void visit(std::uint64_t begin, std::uint64_t end, const Visit& each) const {
        while (begin < end) {
            const std::uint64_t index = begin / page_size;
            const std::uint64_t stop = std::min(end, (index + 1) * page_size);
            const auto found = pages_.find(index);
            const Page& page = found != pages_.end() ? found->second : blank;
            each(ByteView(page).subspan(begin % page_size, stop - begin));
            begin = stop;
        }
    }

private:
    static constexpr std::size_t page_size = 1024;
    using Page = std::array<std::uint8_t, page_size>;
    static constexpr Page blank{};

    std::map<std::uint64_t, Page> pages_;
    engine::RangeSet known_;
};

inline constexpr std::uint64_t widest_hole = 1 << 24;  ///< what a Base Address reaches; offsets can claim anything

inline const char* consequence_of_hole(bool wide) {
    return wide ? "that is more than anything reaches, so they are left out, and what follows stands too early"
                : "zeros stand in for them";
}

/// From position 0 on, zeros where nothing is known. `tell(begin, octets, wide)` is called for each hole; wide ones are
/// left out.
template <class Tell> void write_image(OctetSink& sink, const OctetImage& image, const Tell& tell) {
    std::uint64_t position = 0;
    for (const engine::RangeSet::Range& range : image.known().ranges()) {
        const std::uint64_t hole = range.begin - position;
        if (hole != 0) tell(position, hole, hole > widest_hole);
        if (hole <= widest_hole) sink.write_zeros(hole);
        image.visit(range.begin, range.end, [&](ByteView octets) { sink.write(octets); });
        position = range.end;
    }
}

}  // namespace fabricscope::report
