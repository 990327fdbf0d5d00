// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/sequence_pane.h"

#include "analyzer/viewer/panes/custom_plot.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "analyzer/report/scales.h"
#include "analyzer/report/units.h"
#include "analyzer/viewer/model/flow.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr auto rate_colour = report::palette::orange;

/// What began and what ended, added up.
CurvePanel totals_of(const Lane& lane) {
    CurvePanel panel{lane.name, {}};
    if (lane.slices.empty()) return panel;
    // A curve of one step would be a point.
    std::vector<StepValue> begun{{lane.slices.front().begin, 0}}, ended{{lane.slices.front().begin, 0}};
    std::uint64_t sum = 0;
    std::vector<std::pair<Time, std::uint64_t>> ends;
    for (const Slice& slice : lane.slices) {
        if (slice.octets == 0) continue;
        begun.push_back({slice.begin, sum += slice.octets});
        if (slice.ended) ends.emplace_back(slice.end, slice.octets);
    }
    if (sum == 0) return panel;
    std::ranges::stable_sort(ends);
    sum = 0;
    for (const auto& [time, octets] : ends) ended.push_back({time, sum += octets});
    panel.curves.push_back({"begun", report::produced_colour, false, std::move(begun)});
    panel.curves.push_back({"ended", report::consumed_colour, false, std::move(ended)});
    return panel;
}

QCPScatterStyle::ScatterShape shape_of(const report::CurveMarks& marks) {
    switch (marks.shape) {
        case report::CurveMarks::Shape::cross: return QCPScatterStyle::ssCross;
        case report::CurveMarks::Shape::triangle: return QCPScatterStyle::ssTriangleInverted;
        case report::CurveMarks::Shape::diamond: break;
    }
    return QCPScatterStyle::ssDiamond;
}

const char* sign_of(const report::CurveMarks& marks) {
    switch (marks.shape) {
        case report::CurveMarks::Shape::cross: return "✕";
        case report::CurveMarks::Shape::triangle: return "▽";
        case report::CurveMarks::Shape::diamond: break;
    }
    return "◇";
}

QString legend_entry(const QColor& colour, const char* line, const QString& words) {
    return QString("<span style='color:%1'>%2</span>&nbsp;%3&nbsp;&nbsp; ").arg(colour.name(), line, words);
}

/// The name of the session, and of each curve in its colour. `beside`: what is drawn over it, or is not.
QString legend_of(
    const std::string& session, const std::vector<CurvePanel>& panels, const QString& beside, const Theme& theme) {
    const CurvePanel& panel = panels.front();
    QString words = QString("<b>%1</b>&nbsp;&nbsp;&nbsp;").arg(text(session).toHtmlEscaped());
    for (const report::Curve& curve : panel.curves)
        words += legend_entry(theme.readable(curve.colour), curve.dashed ? "╌╌" : "━━", curve.name);
    std::set<std::string_view> told;
    for (const CurvePanel& each : panels)
        for (const report::CurveMarks& marks : each.marks)
            if (told.insert(marks.name).second)
                words += legend_entry(theme.readable(marks.colour), sign_of(marks), marks.name);
    if (panel.curves.size() >= 2) {
        words += legend_entry(
            theme.readable(report::flight_colour), "■", panel.counts_packets ? "packets in flight" : "in flight");
        words += legend_entry(theme.readable(rate_colour), "━━", panel.counts_packets ? "packets a second" : "rate");
    }
    if (!beside.isEmpty()) words += legend_entry(theme.ink, "┈┈", beside.toHtmlEscaped());
    return words;
}

QVector<QCPGraphData> points_of(const std::vector<StepValue>& steps, Time start) {
    QVector<QCPGraphData> points;
    points.reserve(static_cast<qsizetype>(steps.size()));
    for (const StepValue& step : steps)
        points.push_back({report::seconds_of(step.time - start), static_cast<double>(step.value)});
    return points;
}

