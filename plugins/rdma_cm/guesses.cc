// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_cm/guesses.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "protocols/rdma_cm/service.h"

namespace fabricscope::plugin::rdma_cm {
namespace {

/// Of payloads, and of private data.
constexpr const char* lists[] = {"infiniband.payload", "infiniband.mad.cm.private"};

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

std::vector<heur_dtbl_entry_t*> guesses;
std::vector<heur_dtbl_entry_t*> switched_off;

bool is_for(const heur_dtbl_entry_t* guess, std::uint64_t service_id) {
    const std::string_view protocol = proto_get_protocol_filter_name(proto_get_id(guess->protocol));
    const char* ulp = wire::ulp_of(service_id);
    if (ulp == nullptr) return std::ranges::find(by_service_id, protocol) != std::end(by_service_id);
    return std::ranges::any_of(
        dissectors, [&](const auto& known) { return known.ulp == ulp && known.protocol == protocol; });
}

}  // namespace

void find_guesses() {
    const auto add = [](const char*, heur_dtbl_entry_t* entry, void*) {
        if (entry->protocol != nullptr) guesses.push_back(entry);
    };
    forget_guesses();
    for (const char* list : lists)
        if (has_heur_dissector_list(list)) heur_dissector_table_foreach(list, add, nullptr);
    switched_off.reserve(guesses.size());
}

void forget_guesses() {
    allow_guesses();
    guesses.clear();
}

void keep_guesses_off(const Connection& connection) {
    if (!connection.service_id) return;
    for (heur_dtbl_entry_t* guess : guesses) {
        if (!guess->enabled || is_for(guess, *connection.service_id)) continue;
        guess->enabled = false;
        switched_off.push_back(guess);
    }
}

void allow_guesses() {
    for (heur_dtbl_entry_t* guess : switched_off) guess->enabled = true;
    switched_off.clear();
}

}  // namespace fabricscope::plugin::rdma_cm
