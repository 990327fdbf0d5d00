// SPDX-License-Identifier: GPL-2.0-or-later
// What the application may do with memory of its own (VI-DG 3.4.3: pages that are read-only are not written to).
#pragma once

#include <cstdint>
#include <span>

namespace fabricscope::vipl {

enum class Pages : std::uint8_t {
    none,       ///< some page is not there, or cannot be read
    read_only,  ///< some page cannot be written to
    writable,
};
Pages pages_of(std::span<const std::uint8_t> octets);

}  // namespace fabricscope::vipl
