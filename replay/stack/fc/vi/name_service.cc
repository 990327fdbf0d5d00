// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/name_service.h"

#include <algorithm>

namespace fabricscope::stack::vi {
namespace {

/// ASCII, as names of hosts are.
char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool same_name(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

}  // namespace

Return NameService::init() { return std::exchange(ready_, true) ? Return::error_nameservice : Return::success; }

Return NameService::shutdown() { return std::exchange(ready_, false) ? Return::success : Return::error_nameservice; }

Return NameService::host_by_name(std::string_view name, std::size_t index, NetAddress& address) const {
    if (!ready_) return Return::error_nameservice;
    for (const HostName& known : names_) {
        if (!same_name(known.name, name) || index-- != 0) continue;
        address = {};
        address.host = known.address;
        return Return::success;
    }
    return Return::error_nameservice;
}

Return NameService::host_by_address(const NetAddress& address, std::string& name) const {
    const auto known = std::ranges::find(names_, address.host, &HostName::address);
    if (!ready_ || known == names_.end()) return Return::error_nameservice;
    name = known->name;
    return Return::success;
}

}  // namespace fabricscope::stack::vi
