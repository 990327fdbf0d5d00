// SPDX-License-Identifier: GPL-2.0-or-later
// Which RMB an RKey stands for: it depends on the link (RFC 7609, 2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace fabricscope::engine::smcr {

/// The RTokens of one side's RMBs.
class RtokenTable {
public:
    struct Entry {
        std::size_t rmb;  ///< index in LinkGroup::rmbs
        std::uint64_t address;
    };

    const Entry* find(std::uint32_t link, std::uint32_t rkey) const {
        const auto found = entries_.find(key(link, rkey));
        return found == entries_.end() ? nullptr : &found->second;
    }
    void set(std::uint32_t link, std::uint32_t rkey, Entry entry) { entries_[key(link, rkey)] = entry; }

private:
    static std::uint64_t key(std::uint32_t link, std::uint32_t rkey) { return std::uint64_t{link} << 32 | rkey; }

    std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace fabricscope::engine::smcr
