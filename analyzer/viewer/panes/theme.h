// SPDX-License-Identifier: GPL-2.0-or-later
// The colours of reports on the desktop's palette, light or dark.
#pragma once

#include <QColor>
#include <QString>
#include <string>

#include "analyzer/report/drawing.h"
#include "analyzer/report/xml.h"

namespace fabricscope::viewer {

inline QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// As rich text, which alone is wrapped.
inline QString tool_tip(const std::string& words) {
    return words.empty() ? QString() : "<p>" + text(report::marked_up(words)).replace('\n', "<br>") + "</p>";
}

struct Theme {
    QColor paper, ink, faint, grid, band, highlight;
    bool dark = false;

    /// Of the application's palette.
    static Theme current();
    /// As it is: for areas.
    static QColor fill(report::Colour colour) { return {colour.red, colour.green, colour.blue}; }
    /// Light enough on dark paper, dark enough on light paper: for text and lines.
    QColor readable(report::Colour colour) const;
};

}  // namespace fabricscope::viewer
