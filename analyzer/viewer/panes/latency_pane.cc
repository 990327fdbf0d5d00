// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/latency_pane.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/report/scales.h"
#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/custom_plot.h"
#include "analyzer/viewer/panes/theme.h"
#include "analyzer/viewer/panes/waterfall.h"

namespace fabricscope::viewer {
namespace {

constexpr double bins_per_decade = 10;
constexpr std::size_t most_listed = 1000;
constexpr int session_column = 3;
const QStringList slowest_titles{"Took", "Operation", "Bytes", "Session", "Frame"};

int bin_of(Time time) {
    return static_cast<int>(std::floor(std::log10(report::seconds_of(std::max<Time>(time, 1))) * bins_per_decade));
}

/// "10 µs" at each power of ten; in a short range at twice and five times that, too.
QSharedPointer<QCPAxisTicker> duration_ticks(const QCPRange& range) {
    constexpr Time longest = 1000 * capture::second;
    constexpr double short_range = 100;
    const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
    for (Time power = 10; power <= longest; power *= 10)
        for (const Time times : {1, 2, 5})
            if (times == 1 || range.upper < short_range * range.lower)
                ticks->addTick(report::seconds_of(power * times), text(report::duration_text(power * times, true)));
    return ticks;
}

}  // namespace

LatencyPane::LatencyPane(Navigator& navigator)
    : navigator_(navigator),
      tabs_(new QTabWidget),
      operation_(new QComboBox),
      summary_(new QLabel),
      plot_(new QCustomPlot),
      slowest_(new QTableWidget),
      waterfall_(new Waterfall) {
    setObjectName("latency");
    operation_->setObjectName("latencyOperation");
    operation_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    summary_->setObjectName("latencySummary");
    plot_->setObjectName("latencyPlot");
    slowest_->setObjectName("slowest");
    lay_out();
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
    connect(operation_, &QComboBox::currentIndexChanged, this, [this] { draw_histogram(); });
    connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        const double bin = std::floor(
            std::log10(std::max(plot_->xAxis->pixelToCoord(event->position().x()), 1e-9)) * bins_per_decade);
        select_tail(static_cast<Time>(std::ceil(std::pow(10, bin / bins_per_decade) * 1e9)));
    });
    const auto go = [this](int row) {
        if (row >= 0) go_to(latencies_[static_cast<std::size_t>(row)]);
    };
    connect(slowest_, &QTableWidget::cellClicked, this, go);
    connect(slowest_, &QTableWidget::currentCellChanged, this, go);
    waterfall_->on_step = [this](const SetUp& set_up, const Slice& step) { go_to({0, &step, set_up.node}); };
}

void LatencyPane::lay_out() {
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    plot_->setMinimumSize(80, 60);
    plot_->hide();
    slowest_->setColumnCount(static_cast<int>(slowest_titles.size()));
    slowest_->setHorizontalHeaderLabels(slowest_titles);
    slowest_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    slowest_->setSelectionBehavior(QAbstractItemView::SelectRows);
    slowest_->setAlternatingRowColors(true);
    slowest_->setShowGrid(false);
    slowest_->verticalHeader()->hide();
    slowest_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    slowest_->horizontalHeader()->setHighlightSections(false);
    slowest_->horizontalHeader()->setSectionResizeMode(session_column, QHeaderView::Stretch);
    auto* line = new QHBoxLayout;
    line->addWidget(operation_);
    line->addWidget(summary_, 1);
    auto* halves = new QSplitter;
    halves->addWidget(plot_);
    halves->addWidget(slowest_);
    constexpr int share_of_plot = 3, share_of_list = 2;
    halves->setStretchFactor(0, share_of_plot);
    halves->setStretchFactor(1, share_of_list);
    halves->setSizes({share_of_plot * 1000, share_of_list * 1000});
    auto* operations = new QWidget;
    auto* column = new QVBoxLayout(operations);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(4);
    column->addLayout(line);
    column->addWidget(halves, 1);
    tabs_->setDocumentMode(true);
    tabs_->addTab(operations, "Operations");
    tabs_->addTab(waterfall_, "Set-ups");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(tabs_);
}

void LatencyPane::show(std::shared_ptr<const Recording> recording) {
    latencies_.clear();
    list(0);
    waterfall_->show(nullptr, {});
    recording_ = std::move(recording);
    shown_.reset();
    is_old_ = true;
    draw_if_seen();
}

void LatencyPane::follow_place() {
    if (!recording_ || navigator_.place().node == shown_) return;
    shown_ = navigator_.place().node;
    is_old_ = true;
    draw_if_seen();
}

void LatencyPane::draw_if_seen() {
    if (!recording_ || !is_old_ || visibleRegion().isEmpty()) return;
    is_old_ = false;
    draw();
}

void LatencyPane::draw() {
    offer_operations();
    draw_histogram();
    std::vector<SetUp> set_ups = set_ups_of(*recording_, shown_);
    // What has no operations has set-ups to look at, at most.
    if (latencies_.empty() && !set_ups.empty()) tabs_->setCurrentIndex(1);
    else if (set_ups.empty()) tabs_->setCurrentIndex(0);
    tabs_->setTabText(1, text(fmt::format("Set-ups ({})", report::grouped(set_ups.size()))));
    waterfall_->show(recording_.get(), std::move(set_ups));
}

