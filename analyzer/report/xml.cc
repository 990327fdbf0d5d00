// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/xml.h"

#include <algorithm>

#include "analyzer/report/json_value.h"

namespace fabricscope::report {

std::string markup_escaped(std::string_view raw) {
    std::string result;
    for (const char c : utf8_of(raw)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            default: result += c;
        }
    }
    return result;
}

std::string marked_up(std::string_view raw) {
    std::string result;
    bool is_code = false;
    for (const char c : markup_escaped(raw)) {
        if (c != '`') result += c;
        else result += (is_code = !is_code) ? "<code>" : "</code>";
    }
    return is_code ? markup_escaped(raw) : result;
}

std::string xml_escaped(std::string_view raw) {
    std::string result = markup_escaped(raw);
    std::ranges::replace_if(
        result, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }, '?');
    return result;
}

}  // namespace fabricscope::report
