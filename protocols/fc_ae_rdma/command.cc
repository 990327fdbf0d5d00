// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc_ae_rdma/command.h"

namespace fabricscope::fc_ae_rdma {

CommandParameter parse_parameter(std::uint32_t parameter) {
    const std::array octets{
        static_cast<std::uint8_t>(parameter >> 24), static_cast<std::uint8_t>(parameter >> 16),
        static_cast<std::uint8_t>(parameter >> 8), static_cast<std::uint8_t>(parameter)};
    CommandParameter parsed;
    layout::parse_into(parsed, octets);
    return parsed;
}

std::uint32_t build_parameter(const CommandParameter& parameter) {
    std::array<std::uint8_t, 4> octets{};
    layout::build_into(parameter, octets);
    std::uint32_t value = 0;
    for (const std::uint8_t octet : octets) value = value << 8 | octet;
    return value;
}

}  // namespace fabricscope::fc_ae_rdma