/// "12 MiB", with the unit that the axis's range asks for; packets where they are counted.
class AmountTicker : public QCPAxisTicker {
public:
    AmountTicker(bool counts_packets, const char* per, int ticks) : counts_packets_(counts_packets) {
        scale_.per = per;
        setTickCount(ticks);
        setTickStepStrategy(tssMeetTickCount);
    }

protected:
    /// Comes first, whenever the axis has another range.
    double getTickStep(const QCPRange& range) override {
        scale_.most = static_cast<std::uint64_t>(std::max(range.upper, 1.0));
        const double unit = counts_packets_ ? 1 : scale_.octets_in_unit();
        return QCPAxisTicker::getTickStep({range.lower / unit, range.upper / unit}) * unit;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const bool is_whole = tick >= 0 && (!counts_packets_ || tick == std::floor(tick));
        if (!is_whole) return {};
        if (tick == 0) return "0";
        if (counts_packets_) return text(report::grouped(static_cast<std::uint64_t>(tick)) + scale_.per);
        return text(scale_.label(tick) + " " + scale_.unit());
    }

private:
    bool counts_packets_;
    report::OctetScale scale_;
};

QSharedPointer<AmountTicker> ticker_for(const CurvePanel& panel, const char* per, int ticks = 2) {
    return QSharedPointer<AmountTicker>::create(panel.counts_packets, per, ticks);
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

std::vector<CurvePanel> panels_of(const Recording& recording, const Place& place, const Details& details) {
    const report::Detail* detail = details.find(place.session);
    return detail != nullptr && !detail->panels.empty() ? detail->panels : panels_of(recording, place);
}

Place place_beside(const Recording& recording, const Place& place, const Recording& other) {
    const auto node = place.node ? place.node : recording.node_of(place.session);
    if (!node || recording.overview.nodes[*node].about.empty()) return {};
    const auto& nodes = other.overview.nodes;
    const auto same = std::ranges::find(nodes, recording.overview.nodes[*node].about, &report::Node::about);
    if (same == nodes.end()) return {};
    return {.node = static_cast<std::size_t>(same - nodes.begin()), .session = same->name, .frame = {}, .time = {}};
}

SequencePane::SequencePane(Navigator& navigator, Details& details)
    : navigator_(navigator), details_(details), title_(new QLabel), plot_(new QCustomPlot) {
    setObjectName("sequence");
    title_->setObjectName("sequenceTitle");
    title_->setMargin(4);
    plot_->setObjectName("sequencePlot");
    plot_->setMinimumSize(80, 60);
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
    connect(&details, &Details::arrived, this, [this](const QString& session) {
        if (recording_ && session == text(shown_)) draw();
    });
    connect(&details_beside_, &Details::arrived, this, [this] { draw(); });
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

void SequencePane::show_beside(std::shared_ptr<const Recording> other) {
    beside_ = std::move(other);
    details_beside_.show(beside_);
    if (!recording_) return;
    draw();
    follow_place();
}

std::string SequencePane::session_beside() const {
    return beside_ ? place_beside(*recording_, navigator_.place(), *beside_).session : std::string();
}

void SequencePane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (!recording_) return;
    if (is_wide() != was_wide_) draw();
    else follow_stretch();
}

void SequencePane::write_rows(const WriteRow& write) const {
    write({"direction", "curve", "time", "value"});
    if (!recording_) return;
    for (const CurvePanel& panel : panels_of(*recording_, navigator_.place(), details_)) {
        const auto add = [&](const char* name, const std::vector<StepValue>& steps) {
            for (const StepValue& step : steps)
                write(
                    {panel.title, name, report::seconds_text(step.time - recording_->start()),
                     std::to_string(step.value)});
        };
        for (const report::Curve& curve : panel.curves) add(curve.name, curve.steps);
        for (const report::CurveMarks& marks : panel.marks) add(marks.name, marks.at);
    }
}

void SequencePane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && recording_) draw();
    QWidget::changeEvent(event);
}

void SequencePane::follow_place() {
    if (!recording_) return;
    if (!visibleRegion().isEmpty()) {
        details_.want(navigator_.place().session);
        if (beside_) details_beside_.want(session_beside());
    }
    if (navigator_.place().session != shown_) draw();
    put_cursor();
}

