// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "analyzer/report/csv.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using engine::Side;
using Kind = Rung::Kind;

// ---- text ----------------------------------------------------------------------------------------

constexpr std::size_t arrow_width = 61;  // between the two sides; with the columns before it, 100 in all

struct Glyphs {
    std::string_view side, line, to_right, to_left;
};
constexpr Glyphs unicode_glyphs{"│", "─", "▶", "◀"};
constexpr Glyphs ascii_glyphs{"|", "-", ">", "<"};

std::string repeated(std::string_view glyph, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += glyph;
    return text;
}

std::string shortened(const std::string& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

Ink ink_of(Kind kind) {
    switch (kind) {
        case Kind::tcp: return Ink::faint;
        case Kind::data: return Ink::green;
        case Kind::refusal: return Ink::red;
        default: return Ink::plain;
    }
}

std::string text_of(const Rung& rung, bool unicode) {
    return rung.latency ? fmt::format("{} ({})", rung.text, duration_text(*rung.latency, unicode)) : rung.text;
}

/// "|------- PROPOSAL ------->|"
std::string arrow_text(const Rung& rung, const Style& style) {
    const Glyphs& glyphs = style.unicode ? unicode_glyphs : ascii_glyphs;
    const std::string text = " " + shortened(text_of(rung, style.unicode), arrow_width - 8) + " ";
    const std::size_t dashes = arrow_width - 1 - width_of(text);
    const bool to_server = rung.from == Side::client;
    std::string arrow = to_server ? "" : std::string(glyphs.to_left);
    arrow += repeated(glyphs.line, dashes / 2) + text + repeated(glyphs.line, dashes - dashes / 2);
    if (to_server) arrow += glyphs.to_right;
    return std::string(glyphs.side) + style.paint(ink_of(rung.kind), arrow) + std::string(glyphs.side);
}

std::string after(const std::vector<Rung>& rungs, std::size_t i, bool unicode) {
    return i == 0 ? "" : duration_text(rungs[i].step.time - rungs[i - 1].step.time, unicode);
}

// ---- picture -------------------------------------------------------------------------------------

constexpr double width = 900, client_x = 214, server_x = 800, time_right = 112, after_right = 186, frame_right = 884;
constexpr double rung_height = 25, arrow_head = 9;

class Picture {
public:
    Drawing draw(const std::vector<Ladder>& ladders, const std::string& source) {
        drawing_.width = width;
        drawing_.title = ladders.size() == 1 ? ladders.front().title : fmt::format("{} ladders", ladders.size());
        for (const Ladder& ladder : ladders) add(ladder, source);
        legend(ladders);
        drawing_.height = y_;
        return std::move(drawing_);
    }

private:
    void add(const Ladder& ladder, const std::string& source);
    void sides(const Ladder& ladder, double bottom);
    void rung(const Ladder& ladder, std::size_t i);
    void legend(const std::vector<Ladder>& ladders);
    void write(Layer& layer, double x, double y, std::string text, double size, Anchor anchor, Colour colour) {
        layer.add(Text{.at = {x, y}, .text = std::move(text), .size = size, .anchor = anchor, .colour = colour});
    }

    Drawing drawing_;
    double y_ = 0;
};

void Picture::add(const Ladder& ladder, const std::string& source) {
    Layer& head = drawing_.add("title");
    head.add(Text{.at = {16, y_ + 24}, .text = ladder.title, .size = 15, .bold = true});
    write(head, 16, y_ + 41, ladder.about, 10.5, Anchor::start, palette::faint);
    write(head, 16, y_ + 56, source + ", from " + timestamp_text(ladder.start), 10.5, Anchor::start, palette::faint);
    y_ += 100;
    sides(ladder, y_ + rung_height * static_cast<double>(ladder.rungs.size()) + 10);
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) rung(ladder, i);
    y_ += 22;
}

void Picture::sides(const Ladder& ladder, double bottom) {
    Layer& layer = drawing_.add("sides");
    for (const auto& [x, role, name] :
         {std::tuple{client_x, ladder.client_role, ladder.client}, {server_x, ladder.server_role, ladder.server}}) {
        layer.add(straight({x, y_ - 12}, {x, bottom}, palette::text, 1.2));
        write(layer, x, y_ - 19, fmt::format("{} {}", role, name), 10.5, Anchor::middle, palette::text);
    }
    write(layer, time_right, y_ - 4, "time, s", 10, Anchor::end, palette::faint);
    write(layer, after_right, y_ - 4, "after", 10, Anchor::end, palette::faint);
    write(layer, frame_right, y_ - 4, "frame", 10, Anchor::end, palette::faint);
}

