// SPDX-License-Identifier: GPL-2.0-or-later
// The name service of a VI Provider (VI-DG 3.9): which host has which addresses. It asks nobody: what it knows is
// given.
#pragma once

#include <string>

#include "replay/stack/fc/vi/types.h"

namespace fabricscope::stack::vi {

class NameService {
public:
    explicit NameService(std::vector<HostName> names) : names_(std::move(names)) {}

    Return init();
    Return shutdown();
    /// Address number `index` of the host, from 0; case does not count.
    Return host_by_name(std::string_view name, std::size_t index, NetAddress& address) const;
    Return host_by_address(const NetAddress& address, std::string& name) const;

private:
    std::vector<HostName> names_;
    bool ready_ = false;
};

}  // namespace fabricscope::stack::vi
