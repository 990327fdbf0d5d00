// SPDX-License-Identifier: GPL-2.0-or-later
// A hash map for what is looked up for every packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace fabricscope::engine {

/// Spreads every bit of a number over all of the result.
constexpr std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ number >> 32) * 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
    number = (number ^ number >> 29) * 0xD6E8'FEB8'6659'FD93;
    return number ^ number >> 32;
}

/// Open addressing: one access to memory finds an entry, where std::unordered_map takes three. Entries move when the
/// map grows, or when others are erased.
template <class Key, class Value, class Hash = std::hash<Key>> class FlatMap {
public:
    /// nullptr if there is none.
    const Value* find(const Key& key) const {
        if (slots_.empty()) return nullptr;
        const Slot& slot = slots_[place_of(key)];
        return slot.used ? &slot.value : nullptr;
    }

    /// Made when first asked for.
    Value& operator[](const Key& key) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[place_of(key)];
        if (!slot.used) slot.key = key, slot.used = true, ++size_;
        return slot.value;
    }

    void erase(const Key& key) {
        if (slots_.empty()) return;
        const std::size_t mask = slots_.size() - 1;
        std::size_t gap = place_of(key);
        if (!slots_[gap].used) return;
        for (std::size_t next = (gap + 1) & mask; slots_[next].used; next = (next + 1) & mask) {
            const std::size_t first = mixed(Hash{}(slots_[next].key)) & mask;  // where it is looked for
            if (((next - first) & mask) < ((next - gap) & mask)) continue;     // behind the gap
            slots_[gap] = std::move(slots_[next]);
            gap = next;
        }
        slots_[gap] = {};
        --size_;
    }

    template <class Visit> void for_each_value(Visit&& visit) {
        for (Slot& slot : slots_)
            if (slot.used) visit(slot.value);
    }

    /// visit(key, value), in no order.
    template <class Visit> void for_each(Visit&& visit) const {
        for (const Slot& slot : slots_)
            if (slot.used) visit(slot.key, slot.value);
    }

    std::size_t size() const { return size_; }

private:
    struct Slot {
        Key key{};
        Value value{};
        bool used = false;
    };

    /// Of the entry, or where it would have to be.
    std::size_t place_of(const Key& key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t place = mixed(Hash{}(key)) & mask;
        while (slots_[place].used && !(slots_[place].key == key)) place = (place + 1) & mask;
        return place;
    }

    void grow() {
        constexpr std::size_t smallest = 8;
        std::vector<Slot> before(slots_.empty() ? smallest : 2 * slots_.size());
        before.swap(slots_);
        for (Slot& slot : before)
            if (slot.used) slots_[place_of(slot.key)] = std::move(slot);
    }

    std::vector<Slot> slots_;  ///< a power of two, at most half of them used
    std::size_t size_ = 0;
};

}  // namespace fabricscope::engine
