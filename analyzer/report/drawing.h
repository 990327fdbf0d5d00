// SPDX-License-Identifier: GPL-2.0-or-later
// A picture as plain data: charts and ladders are made of it, SVG and PNG are made from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fabricscope::report {

/// From the upper left corner, to the right and down, in CSS pixels.
struct Point {
    double x = 0;
    double y = 0;
};

struct Colour {
    std::uint8_t red = 0, green = 0, blue = 0;
};

/// Okabe and Ito's palette, which the colour-blind can tell apart, and greys.
namespace palette {
inline constexpr Colour white{255, 255, 255}, black{0, 0, 0}, text{34, 34, 34}, faint{110, 110, 110},
    grid{224, 224, 224}, orange{230, 159, 0}, sky{86, 180, 233}, green{0, 158, 115}, blue{0, 114, 178},
    vermilion{213, 94, 0}, purple{204, 121, 167};
}  // namespace palette

struct Line {
    std::vector<Point> points;
    Colour colour;
    double width = 1;
    bool dashed = false;
};

/// A filled polygon.
struct Area {
    std::vector<Point> points;
    Colour colour;
    double opacity = 1;
};

enum class Anchor : std::uint8_t { start, middle, end };

/// `at` is on the base line.
struct Text {
    Point at;
    std::string text;
    double size = 11;
    Anchor anchor = Anchor::start;
    Colour colour = palette::text;
    bool bold = false;
    bool upwards = false;  ///< turned by 90 degrees to the left
};

using Shape = std::variant<Line, Area, Text>;

/// What belongs together; programs find it in SVG by its class.
struct Layer {
    std::string name;   ///< "produced"
    std::string title;  ///< what a viewer shows for it; may be empty
    std::vector<Shape> shapes;

    void add(Line line);
    void add(Area area);
    void add(Text text);
};

struct Drawing {
    double width = 0;
    double height = 0;
    std::string title;
    std::vector<Layer> layers;  ///< later ones cover earlier ones

    Layer& add(std::string name, std::string layer_title = {}) {
        return layers.emplace_back(Layer{std::move(name), std::move(layer_title), {}});
    }
};

inline Area rectangle(double left, double top, double right, double bottom, Colour colour, double opacity = 1) {
    return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, colour, opacity};
}

inline Line straight(Point from, Point to, Colour colour, double width = 1, bool dashed = false) {
    return {{from, to}, colour, width, dashed};
}

/// How wide a text will be, roughly: fonts differ from one machine to the next.
double width_of(std::string_view text, double size);

}  // namespace fabricscope::report
