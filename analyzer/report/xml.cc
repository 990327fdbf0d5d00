// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/xml.h"

#include "analyzer/report/json_value.h"

namespace fabricscope::report {

std::string xml_escaped(std::string_view raw) {
    std::string result;
    for (const char c : utf8_of(std::string(raw))) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\n':
            case '\t': result += c; break;
            default: result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return result;
}

}  // namespace fabricscope::report
