// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/overview_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/scales.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

constexpr double width = 1000, left = 230, right = 985, line_height = 15, head = 24;

class Picture {
public:
    Picture(const Overview& overview, const TimeScale& time, std::size_t most)
        : overview_(overview), time_(time), room_(most) {}

    Drawing draw() {
        drawing_.width = width;
        drawing_.title = "What went on";
        drawing_.add("grid");
        drawing_.add("lanes");
        for (const std::size_t node : overview_.in_tree_order()) branch(node);
        if (left_out_ != 0) {
            say(12, palette::faint, fmt::format("... and {}", counted(left_out_, "more lane")));
            y_ += line_height;
        }
        axis();
        legend();
        drawing_.height = y_;
        return std::move(drawing_);
    }

private:
    Layer& lanes() { return drawing_.layers[1]; }
    void say(double x, Colour colour, std::string text, bool bold = false) {
        lanes().add(Text{.at = {x, y_ + 11}, .text = std::move(text), .size = 10.5, .colour = colour, .bold = bold});
    }

    void branch(std::size_t index) {
        const Node& node = overview_.nodes[index];
        const double x = 10 + 12 * static_cast<double>(overview_.depth_of(index));
        if (room_ == 0) {
            left_out_ += node.lanes.size();
            return;
        }
        say(x, palette::text, node.name, true);
        say(left, node.troubled ? palette::vermilion : palette::faint,
            node.outcome.empty() ? node.about : node.about + "   " + node.outcome);
        y_ += line_height;
        for (const Lane& each : node.lanes) lane(each, x + 12);
    }

    void lane(const Lane& lane, double x) {
        if (room_ == 0) {
            ++left_out_;
            return;
        }
        --room_;
        say(x, palette::faint, lane.name);
        constexpr double least = 1;
        double drawn = 0;  // up to here, in the colour of what was drawn last
        Activity last{};
        for (const Slice& slice : lane.slices) {
            const double from = time_.x(slice.begin), to = std::max(time_.x(slice.end), from + least);
            if (to <= drawn && slice.activity <= last) continue;
            lanes().add(
                rectangle(from, y_ + 2, to, y_ + line_height - 2, colour_of(slice.activity), slice.ended ? 0.9 : 0.5));
            drawn = to;
            last = slice.activity;
        }
        y_ += line_height;
    }

    void axis() {
        for (const TimeScale::Label& label : time_.labels()) {
            drawing_.layers[0].add(straight({label.x, head - 6}, {label.x, y_}, palette::grid));
            lanes().add(Text{.at = {label.x, head - 10}, .text = label.text, .size = 10, .anchor = Anchor::middle});
        }
        y_ += 14;
        lanes().add(Text{
            .at = {right, y_}, .text = time_.title(), .size = 10, .anchor = Anchor::end, .colour = palette::faint});
    }

    void legend() {
        double x = left;
        for (std::size_t i = 0; i < activity_count; ++i) {
            const auto activity = static_cast<Activity>(i);
            lanes().add(rectangle(x, y_ - 9, x + 12, y_, colour_of(activity)));
            lanes().add(Text{.at = {x + 17, y_}, .text = name_of(activity), .size = 10});
            x += 17 + width_of(name_of(activity), 10) + 14;
        }
        y_ += 12;
    }

    const Overview& overview_;
    TimeScale time_;
    std::size_t room_;
    std::size_t left_out_ = 0;
    Drawing drawing_;
    double y_ = head;
};

}  // namespace

Drawing picture_of(const Overview& overview, engine::Time start, engine::Time end, std::size_t most) {
    const engine::Time margin = std::max<engine::Time>((end - start) / 100, 1);
    return Picture(overview, {.start = start, .begin = start, .end = end + margin, .left = left, .right = right}, most)
        .draw();
}

}  // namespace fabricscope::report
