// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/png.h"

#include <cairo.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <ostream>
#include <stdexcept>

#include "analyzer/report/json_value.h"

namespace fabricscope::report {
namespace {

constexpr double scale = 2;
constexpr double pixels_per_metre = scale * 96 / 0.0254;

struct Destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
}

void ink(cairo_t* to, Colour colour, double opacity = 1) {
    cairo_set_source_rgba(to, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0, opacity);
}

void trace(cairo_t* to, const std::vector<Point>& points) {
    cairo_new_path(to);
    for (const Point& point : points) cairo_line_to(to, point.x, point.y);
}

void draw(cairo_t* to, const Line& line) {
    constexpr std::array dashes{4.0, 3.0};
    ink(to, line.colour);
    cairo_set_line_width(to, line.width);
    cairo_set_dash(to, dashes.data(), line.dashed ? static_cast<int>(dashes.size()) : 0, 0);
    trace(to, line.points);
    cairo_stroke(to);
}

void draw(cairo_t* to, const Area& area) {
    ink(to, area.colour, area.opacity);
    trace(to, area.points);
    cairo_close_path(to);
    cairo_fill(to);
}

void draw(cairo_t* to, const Text& text) {
    const std::string shown = utf8_of(text.text);
    cairo_select_font_face(
        to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(to, text.size);
    cairo_text_extents_t extents;
    cairo_text_extents(to, shown.c_str(), &extents);
    const double share = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? 0.5 : 1;
    ink(to, text.colour);
    cairo_save(to);
    cairo_translate(to, text.at.x, text.at.y);
    if (text.upwards) cairo_rotate(to, -std::numbers::pi / 2);
    cairo_move_to(to, -share * extents.x_advance, 0);
    cairo_show_text(to, shown.c_str());
    cairo_restore(to);
}

Surface surface_of(const Drawing& drawing) {
    if (std::max(drawing.width, drawing.height) > largest_png_side)
        throw std::runtime_error("the picture is too large for PNG");
    const auto pixels = [](double units) { return static_cast<int>(std::ceil(units * scale)); };
    Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(drawing.width), pixels(drawing.height)));
    check(cairo_surface_status(surface.get()));
    const Context context(cairo_create(surface.get()));
    cairo_scale(context.get(), scale, scale);
    ink(context.get(), palette::white);
    cairo_paint(context.get());
    for (const Layer& layer : drawing.layers)
        for (const Shape& shape : layer.shapes) std::visit([&](const auto& each) { draw(context.get(), each); }, shape);
    check(cairo_status(context.get()));
    cairo_surface_flush(surface.get());
    return surface;
}

// ---- what cairo does not write -------------------------------------------------------------------

std::string big_endian(std::uint32_t number) {
    std::string octets;
    for (int shift = 24; shift >= 0; shift -= 8) octets += static_cast<char>(number >> shift & 0xFF);
    return octets;
}

std::string chunk(std::string_view type, std::string_view data) {
    const std::string checked = std::string(type).append(data);
    const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + checked + big_endian(static_cast<std::uint32_t>(sum));
}

/// The resolution, so that documents show the picture in the size of the SVG, and the program's name.
std::string description(std::string_view generator) {
    const auto density = big_endian(static_cast<std::uint32_t>(std::lround(pixels_per_metre)));
    return chunk("pHYs", density + density + '\1') + chunk("tEXt", std::string("Software\0", 9).append(generator));
}

}  // namespace

void write_png(std::ostream& out, const Drawing& drawing, std::string_view generator) {
    const Surface surface = surface_of(drawing);
    std::string octets;
    const auto append = [](void* to, const unsigned char* data, unsigned length) {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    };
    check(cairo_surface_write_to_png_stream(surface.get(), append, &octets));
    constexpr std::size_t signature_and_head = 8 + 25;
    out << octets.insert(signature_and_head, description(generator));
}

}  // namespace fabricscope::report
