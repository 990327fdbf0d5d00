// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of single frames, found by the frame's number: a million frames must not cost Wireshark
// much more with us than without.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope::plugin {

/// `Entry` has a member `frame`.
template <class Entry> class FrameList {
public:
    /// Frames come in the capture's order.
    Entry& add(std::uint64_t frame) {
        Entry& entry = entries_.emplace_back();
        entry.frame = static_cast<std::uint32_t>(frame);
        return entry;
    }
    /// The frame's entry, which is made if there is none; the frame may be an earlier one.
    Entry& get(std::uint64_t frame) {
        const std::size_t place = place_of(frame);
        if (place < entries_.size() && entries_[place].frame == frame) return entries_[place];
        Entry entry{};
        entry.frame = static_cast<std::uint32_t>(frame);
        return *entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), entry);
    }
    /// nullptr if nothing is kept of the frame
    const Entry* find(std::uint64_t frame) const {
        const std::size_t place = place_of(frame);
        if (place == entries_.size() || entries_[place].frame != frame) return nullptr;
        next_ = place + 1;
        return &entries_[place];
    }

    /// All that is kept of the frame, in order: it may carry several of what the list is about.
    std::span<const Entry> all(std::uint64_t frame) const {
        std::size_t begin = place_of(frame);
        while (begin > 0 && entries_[begin - 1].frame == frame) --begin;
        std::size_t end = begin;
        while (end < entries_.size() && entries_[end].frame == frame) ++end;
        next_ = end;
        return std::span(entries_).subspan(begin, end - begin);
    }

private:
    /// Where the frame's entry is, or would have to be.
    std::size_t place_of(std::uint64_t frame) const {
        if (next_ < entries_.size() && entries_[next_].frame == frame) return next_;
        if (entries_.empty() || entries_.back().frame < frame) return entries_.size();
        const auto found = std::ranges::lower_bound(entries_, frame, {}, &Entry::frame);
        return static_cast<std::size_t>(found - entries_.begin());
    }

    std::vector<Entry> entries_;    ///< by frame
    mutable std::size_t next_ = 0;  ///< guess: frames are asked for one after the other
};

}  // namespace fabricscope::plugin
