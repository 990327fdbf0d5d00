// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/memory.h"

#include <algorithm>
#include <new>

namespace fabricscope::stack::vi {

Ptag Memory::create_ptag() { return ptags_.size() < limits_.max_ptags ? *ptags_.insert(++last_ptag_).first : 0; }

Return Memory::check_region(std::uint64_t address, std::uint64_t length, const MemoryAttributes& attributes) const {
    if (length == 0 || address + length < address) return Return::invalid_parameter;
    if (const Return wrong = check(attributes); wrong != Return::success) return wrong;
    const bool too_many = length > limits_.max_register_block || regions_.size() >= limits_.max_register_regions ||
                          length > limits_.max_register_bytes - registered_;
    return too_many ? Return::error_resource : Return::success;
}

Return Memory::check(const MemoryAttributes& attributes) const {
    if (!has_ptag(attributes.ptag)) return Return::invalid_ptag;
    return attributes.enable_rdma_read && limits_.rdma_read_levels.empty() ? Return::invalid_rdmaread : Return::success;
}

const Memory::Region* Memory::find(std::uint64_t address, MemHandle handle) const {
    const auto region = regions_.find(handle);
    return region == regions_.end() || region->second.address != address ? nullptr : &region->second;
}

Return Memory::destroy_ptag(Ptag ptag) {
    if (!has_ptag(ptag)) return Return::invalid_parameter;
    const bool used = std::ranges::any_of(
        regions_, [&](const auto& entry) { return entry.second.attributes.ptag == ptag; });
    if (used) return Return::error_resource;
    ptags_.erase(ptag);
    return Return::success;
}

Return Memory::register_mem(
    std::uint64_t address, std::uint32_t length, const MemoryAttributes& attributes, MemHandle& handle) {
    while (regions_.contains(next_handle_)) ++next_handle_;
    const Return result = register_as(next_handle_, address, length, attributes);
    if (result == Return::success) handle = next_handle_++;
    return result;
}

Return Memory::register_as(
    MemHandle handle, std::uint64_t address, std::uint32_t length, const MemoryAttributes& attributes) {
    if (regions_.contains(handle)) return Return::invalid_parameter;
    if (const Return wrong = check_region(address, length, attributes); wrong != Return::success) return wrong;
    // Most is never written: calloc() takes no memory for that, nor time to clear it.
    std::unique_ptr<std::uint8_t[], Free> held(static_cast<std::uint8_t*>(std::calloc(length, 1)));
    if (!held) throw std::bad_alloc();
    Region& region = regions_[handle];
    region.address = address;
    region.octets = {held.get(), length};
    region.held = std::move(held);
    region.attributes = attributes;
    registered_ += length;
    return Return::success;
}

Return Memory::register_own(
    std::span<std::uint8_t> octets, bool read_only, const MemoryAttributes& attributes, MemHandle& handle) {
    const auto address = reinterpret_cast<std::uintptr_t>(octets.data());
    if (const Return wrong = check_region(address, octets.size(), attributes); wrong != Return::success) return wrong;
    while (regions_.contains(next_handle_)) ++next_handle_;
    handle = next_handle_++;
    regions_[handle] = {address, {}, octets, attributes, read_only};
    registered_ += octets.size();
    return Return::success;
}

Return Memory::deregister_mem(std::uint64_t address, MemHandle handle) {
    const Region* region = find(address, handle);
    if (region == nullptr) return Return::invalid_parameter;
    registered_ -= region->octets.size();
    regions_.erase(handle);
    return Return::success;
}

Return Memory::query(std::uint64_t address, MemHandle handle, MemoryAttributes& attributes) const {
    const Region* region = find(address, handle);
    if (region == nullptr) return Return::invalid_parameter;
    attributes = region->attributes;
    return Return::success;
}

Return Memory::set_attributes(std::uint64_t address, MemHandle handle, const MemoryAttributes& attributes) {
    if (find(address, handle) == nullptr) return Return::invalid_parameter;
    if (const Return wrong = check(attributes); wrong != Return::success) return wrong;
    regions_.at(handle).attributes = attributes;
    return Return::success;
}

bool Memory::allows(Access access, Ptag ptag, std::uint64_t address, MemHandle handle, std::uint32_t length) const {
    const auto found = regions_.find(handle);
    if (found == regions_.end()) return false;
    const Region& region = found->second;
    if (region.attributes.ptag != ptag) return false;
    const bool writes = access == Access::local_write || access == Access::remote_write;
    if (writes && region.read_only) return false;
    if (access == Access::remote_write && !region.attributes.enable_rdma_write) return false;
    if (access == Access::remote_read && !region.attributes.enable_rdma_read) return false;
    return address >= region.address && address - region.address <= region.octets.size() &&
           length <= region.octets.size() - (address - region.address);
}

Octets Memory::read(std::uint64_t address, MemHandle handle, std::uint32_t length) const {
    const Region& region = regions_.at(handle);
    const ByteView octets = region.octets.subspan(address - region.address, length);
    return {octets.begin(), octets.end()};
}

void Memory::write(std::uint64_t address, MemHandle handle, ByteView octets) {
    Region& region = regions_.at(handle);
    std::ranges::copy(octets, region.octets.begin() + static_cast<std::ptrdiff_t>(address - region.address));
}

}  // namespace fabricscope::stack::vi
