// SPDX-License-Identifier: GPL-2.0-or-later
// What there may be so much of that memory would run out: the limits that a user can set. What is beyond one is
// counted, and told as an observation.
#pragma once

#include <array>
#include <charconv>
#include <string_view>

#include "analyzer/engine/protocols.h"

namespace fabricscope::engine {

struct Limit {
    std::string_view name;  ///< as options call it: "smcr.connections"
    std::size_t& (*of)(Options&);
};

inline constexpr std::array limits{
    Limit{"smcr.connections", [](Options& o) -> std::size_t& { return o.smcr_options.limits.connections; }},
    Limit{"smcr.link-groups", [](Options& o) -> std::size_t& { return o.smcr_options.limits.link_groups; }},
    Limit{"rdma-cm.connections", [](Options& o) -> std::size_t& { return o.rdma_cm_options.limits.connections; }},
    Limit{"fc.exchanges", [](Options& o) -> std::size_t& { return o.fc_options.limits.exchanges; }},
    Limit{"fc.logins", [](Options& o) -> std::size_t& { return o.fc_options.limits.logins; }},
    Limit{
        "fcvi.connections", [](Options& o) -> std::size_t& { return o.fc_protocols.fcvi_options.limits.connections; }},
    Limit{"fcvi.messages", [](Options& o) -> std::size_t& { return o.fc_protocols.fcvi_options.limits.messages; }},
    Limit{
        "fc-ae-rdma.messages",
        [](Options& o) -> std::size_t& { return o.fc_protocols.fc_ae_rdma_options.limits.messages; }},
    Limit{"rdma.streams", [](Options& o) -> std::size_t& { return o.rdma_options.limits.streams; }},
};

/// Takes "NAME=COUNT". False if there is no limit of that name, or that is no count.
inline bool set_limit(Options& options, std::string_view text) {
    const std::size_t equals = text.find('=');
    const auto limit = std::ranges::find(limits, text.substr(0, equals), &Limit::name);
    if (limit == limits.end() || equals == std::string_view::npos) return false;
    std::size_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, count);
    if (error != std::errc() || rest != end || count == 0) return false;
    limit->of(options) = count;
    return true;
}

}  // namespace fabricscope::engine
