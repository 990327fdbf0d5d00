// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/convert.h"

#include <algorithm>
#include <cstring>

namespace fabricscope::vipl {
namespace {

using vi::Reliability;

constexpr std::pair<VIP_RELIABILITY_LEVEL, Reliability> levels[] = {
    {VIP_SERVICE_UNRELIABLE, Reliability::unreliable_delivery},
    {VIP_SERVICE_RELIABLE_DELIVERY, Reliability::reliable_delivery},
    {VIP_SERVICE_RELIABLE_RECEPTION, Reliability::reliable_reception},
};
constexpr std::uint64_t most_pipeline = 0x8000'0000;

VIP_RELIABILITY_LEVEL bit_of(Reliability level) {
    return std::ranges::find_if(levels, [&](const auto& one) { return one.second == level; })->first;
}

}  // namespace

stack::Time duration(VIP_ULONG timeout) {
    constexpr auto most = static_cast<VIP_ULONG>(stack::never / capture::millisecond);
    return timeout > most ? stack::never : static_cast<stack::Time>(timeout) * capture::millisecond;
}

std::optional<vi::NetAddress> address_of(const VIP_NET_ADDRESS* address) {
    vi::NetAddress result;
    if (address == nullptr || address->HostAddressLen != result.host.octets.size() ||
        address->DiscriminatorLen > result.discriminator.octets.size())
        return std::nullopt;
    const VIP_UINT8* const octets = address->HostAddress;
    std::copy_n(octets, result.host.octets.size(), result.host.octets.begin());
    result.discriminator_length = address->DiscriminatorLen;
    std::copy_n(octets + result.host.octets.size(), address->DiscriminatorLen, result.discriminator.octets.begin());
    return result;
}

void write_address(const vi::NetAddress& address, VIP_NET_ADDRESS& to) {
    const ByteView discriminator = address.used_discriminator();
    to.HostAddressLen = static_cast<VIP_UINT16>(address.host.octets.size());
    to.DiscriminatorLen = static_cast<VIP_UINT16>(discriminator.size());
    VIP_UINT8* const octets = to.HostAddress;
    std::ranges::copy(address.host.octets, octets);
    std::ranges::copy(discriminator, octets + address.host.octets.size());
}

bool write_host(const Gid& host, VIP_NET_ADDRESS& to) {
    if (to.HostAddressLen < host.octets.size()) return false;
    vi::NetAddress address;
    address.host = host;
    write_address(address, to);
    return true;
}

VIP_RETURN read_attributes(const Opened& opened, const VIP_VI_ATTRIBUTES& from, vi::Attributes& to) {
    const auto* const level = std::ranges::find_if(
        levels, [&](const auto& one) { return one.first == from.ReliabilityLevel; });
    if (level == std::end(levels)) return VIP_INVALID_RELIABILITY_LEVEL;
    if (from.MaxTransferSize > UINT32_MAX) return VIP_INVALID_MTU;
    const auto qos = reinterpret_cast<std::uintptr_t>(from.QoS);
    if (qos > most_pipeline + 1) return VIP_INVALID_QOS;
    const auto ptag = library().ptags.find(from.Ptag);
    if (ptag == nullptr || ptag->opened->shared != opened.shared) return VIP_INVALID_PTAG;
    to.level = level->second;
    to.max_transfer_size = static_cast<std::uint32_t>(from.MaxTransferSize);
    to.pipeline_depth = qos == 0 ? opened.shared->nic->device().pipeline_depth : static_cast<std::uint32_t>(qos - 1);
    to.ptag = ptag->id;
    to.enable_rdma_write = from.EnableRdmaWrite != VIP_FALSE;
    to.enable_rdma_read = from.EnableRdmaRead != VIP_FALSE;
    return VIP_SUCCESS;
}

VIP_RETURN read_attributes(const VIP_MEM_ATTRIBUTES& from, vi::MemoryAttributes& to) {
    const auto ptag = library().ptags.find(from.Ptag);
    if (ptag == nullptr) return VIP_INVALID_PTAG;
    to = {ptag->id, from.EnableRdmaWrite != VIP_FALSE, from.EnableRdmaRead != VIP_FALSE};
    return VIP_SUCCESS;
}

void write_attributes(const vi::Attributes& from, VIP_VI_ATTRIBUTES* to) {
    if (to == nullptr) return;
    *to = {bit_of(from.level),     from.max_transfer_size, VIP_FCVI_PIPELINE(from.pipeline_depth), nullptr,
           from.enable_rdma_write, from.enable_rdma_read};
}

void write_attributes(const vi::MemoryAttributes& from, VIP_MEM_ATTRIBUTES& to) {
    to.Ptag = library().ptags.handle_of([&](const Ptag& ptag) { return ptag.id == from.ptag; });
    to.EnableRdmaWrite = from.enable_rdma_write;
    to.EnableRdmaRead = from.enable_rdma_read;
}

void write_attributes(const vi::NicAttributes& from, const Opened& opened, VIP_NIC_ATTRIBUTES& to) {
    to = {};
    std::strncpy(to.Name, opened.device_name.c_str(), sizeof to.Name - 1);
    to.HardwareVersion = from.hardware_version;
    to.ProviderVersion = from.provider_version;
    to.NicAddressLen = static_cast<VIP_UINT16>(opened.address.octets.size());
    to.LocalNicAddress = opened.address.octets.data();
    to.ThreadSafe = from.thread_safe;
    to.MaxDiscriminatorLen = from.max_discriminator;
    to.MaxRegisterBytes = from.max_register_bytes;
    to.MaxRegisterRegions = from.max_register_regions;
    to.MaxRegisterBlockBytes = from.max_register_block;
    to.MaxVI = from.max_vi;
    to.MaxDescriptorsPerQueue = from.max_descriptors_per_queue;
    to.MaxSegmentsPerDesc = from.max_segments;
    to.MaxCQ = from.max_cq;
    to.MaxCQEntries = from.max_cq_entries;
    to.MaxTransferSize = from.max_transfer_size;
    to.NativeMTU = from.native_mtu;
    to.MaxPtags = from.max_ptags;
    for (const Reliability level : from.levels) to.ReliabilityLevelSupport |= bit_of(level);
    for (const Reliability level : from.rdma_read_levels) to.RDMAReadSupport |= bit_of(level);
}

}  // namespace fabricscope::vipl
