// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/load.h"

#include <array>

#include "replay/load/rdma_load.h"
#include "replay/load/recorded_load.h"
#include "replay/load/smc_load.h"

namespace fabricscope::replay {

const char* name_of(LoadKind kind) {
    switch (kind) {
        case LoadKind::cm: return "cm";
        case LoadKind::rc: return "rc";
        case LoadKind::smc: return "smc";
        case LoadKind::recorded: break;
    }
    return "recorded";
}

std::optional<LoadKind> load_kind_of(std::string_view name) {
    for (const LoadKind kind : {LoadKind::cm, LoadKind::rc, LoadKind::smc, LoadKind::recorded})
        if (name == name_of(kind)) return kind;
    return std::nullopt;
}

std::uint64_t LoadAccount::all_failed() const {
    std::uint64_t all = 0;
    for (const auto& [reason, count] : failed) all += count;
    return all;
}

std::unique_ptr<LoadHost> make_load_client(
    const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac) {
    if (plan.kind == LoadKind::recorded) return std::make_unique<RecordedLoadClient>(plan, account, host, own, mac);
    if (plan.kind == LoadKind::smc) return std::make_unique<SmcLoadClient>(plan, account, host, own, mac);
    return std::make_unique<RdmaLoad<RdmaLoadClient>>(plan, account, host, own, mac);
}

std::unique_ptr<LoadHost> make_load_server(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac) {
    if (plan.kind == LoadKind::smc) return std::make_unique<SmcLoadServer>(plan, account, own, mac);
    return std::make_unique<RdmaLoad<RdmaLoadServer>>(plan, account, own, mac);
}

}  // namespace fabricscope::replay