void Picture::rung(const Ladder& ladder, std::size_t i) {
    const Rung& rung = ladder.rungs[i];
    y_ += rung_height;
    Layer& layer = drawing_.add("rung");
    const Colour colour = colour_of(rung.kind);
    const Colour words = rung.kind == Kind::refusal ? colour : palette::text;
    const bool to_server = rung.from == Side::client;
    const double tip = to_server ? server_x - 1 : client_x + 1, tail = to_server ? client_x : server_x;
    const double back = to_server ? tip - arrow_head : tip + arrow_head;
    layer.add(straight({tail, y_}, {back, y_}, colour, 1.6));
    layer.add(Area{{{tip, y_}, {back, y_ - 4}, {back, y_ + 4}}, colour, 1});
    write(layer, (client_x + server_x) / 2, y_ - 5, text_of(rung, true), 10.5, Anchor::middle, words);
    write(layer, time_right, y_ + 3.5, seconds_text(rung.step.time - ladder.start), 10, Anchor::end, palette::text);
    write(layer, after_right, y_ + 3.5, after(ladder.rungs, i, true), 10, Anchor::end, palette::faint);
    write(layer, frame_right, y_ + 3.5, std::to_string(rung.step.frame), 10, Anchor::end, palette::text);
}

void Picture::legend(const std::vector<Ladder>& ladders) {
    using Entry = std::pair<Kind, const char*>;
    constexpr std::array kinds{
        Entry{Kind::tcp, "TCP"},
        Entry{Kind::clc, "CLC"},
        Entry{Kind::llc, "LLC"},
        Entry{Kind::cm, "CM"},
        Entry{Kind::control, "control"},
        Entry{Kind::data, "data"},
        Entry{Kind::refusal, "declined, refused, failed or aborted"}};
    Layer& layer = drawing_.add("legend");
    double x = client_x;
    for (const Entry& entry : kinds) {
        const auto& [kind, name] = entry;
        const auto has_kind = [&](const Ladder& ladder) {
            return std::ranges::find(ladder.rungs, entry.first, &Rung::kind) != ladder.rungs.end();
        };
        if (std::ranges::none_of(ladders, has_kind)) continue;
        layer.add(straight({x, y_ - 2}, {x + 18, y_ - 2}, colour_of(kind), 2));
        write(layer, x + 24, y_ + 2, name, 10.5, Anchor::start, palette::text);
        x += 24 + width_of(name, 10.5) + 14;
    }
    y_ += 20;
}

}  // namespace

Colour colour_of(Kind kind) {
    switch (kind) {
        case Kind::tcp: return palette::faint;
        case Kind::clc:
        case Kind::cm:
        case Kind::control: return palette::blue;
        case Kind::llc: return palette::green;
        case Kind::data: return palette::purple;
        case Kind::refusal: return palette::vermilion;
    }
    return palette::text;
}

void sort_by_time(std::vector<Rung>& rungs) {
    std::ranges::stable_sort(rungs, {}, [](const Rung& rung) { return std::pair(rung.step.time, rung.step.frame); });
}

std::string amount_text(std::uint64_t octets, std::uint64_t frames, std::uint64_t missing) {
    if (octets == 0 && missing == 0) return "";
    std::string text = ": " + counted(octets, "byte");
    if (frames > 1 || missing != 0) text += " in " + counted(frames, "frame");
    return missing != 0 ? text + ", " + grouped(missing) + " missing" : text;
}

void write_ladder(std::ostream& out, const Ladder& ladder, const Style& style) {
    out << style.paint(Ink::bold, ladder.title) << '\n' << ladder.about << "\n\n";
    if (ladder.rungs.empty()) {
        out << "No message of it was captured.\n";
        return;
    }
    const auto side = [](const char* role, const std::string& name) {
        return shortened(fmt::format("{} {}", role, name), arrow_width / 2);
    };
    const std::string client = side(ladder.client_role, ladder.client);
    const std::string server = side(ladder.server_role, ladder.server);
    out << fmt::format(
        "{:>15}  {:>8}  {:>8}  {}{:>{}}\n", "Time, s", "After", "Frame", client, server,
        arrow_width + 2 - client.size());
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        const std::string elapsed = after(ladder.rungs, i, style.unicode);
        out << fmt::format("{:>15}  ", seconds_text(rung.step.time - ladder.start))
            << std::string(8 - std::min<std::size_t>(8, width_of(elapsed)), ' ') << elapsed
            << fmt::format("  {:>8}  ", rung.step.frame) << arrow_text(rung, style) << '\n';
    }
}

void write_ladder_csv(std::ostream& out, const std::vector<Ladder>& ladders) {
    constexpr std::array kinds{"tcp", "clc", "llc", "cm", "control", "data", "refusal"};
    out << "ladder,time,frame,from,kind,text,latency\n";
    for (const Ladder& ladder : ladders)
        for (const Rung& rung : ladder.rungs)
            out << fmt::format(
                "{},{},{},{},{},{},{}\n", csv_field(ladder.title), seconds_text(rung.step.time - ladder.start),
                rung.step.frame, rung.from == Side::client ? ladder.client_role : ladder.server_role,
                kinds[static_cast<std::size_t>(rung.kind)], csv_field(rung.text),
                rung.latency ? seconds_text(*rung.latency) : "");
}

Drawing picture_of(const std::vector<Ladder>& ladders, const std::string& source) {
    return Picture().draw(ladders, source);
}

}  // namespace fabricscope::report