QCPAxisRect* SequencePane::add_rect(int row, int column, QCPMarginGroup& group) {
    const Theme theme = Theme::current();
    auto* rect = new QCPAxisRect(plot_);
    rect->setBackground(theme.paper);
    rect->setMinimumMargins(QMargins(10, 6, 10, 2));
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, &group);
    rect->setRangeZoom(Qt::Horizontal);
    rect->setRangeDrag(Qt::Horizontal);
    for (QCPAxis* axis : rect->axes()) {
        style_axis(*axis, theme);
        axis->setTickLabelFont(font());
        axis->setLabelFont(font());
        axis->setLayer("axes");
        axis->grid()->setLayer("grid");
        axis->setSubTicks(false);
    }
    plot_->plotLayout()->addElement(row, column, rect);
    QCPAxis* const across = rect->axis(QCPAxis::atBottom);
    across->setTicker(QSharedPointer<QCPAxisTickerText>::create());
    connect(across, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this](const QCPRange& range) {
        if (following_) return;
        navigator_.show({time_at(range.lower), time_at(range.upper)});
        follow_stretch();
    });
    add_cursor(*rect);
    return rect;
}

void SequencePane::add_cursor(QCPAxisRect& rect) {
    auto* cursor = new QCPItemStraightLine(plot_);
    cursor->setClipAxisRect(&rect);
    for (QCPItemPosition* position : {cursor->point1, cursor->point2}) {
        position->setAxes(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
        position->setAxisRect(&rect);
    }
    cursor->setPen(QPen(Theme::current().readable(report::palette::purple)));
    cursors_.push_back(cursor);
}

void SequencePane::add_curve(QCPAxisRect& rect, const report::Curve& curve, bool is_beside) {
    QCPGraph* graph = plot_->addGraph(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
    QPen pen(Theme::current().readable(curve.colour), 1.6);
    if (curve.dashed) pen.setStyle(Qt::DashLine);
    if (is_beside) pen.setStyle(Qt::DotLine);
    graph->setPen(pen);
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->data()->set(points_of(curve.steps, recording_->start()), true);
    // What has been reached stays.
    if (!curve.steps.empty()) graph->addData(seconds(recording_->end()), static_cast<double>(curve.steps.back().value));
}

void SequencePane::add_marks(QCPAxisRect& rect, const report::CurveMarks& marks) {
    QCPGraph* graph = plot_->addGraph(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
    constexpr double size = 7;
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(
        QCPScatterStyle(shape_of(marks), QPen(Theme::current().readable(marks.colour), 1.4), Qt::NoBrush, size));
    graph->data()->set(points_of(marks.at, recording_->start()), true);
}

/// In flight on the left, the rate on the right.
void SequencePane::add_flow(QCPAxisRect& rect, const CurvePanel& panel) {
    const Theme theme = Theme::current();
    QCPAxis* const left = rect.axis(QCPAxis::atLeft);
    QCPAxis* const right = rect.axis(QCPAxis::atRight);
    right->setVisible(true);
    right->grid()->setVisible(false);
    left->setTicker(ticker_for(panel, ""));
    right->setTicker(ticker_for(panel, "/s"));
    QCPGraph* flight = plot_->addGraph(rect.axis(QCPAxis::atBottom), left);
    QColor wash = Theme::fill(report::flight_colour);
    wash.setAlpha(120);
    flight->setPen(QPen(theme.readable(report::flight_colour)));
    flight->setBrush(wash);
    flight->setLineStyle(QCPGraph::lsStepLeft);
    flight->data()->set(points_of(in_flight_of(panel), recording_->start()), true);
    left->rescale();
    left->setRange(0, std::max(left->range().upper, 1.0) * 1.1);
    QCPGraph* rate = plot_->addGraph(rect.axis(QCPAxis::atBottom), right);
    rate->setPen(QPen(theme.readable(rate_colour), 1.4));
    rate->setLineStyle(QCPGraph::lsStepLeft);
    rates_.push_back({rate, panel.curves[panel.curves.size() - 2].steps});
}

void SequencePane::add_panel(std::size_t number, const CurvePanel& panel, const CurvePanel* beside) {
    const Theme theme = Theme::current();
    const int column = was_wide_ ? static_cast<int>(number) : 0, row = was_wide_ ? 0 : 3 * static_cast<int>(number);
    auto* const group = new QCPMarginGroup(plot_);
    auto* heading = new QCPTextElement(plot_, text(panel.title));
    heading->setTextColor(theme.ink);
    heading->setFont(font());
    heading->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    heading->setMargins(QMargins(10, 2, 10, 0));
    plot_->plotLayout()->addElement(row, column, heading);
    QCPAxisRect* const course = add_rect(row + 1, column, *group);
    course->axis(QCPAxis::atLeft)->setTicker(ticker_for(panel, "", 4));
    for (const report::Curve& curve : panel.curves) add_curve(*course, curve, false);
    for (const report::CurveMarks& marks : panel.marks) add_marks(*course, marks);
    if (beside != nullptr)
        for (const report::Curve& curve : beside->curves) add_curve(*course, curve, true);
    QCPAxis* const up = course->axis(QCPAxis::atLeft);
    up->rescale();
    up->setRange(0, std::max(up->range().upper, 1.0) * 1.08);
    QCPAxisRect* lowest = course;
    if (panel.curves.size() >= 2) {
        course->axis(QCPAxis::atBottom)->setTickLabels(false);
        lowest = add_rect(row + 2, column, *group);
        add_flow(*lowest, panel);
        plot_->plotLayout()->setRowStretchFactor(row + 1, 2);
    }
}

void SequencePane::draw() {
    shown_ = navigator_.place().session;
    was_wide_ = is_wide();
    const Theme theme = Theme::current();
    plot_->setAutoAddPlottableToLegend(false);
    plot_->clearItems();
    plot_->clearPlottables();
    plot_->plotLayout()->clear();
    plot_->plotLayout()->setRowSpacing(0);
    cursors_.clear();
    rates_.clear();
    plot_->setBackground(theme.paper);
    const std::vector<CurvePanel> panels = panels_of(*recording_, navigator_.place(), details_);
    std::vector<CurvePanel> beside;
    QString name_beside;
    if (beside_) {
        const Place place = place_beside(*recording_, navigator_.place(), *beside_);
        beside = panels_of(*beside_, place, details_beside_);
        name_beside = (place.session.empty() ? "not in " : "at ") + text(beside_->files.front()).section('/', -1);
    }
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const auto same = std::ranges::find(beside, panels[i].title, &CurvePanel::title);
        add_panel(i, panels[i], same != beside.end() ? &*same : nullptr);
    }
    plot_->show();
    if (shown_.empty()) title_->setText("Select a session to see how its data advanced.");
    else if (panels.empty()) title_->setText(text(shown_) + ": no data to plot.");
    else title_->setText(legend_of(shown_, panels, name_beside, theme));
    follow_stretch();
    put_cursor();
}

void SequencePane::update_rates() {
    constexpr std::size_t parts = 120;
    for (const RateCurve& rate : rates_) {
        QVector<QCPGraphData> points;
        double highest = 1;
        for (const Rate& each : rates_of(rate.sent, navigator_.stretch(), parts)) {
            points.push_back({seconds(each.begin), each.octets_per_second});
            highest = std::max(highest, each.octets_per_second);
        }
        rate.graph->data()->set(points, true);
        rate.graph->valueAxis()->setRange(0, highest * 1.1);
    }
}

/// All in one unit, which the title tells, as in Tracks.
void SequencePane::label_times(QCPAxis& across) const {
    const Stretch& stretch = navigator_.stretch();
    const report::TimeScale scale{
        .start = recording_->start(),
        .begin = stretch.begin,
        .end = stretch.end,
        .left = across.range().lower,
        .right = across.range().upper};
    const auto ticker = across.ticker().staticCast<QCPAxisTickerText>();
    ticker->clear();
    const auto labels = scale.labels();
    // As many as there is room for.
    int widest = 1;
    for (const auto& label : labels) widest = std::max(widest, fontMetrics().horizontalAdvance(text(label.text)));
    const int width = plot_->width() / std::max(plot_->plotLayout()->columnCount(), 1) * 3 / 4;
    const auto room = static_cast<std::size_t>(std::max(width / (2 * widest), 2));
    const std::size_t each = labels.size() / room + 1;
    for (std::size_t i = 0; i < labels.size(); i += each) ticker->addTick(labels[i].x, text(labels[i].text));
    if (across.tickLabels()) across.setLabel(text(scale.title()));
}

void SequencePane::follow_stretch() {
    if (!recording_) return;
    following_ = true;
    const Stretch& stretch = navigator_.stretch();
    for (QCPAxisRect* rect : plot_->axisRects()) {
        QCPAxis* const across = rect->axis(QCPAxis::atBottom);
        across->setRange(seconds(stretch.begin), seconds(stretch.end));
        label_times(*across);
    }
    following_ = false;
    update_rates();
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
