// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/svg.h"

#include <fmt/format.h>

#include <ostream>

#include "analyzer/report/xml.h"

namespace fabricscope::report {
namespace {

/// Tenths of a pixel are enough, and keep the file small.
std::string number(double value) {
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string hex(Colour colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

std::string path_of(const std::vector<Point>& points) {
    std::string path;
    Point last{};
    for (const Point& point : points) {
        const std::string x = number(point.x), y = number(point.y);
        if (path.empty()) path = fmt::format("M{} {}", x, y);
        else if (y == number(last.y)) path += "H" + x;
        else if (x == number(last.x)) path += "V" + y;
        else path += fmt::format("L{} {}", x, y);
        last = point;
    }
    return path;
}

std::string element_of(const Line& line) {
    return fmt::format(
        R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}"{}/>)", path_of(line.points), hex(line.colour),
        number(line.width), line.dashed ? R"( stroke-dasharray="4 3")" : "");
}

std::string element_of(const Area& area) {
    const std::string opacity = area.opacity < 1 ? fmt::format(R"( fill-opacity="{}")", area.opacity) : "";
    return fmt::format(R"(<path d="{}Z" fill="{}"{}/>)", path_of(area.points), hex(area.colour), opacity);
}

std::string_view anchor_of(Anchor anchor) {
    switch (anchor) {
        case Anchor::start: return "";
        case Anchor::middle: return R"( text-anchor="middle")";
        case Anchor::end: return R"( text-anchor="end")";
    }
    return "";
}

std::string element_of(const Text& text) {
    const std::string x = number(text.at.x), y = number(text.at.y);
    const std::string turned = text.upwards ? fmt::format(R"_( transform="rotate(-90 {} {})")_", x, y) : "";
    return fmt::format(
        R"(<text x="{}" y="{}" font-size="{}" fill="{}"{}{}{}>{}</text>)", x, y, number(text.size), hex(text.colour),
        anchor_of(text.anchor), text.bold ? R"( font-weight="bold")" : "", turned, xml_escaped(text.text));
}

}  // namespace

void write_svg(std::ostream& out, const Drawing& drawing, std::string_view generator) {
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- " << xml_escaped(generator) << " -->\n"
        << fmt::format(
               R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )",
               number(drawing.width), number(drawing.height))
        << "font-family=\"'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif\">\n<title>"
        << xml_escaped(drawing.title) << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    for (const Layer& layer : drawing.layers) {
        out << "<g class=\"" << xml_escaped(layer.name) << "\">\n";
        if (!layer.title.empty()) out << "<title>" << xml_escaped(layer.title) << "</title>\n";
        for (const Shape& shape : layer.shapes)
            out << std::visit([](const auto& each) { return element_of(each); }, shape) << '\n';
        out << "</g>\n";
    }
    out << "</svg>\n";
}

}  // namespace fabricscope::report
