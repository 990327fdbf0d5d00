// SPDX-License-Identifier: GPL-2.0-or-later
// How far apart colours are for people who do not see all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/report/drawing.h"

namespace fabricscope::report {

using Vision = std::array<std::array<double, 3>, 3>;

/// Machado, Oliveira, Fernandes (2009), severity 1: from linear RGB to what is seen of it.
inline constexpr std::array<Vision, 4> visions{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

/// CIE L*a*b* (D65) of the colour as it is seen.
inline std::array<double, 3> lab_of(Colour colour, const Vision& vision) {
    const auto linear = [](std::uint8_t value) {
        const double share = value / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    const std::array from{linear(colour.red), linear(colour.green), linear(colour.blue)};
    std::array<double, 3> seen{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) seen[i] += vision[i][j] * from[j];
        seen[i] = std::clamp(seen[i], 0.0, 1.0);
    }
    const auto [r, g, b] = seen;
    const auto root = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    const double y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const double z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// The least difference that any of them sees; some 2.3 is just noticeable side by side.
inline double difference(Colour one, Colour other) {
    double least = 1'000;
    for (const Vision& vision : visions) {
        const auto a = lab_of(one, vision), b = lab_of(other, vision);
        least = std::min(least, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
    return least;
}

}  // namespace fabricscope::report
