// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors as they lie in registered memory (VI-DG 5.1 to 5.4): little-endian, a control segment, for RDMA an
// address segment, then data segments.
#pragma once

#include "replay/stack/fc/vi/memory.h"

namespace fabricscope::stack::vi {

inline constexpr std::uint32_t control_segment_size = 32, segment_size = 16;
inline constexpr std::uint64_t descriptor_alignment = 64;

enum class Queue : std::uint8_t { send, receive };

/// The descriptor there, with `faults` for what is wrong with it; nothing, if it is not aligned or not all of it lies
/// in one region of the tag. No more than `most_segments` are read, as more are a fault.
std::optional<Descriptor> read_descriptor(
    const Memory& memory, Ptag ptag, const DescriptorAddress& at, Queue queue, std::uint32_t most_segments);
/// What the User Agent does when it posts: no status, and no next one.
void prepare_descriptor(Memory& memory, const DescriptorAddress& at);
void link_descriptor(Memory& memory, const DescriptorAddress& at, const DescriptorAddress& next);
/// What stands as next one behind a descriptor whose control segment is accessible.
DescriptorAddress linked_from(const Memory& memory, const DescriptorAddress& at);
/// Immediate Data, length and, last, the status.
void write_result(Memory& memory, const Descriptor& descriptor);
/// For applications: the octets of a descriptor that is to be posted.
Octets octets_of(const Descriptor& descriptor);

}  // namespace fabricscope::stack::vi
