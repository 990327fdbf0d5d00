// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/ladder_pane.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

using report::Ladder;
using report::Rung;

std::optional<Ladder> ladder_named(const Recording& recording, const std::string& name) {
    const engine::Engine& engine = *recording.reading.engine;
    const auto session = report::session_named(engine, name);
    if (!session || session->kind->ladder == nullptr) return std::nullopt;
    return session->kind->ladder(engine, session->index, recording.start());
}

}  // namespace

std::optional<Ladder> ladder_of(const Recording& recording, const Place& place) {
    if (!recording.reading.engine) return std::nullopt;
    if (auto ladder = ladder_named(recording, place.session)) return ladder;
    return place.node ? ladder_named(recording, recording.overview.nodes[*place.node].name) : std::nullopt;
}

LadderPane::LadderPane(Navigator& navigator) : navigator_(navigator) {
    setObjectName("ladder");
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void LadderPane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    shown_.clear();
    ladder_.reset();
    follow_place();
}

void LadderPane::follow_place() {
    if (!recording_) return;
    if (navigator_.place().session != shown_) {
        shown_ = navigator_.place().session;
        ladder_ = ladder_of(*recording_, navigator_.place());
        set_scroll_range();
    }
    if (const auto rung = current()) {
        const int top = static_cast<int>(*rung) * rung_height(), page = verticalScrollBar()->pageStep();
        if (top < verticalScrollBar()->value() || top + rung_height() > verticalScrollBar()->value() + page)
            verticalScrollBar()->setValue(top - page / 2);
    }
    viewport()->update();
}

std::optional<std::size_t> LadderPane::current() const {
    const Place& place = navigator_.place();
    if (!ladder_ || !place.time) return std::nullopt;
    const auto is_there = [&](const Rung& rung) { return place.frame == rung.step.frame; };
    if (const auto rung = std::ranges::find_if(ladder_->rungs, is_there); rung != ladder_->rungs.end())
        return static_cast<std::size_t>(rung - ladder_->rungs.begin());
    const auto time_of = [](const Rung& rung) { return rung.step.time; };
    const auto behind = std::ranges::upper_bound(ladder_->rungs, *place.time, {}, time_of);
    if (behind == ladder_->rungs.begin()) return std::nullopt;
    return static_cast<std::size_t>(behind - ladder_->rungs.begin()) - 1;
}

void LadderPane::set_scroll_range() {
    const int rungs = ladder_ ? static_cast<int>(ladder_->rungs.size()) : 0;
    const int page = std::max(viewport()->height() - head_height(), 1);
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(rung_height());
    verticalScrollBar()->setRange(0, std::max(0, rungs * rung_height() + rung_height() - page));
}

void LadderPane::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    set_scroll_range();
}

void LadderPane::write_rows(const WriteRow& write) const {
    write({"time", "frame", "from", "message", "latency"});
    if (!ladder_) return;
    for (const Rung& rung : ladder_->rungs)
        write(
            {report::seconds_text(rung.step.time - ladder_->start), std::to_string(rung.step.frame), name_of(rung.from),
             rung.text, rung.latency ? report::seconds_text(*rung.latency) : ""});
}

LadderPane::Columns LadderPane::columns() const {
    const double digit = fontMetrics().horizontalAdvance('0');
    const double time = 14 * digit, after = time + 10 * digit, client = after + 4 * digit;
    const double frame = viewport()->width() - digit;
    return {time, after, frame, client, std::max(frame - 8 * digit, client + 10 * digit)};
}

void LadderPane::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme.paper);
    painter.setPen(theme.faint);
    if (!ladder_ || ladder_->rungs.empty()) {
        const QString words = shown_.empty() ? "Select a session to see who said what."
                                             : text(shown_) + " has no ladder. Select one of its operations in Tracks.";
        painter.drawText(viewport()->rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, words);
        return;
    }
    const Columns columns = this->columns();
    painter.setClipRect(0, head_height(), viewport()->width(), viewport()->height() - head_height());
    painter.setPen(theme.grid);
    for (const double x : {columns.client, columns.server})
        painter.drawLine(QPointF(x, head_height()), QPointF(x, viewport()->height()));
    const int offset = verticalScrollBar()->value();
    for (std::size_t i = static_cast<std::size_t>(offset / rung_height()); i < ladder_->rungs.size(); ++i) {
        const double top = head_height() + static_cast<double>(i) * rung_height() - offset;
        if (top > viewport()->height()) break;
        paint_rung(painter, columns, i, top);
    }
    painter.setClipping(false);
    paint_head(painter, columns);
}

