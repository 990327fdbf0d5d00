// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA devices of this host, and what libpcap sees of their traffic.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "capture/interface.h"

namespace fabricscope::capture {

/// As Linux tells of it.
struct RdmaDevice {
    std::string name;                     ///< "mlx5_0"
    std::vector<std::string> interfaces;  ///< whose wire it uses: "eth0"
    bool in_software = false;             ///< soft-RoCE: its packets pass the interface like any other
};

/// Empty where there is no such folder.
std::vector<RdmaDevice> rdma_devices(const std::filesystem::path& folder = "/sys/class/infiniband");

/// The interfaces, and the RDMA devices that libpcap does not list; each description says where RoCE is to be seen.
std::vector<InterfaceInfo> with_rdma_devices(
    std::vector<InterfaceInfo> interfaces, std::span<const RdmaDevice> devices);

/// Adapters whose packets no capture on that interface shows: "mlx5_0".
std::vector<std::string> adapters_behind(const std::string& interface, std::span<const RdmaDevice> devices);

/// Why nothing may be seen on it, by the kernel's own words; empty if they give no reason.
std::string why_silent(const std::string& interface, const std::filesystem::path& folder = "/sys/class/net");

}  // namespace fabricscope::capture
