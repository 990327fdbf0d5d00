// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/svg.h"

#include <gmock/gmock.h>

#include <sstream>

#include "analyzer/report/png.h"

namespace fabricscope::report {
namespace {

using testing::HasSubstr;

std::string svg(const Drawing& drawing) {
    std::ostringstream out;
    write_svg(out, drawing, "fabricscope 1");
    return out.str();
}

Drawing with(auto shape) {
    Drawing drawing{.width = 100, .height = 50, .title = "a < b", .layers = {}};
    drawing.add("curve", "c & d").add(std::move(shape));
    return drawing;
}

TEST(Svg, EscapesWhatXmlKeepsForItself) {
    const std::string text = svg(with(Text{.at = {1, 2}, .text = "\"x\" <\x01>"}));
    EXPECT_THAT(text, HasSubstr("<title>a &lt; b</title>"));
    EXPECT_THAT(text, HasSubstr("<g class=\"curve\">\n<title>c &amp; d</title>"));
    EXPECT_THAT(text, HasSubstr(">&quot;x&quot; &lt;?&gt;</text>"));
    EXPECT_THAT(text, HasSubstr("<!-- fabricscope 1 -->"));
}

TEST(Svg, PathsAreShort) {
    EXPECT_THAT(
        svg(with(Line{{{0, 0}, {10, 0}, {10, 5.25}, {12, 7}}, palette::blue, 1, true})),
        HasSubstr(
            R"(<path d="M0 0H10V5.2L12 7" fill="none" stroke="#0072b2" stroke-width="1" stroke-dasharray="4 3"/>)"));
    EXPECT_THAT(
        svg(with(rectangle(0, 0, 4, 2, palette::sky, 0.5))),
        HasSubstr(R"(d="M0 0H4V2H0Z" fill="#56b4e9" fill-opacity="0.5")"));
}

TEST(Png, RefusesWhatIsTooLarge) {
    Drawing drawing = with(rectangle(0, 0, 4, 2, palette::sky));
    std::ostringstream out;
    write_png(out, drawing, "fabricscope 1");
    EXPECT_THAT(out.str(), testing::StartsWith("\x89PNG"));
    EXPECT_THAT(out.str(), HasSubstr("fabricscope 1"));
    drawing.height = largest_png_side + 1;
    EXPECT_THROW(write_png(out, drawing, ""), std::runtime_error);
}

}  // namespace
}  // namespace fabricscope::report