void LatencyPane::offer_operations() {
    const QSignalBlocker quiet(operation_);
    operation_->clear();
    operation_->addItem("all operations", QString());
    for (const std::string& name : operations_of(*recording_, shown_)) operation_->addItem(text(name), text(name));
    operation_->setVisible(operation_->count() > 2);
}

void LatencyPane::draw_histogram() {
    if (!recording_) return;
    latencies_ = latencies_of(*recording_, shown_, operation_->currentData().toString().toStdString());
    const std::string whose = shown_ ? recording_->overview.nodes[*shown_].name : "everything";
    plot_->setVisible(!latencies_.empty());
    slowest_->setVisible(!latencies_.empty());
    plot_->clearItems();
    tail_ = nullptr;
    if (latencies_.empty()) {
        summary_->setText(text("Of " + whose + " no operation is known from its begin to its end."));
        return;
    }
    const auto percentile = [&](double share) { return report::duration_text(percentile_of(latencies_, share), true); };
    summary_->setText(text(fmt::format(
        "{}: {};  50 % {}, 90 % {}, 99 % {}, 99.9 % {}, longest {}", whose,
        report::counted(latencies_.size(), "operation"), percentile(0.5), percentile(0.9), percentile(0.99),
        percentile(0.999), percentile(1))));
    summary_->setToolTip("A click into the histogram lists what took as long, or longer.");
    list(latencies_.size());

    const Theme theme = Theme::current();
    std::map<int, double> bins;
    for (const Latency& each : latencies_) ++bins[bin_of(each.time)];
    plot_->clearPlottables();
    plot_->setBackground(theme.paper);
    plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
    plot_->xAxis2->setVisible(false);
    plot_->yAxis2->setVisible(true);
    plot_->yAxis->setLabel("operations");
    plot_->yAxis2->setLabel("took no longer, %");
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
    plot_->xAxis->setTicker(duration_ticks(plot_->xAxis->range()));
    plot_->yAxis->setRange(0, highest * 1.1);
    // There is no half an operation.
    const report::Ticks ticks = report::ticks_between(0, std::max(highest, 1.0), 5);
    QSharedPointer<QCPAxisTickerFixed> counts(new QCPAxisTickerFixed);
    counts->setTickStep(std::max(ticks.step, 1.0));
    plot_->yAxis->setTicker(counts);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LatencyPane::list(std::size_t count) {
    const QSignalBlocker quiet(slowest_);  // nobody has selected anything
    const auto rows = static_cast<int>(std::min(count, most_listed));
    slowest_->setRowCount(rows);
    for (int row = 0; row < rows; ++row) {
        const Latency& each = latencies_[static_cast<std::size_t>(row)];
        const QStringList cells{
            text(report::duration_text(each.time, true)), text(recording_->overview.labels[each.slice->label]),
            text(report::grouped(each.slice->octets)), text(recording_->overview.nodes[each.node].name),
            QString::number(each.slice->frame)};
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            const bool is_number = column == 0 || column == 2 || column == 4;
            if (is_number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            slowest_->setItem(row, column, item);
        }
    }
    for (int column = 0; column < slowest_->columnCount(); ++column)
        if (column != session_column) slowest_->resizeColumnToContents(column);
}

void LatencyPane::select_tail(Time least) {
    const auto behind = std::ranges::partition_point(
        latencies_, [&](const Latency& each) { return each.time >= least; });
    const auto count = static_cast<std::size_t>(behind - latencies_.begin());
    if (count == 0) return;
    if (tail_ == nullptr) tail_ = new QCPItemRect(plot_);
    QColor wash = Theme::current().highlight;
    tail_->setPen(QPen(wash));
    wash.setAlpha(40);
    tail_->setBrush(wash);
    tail_->topLeft->setCoords(report::seconds_of(least), plot_->yAxis->range().upper);
    tail_->bottomRight->setCoords(plot_->xAxis->range().upper, 0);
    plot_->replot(QCustomPlot::rpQueuedReplot);
    list(count);
    slowest_->selectRow(0);
    go_to(latencies_.front());
}

/// The picture stays as it is.
void LatencyPane::go_to(const Latency& latency) {
    shown_ = latency.node;
    navigator_.go(
        {.node = latency.node,
         .session = recording_->overview.nodes[latency.node].name,
         .frame = latency.slice->frame,
         .time = latency.slice->begin});
    navigator_.reveal(latency.slice->begin);
}

void LatencyPane::write_rows(const WriteRow& write) const {
    write({"session", "operation", "bytes", "frame", "begin", "took"});
    if (!recording_) return;
    for (const Latency& each : latencies_)
        write(
            {recording_->overview.nodes[each.node].name, recording_->overview.labels[each.slice->label],
             std::to_string(each.slice->octets), std::to_string(each.slice->frame),
             report::seconds_text(each.slice->begin - recording_->start()), report::seconds_text(each.time)});
}

}  // namespace fabricscope::viewer
