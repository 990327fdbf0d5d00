// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of single frames, found by the frame's number: a million frames must not cost Wireshark
// much more with us than without. Where no frame comes again, only the latest are kept: what copies are recognised by
// does not reach back further either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plugins/shell/session.h"

namespace fabricscope::plugin {

/// How many are kept at most, half of them at least.
inline std::ptrdiff_t recent_frames() {
    if (frames_come_again()) return PTRDIFF_MAX / 2;
    // Where nothing is ever a copy, only the frame itself is shown. What is reused stays in the processor's caches.
    return interface_count() > 1 ? 65'536 : 1'024;
}

/// `Entry` has a member `frame`.
template <class Entry> class FrameList {
public:
    /// Behind what is kept of the frame so far. Frames come in the capture's order, or nearly so.
    Entry& add(std::uint64_t frame) {
        if (std::ssize(entries_) >= recent_frames())
            entries_.erase(entries_.begin(), entries_.begin() + std::ssize(entries_) / 2);
        const bool is_last = entries_.empty() || entries_.back().frame <= frame;
        Entry& entry = *entries_.emplace(
            is_last ? entries_.end() : std::ranges::upper_bound(entries_, frame, {}, &Entry::frame));
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
        next_ = place;
        return &entries_[place];
    }
    Entry* find(std::uint64_t frame) { return const_cast<Entry*>(std::as_const(*this).find(frame)); }

    /// All that is kept of the frame, in order: it may carry several of what the list is about.
    std::span<const Entry> all(std::uint64_t frame) const {
        std::size_t begin = place_of(frame);
        while (begin > 0 && entries_[begin - 1].frame == frame) --begin;
        std::size_t end = begin;
        while (end < entries_.size() && entries_[end].frame == frame) ++end;
        next_ = begin;
        return std::span(entries_).subspan(begin, end - begin);
    }

    /// The nearest of the `most` entries before that frame's, or behind them, for which `is` is true; otherwise
    /// nullptr.
    template <class Is> const Entry* find_before(std::uint64_t frame, std::size_t most, const Is& is) const {
        std::size_t place = place_of(frame);
        for (; place > 0 && most > 0; --most)
            if (is(entries_[--place])) return &entries_[place];
        return nullptr;
    }
    template <class Is> const Entry* find_behind(std::uint64_t frame, std::size_t most, const Is& is) const {
        for (std::size_t place = place_of(frame); place < entries_.size() && most > 0; ++place, --most)
            if (entries_[place].frame > frame && is(entries_[place])) return &entries_[place];
        return nullptr;
    }

private:
    /// Where the frame's entry is, or would have to be. Frames are asked for more than once, and one after the other.
    std::size_t place_of(std::uint64_t frame) const {
        if (entries_.empty() || entries_.back().frame < frame) return entries_.size();
        for (std::size_t guess = next_; guess < entries_.size() && guess < next_ + 2; ++guess)
            if (entries_[guess].frame == frame) return guess;
        if (entries_.back().frame == frame) return entries_.size() - 1;
        const auto found = std::ranges::lower_bound(entries_, frame, {}, &Entry::frame);
        return static_cast<std::size_t>(found - entries_.begin());
    }

    std::vector<Entry> entries_;    ///< by frame
    mutable std::size_t next_ = 0;  ///< where the latest that was asked for is
};

/// What some entries of a list have besides, found by numbers that count from 1. Each entry has one at most, so that
/// those of the latest entries are always among the latest of these.
template <class T> class FrameDetails {
public:
    std::uint32_t add(T detail) {
        if (std::ssize(details_) >= 2 * recent_frames()) {  // half of it are as many as a list may have
            const std::ptrdiff_t oldest = std::ssize(details_) / 2;
            details_.erase(details_.begin(), details_.begin() + oldest);
            forgotten_ += static_cast<std::size_t>(oldest);
        }
        details_.push_back(std::move(detail));
        return static_cast<std::uint32_t>(forgotten_ + details_.size());
    }
    const T& operator[](std::uint32_t number) const { return details_[number - 1 - forgotten_]; }

private:
    std::vector<T> details_;
    std::size_t forgotten_ = 0;
};

}  // namespace fabricscope::plugin
