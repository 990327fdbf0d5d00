// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/sequence_pane.h"

#include "analyzer/viewer/panes/custom_plot.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

using report::CurvePanel;
using report::StepValue;

/// What began and what ended, added up.
CurvePanel totals_of(const Lane& lane) {
    CurvePanel panel{lane.name, {}};
    std::vector<StepValue> begun, ended;
    std::uint64_t sum = 0;
    std::vector<std::pair<Time, std::uint64_t>> ends;
    for (const Slice& slice : lane.slices) {
        if (slice.octets == 0) continue;
        begun.push_back({slice.begin, sum += slice.octets});
        if (slice.ended) ends.emplace_back(slice.end, slice.octets);
    }
    if (begun.empty()) return panel;
    std::ranges::stable_sort(ends);
    sum = 0;
    for (const auto& [time, octets] : ends) ended.push_back({time, sum += octets});
    panel.curves.push_back({"begun", report::produced_colour, false, std::move(begun)});
    panel.curves.push_back({"ended", report::consumed_colour, false, std::move(ended)});
    return panel;
}

/// The name of the session, and of each curve in its colour.
QString legend_of(const std::string& session, const CurvePanel& panel, const Theme& theme) {
    QString words = QString("<b>%1</b>&nbsp;&nbsp;&nbsp;").arg(text(session).toHtmlEscaped());
    for (const report::Curve& curve : panel.curves)
        words += QString("<span style='color:%1'>%2</span>&nbsp;%3&nbsp;&nbsp; ")
                     .arg(theme.readable(curve.colour).name(), curve.dashed ? "╌╌" : "━━", QString(curve.name));
    return words;
}

}  // namespace

std::vector<CurvePanel> panels_of(const Recording& recording, const Place& place) {
    if (!recording.reading.engine) return {};
    const engine::Engine& engine = *recording.reading.engine;
    if (const auto session = report::session_named(engine, place.session); session && session->kind->curves != nullptr)
        return session->kind->curves(engine, session->index);
    std::vector<CurvePanel> panels;
    if (!place.node) return panels;
    for (const Lane& lane : recording.overview.nodes[*place.node].lanes)
        if (CurvePanel panel = totals_of(lane); !panel.curves.empty()) panels.push_back(std::move(panel));
    return panels;
}

SequencePane::SequencePane(Navigator& navigator) : navigator_(navigator), title_(new QLabel), plot_(new QCustomPlot) {
    setObjectName("sequence");
    title_->setObjectName("sequenceTitle");
    title_->setMargin(4);
    plot_->setObjectName("sequencePlot");
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->hide();
    title_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(plot_, 1);
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
    connect(&navigator, &Navigator::stretched, this, [this] { follow_stretch(); });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        if (plot_->axisRectCount() == 0) return;
        Place place = navigator_.place();
        place.time = time_at(plot_->axisRect(0)->axis(QCPAxis::atBottom)->pixelToCoord(event->position().x()));
        navigator_.go(std::move(place));
    });
}

double SequencePane::seconds(Time time) const { return report::seconds_of(time - recording_->start()); }

Time SequencePane::time_at(double at) const {
    return recording_->start() + static_cast<Time>(at * static_cast<double>(capture::second));
}

void SequencePane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    shown_.clear();
    draw();
}

void SequencePane::write_rows(const WriteRow& write) const {
    write({"direction", "curve", "time", "bytes"});
    if (!recording_) return;
    for (const CurvePanel& panel : panels_of(*recording_, navigator_.place()))
        for (const report::Curve& curve : panel.curves)
            for (const StepValue& step : curve.steps)
                write(
                    {panel.title, curve.name, report::seconds_text(step.time - recording_->start()),
                     std::to_string(step.value)});
}

void SequencePane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && recording_) draw();
    QWidget::changeEvent(event);
}

void SequencePane::follow_place() {
    if (!recording_) return;
    if (navigator_.place().session != shown_) draw();
    put_cursor();
}

