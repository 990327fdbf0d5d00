// SPDX-License-Identifier: GPL-2.0-or-later
// Registered memory with protection tags and handles (VI Architecture 2.3, 3.2; VI-DG 3.4).
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "replay/stack/fc/vi/types.h"

namespace fabricscope::stack::vi {

/// Of the NIC to the memory of its own application, or of the other end to it.
enum class Access : std::uint8_t { local_read, local_write, remote_write, remote_read };

class Memory {
public:
    Memory(std::uint32_t first_handle, const NicAttributes& limits) : limits_(limits), next_handle_(first_handle) {}

    Ptag create_ptag();              ///< 0: the NIC has no more
    Return destroy_ptag(Ptag ptag);  ///< error_resource while a region has it
    bool has_ptag(Ptag ptag) const { return ptags_.contains(ptag); }

    /// The region's octets are zero. A length of 0 is invalid.
    Return register_mem(
        std::uint64_t address, std::uint32_t length, const MemoryAttributes& attributes, MemHandle& handle);
    /// The application's own octets, at the address where they are; they must stay there until they are deregistered.
    /// Nothing is written to what is read-only (VI-DG 3.4.3).
    Return register_own(
        std::span<std::uint8_t> octets, bool read_only, const MemoryAttributes& attributes, MemHandle& handle);
    /// Under a handle that was given before, by somebody else: it must be free.
    Return register_as(
        MemHandle handle, std::uint64_t address, std::uint32_t length, const MemoryAttributes& attributes);
    Return deregister_mem(std::uint64_t address, MemHandle handle);
    Return query(std::uint64_t address, MemHandle handle, MemoryAttributes& attributes) const;
    Return set_attributes(std::uint64_t address, MemHandle handle, const MemoryAttributes& attributes);

    /// Whether a VI with this tag may have the octets: all of them in the region, tags equal, RDMA enabled.
    bool allows(Access access, Ptag ptag, std::uint64_t address, MemHandle handle, std::uint32_t length) const;
    // The octets must have been found allowed.
    Octets read(std::uint64_t address, MemHandle handle, std::uint32_t length) const;
    void write(std::uint64_t address, MemHandle handle, ByteView octets);

private:
    struct Free {
        void operator()(std::uint8_t* octets) const { std::free(octets); }
    };
    struct Region {
        std::uint64_t address = 0;
        std::unique_ptr<std::uint8_t[], Free> held;  ///< here, unless the application has the octets
        std::span<std::uint8_t> octets;
        MemoryAttributes attributes;
        bool read_only = false;
    };

    Return check_region(std::uint64_t address, std::uint64_t length, const MemoryAttributes& attributes) const;
    Return check(const MemoryAttributes& attributes) const;
    const Region* find(std::uint64_t address, MemHandle handle) const;

    NicAttributes limits_;
    std::uint64_t registered_ = 0;  ///< octets
    std::set<Ptag> ptags_;
    std::map<MemHandle, Region> regions_;
    Ptag last_ptag_ = 0;
    MemHandle next_handle_;
};

}  // namespace fabricscope::stack::vi
