// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/drawing.h"

#include "analyzer/report/style.h"

namespace fabricscope::report {

// Built in place and out of line: GCC 12 takes the other shapes' members for uninitialised otherwise.
void Layer::add(Line line) { shapes.emplace_back(std::in_place_type<Line>, std::move(line)); }
void Layer::add(Area area) { shapes.emplace_back(std::in_place_type<Area>, std::move(area)); }
void Layer::add(Text text) { shapes.emplace_back(std::in_place_type<Text>, std::move(text)); }

double width_of(std::string_view text, double size) {
    constexpr double mean_advance = 0.57;  // of DejaVu Sans, which is wide
    return mean_advance * size * static_cast<double>(width_of(text));
}

}  // namespace fabricscope::report
