// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "analyzer/report/attention.h"
#include "analyzer/report/overview_picture.h"
#include "analyzer/report/svg.h"
#include "analyzer/report/units.h"
#include "analyzer/report/xml.h"

namespace fabricscope::report {
namespace {

constexpr std::string_view style_sheet = R"(
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, 'DejaVu Sans', sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
.faint { opacity: .7; } .error { color: #d55e00; font-weight: bold; } .warning { color: #b07a00; font-weight: bold; }
.note { color: #0072b2; color: light-dark(#0072b2, #56b4e9); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92em; }
th, td { text-align: left; padding: .25em .6em; vertical-align: top; border-bottom: 1px solid #8884; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
svg { background: #fff; max-width: 100%; height: auto; border: 1px solid #8884; border-radius: 4px; }
details { margin: .5em 0; } summary { cursor: pointer; }
@media print { details::details-content { content-visibility: visible; height: auto; } .wide { overflow-x: visible; } }
)";

class Page {
public:
    Page(std::ostream& out, const engine::Engine& engine, const Results& results, const HtmlOptions& options)
        : out_(out),
          engine_(engine),
          results_(results),
          options_(options),
          overview_(overview_of(results.models)),
          start_(results.capture.start.value_or(0)) {}

    void write(std::string_view generator);

private:
    void head(std::string_view generator);
    void verdict();
    void sessions();
    void session(const Node& node, std::size_t depth);
    void what_went_on();
    void ladders();
    void rest(std::size_t all, std::size_t shown);
    void picture(const Drawing& drawing);
    std::string names() const;

    std::ostream& out_;
    const engine::Engine& engine_;
    const Results& results_;
    HtmlOptions options_;
    Overview overview_;
    engine::Time start_;
};

std::string Page::names() const {
    std::vector<std::string> names;
    for (const std::string& file : results_.files) names.push_back(std::filesystem::path(file).filename());
    return fmt::format("{}", fmt::join(names, ", "));
}

void Page::write(std::string_view generator) {
    head(generator);
    verdict();
    if (!overview_.nodes.empty()) {
        what_went_on();
        sessions();
        ladders();
    }
    out_ << "</body></html>\n";
}

void Page::head(std::string_view generator) {
    const engine::CaptureSummary& capture = results_.capture;
    out_
        << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"generator\" content=\""
        << markup_escaped(generator) << "\">\n<title>" << markup_escaped(names()) << "</title><style>" << style_sheet
        << "</style></head><body>\n<h1>" << markup_escaped(names()) << "</h1>\n<p class=\"faint\">"
        << counted(capture.frames, "frame") << " in " << duration_text(capture.duration, true);
    if (capture.start) out_ << ", from " << timestamp_text(*capture.start);
    out_ << "; " << markup_escaped(generator) << "</p>\n";
}

void Page::rest(std::size_t all, std::size_t shown) {
    if (shown < all) out_ << "<p class=\"faint\">... and " << grouped(all - shown) << " more.</p>\n";
}

void Page::verdict() {
    const std::vector<observations::Observation>& all = results_.observations;
    out_ << "<h2>Verdict</h2>\n";
    const std::vector<std::string> instead = what_is_there_instead(results_);
    if (!instead.empty()) {
        out_ << "<p>Nothing of the protocols that were looked for.</p><ul>\n";
        for (const std::string& sentence : instead) out_ << "<li>" << markup_escaped(sentence) << "</li>\n";
        out_ << "</ul>\n";
    } else if (all.empty()) {
        out_ << "<p>Nothing stands out.</p>\n";
    }
    if (all.empty()) return;
    out_ << "<div class=\"wide\"><table id=\"verdict\"><tr><th>Severity</th><th>What was seen</th><th>Cause, and where "
            "to look</th>"
            "<th>Session</th><th class=\"n\">Frame</th><th>Kind</th></tr>\n";
    const std::size_t shown = std::min(all.size(), options_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const observations::Observation& o = all[i];
        out_ << fmt::format(
            "<tr><td class=\"{0}\">{0}</td><td>{1}</td><td>{2}{3}{4}</td><td>{5}</td><td "
            "class=\"n\">{6}</td><td>{7}</td>"
            "</tr>\n",
            name_of(o.severity), marked_up(o.text), marked_up(o.cause), o.cause.empty() || o.look.empty() ? "" : "<br>",
            marked_up(o.look), markup_escaped(o.session), o.frames.empty() ? "" : std::to_string(o.frames.back()),
            o.id);
    }
    out_ << "</table></div>\n";
    rest(all.size(), shown);
}

void Page::session(const Node& node, std::size_t depth) {
    const auto number = [](const auto& value, const auto& words) { return value ? words(*value) : std::string(); };
    const auto duration = [](engine::Time time) { return duration_text(time, true); };
    out_ << fmt::format(
        "<tr><td style=\"padding-left: {}em\">{}</td><td{}>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        0.6 + 1.2 * static_cast<double>(depth), markup_escaped(node.name), node.troubled ? " class=\"error\"" : "",
        markup_escaped(node.outcome), number(node.octets, grouped), number(node.packets, grouped),
        number(node.retransmitted, grouped), number(node.worst, duration), markup_escaped(node.about));
}

void Page::sessions() {
    out_ << "<h2>Sessions</h2>\n<div class=\"wide\"><table id=\"sessions\"><tr><th>Session</th><th>Outcome</th><th "
            "class=\"n\">Bytes</th>"
            "<th class=\"n\">Packets</th><th class=\"n\">Retransmitted</th><th "
            "class=\"n\">Slowest</th><th>Ends</th></tr>\n";
    const std::vector<std::size_t> order = overview_.in_tree_order();
    const std::size_t shown = std::min(order.size(), options_.rows);
    for (std::size_t i = 0; i < shown; ++i) session(overview_.nodes[order[i]], overview_.depth_of(order[i]));
    out_ << "</table></div>\n";
    rest(order.size(), shown);
}

void Page::picture(const Drawing& drawing) {
    std::ostringstream svg;
    svg.exceptions(std::ios::badbit);  // of memory
    write_svg(svg, drawing, "");
    const std::string text = svg.str();
    out_ << std::string_view(text).substr(text.find("<svg")) << '\n';
}

void Page::what_went_on() {
    out_ << "<h2>What went on</h2>\n";
    picture(picture_of(overview_, start_, start_ + results_.capture.duration, options_.lanes));
}

/// Those that have trouble first.
void Page::ladders() {
    std::vector<const Node*> nodes;
    for (const bool troubled : {true, false})
        for (const Node& node : overview_.nodes)
            if (node.troubled == troubled && node.name.find(' ') == std::string::npos) nodes.push_back(&node);
    std::size_t shown = 0;
    for (const Node* node : nodes) {
        if (shown == options_.pictures) break;
        const auto session = session_named(engine_, node->name);
        if (!session || session->kind->ladder == nullptr) continue;
        Ladder ladder = session->kind->ladder(engine_, session->index, start_);
        constexpr std::size_t most_rungs = 200;
        if (ladder.rungs.size() > most_rungs) ladder.rungs.resize(most_rungs);
        if (shown++ == 0) out_ << "<h2>Who said what</h2>\n";
        out_ << "<details" << (shown == 1 ? " open" : "") << "><summary>" << markup_escaped(node->name) << " "
             << markup_escaped(node->about) << "</summary>\n";
        picture(picture_of({ladder}, names()));
        out_ << "</details>\n";
    }
}

}  // namespace

void write_html(
    std::ostream& out, const engine::Engine& engine, const Results& results, std::string_view generator,
    const HtmlOptions& options) {
    Page(out, engine, results, options).write(generator);
}

}  // namespace fabricscope::report
