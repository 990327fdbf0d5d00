// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::smcr {

std::optional<TcpOption> find_tcp_option(ByteView options) {
    constexpr std::uint8_t kEndOfList = 0;
    constexpr std::uint8_t kNoOperation = 1;
    constexpr std::uint8_t kExperiment = 254;
    while (!options.empty() && options[0] != kEndOfList) {
        if (options[0] == kNoOperation) {
            options = options.subspan(1);
            continue;
        }
        if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) return std::nullopt;
        TcpOption option;
        if (options[0] == kExperiment && !layout::parse_into(option, options.first(options[1])) &&
            (option.identifier == kEyeCatcherSmcR || option.identifier == kEyeCatcherSmcD))
            return option;
        options = options.subspan(options[1]);
    }
    return std::nullopt;
}

}  // namespace fabricscope::smcr
