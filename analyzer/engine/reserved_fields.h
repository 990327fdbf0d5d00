// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "protocols/layout/parts.h"

namespace fabricscope::engine {

/// Looks for reserved fields that are not zero. Octets that have no layout (padding, extensions, more than belongs
/// there) are no fields.
struct ReservedFields : layout::ReservedCheck {
    void octets(ByteView, std::size_t, layout::PartInfo) {}
};

}  // namespace fabricscope::engine