void SequencePane::add_panel(std::size_t row, const CurvePanel& panel) {
    const Theme theme = Theme::current();
    auto* rect = new QCPAxisRect(plot_);
    rect->setBackground(theme.paper);
    auto* heading = new QCPTextElement(plot_, text(panel.title) + ", bytes");
    heading->setTextColor(theme.ink);
    heading->setFont(font());
    heading->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    plot_->plotLayout()->addElement(static_cast<int>(2 * row), 0, heading);
    plot_->plotLayout()->addElement(static_cast<int>(2 * row + 1), 0, rect);
    for (QCPAxis* axis : rect->axes()) {
        style_axis(*axis, theme);
        axis->setLayer("axes");
        axis->grid()->setLayer("grid");
    }
    QCPAxis* const across = rect->axis(QCPAxis::atBottom);
    QCPAxis* const up = rect->axis(QCPAxis::atLeft);
    up->ticker()->setTickCount(4);
    up->setNumberFormat("f");
    up->setNumberPrecision(0);
    rect->setRangeZoom(Qt::Horizontal);
    rect->setRangeDrag(Qt::Horizontal);
    for (const report::Curve& curve : panel.curves) {
        QCPGraph* graph = plot_->addGraph(across, up);
        QPen pen(theme.readable(curve.colour), 1.6);
        if (curve.dashed) pen.setStyle(Qt::DashLine);
        graph->setPen(pen);
        graph->setLineStyle(QCPGraph::lsStepLeft);
        QVector<QCPGraphData> points;
        points.reserve(static_cast<qsizetype>(curve.steps.size()));
        for (const StepValue& step : curve.steps)
            points.push_back({seconds(step.time), static_cast<double>(step.value)});
        graph->data()->set(points, true);
    }
    up->rescale();
    up->setRange(0, up->range().upper * 1.08);
    auto* cursor = new QCPItemStraightLine(plot_);
    cursor->setClipAxisRect(rect);
    for (QCPItemPosition* position : {cursor->point1, cursor->point2}) {
        position->setAxes(across, up);
        position->setAxisRect(rect);
    }
    cursor->setPen(QPen(theme.readable(report::palette::purple)));
    cursors_.push_back(cursor);
    connect(across, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this](const QCPRange& range) {
        if (following_) return;
        navigator_.show({time_at(range.lower), time_at(range.upper)});
        follow_stretch();
    });
}

void SequencePane::draw() {
    shown_ = navigator_.place().session;
    const Theme theme = Theme::current();
    plot_->setAutoAddPlottableToLegend(false);
    plot_->clearItems();
    plot_->clearPlottables();
    plot_->plotLayout()->clear();
    cursors_.clear();
    plot_->setBackground(theme.paper);
    const std::vector<CurvePanel> panels = panels_of(*recording_, navigator_.place());
    for (std::size_t i = 0; i < panels.size(); ++i) add_panel(i, panels[i]);
    if (!panels.empty()) {
        auto* group = new QCPMarginGroup(plot_);
        for (QCPAxisRect* rect : plot_->axisRects()) {
            rect->setMarginGroup(QCP::msLeft | QCP::msRight, group);
            rect->axis(QCPAxis::atBottom)->setTickLabels(rect == plot_->axisRects().last());
        }
        plot_->plotLayout()->setRowSpacing(0);
        plot_->axisRects().last()->axis(QCPAxis::atBottom)->setLabel("time since the first frame, s");
    }
    plot_->setVisible(!panels.empty());
    if (shown_.empty()) title_->setText("Select a session to see how its data advanced.");
    else if (panels.empty()) title_->setText(text(shown_) + ": no data that advance are known of it.");
    else title_->setText(legend_of(shown_, panels.front(), theme));
    follow_stretch();
    put_cursor();
}

void SequencePane::follow_stretch() {
    if (!recording_) return;
    following_ = true;
    const Stretch& stretch = navigator_.stretch();
    for (QCPAxisRect* rect : plot_->axisRects())
        rect->axis(QCPAxis::atBottom)->setRange(seconds(stretch.begin), seconds(stretch.end));
    following_ = false;
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void SequencePane::put_cursor() {
    const auto& time = navigator_.place().time;
    for (QCPItemStraightLine* cursor : cursors_) {
        cursor->setVisible(time.has_value());
        if (!time) continue;
        cursor->point1->setCoords(seconds(*time), 0);
        cursor->point2->setCoords(seconds(*time), 1);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace fabricscope::viewer
