// SPDX-License-Identifier: GPL-2.0-or-later
// A list of records of which most are over: these are kept packed, and unpacked for whoever looks at them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace fabricscope::engine {

/// Beside T stand `std::size_t pack(T&, std::vector<std::uint8_t>& room)`, which says how many octets it takes and
/// changes nothing of it, and `void unpack(T&, const std::uint8_t* from)`, which leaves nothing of what it was.
template <class T> class PackedList {
public:
    using value_type = T;

    /// Gives each record in turn, valid until the next one is asked for.
    template <bool with_details> class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        explicit Iterator(const PackedList& list) : list_(&list) {}
        const T& operator*() const { return list_->template look_at<with_details>(index_, room_); }
        const T* operator->() const { return &**this; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        void operator++(int) { ++index_; }
        bool operator==(std::default_sentinel_t) const { return index_ == list_->size(); }

    private:
        const PackedList* list_ = nullptr;
        std::size_t index_ = 0;
        mutable T room_;
    };

    PackedList() = default;
    PackedList(std::initializer_list<T> records) {
        for (const T& record : records) push_back(record);
    }

    std::size_t size() const { return places_.size(); }
    bool empty() const { return places_.empty(); }
    Iterator<true> begin() const { return Iterator<true>(*this); }
    std::default_sentinel_t end() const { return {}; }

    /// The records for those who do not need what unpack_without_details() leaves out.
    struct Overview {
        const PackedList& list;
        Iterator<false> begin() const { return Iterator<false>(list); }
        std::default_sentinel_t end() const { return {}; }
    };
    Overview without_details() const { return {*this}; }

    /// A copy: of one that is over there is nothing else.
    T operator[](std::size_t index) const {
        const Place& place = places_[index];
        if (place.block == open_block) return open_[place.at];
        T record;
        unpack(record, at(place));
        return record;
    }
    T at(std::size_t index) const {
        if (index >= size()) throw std::out_of_range("no such record");
        return (*this)[index];
    }
    T back() const { return (*this)[size() - 1]; }

    /// A new one, behind the others. It stays where it is until close().
    T& open() {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(open_.size()));
            open_.emplace_back();
        } else {
            unpack(open_[free_.back()], blank().data());  // a record's own lists keep their memory
        }
        places_.push_back({open_block, free_.back()});
        free_.pop_back();
        return open_[places_.back().at];
    }
    /// That was not closed.
    T& opened(std::size_t index) { return open_[places_[index].at]; }
    const T& opened(std::size_t index) const { return open_[places_[index].at]; }
    bool is_open(std::size_t index) const { return places_[index].block == open_block; }
    /// It is over.
    void close(std::size_t index) {
        Place& place = places_[index];
        const std::uint32_t was = place.at;
        place = put(open_[was]);
        free_.push_back(was);
    }
    void push_back(T record) { places_.push_back(put(record)); }
    /// Of one that may be over; `change(T&)` says whether it has changed anything.
    template <class Change> void change(std::size_t index, Change&& change) {
        if (is_open(index)) {
            change(opened(index));
            return;
        }
        T record = (*this)[index];
        if (change(record)) places_[index] = put(record);
    }

private:
    struct Place {
        std::uint32_t block = 0, at = 0;  ///< of octets, or open_block and a place in open_
    };
    static constexpr std::uint32_t open_block = 0xFFFF'FFFF;
    static constexpr std::size_t block_size = 65'536;

    const std::uint8_t* at(const Place& place) const { return blocks_[place.block].data() + place.at; }
    template <bool with_details> const T& look_at(std::size_t index, T& room) const {
        const Place& place = places_[index];
        if (place.block == open_block) return open_[place.at];
        if constexpr (with_details) unpack(room, at(place));
        else unpack_without_details(room, at(place));
        return room;
    }
    /// Packed, in a block of octets that has room for it.
    Place put(T& record) {
        const std::size_t octets = pack(record, packed_);
        if (blocks_.empty() || blocks_.back().size() + octets > block_size)
            blocks_.emplace_back().reserve(std::max(block_size, octets));
        std::vector<std::uint8_t>& block = blocks_.back();
        const Place place{static_cast<std::uint32_t>(blocks_.size() - 1), static_cast<std::uint32_t>(block.size())};
        block.insert(block.end(), packed_.data(), packed_.data() + octets);
        return place;
    }
    static const std::vector<std::uint8_t>& blank() {
        static const std::vector<std::uint8_t> packed = [] {
            std::vector<std::uint8_t> octets;
            T record;
            pack(record, octets);
            return octets;
        }();
        return packed;
    }

    std::deque<Place> places_;
    std::vector<std::vector<std::uint8_t>> blocks_;
    std::deque<T> open_;
    std::vector<std::uint32_t> free_;   ///< of open_
    std::vector<std::uint8_t> packed_;  ///< what put() packs into
};

}  // namespace fabricscope::engine
