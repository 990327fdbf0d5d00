// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::smcr {

std::optional<TcpOption> find_tcp_option(ByteView options) {
    constexpr std::uint8_t end_of_list = 0;
    constexpr std::uint8_t no_operation = 1;
    constexpr std::uint8_t experiment_option = 254;
    while (!options.empty() && options[0] != end_of_list) {
        if (options[0] == no_operation) {
            options = options.subspan(1);
            continue;
        }
        if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) return std::nullopt;
        TcpOption option;
        if (options[0] == experiment_option && !layout::parse_into(option, options.first(options[1])) &&
            (option.identifier == eye_catcher_smc_r || option.identifier == eye_catcher_smc_d))
            return option;
        options = options.subspan(options[1]);
    }
    return std::nullopt;
}

}  // namespace fabricscope::smcr
