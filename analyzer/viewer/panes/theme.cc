// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/theme.h"

#include <QGuiApplication>
#include <QPalette>

namespace fabricscope::viewer {
namespace {

QColor between(const QColor& one, const QColor& other, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return {mix(one.red(), other.red()), mix(one.green(), other.green()), mix(one.blue(), other.blue())};
}

}  // namespace

Theme Theme::current() {
    const QPalette palette = QGuiApplication::palette();
    const QColor paper = palette.color(QPalette::Base), ink = palette.color(QPalette::Text);
    return {
        .paper = paper,
        .ink = ink,
        .faint = between(ink, paper, 0.4),
        .grid = between(paper, ink, 0.12),
        .band = between(paper, ink, 0.04),
        .highlight = palette.color(QPalette::Highlight),
        .dark = paper.lightness() < ink.lightness()};
}

QColor Theme::readable(report::Colour colour) const {
    const QColor plain = fill(colour);
    // A grey of the pictures on white is the ink of this paper.
    if (plain.saturation() < 20) return plain.lightness() < 60 ? ink : faint;
    // Light colours need more of it on light paper.
    if (dark) return between(plain, ink, 0.25);
    const double share = plain.green() > 140 && plain.red() > 140 ? 0.4 : plain.lightness() > 120 ? 0.25 : 0;
    return between(plain, ink, share);
}

}  // namespace fabricscope::viewer
