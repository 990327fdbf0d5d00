// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/latency_pane.h"

#include <fmt/format.h>

#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/custom_plot.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr double bins_per_decade = 10;

/// Whether a branch is the other one, or hangs from it.
bool is_below(const report::Overview& overview, std::size_t node, std::size_t above) {
    for (; node != report::Node::none; node = overview.nodes[node].parent)
        if (node == above) return true;
    return false;
}

/// "10 us" at each power of ten of seconds.
QSharedPointer<QCPAxisTicker> duration_ticks() {
    const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
    Time time = 10;
    for (int power = -8; power <= 3; ++power, time *= 10)
        ticks->addTick(std::pow(10, power), text(report::duration_text(time, true)));
    return ticks;
}

}  // namespace

std::vector<Latency> latencies_of(const Recording& recording, std::optional<std::size_t> node) {
    std::vector<Latency> latencies;
    const report::Overview& overview = recording.overview;
    for (std::size_t i = 0; i < overview.nodes.size(); ++i) {
        if (node && !is_below(overview, i, *node)) continue;
        for (const Lane& lane : overview.nodes[i].lanes)
            for (const Slice& slice : lane.slices)
                if (slice.is_timed_operation()) latencies.push_back({slice.duration(), &slice, i});
    }
    std::ranges::stable_sort(latencies, std::greater{}, &Latency::time);
    return latencies;
}

LatencyPane::LatencyPane(Navigator& navigator) : navigator_(navigator), summary_(new QLabel), plot_(new QCustomPlot) {
    setObjectName("latency");
    summary_->setObjectName("latencySummary");
    summary_->setMargin(4);
    plot_->setObjectName("latencyPlot");
    plot_->hide();
    summary_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(summary_);
    layout->addWidget(plot_, 1);
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
    connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        if (!latencies_.empty()) go_to(plot_->xAxis->pixelToCoord(event->position().x()));
    });
}

void LatencyPane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    shown_.reset();
    draw();
}

void LatencyPane::follow_place() {
    if (!recording_ || navigator_.place().node == shown_) return;
    shown_ = navigator_.place().node;
    draw();
}

void LatencyPane::draw() {
    latencies_ = latencies_of(*recording_, shown_);
    const std::string whose = shown_ ? recording_->overview.nodes[*shown_].name : "everything";
    plot_->setVisible(!latencies_.empty());
    if (latencies_.empty()) {
        summary_->setText(text("Of " + whose + " no operation is known from its begin to its end."));
        return;
    }
    const auto percentile = [&](double share) {
        const auto rank = static_cast<std::size_t>((1 - share) * static_cast<double>(latencies_.size()));
        return report::duration_text(latencies_[std::min(rank, latencies_.size() - 1)].time, true);
    };
    summary_->setText(text(fmt::format(
        "{}: {}; median {}, 90 % {}, 99 % {}, longest {}. Click a bar to go to its slowest operation.", whose,
        report::counted(latencies_.size(), "operation"), percentile(0.5), percentile(0.9), percentile(0.99),
        percentile(1))));

    const Theme theme = Theme::current();
    std::map<int, double> bins;
    for (const Latency& each : latencies_) {
        const double seconds = report::seconds_of(std::max<Time>(each.time, 1));
        ++bins[static_cast<int>(std::floor(std::log10(seconds) * bins_per_decade))];
    }
    plot_->clearPlottables();
    plot_->setBackground(theme.paper);
    plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
    plot_->xAxis->setTicker(duration_ticks());
    plot_->xAxis2->setVisible(false);
    plot_->yAxis2->setVisible(true);
    plot_->yAxis->setLabel("operations");
    plot_->yAxis2->setLabel("not longer, %");
    plot_->yAxis2->setRange(0, 105);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis, plot_->yAxis2}) {
        style_axis(*axis, theme);
        axis->setSubTickPen(Qt::NoPen);
    }
    auto* histogram = plot_->addGraph(plot_->xAxis, plot_->yAxis);
    histogram->setLineStyle(QCPGraph::lsStepLeft);
    histogram->setPen(QPen(theme.readable(report::palette::sky)));
    histogram->setBrush(Theme::fill(report::palette::sky));
    auto* shares = plot_->addGraph(plot_->xAxis, plot_->yAxis2);
    shares->setLineStyle(QCPGraph::lsStepLeft);
    shares->setPen(QPen(theme.readable(report::palette::vermilion), 1.6));
    const auto edge = [](int bin) { return std::pow(10, bin / bins_per_decade); };
    double highest = 0, sum = 0;
    for (int bin = bins.begin()->first; bin <= bins.rbegin()->first; ++bin) {
        const double count = bins.contains(bin) ? bins[bin] : 0;
        highest = std::max(highest, count);
        histogram->addData(edge(bin), count);
        shares->addData(edge(bin), sum);
        sum += 100 * count / static_cast<double>(latencies_.size());
    }
    const int behind = bins.rbegin()->first + 1;
    histogram->addData(edge(behind), 0);
    shares->addData(edge(behind), 100);
    plot_->xAxis->setRange(edge(bins.begin()->first - 3), edge(behind + 3));
    plot_->yAxis->setRange(0, highest * 1.1);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LatencyPane::write_rows(const WriteRow& write) const {
    write({"session", "operation", "bytes", "frame", "begin", "took"});
    for (const Latency& each : latencies_)
        write(
            {recording_->overview.nodes[each.node].name, recording_->overview.labels[each.slice->label],
             std::to_string(each.slice->octets), std::to_string(each.slice->frame),
             report::seconds_text(each.slice->begin - recording_->start()), report::seconds_text(each.time)});
}

/// The slowest of those in the bar there.
void LatencyPane::go_to(double time) {
    const double bin = std::floor(std::log10(std::max(time, 1e-9)) * bins_per_decade);
    const double end = std::pow(10, (bin + 1) / bins_per_decade);
    const auto latency = std::ranges::find_if(
        latencies_, [&](const Latency& each) { return report::seconds_of(each.time) <= end; });
    if (latency == latencies_.end()) return;
    shown_ = latency->node;  // the picture stays as it is
    navigator_.go(
        {.node = latency->node,
         .session = recording_->overview.nodes[latency->node].name,
         .frame = latency->slice->frame,
         .time = latency->slice->begin});
    navigator_.reveal(latency->slice->begin);
}

}  // namespace fabricscope::viewer