void LadderPane::paint_head(QPainter& painter, const Columns& columns) const {
    const Theme theme = Theme::current();
    const int line = fontMetrics().height();
    const double width = viewport()->width();
    painter.fillRect(QRectF(0, 0, width, head_height()), theme.band);
    painter.setPen(theme.ink);
    painter.drawText(QRectF(8, 3, width - 16, line), Qt::AlignLeft, text(ladder_->title));
    painter.setPen(theme.faint);
    painter.drawText(
        QRectF(8, 3 + line, width - 16, line), Qt::AlignLeft,
        fontMetrics().elidedText(text(ladder_->about), Qt::ElideRight, static_cast<int>(width) - 16));
    const double top = 7 + 2 * line;
    painter.drawText(QRectF(0, top, columns.time, line), Qt::AlignRight, "time, s");
    painter.drawText(QRectF(columns.time, top, columns.after - columns.time, line), Qt::AlignRight, "after");
    painter.drawText(QRectF(columns.server, top, columns.frame - columns.server, line), Qt::AlignRight, "frame");
    painter.setPen(theme.ink);
    const double middle = (columns.client + columns.server) / 2;
    painter.drawText(
        QRectF(columns.client - 8, top, middle - columns.client, line), Qt::AlignLeft,
        QString(ladder_->client_role) + " " + text(ladder_->client));
    painter.drawText(
        QRectF(middle, top, columns.server - middle - 24, line), Qt::AlignRight,
        QString(ladder_->server_role) + " " + text(ladder_->server));
}

void LadderPane::paint_rung(QPainter& painter, const Columns& columns, std::size_t i, double top) const {
    const Theme theme = Theme::current();
    const Rung& rung = ladder_->rungs[i];
    const double height = rung_height();
    if (current() == i) {
        QColor wash = theme.highlight;
        wash.setAlpha(50);
        painter.fillRect(QRectF(0, top, viewport()->width(), height), wash);
    }
    painter.setPen(theme.ink);
    const auto right = Qt::AlignRight | Qt::AlignVCenter;
    painter.drawText(
        QRectF(0, top, columns.time, height), right, text(report::seconds_text(rung.step.time - ladder_->start)));
    painter.drawText(
        QRectF(columns.server, top, columns.frame - columns.server, height), right, QString::number(rung.step.frame));
    painter.setPen(theme.faint);
    if (i != 0)
        painter.drawText(
            QRectF(columns.time, top, columns.after - columns.time, height), right,
            text(report::duration_text(rung.step.time - ladder_->rungs[i - 1].step.time, true)));
    constexpr double head = 8;
    const bool to_server = rung.from == engine::Side::client;
    const double tail = to_server ? columns.client : columns.server, tip = to_server ? columns.server : columns.client;
    const double back = to_server ? tip - head : tip + head, y = top + height - 4;
    const QColor colour = theme.readable(colour_of(rung.kind));
    painter.setPen(QPen(colour, 1.6));
    painter.drawLine(QPointF(tail, y), QPointF(back, y));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({QPointF(tip, y), QPointF(back, y - 4), QPointF(back, y + 4)}));
    painter.setPen(rung.kind == Rung::Kind::refusal ? colour : theme.ink);
    std::string words = rung.text;
    if (rung.latency) words += " (" + report::duration_text(*rung.latency, true) + ")";
    const QRectF between(columns.client + 12, top, columns.server - columns.client - 24, height - 6);
    painter.drawText(
        between, Qt::AlignCenter,
        fontMetrics().elidedText(text(words), Qt::ElideRight, static_cast<int>(between.width())));
}

void LadderPane::go_to(std::size_t rung) {
    Place place = navigator_.place();
    place.time = ladder_->rungs[rung].step.time;
    place.frame = ladder_->rungs[rung].step.frame;
    navigator_.go(place);
    navigator_.reveal(*place.time);
}

void LadderPane::mousePressEvent(QMouseEvent* event) {
    const double y = event->position().y() - head_height() + verticalScrollBar()->value();
    if (!ladder_ || y < 0 || event->position().y() < head_height()) return;
    const auto rung = static_cast<std::size_t>(y / rung_height());
    if (rung < ladder_->rungs.size()) go_to(rung);
}

void LadderPane::keyPressEvent(QKeyEvent* event) {
    const auto at = current();
    if (at && event->key() == Qt::Key_Down && *at + 1 < ladder_->rungs.size()) go_to(*at + 1);
    else if (at && event->key() == Qt::Key_Up && *at > 0) go_to(*at - 1);
    else QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace fabricscope::viewer
