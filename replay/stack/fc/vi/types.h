// SPDX-License-Identifier: GPL-2.0-or-later
// The VI Architecture's interface in plain types: what an application hands to a VI Provider and gets back
// (VI Architecture 1.0; VI Developer's Guide 1.0, 4: VI-DG). Names are the guide's without their prefixes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocols/fcvi/connect.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack::vi {

/// VIP_RETURN (VI-DG 4.2), in the guide's order.
enum class Return : std::uint8_t {
    success,
    not_done,
    invalid_parameter,
    error_resource,
    timeout,
    reject,
    invalid_reliability_level,
    invalid_mtu,
    invalid_qos,
    invalid_ptag,
    invalid_rdmaread,
    descriptor_error,
    invalid_state,
    error_nameservice,
    no_match,
    not_reachable,
};
/// "VIP_SUCCESS"
const char* name_of(Return value);

/// VIP_VI_STATE; Pending Connect Retry (ISO/IEC 14165-331, 8.2) is a part of connect_pending.
enum class State : std::uint8_t { idle, connected, connect_pending, error };
const char* name_of(State state);

/// VIP_ERROR_CODE of asynchronous errors (VI-DG 4.4), in the guide's order.
enum class AsyncError : std::uint8_t {
    post_desc,
    conn_lost,
    recvq_empty,
    vi_overrun,
    rdmaw_prot,
    rdmaw_data,
    rdmaw_abort,
    rdmar_prot,
    comp_prot,
    rdma_transport,
    catastrophic,
};
const char* name_of(AsyncError error);

/// VIP_RESOURCE_CODE (VI-DG 4.4): what an asynchronous error is about.
enum class Resource : std::uint8_t { nic, vi, cq, descriptor };
const char* name_of(Resource resource);

/// Bits of a descriptor's Status (VI-DG 4.3).
namespace status {
inline constexpr std::uint32_t done = 0x1;
inline constexpr std::uint32_t format_error = 0x2;
inline constexpr std::uint32_t protection_error = 0x4;
inline constexpr std::uint32_t length_error = 0x8;
inline constexpr std::uint32_t partial_error = 0x10;
inline constexpr std::uint32_t desc_flushed_error = 0x20;
inline constexpr std::uint32_t transport_error = 0x40;
inline constexpr std::uint32_t rdma_prot_error = 0x80;
inline constexpr std::uint32_t remote_desc_error = 0x100;
inline constexpr std::uint32_t error_mask = 0x1FE;
inline constexpr std::uint32_t op_send = 0x0'0000;
inline constexpr std::uint32_t op_receive = 0x1'0000;
inline constexpr std::uint32_t op_write = 0x2'0000;
inline constexpr std::uint32_t op_remote_write = 0x3'0000;
inline constexpr std::uint32_t op_read = 0x4'0000;
inline constexpr std::uint32_t op_mask = 0x7'0000;
inline constexpr unsigned op_shift = 16;
inline constexpr std::uint32_t immediate = 0x8'0000;
}  // namespace status

using ViHandle = std::uint32_t;         ///< from 1
using Ptag = std::uint32_t;             ///< protection tag, from 1
using MemHandle = std::uint32_t;        ///< VIP_MEM_HANDLE
using CqHandle = std::uint32_t;         ///< from 1; 0: none
using ConnHandle = std::uint64_t;       ///< of a Connect Request that waits for accept or reject
using NetAddress = fcvi::NetAddress;    ///< VIP_NET_ADDRESS
using Reliability = fcvi::Reliability;  ///< VIP_RELIABILITY_LEVEL

/// An address that the name service knows; a host may have several.
struct HostName {
    std::string name;
    Gid address;
};

struct DataSegment {
    std::uint64_t address = 0;
    MemHandle handle = 0;
    std::uint32_t length = 0;
};
/// Of RDMA: where in the other one's memory.
struct AddressSegment {
    std::uint64_t address = 0;
    MemHandle handle = 0;
};

enum class Operation : std::uint8_t { send_receive = 0, rdma_write = 1, rdma_read = 2 };

