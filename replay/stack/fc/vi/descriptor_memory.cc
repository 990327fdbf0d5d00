// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/descriptor_memory.h"

#include <algorithm>

namespace fabricscope::stack::vi {
namespace {

// Offsets in the control segment (VI-DG 5.2); of the other segments, their first two fields are an address and a
// handle.
constexpr std::size_t at_next = 0, at_next_handle = 8, at_segments = 12, at_control = 14, at_reserved = 16,
                      at_immediate = 20, at_length = 24, at_status = 28;
constexpr std::size_t at_handle = 8, at_last_word = 12;
constexpr std::uint32_t operation_mask = 0x3, immediate_bit = 0x4, fence_bit = 0x8, reserved_bits = 0xFFF0;
constexpr std::uint32_t undefined_operation = 3;

std::uint64_t little(ByteView octets, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | octets[at + i];
    return value;
}

std::uint32_t word(ByteView octets, std::size_t at) { return static_cast<std::uint32_t>(little(octets, at, 4)); }

void put(Octets& octets, std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) octets[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void write_word(Memory& memory, const DescriptorAddress& at, std::size_t offset, std::uint32_t value) {
    Octets octets(4);
    put(octets, 0, value, 4);
    memory.write(at.address + offset, at.handle, octets);
}

/// Bits of the status.
std::uint32_t faults_of(ByteView control, Queue queue, std::uint32_t segments, std::uint32_t most_segments) {
    const auto bits = static_cast<std::uint32_t>(little(control, at_control, 2));
    const std::uint32_t operation = bits & operation_mask;
    std::uint32_t faults = segments > most_segments ? status::length_error : 0;
    const bool wrong_operation = queue == Queue::receive ? operation != 0 : operation == undefined_operation;
    const bool lacks_address = operation != 0 && segments == 0;
    if (wrong_operation || lacks_address || (bits & reserved_bits) != 0 || word(control, at_reserved) != 0)
        faults |= status::format_error;
    return faults;
}

}  // namespace

std::optional<Descriptor> read_descriptor(
    const Memory& memory, Ptag ptag, const DescriptorAddress& at, Queue queue, std::uint32_t most_segments) {
    const auto allowed = [&](std::uint32_t size) {
        return memory.allows(Access::local_write, ptag, at.address, at.handle, size);
    };
    if (at.address % descriptor_alignment != 0 || !allowed(control_segment_size)) return std::nullopt;
    const Octets control = memory.read(at.address, at.handle, control_segment_size);
    const auto segments = static_cast<std::uint32_t>(little(control, at_segments, 2));
    if (!allowed(control_segment_size + segments * segment_size)) return std::nullopt;
    Descriptor descriptor;
    descriptor.at = at;
    descriptor.cookie = at.address;
    descriptor.faults = faults_of(control, queue, segments, most_segments);
    const auto bits = static_cast<std::uint32_t>(little(control, at_control, 2));
    const std::uint32_t operation = bits & operation_mask;
    if (queue == Queue::send) {
        descriptor.operation = operation == undefined_operation ? Operation::send_receive
                                                                : static_cast<Operation>(operation);
        descriptor.fence = (bits & fence_bit) != 0;
        if ((bits & immediate_bit) != 0) descriptor.immediate = word(control, at_immediate);
    }
    descriptor.length = word(control, at_length);
    if (descriptor.faults != 0) return descriptor;
    const Octets rest = memory.read(at.address + control_segment_size, at.handle, segments * segment_size);
    ByteView left = rest;
    if (descriptor.operation != Operation::send_receive) {
        descriptor.remote = AddressSegment{little(left, 0, 8), word(left, at_handle)};
        if (word(left, at_last_word) != 0) descriptor.faults |= status::format_error;
        left = left.subspan(segment_size);
    }
    for (; !left.empty(); left = left.subspan(segment_size))
        descriptor.data.push_back({little(left, 0, 8), word(left, at_handle), word(left, at_last_word)});
    return descriptor;
}

void prepare_descriptor(Memory& memory, const DescriptorAddress& at) {
    link_descriptor(memory, at, {});
    write_word(memory, at, at_status, 0);
}

void link_descriptor(Memory& memory, const DescriptorAddress& at, const DescriptorAddress& next) {
    Octets link(at_segments);
    put(link, at_next, next.address, 8);
    put(link, at_next_handle, next.handle, 4);
    memory.write(at.address, at.handle, link);
}

DescriptorAddress linked_from(const Memory& memory, const DescriptorAddress& at) {
    const Octets link = memory.read(at.address, at.handle, at_segments);
    return {little(link, at_next, 8), word(link, at_next_handle)};
}

void write_result(Memory& memory, const Descriptor& descriptor) {
    const DescriptorAddress& at = *descriptor.at;
    if ((descriptor.status & status::immediate) != 0)
        write_word(memory, at, at_immediate, descriptor.immediate.value_or(0));
    write_word(memory, at, at_length, descriptor.length);
    write_word(memory, at, at_status, descriptor.status);
}

Octets octets_of(const Descriptor& descriptor) {
    const std::size_t segments = descriptor.data.size() + (descriptor.remote ? 1 : 0);
    Octets octets(control_segment_size + segments * segment_size);
    const std::uint32_t bits = static_cast<std::uint32_t>(descriptor.operation) |
                               (descriptor.immediate ? immediate_bit : 0) | (descriptor.fence ? fence_bit : 0);
    put(octets, at_segments, segments, 2);
    put(octets, at_control, bits, 2);
    put(octets, at_immediate, descriptor.immediate.value_or(0), 4);
    put(octets, at_length, descriptor.length, 4);
    std::size_t at = control_segment_size;
    const auto add = [&](std::uint64_t address, MemHandle handle, std::uint32_t length) {
        put(octets, at, address, 8);
        put(octets, at + at_handle, handle, 4);
        put(octets, at + at_last_word, length, 4);
        at += segment_size;
    };
    if (descriptor.remote) add(descriptor.remote->address, descriptor.remote->handle, 0);
    for (const DataSegment& segment : descriptor.data) add(segment.address, segment.handle, segment.length);
    return octets;
}

}  // namespace fabricscope::stack::vi
