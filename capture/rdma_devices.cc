// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rdma_devices.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace fabricscope::capture {
namespace {

namespace fs = std::filesystem;

/// Names of what is in a folder, in order; none if there is no such folder.
std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error))
        names.insert(entry->path().filename());
    return names;
}

/// The only word of such a file; empty if it cannot be read, as those of unused entries of a GID table.
std::string word_in(const fs::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

/// Each GID of a port belongs to an interface.
std::set<std::string> interfaces_of_ports(const fs::path& device) {
    std::set<std::string> interfaces;
    for (const std::string& port : names_in(device / "ports")) {
        const fs::path gids = device / "ports" / port / "gid_attrs" / "ndevs";
        for (const std::string& index : names_in(gids)) interfaces.insert(word_in(gids / index));
    }
    interfaces.erase("");
    return interfaces;
}

RdmaDevice device_at(const fs::path& path) {
    RdmaDevice device;
    device.name = path.filename();
    std::set<std::string> interfaces = interfaces_of_ports(path);
    interfaces.merge(names_in(path / "device" / "net"));
    // Devices of software name the interface that they were added to.
    if (const std::string parent = word_in(path / "parent"); !parent.empty()) {
        device.in_software = true;
        interfaces.insert(parent);
    }
    device.interfaces.assign(interfaces.begin(), interfaces.end());
    return device;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string description_of(const RdmaDevice& device, bool listed) {
    const std::string names = device.interfaces.empty() ? "no interface" : joined(device.interfaces);
    if (device.in_software) return "RDMA device in software over " + names + "; its packets are seen on " + names;
    return "RDMA device of " + names +
           (listed ? "; what its adapter sends and receives is seen here"
                   : "; no capture on it: this libpcap has no RDMA sniffer");
}

}  // namespace

std::vector<RdmaDevice> rdma_devices(const fs::path& folder) {
    std::vector<RdmaDevice> devices;
    for (const std::string& name : names_in(folder)) devices.push_back(device_at(folder / name));
    return devices;
}

std::vector<InterfaceInfo> with_rdma_devices(
    std::vector<InterfaceInfo> interfaces, std::span<const RdmaDevice> devices) {
    for (InterfaceInfo& interface : interfaces) {
        const std::vector<std::string> adapters = adapters_behind(interface.name, devices);
        if (adapters.empty()) continue;
        if (!interface.description.empty()) interface.description += "; ";
        interface.description += "does not see the RoCE of RDMA device " + joined(adapters);
    }
    for (const RdmaDevice& device : devices) {
        const auto listed = std::ranges::find(interfaces, device.name, &InterfaceInfo::name);
        const std::string description = description_of(device, listed != interfaces.end());
        if (listed != interfaces.end()) listed->description = description;
        else interfaces.push_back({device.name, description});
    }
    return interfaces;
}

std::vector<std::string> adapters_behind(const std::string& interface, std::span<const RdmaDevice> devices) {
    std::vector<std::string> adapters;
    for (const RdmaDevice& device : devices)
        if (!device.in_software && std::ranges::find(device.interfaces, interface) != device.interfaces.end())
            adapters.push_back(device.name);
    return adapters;
}

std::string why_silent(const std::string& interface, const fs::path& folder) {
    const std::string state = word_in(folder / interface / "operstate");
    if (state == "down" || state == "lowerlayerdown" || state == "notpresent") return "its link is down";
    if (state == "dormant") return "it waits for its peer (802.1X, LACP)";
    return {};
}

}  // namespace fabricscope::capture
