// SPDX-License-Identifier: GPL-2.0-or-later
// Records as few octets, and back. What a record consists of is said once for both ways, beside it:
//
//     template <class Way> static void code(Way& way, Sent& sent) {
//         auto& [sequences, frames, octets] = sent;  // does not compile if one is left out
//         way(sequences, frames, octets);
//     }
//
// Before the values stands a bit for each: whether it is anything but 0, nothing or empty. Only then its octets follow,
// of numbers of more than 16 bits seven bits in each. Moments are kept as their distance from the one before.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/engine/sides.h"

namespace fabricscope::engine {

/// What both ways have in common: `Way` has bits() and number(), which are given a value and return the one that holds.
/// All of it is inlined: only then does what it knows stay in registers while octets are written.
template <class Way> class Coder {
public:
    template <class... Values> [[gnu::always_inline]] void operator()(Values&... values) {
        each(std::index_sequence_for<Values...>(), values...);
    }

private:
    Way& way() { return static_cast<Way&>(*this); }

    template <std::size_t... i, class... Values>
    [[gnu::always_inline]] void each(std::index_sequence<i...>, Values&... values) {
        static_assert(sizeof...(i) <= 64);
        const std::uint64_t there = way().template bits<(sizeof...(i) + 7) / 8>(((is_there(values) << i) | ...));
        (value(values, (there >> i & 1) != 0), ...);
    }

    // Of moments it is not known before the one before them; records have bits of their own.
    template <class T> static std::uint64_t is_there(const T& value) {
        if constexpr (std::is_same_v<T, Time> || std::is_class_v<T>) return 1;
        else return value != T{} ? 1 : 0;
    }
    template <class T> static std::uint64_t is_there(const std::optional<T>& perhaps) { return perhaps ? 1 : 0; }
    template <class T> static std::uint64_t is_there(const std::vector<T>& list) { return list.empty() ? 0 : 1; }

    [[gnu::always_inline]] void value(bool& bit, bool there) { bit = there; }
    template <class T> [[gnu::always_inline]] void value(T& value, bool there) {
        if (there) whole(value);
        else value = T{};
    }
    template <class T> [[gnu::always_inline]] void value(std::optional<T>& perhaps, bool there) {
        if (!there) return perhaps.reset();
        if (!perhaps) perhaps.emplace();
        whole(*perhaps);
    }
    template <class T> [[gnu::always_inline]] void value(std::vector<T>& list, bool there) {
        list.resize(there ? way().template number<std::uint32_t>(static_cast<std::uint32_t>(list.size())) : 0);
        way().make_room(list.size() * most_octets_of<T>);
        for (T& each : list) whole(each);
    }

    template <class T> [[gnu::always_inline]] void whole(T& value) {
        if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>)
            value = static_cast<T>(way().template number<std::uint8_t>(static_cast<std::uint8_t>(value)));
        else if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(
                way().template number<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(value)));
        else code(way(), value);
    }
    [[gnu::always_inline]] void whole(Time& moment) {
        const std::uint64_t ahead = static_cast<std::uint64_t>(moment) - moment_;
        const auto coded = way().template number<std::uint64_t>(ahead << 1 ^ (std::uint64_t{0} - (ahead >> 63)));
        moment_ += coded >> 1 ^ (std::uint64_t{0} - (coded & 1));
        moment = static_cast<Time>(moment_);
    }
    template <class T, std::size_t n> [[gnu::always_inline]] void whole(std::array<T, n>& all) {
        for (T& each : all) whole(each);
    }
    [[gnu::always_inline]] void whole(FrameStamp& step) {
        auto& [time, frame, interface] = step;
        (*this)(time, frame, interface);
    }

protected:
    /// A number of n octets takes at most n + 2, with its bit; what it takes more than a record is made for.
    template <class T> static constexpr std::size_t most_octets_of = 3 * sizeof(T);

private:
    std::uint64_t moment_ = 0;  ///< the one before
};

class Packer : public Coder<Packer> {
public:
    /// `room` grows as needed.
    explicit Packer(std::vector<std::uint8_t>& room) : room_(room), at_(room.data()) {}

    /// How many octets it takes.
    template <class T> [[gnu::always_inline]] std::size_t pack(T& record) {
        make_room(most_octets_of<T>);
        code(*this, record);
        return static_cast<std::size_t>(at_ - room_.data());
    }

    template <class T> [[gnu::always_inline]] void details(std::vector<T>& list) { (*this)(list); }

    template <std::size_t octets> std::uint64_t bits(std::uint64_t value) {
        for (std::size_t i = 0; i < octets; ++i) *at_++ = static_cast<std::uint8_t>(value >> 8 * i);
        return value;
    }
    template <class T> T number(T value) {
        if constexpr (sizeof(T) <= 2) {
            std::memcpy(at_, &value, sizeof value);
            at_ += sizeof value;
        } else {
            T rest = value;
            for (; rest >= 0x80; rest >>= 7) *at_++ = static_cast<std::uint8_t>(rest | 0x80);
            *at_++ = static_cast<std::uint8_t>(rest);
        }
        return value;
    }
    void make_room(std::size_t octets) {
        const auto used = static_cast<std::size_t>(at_ - room_.data());
        if (room_.size() - used >= octets) return;
        room_.resize(2 * (used + octets));
        at_ = room_.data() + used;
    }

private:
    std::vector<std::uint8_t>& room_;
    std::uint8_t* at_;
};

class Unpacker : public Coder<Unpacker> {
public:
    explicit Unpacker(const std::uint8_t* from, bool with_details = true) : at_(from), with_details_(with_details) {}

    template <class T> [[gnu::always_inline]] void unpack(T& record) { code(*this, record); }

    /// The last values of a record, which not everybody needs.
    template <class T> [[gnu::always_inline]] void details(std::vector<T>& list) {
        if (with_details_) (*this)(list);
        else list.clear();
    }

    template <std::size_t octets> std::uint64_t bits(std::uint64_t) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < octets; ++i) value |= std::uint64_t{*at_++} << 8 * i;
        return value;
    }
    template <class T> T number(T) {
        T value = 0;
        if constexpr (sizeof(T) <= 2) {
            std::memcpy(&value, at_, sizeof value);
            at_ += sizeof value;
            return value;
        } else {
            for (unsigned shift = 0;; shift += 7) {
                const T octet = *at_++;
                value |= (octet & 0x7F) << shift;
                if (octet < 0x80) return value;
            }
        }
    }
    void make_room(std::size_t) {}

private:
    const std::uint8_t* at_;
    bool with_details_;
};

}  // namespace fabricscope::engine