/// Where a descriptor lies in registered memory (VI-DG 5.1).
struct DescriptorAddress {
    std::uint64_t address = 0;
    MemHandle handle = 0;
    friend bool operator==(const DescriptorAddress&, const DescriptorAddress&) = default;
};

struct Descriptor {
    Operation operation = Operation::send_receive;
    std::optional<std::uint32_t> immediate{};
    bool fence = false;  ///< QFENCE: begins when all before it are done
    std::optional<AddressSegment> remote{};
    std::vector<DataSegment> data{};
    std::uint32_t length = 0;                 ///< sum of the data segments; result: octets moved
    std::uint32_t status = 0;                 ///< written when it is done
    std::uint64_t cookie = 0;                 ///< the application's; of a descriptor in memory, its address
    std::uint32_t faults = 0;                 ///< bits of the status that are wrong in its memory
    std::optional<DescriptorAddress> at{};    ///< it lies in memory, and is completed there
    std::optional<DescriptorAddress> next{};  ///< what the User Agent has linked behind it
};

/// VIP_VI_ATTRIBUTES, with what FC-VI makes of its QoS.
struct Attributes {
    Reliability level = Reliability::reliable_delivery;
    std::uint32_t max_transfer_size = 65'536;
    Ptag ptag = 0;
    bool enable_rdma_write = false, enable_rdma_read = false;
    std::uint32_t pipeline_depth = 0;  ///< at most this many Messages and one more are open
    bool preference = false;           ///< frames of Messages have the PREF bit
    /// Octets per second, and microseconds. They shall be 0 for now (ISO/IEC 14165-331, 7.3).
    std::uint32_t max_bandwidth = 0, min_bandwidth = 0, max_delay = 0;
};

/// VIP_MEM_ATTRIBUTES
struct MemoryAttributes {
    Ptag ptag = 0;
    bool enable_rdma_write = false, enable_rdma_read = false;
};

/// VIP_ERROR_DESCRIPTOR
struct ErrorDescriptor {
    ViHandle vi = 0;                            ///< 0: none
    CqHandle cq = 0;                            ///< 0: none
    std::optional<std::uint64_t> descriptor{};  ///< its cookie
    std::uint32_t operation = 0;                ///< as in a descriptor's status, without its shift
    Resource resource = Resource::vi;
    AsyncError code{};
};

/// What a completion queue says: which VI, and whether of its receive queue.
struct CqEntry {
    ViHandle vi = 0;
    bool receive = false;
};

/// What the handler of VipSendNotify, VipRecvNotify or VipCQNotify is called with, once for each of these calls; or
/// what VipSendWait, VipRecvWait or VipCQWait returns.
struct Notification {
    std::uint64_t context = 0;  ///< the application's
    Return result = Return::success;
    ViHandle vi = 0;
    bool receive = false;         ///< of the receive queue
    bool has_descriptor = false;  ///< else the queue is empty; a completion queue tells none
    Descriptor descriptor{};
};

/// VIP_NIC_ATTRIBUTES (VI-DG 4.5). The limits hold.
struct NicAttributes {
    std::string name = "VINIC";
    std::uint32_t hardware_version = 1, provider_version = 1;
    Gid address{};  ///< of the port
    bool thread_safe = false;
    std::uint16_t max_discriminator = fcvi::max_discriminator_length;
    std::uint64_t max_register_bytes = std::uint64_t{1} << 40;
    std::uint32_t max_register_regions = 1 << 20;
    std::uint64_t max_register_block = UINT32_MAX;
    std::uint32_t max_vi = 1 << 16;
    std::uint32_t max_descriptors_per_queue = 1 << 16;
    std::uint32_t max_segments = 253;  ///< the address segment counts
    std::uint32_t max_cq = 1 << 16;
    std::uint32_t max_cq_entries = 1 << 20;
    std::uint32_t max_transfer_size = UINT32_MAX;
    std::uint32_t native_mtu = 2112;
    std::uint32_t max_ptags = 1 << 16;
    std::vector<Reliability> levels{
        Reliability::unreliable_delivery, Reliability::reliable_delivery, Reliability::reliable_reception};
    std::vector<Reliability> rdma_read_levels{Reliability::reliable_delivery, Reliability::reliable_reception};
};

}  // namespace fabricscope::stack::vi
