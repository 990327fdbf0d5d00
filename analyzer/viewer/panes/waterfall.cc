// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/waterfall.h"

#include <fmt/format.h>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {

Waterfall::Waterfall() {
    setObjectName("waterfall");
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void Waterfall::show(const Recording* recording, std::vector<SetUp> set_ups) {
    recording_ = recording;
    set_ups_ = std::move(set_ups);
    longest_ = 1;
    for (const SetUp& each : set_ups_) longest_ = std::max(longest_, each.end - each.begin);
    set_scroll_range();
    viewport()->update();
}

void Waterfall::set_scroll_range() {
    const int all = static_cast<int>(set_ups_.size()) * row_height();
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(row_height());
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
}

double Waterfall::x_of(Time since_begin) const {
    const double total = fontMetrics().averageCharWidth() * 12;
    const double room = std::max(viewport()->width() - names_width() - total, 10.0);
    return names_width() + room * static_cast<double>(since_begin) / static_cast<double>(longest_);
}

QRectF Waterfall::area_of(std::size_t row, const Slice& step) const {
    constexpr double least = 3;
    const double top = static_cast<double>(row) * row_height() - verticalScrollBar()->value();
    const double left = x_of(step.begin - set_ups_[row].begin), right = x_of(step.end - set_ups_[row].begin);
    return {left, top + 2, std::max(right - left, least), row_height() - 4.0};
}

Waterfall::Hit Waterfall::hit_at(QPointF at) const {
    const auto row = static_cast<std::size_t>((at.y() + verticalScrollBar()->value()) / row_height());
    if (row >= set_ups_.size()) return {};
    const SetUp& set_up = set_ups_[row];
    for (const Slice* step : set_up.steps)
        if (area_of(row, *step).contains(at)) return {&set_up, step};
    return {&set_up, nullptr};
}

void Waterfall::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme.paper);
    painter.setPen(theme.faint);
    if (set_ups_.empty()) {
        painter.drawText(
            viewport()->rect().adjusted(8, 8, -8, -8), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
            "No set-up of a connection was captured here.");
        return;
    }
    const auto first = static_cast<std::size_t>(verticalScrollBar()->value() / row_height());
    const auto rows = static_cast<std::size_t>(viewport()->height() / row_height()) + 2;
    for (std::size_t row = first; row < std::min(first + rows, set_ups_.size()); ++row) paint_set_up(painter, row);
}

void Waterfall::paint_set_up(QPainter& painter, std::size_t row) const {
    const Theme theme = Theme::current();
    const SetUp& set_up = set_ups_[row];
    const double top = static_cast<double>(row) * row_height() - verticalScrollBar()->value();
    painter.setPen(theme.ink);
    painter.drawText(
        QRectF(8, top, names_width() - 16, row_height()), Qt::AlignLeft | Qt::AlignVCenter,
        text(recording_->overview.nodes[set_up.node].name));
    bool shade = false;
    for (const Slice* step : set_up.steps) {
        const QRectF area = area_of(row, *step);
        // Neighbours are of one colour: every second one is paler.
        QColor colour = Theme::fill(colour_of(step->activity));
        if (shade) colour.setAlpha(150);
        shade = !shade;
        painter.fillRect(area, colour);
        constexpr double readable_width = 30;
        if (area.width() < readable_width) continue;
        painter.setPen(colour.alpha() == 255 ? QColor(Qt::white) : theme.ink);
        painter.drawText(
            area.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter,
            fontMetrics().elidedText(
                text(recording_->overview.labels[step->label]), Qt::ElideRight, static_cast<int>(area.width()) - 8));
    }
    const double end = x_of(set_up.end - set_up.begin) + 6;
    painter.setPen(theme.faint);
    painter.drawText(
        QRectF(end, top, viewport()->width() - end, row_height()), Qt::AlignLeft | Qt::AlignVCenter,
        text(report::duration_text(set_up.end - set_up.begin, true)));
}

void Waterfall::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    set_scroll_range();
}

void Waterfall::mousePressEvent(QMouseEvent* event) {
    const Hit hit = hit_at(event->position());
    if (hit.set_up != nullptr && on_step)
        on_step(*hit.set_up, hit.step != nullptr ? *hit.step : *hit.set_up->steps.front());
}

bool Waterfall::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = hit_at(help->pos());
    if (hit.step == nullptr) {
        QToolTip::hideText();
        return true;
    }
    const std::string words = fmt::format(
        "{}\n{} after the step before\nframe {}", recording_->overview.labels[hit.step->label],
        report::duration_text(hit.step->duration(), true), hit.step->frame);
    QToolTip::showText(help->globalPos(), text(words), viewport());
    return true;
}

}  // namespace fabricscope::viewer
