// SPDX-License-Identifier: GPL-2.0-or-later
// The reference of display-filter fields.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/report/style.h"

namespace fabricscope::report {

struct FieldEntry {
    std::string name;      ///< "smcr.cdc.sequence"
    std::string type;      ///< as Wireshark calls it in small letters: "uint16", "boolean", "ether"
    std::string protocol;  ///< "smcr"
    std::string label;     ///< "Sequence number"
    std::string clause;    ///< "RFC 7609, A.4"; empty for what fabricscope works out itself
};

/// Every field once, by name.
std::vector<FieldEntry> all_fields();

void write_fields(std::ostream& out, const Style& style);
void write_fields_json(std::ostream& out);

}  // namespace fabricscope::report
