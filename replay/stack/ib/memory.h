// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that a peer may read or write, by key (InfiniBand Architecture Specification Volume 1, 10.6).
#pragma once

#include <map>
#include <optional>
#include <span>

#include "replay/stack/core/endpoint.h"
#include "replay/stack/core/random.h"

namespace fabricscope::stack {

enum MemoryAccess : std::uint8_t { remote_read = 1, remote_write = 2, remote_atomic = 4 };

/// The octets as the hosts' processors, which are little-endian, take them for a number.
inline std::uint64_t number_in(ByteView octets) {
    std::uint64_t number = 0;
    for (std::size_t i = octets.size(); i-- > 0;) number = number << 8 | octets[i];
    return number;
}
inline void put_number(std::span<std::uint8_t> octets, std::uint64_t number) {
    for (std::size_t i = 0; i < octets.size(); ++i, number >>= 8) octets[i] = static_cast<std::uint8_t>(number);
}

/// Somebody else's octets under a virtual address. They must live as long as the region is registered.
struct MemoryRegion {
    std::uint64_t address = 0;
    std::span<std::uint8_t> octets;
    std::uint8_t access = 0;  ///< MemoryAccess bits
};

/// The regions of one adapter.
class MemoryTable {
public:
    explicit MemoryTable(Random random) : random_(random) {}

    /// The RKey under which the peer may use it.
    std::uint32_t add(const MemoryRegion& region) {
        std::uint32_t key = 0;
        do key = 0x100 + random_.bits(20);
        while (regions_.contains(key));
        add(key, region);
        return key;
    }
    /// Under a key of the caller's choice, which then stands for this region only.
    void add(std::uint32_t key, const MemoryRegion& region) { regions_.insert_or_assign(key, region); }
    /// False: there is none.
    bool remove(std::uint32_t key) { return regions_.erase(key) != 0; }

    /// The octets [address, address + length), if all of them may be used in that way.
    std::optional<std::span<std::uint8_t>> find(
        std::uint32_t key, std::uint64_t address, std::uint64_t length, MemoryAccess access) const {
        const auto found = regions_.find(key);
        if (found == regions_.end() || (found->second.access & access) == 0) return std::nullopt;
        const MemoryRegion& region = found->second;
        if (address < region.address) return std::nullopt;
        const std::uint64_t offset = address - region.address;
        if (offset > region.octets.size() || length > region.octets.size() - offset) return std::nullopt;
        return region.octets.subspan(offset, length);
    }

private:
    Random random_;
    std::map<std::uint32_t, MemoryRegion> regions_;
};

}  // namespace fabricscope::stack
