// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_cm/guesses.h"

#include <algorithm>
#include <iterator>

#include "protocols/rdma_cm/service.h"

namespace fabricscope::plugin::rdma_cm {
namespace {

namespace wire = fabricscope::rdma_cm;

/// Wireshark's dissectors by the ULP that a service id is known for.
constexpr struct {
    std::string_view ulp;
    std::string_view protocol;  ///< its filter name
} dissectors[] = {
    {"SDP", "infiniband_sdp"}, {"SMB Direct", "smb_direct"}, {"LNet", "lnet"},
    {"iSER", "iser"},          {"NVMe-oF", "nvme-rdma"},     {"NFS/RDMA", "rpcordma"},
};
/// They take nothing but what a service id of theirs was asked for.
constexpr std::string_view by_service_id[] = {"iser", "nvme-rdma"};

}  // namespace

bool may_be_guessed(std::string_view protocol, std::uint64_t service_id) {
    const char* ulp = wire::ulp_of(service_id);
    if (ulp == nullptr) return std::ranges::find(by_service_id, protocol) != std::end(by_service_id);
    return std::ranges::any_of(
        dissectors, [&](const auto& known) { return known.ulp == ulp && known.protocol == protocol; });
}

}  // namespace fabricscope::plugin::rdma_cm
