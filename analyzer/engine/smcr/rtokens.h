// SPDX-License-Identifier: GPL-2.0-or-later
// Which RMB an RKey stands for: it depends on the link (RFC 7609, 2.1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analyzer/engine/flat_map.h"

namespace fabricscope::engine::smcr {

/// The RTokens of one side's RMBs.
class RtokenTable {
public:
    struct Entry {
        std::size_t rmb;  ///< index in LinkGroup::rmbs
        std::uint64_t address;
    };

    const Entry* find(std::uint32_t link, std::uint32_t rkey) const { return entries_.find(key(link, rkey)); }
    void set(std::uint32_t link, std::uint32_t rkey, Entry entry) { entries_[key(link, rkey)] = entry; }

private:
    static std::uint64_t key(std::uint32_t link, std::uint32_t rkey) { return std::uint64_t{link} << 32 | rkey; }

    FlatMap<std::uint64_t, Entry> entries_;
};

/// Which connection an element of an RMB belongs to.
class ElementOwners {
public:
    /// 0: nobody's.
    std::uint32_t of(std::size_t rmb, std::uint64_t index) const {
        const std::uint32_t* connection = index > most_elements ? nullptr : owners_.find(key(rmb, index));
        return connection == nullptr ? 0 : *connection;
    }
    void set(std::size_t rmb, std::uint8_t index, std::uint32_t connection) {
        owners_[key(rmb, index)] = connection;
        std::uint8_t& highest = highest_[rmb];
        highest = std::max(highest, index);
    }
    /// The highest index that was ever assigned in the RMB; 0: none.
    std::uint8_t highest(std::size_t rmb) const {
        const std::uint8_t* index = highest_.find(rmb);
        return index == nullptr ? 0 : *index;
    }
    void replace(std::uint32_t connection, std::uint32_t by) {
        owners_.for_each_value([&](std::uint32_t& owner) {
            if (owner == connection) owner = by;
        });
    }

private:
    static constexpr std::uint64_t most_elements = 255;  ///< CLC has eight bits for an index
    static std::uint64_t key(std::size_t rmb, std::uint64_t index) { return std::uint64_t{rmb} << 8 | index; }

    FlatMap<std::uint64_t, std::uint32_t> owners_;
    FlatMap<std::uint64_t, std::uint8_t> highest_;  ///< by RMB
};

}  // namespace fabricscope::engine::smcr
