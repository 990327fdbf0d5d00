// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc/assemblies.h"

#include <algorithm>
#include <functional>

#include "plugins/shell/session.h"

namespace fabricscope::plugin {
namespace {

bool is_within(ByteView part, ByteView whole) {
    const std::less_equal<> not_behind;
    return not_behind(whole.data(), part.data()) && not_behind(part.data() + part.size(), whole.data() + whole.size());
}

tvbuff_t* copy_of(ByteView octets) {
    const auto length = static_cast<unsigned>(octets.size());
    auto* copy = static_cast<guint8*>(g_malloc(length));
    std::ranges::copy(octets, copy);
    tvbuff_t* tvb = tvb_new_real_data(copy, length, static_cast<int>(length));
    tvb_set_free_cb(tvb, g_free);
    return tvb;
}

}  // namespace

ByteView Assembly::octets(wmem_allocator_t* pool) const {
    auto* all = static_cast<std::uint8_t*>(wmem_alloc0(pool, length));
    for (const Piece& piece : pieces) {
        tvbuff_t* read = tvb_clone(piece.source);  // what is read from the file stays in memory with this one
        tvb_memcpy(read, all + piece.offset, 0, piece.length);
        tvb_free(read);
    }
    return {all, static_cast<std::size_t>(length)};
}

Assemblies::~Assemblies() {
    for (auto& [message, assembly] : assemblies_) free_sources(assembly);
}

void Assemblies::free_sources(Assembly& assembly) {
    for (const Assembly::Piece& piece : assembly.pieces) tvb_free(piece.source);
    assembly.pieces = {};
}

void Assemblies::on_packet(tvbuff_t* tvb, ByteView octets, bool wanted) {
    wanted_ = wanted;
    packet_ = tvb;
    packet_octets_ = octets;
    for (const std::uint64_t message : completed_) {
        Assembly& assembly = assemblies_[message];
        free_sources(assembly);
        octets_ -= assembly.length;
    }
    completed_.clear();
}

/// Wireshark's own reassembly keeps data in the same way: before Wireshark 4.6 a clone of a frame of a file that can be
/// read again holds no octets, any other a copy.
tvbuff_t* Assemblies::source_of(ByteView octets) const {
    if (packet_ == nullptr || !is_within(octets, packet_octets_)) return copy_of(octets);
    const auto offset = static_cast<unsigned>(octets.data() - packet_octets_.data());
    return tvb_clone_offset_len(packet_, offset, static_cast<unsigned>(octets.size()));
}

void Assemblies::add(std::uint64_t message, std::uint32_t frame, std::uint64_t offset, ByteView octets) {
    if (octets.empty() || !wanted_) return;
    Assembly& assembly = assemblies_[message];
    if (assembly.complete_in != 0 && assembly.pieces.empty()) return;
    const std::uint64_t end = offset + octets.size();
    const std::uint64_t growth = end - std::min(end, assembly.length);
    if (end > most_octets_of_one || octets_ + growth > most_octets) {
        octets_ -= assembly.length;
        free_sources(assembly);
        assembly = {};
        return;
    }
    octets_ += growth;
    assembly.length += growth;
    assembly.captured += octets.size();
    assembly.pieces.push_back({frame, static_cast<std::uint32_t>(octets.size()), offset, source_of(octets)});
}

bool Assemblies::complete(std::uint64_t message, std::uint64_t octets, std::uint32_t frame, bool needed_later) {
    const auto found = assemblies_.find(message);
    if (found == assemblies_.end() || found->second.complete_in != 0 || found->second.captured < octets) return false;
    found->second.complete_in = frame;
    if (!needed_later) release(message);
    return true;
}

void Assemblies::release(std::uint64_t message) {
    const auto found = assemblies_.find(message);
    const bool complete = found != assemblies_.end() && found->second.complete_in != 0;
    if (complete && !frames_come_again()) completed_.push_back(message);
}

const Assembly* Assemblies::find(std::uint64_t message) const {
    const auto found = assemblies_.find(message);
    return found == assemblies_.end() || found->second.length == 0 ? nullptr : &found->second;
}

}  // namespace fabricscope::plugin
