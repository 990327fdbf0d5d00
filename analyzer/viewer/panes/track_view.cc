// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/track_view.h"

#include <fmt/format.h>

#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr int gap = 3;               // between slices of neighbouring rows
constexpr double least_width = 1.5;  // of a piece, so that a moment can be seen
constexpr double closer = 0.8, further = 1 / closer;
constexpr double pan_step = 0.1;
constexpr int indent = 12;

}  // namespace

TrackView::TrackView(Navigator& navigator) : navigator_(navigator) {
    setObjectName("tracks");
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&navigator, &Navigator::stretched, viewport(), [this] { viewport()->update(); });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void TrackView::show(std::shared_ptr<const Recording> recording) {
    const auto& nodes = recording->overview.nodes;
    if (recording_ && recording_->files == recording->files) {
        keep_pins_and_folds(*recording);
    } else {
        collapsed_.assign(nodes.size(), false);
        pinned_.clear();
    }
    recording_ = std::move(recording);
    children_.assign(nodes.size(), {});
    tracks_of_.assign(nodes.size(), {});
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].parent != report::Node::none) children_[nodes[i].parent].push_back(i);
    for (std::size_t i = 0; i < recording_->tracks.size(); ++i) tracks_of_[recording_->tracks[i].node].push_back(i);
    has_box_ = false;
    arrows_.clear();
    lay_out();
}

void TrackView::keep_pins_and_folds(const Recording& grown) {
    std::vector<bool> collapsed(grown.overview.nodes.size(), false);
    for (std::size_t i = 0; i < collapsed_.size(); ++i)
        if (const auto node = grown.node_of(recording_->overview.nodes[i].name)) collapsed[*node] = collapsed_[i];
    collapsed_ = std::move(collapsed);
    const auto name_of = [](const Recording& recording, const Track& track) {
        const report::Node& node = recording.overview.nodes[track.node];
        return std::pair(node.name, node.lanes[track.lane].name);
    };
    std::vector<std::size_t> pinned;
    for (const std::size_t track : pinned_) {
        const auto name = name_of(*recording_, recording_->tracks[track]);
        const auto same = std::ranges::find(
            grown.tracks, name, [&](const Track& each) { return name_of(grown, each); });
        if (same != grown.tracks.end()) pinned.push_back(static_cast<std::size_t>(same - grown.tracks.begin()));
    }
    pinned_ = std::move(pinned);
}

// ---- layout --------------------------------------------------------------------------------------

int TrackView::line_height() const { return fontMetrics().height() + 4; }
int TrackView::names_width() const {
    return std::clamp(fontMetrics().averageCharWidth() * 34, 80, std::max(80, viewport()->width() / 3));
}
int TrackView::ruler_height() const { return fontMetrics().height() * 2 + 8; }

void TrackView::add_node(std::size_t node, int depth) {
    lines_.push_back({.node = node, .row = nullptr, .track = 0, .first = false, .depth = depth, .top = height_});
    height_ += line_height();
    if (is_collapsed(node)) return;
    for (const std::size_t track : tracks_of_[node]) {
        bool first = true;
        for (const Row& row : recording_->tracks[track].rows) {
            lines_.push_back(
                {.node = node, .row = &row, .track = track, .first = first, .depth = depth + 1, .top = height_});
            height_ += line_height();
            first = false;
        }
    }
    for (const std::size_t child : children_[node]) add_node(child, depth + 1);
}

void TrackView::lay_out() {
    lines_.clear();
    height_ = 0;
    const auto& nodes = recording_->overview.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].parent == report::Node::none) add_node(i, 0);
    lay_out_pinned();
    set_scroll_range();
    viewport()->update();
}

void TrackView::lay_out_pinned() {
    pinned_lines_.clear();
    pinned_height_ = 0;
    for (const std::size_t track : pinned_) {
        bool first = true;
        for (const Row& row : recording_->tracks[track].rows) {
            pinned_lines_.push_back(
                {.node = recording_->tracks[track].node,
                 .row = &row,
                 .track = track,
                 .first = first,
                 .top = pinned_height_,
                 .pinned = true});
            pinned_height_ += line_height();
            first = false;
        }
    }
    if (pinned_height_ != 0) pinned_height_ += gap;
}

bool TrackView::is_pinned(std::size_t track) const { return std::ranges::find(pinned_, track) != pinned_.end(); }

void TrackView::toggle_pin(std::size_t track) {
    if (is_pinned(track)) std::erase(pinned_, track);
    else pinned_.push_back(track);
    lay_out_pinned();
    set_scroll_range();
    viewport()->update();
}

int TrackView::top_of(const Line& line) const {
    return line.pinned ? ruler_height() + line.top : content_top() + line.top - verticalScrollBar()->value();
}

/// At the right of a lane's name.
QRectF TrackView::pin_of(const Line& line) const {
    const double size = fontMetrics().height() * 0.55;
    return {names_width() - size - 8, top_of(line) + (line_height() - size) / 2, size, size};
}

void TrackView::set_scroll_range() {
    const int page = std::max(viewport()->height() - content_top(), 1);
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(line_height());
    verticalScrollBar()->setRange(0, std::max(0, height_ - page));
}

report::TimeScale TrackView::scale() const {
    const Stretch& stretch = navigator_.stretch();
    return {
        .start = recording_ ? recording_->start() : 0,
        .begin = stretch.begin,
        .end = stretch.end,
        .left = static_cast<double>(names_width()),
        .right = static_cast<double>(viewport()->width())};
}

Time TrackView::per_pixel() const {
    const int width = std::max(viewport()->width() - names_width(), 1);
    return std::max<Time>(navigator_.stretch().length() / width, 1);
}

Time TrackView::time_at(double x) const {
    const double width = std::max(viewport()->width() - names_width(), 1);
    const double share = std::clamp((x - names_width()) / width, 0.0, 1.0);
    const Stretch& stretch = navigator_.stretch();
    return stretch.begin + static_cast<Time>(share * static_cast<double>(stretch.length()));
}

const TrackView::Line* TrackView::line_at(double y) const {
    if (y < ruler_height()) return nullptr;
    const bool is_pinned = y < content_top();
    const auto& lines = is_pinned ? pinned_lines_ : lines_;
    const int at = static_cast<int>(y) - (is_pinned ? ruler_height() : content_top() - verticalScrollBar()->value());
    const auto behind = std::ranges::upper_bound(lines, at, {}, &Line::top);
    if (behind == lines.begin() || at >= (is_pinned ? pinned_height_ : height_)) return nullptr;
    return &*std::prev(behind);
}

TrackView::Hit TrackView::hit_at(QPointF at) const {
    constexpr Time reach = 4;  // pixels
    const Line* line = line_at(at.y());
    if (line == nullptr || line->row == nullptr || at.x() < names_width()) return {line, nullptr};
    const std::size_t slice = line->row->slice_at(time_at(at.x()), per_pixel() * reach);
    return {line, slice != SIZE_MAX ? &line->row->lane().slices[slice] : nullptr};
}

/// The slice's own name where it has one, else that of the branch.
std::string TrackView::name_of(const Hit& hit) const {
    const char* const prefix = hit.line->row != nullptr ? hit.line->row->lane().prefix : nullptr;
    if (hit.slice != nullptr && prefix != nullptr && hit.slice->session != 0)
        return fmt::format("{}{}", prefix, hit.slice->session);
    return recording_->overview.nodes[hit.line->node].name;
}

std::string TrackView::words_for(const Hit& hit) const {
    const Slice& slice = *hit.slice;
    std::string words = fmt::format(
        "{}: {}\nat {} s, frame {}", name_of(hit), recording_->overview.labels[slice.label],
        report::seconds_text(slice.begin - recording_->start()), slice.frame);
    if (slice.octets != 0) words += "\n" + report::counted(slice.octets, "byte");
    if (!slice.ended) words += "\nits end was not captured";
    else if (slice.end != slice.begin) words += "\ntook " + report::duration_text(slice.duration(), true);
    return words;
}

// ---- painting ------------------------------------------------------------------------------------

void TrackView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme theme = Theme::current();
    painter.fillRect(viewport()->rect(), theme.paper);
    if (!recording_ || lines_.empty()) return;
    const report::TimeScale scale = this->scale();
    labels_ = scale.labels();
    const QRect below(0, content_top(), viewport()->width(), viewport()->height() - content_top());
    paint_lines(painter, lines_, below);
    paint_lines(painter, pinned_lines_, {0, ruler_height(), viewport()->width(), pinned_height_});
    painter.setClipRect(below | QRect(0, ruler_height(), viewport()->width(), 1));
    paint_arrows(painter, scale);
    painter.setClipping(false);
    if (pinned_height_ != 0) {
        painter.setPen(QPen(theme.faint, 1));
        painter.drawLine(0, content_top() - 2, viewport()->width(), content_top() - 2);
    }
    paint_ruler(painter, scale);
    paint_box(painter);
    paint_cursor(painter, scale);
}

void TrackView::paint_ruler(QPainter& painter, const report::TimeScale& scale) const {
    const Theme theme = Theme::current();
    const int height = ruler_height(), baseline = height - 6;
    painter.fillRect(0, 0, viewport()->width(), height, theme.band);
    painter.setPen(theme.faint);
    painter.drawText(
        QRectF(8, 2, names_width() - 16, height - 6), Qt::AlignLeft | Qt::AlignBottom,
        text(report::duration_text(navigator_.stretch().length(), true) + " in view"));
    painter.drawText(
        QRectF(scale.left + 4, 1, scale.right - scale.left - 8, fontMetrics().height()), Qt::AlignLeft,
        text(scale.title()));
    double free_from = scale.left;
    for (const auto& label : labels_) {
        painter.setPen(theme.faint);
        painter.drawLine(QPointF(label.x, baseline + 2), QPointF(label.x, height));
        const double width = fontMetrics().horizontalAdvance(text(label.text));
        if (label.x - width / 2 < free_from || label.x + width / 2 > scale.right) continue;
        painter.setPen(theme.ink);
        painter.drawText(QPointF(label.x - width / 2, baseline), text(label.text));
        free_from = label.x + width / 2 + 12;
    }
    painter.setPen(theme.grid);
    painter.drawLine(0, height - 1, viewport()->width(), height - 1);
}

void TrackView::paint_lines(QPainter& painter, const std::vector<Line>& lines, const QRect& area) const {
    const report::TimeScale scale = this->scale();
    painter.setClipRect(area);
    const bool scrolls = &lines == &lines_;
    const int top = scrolls ? verticalScrollBar()->value() : 0;
    auto line = std::ranges::upper_bound(lines, top, {}, &Line::top);
    if (line != lines.begin()) --line;
    for (; line != lines.end() && line->top < top + area.height(); ++line) paint_line(painter, *line, scale, area);
}

void TrackView::paint_line(
    QPainter& painter, const Line& line, const report::TimeScale& scale, const QRect& area) const {
    const Theme theme = Theme::current();
    const int top = top_of(line), height = line_height();
    painter.setPen(theme.grid);
    for (const auto& label : labels_)
        if (line.row != nullptr) painter.drawLine(QPointF(label.x, top), QPointF(label.x, top + height));
    if (line.row == nullptr || line.pinned) painter.fillRect(0, top, viewport()->width(), height, theme.band);
    if (navigator_.place().node == line.node) {
        painter.fillRect(0, top, 3, height, theme.highlight);
        if (line.row == nullptr) {
            QColor wash = theme.highlight;
            wash.setAlpha(40);
            painter.fillRect(0, top, viewport()->width(), height, wash);
        }
    }
    if (line.row == nullptr) {
        paint_name(painter, line);
        return;
    }
    if (line.first) paint_lane_name(painter, line);
    paint_slices(painter, line, scale, area);
}

void TrackView::paint_name(QPainter& painter, const Line& line) const {
    const Theme theme = Theme::current();
    const report::Node& node = recording_->overview.nodes[line.node];
    const int top = top_of(line), left = 8 + line.depth * indent;
    const QRectF name(left, top, names_width() - 4 - left, line_height());
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.ink);
    const QString arrow = is_collapsed(line.node) ? "▸ " : "▾ ";
    painter.drawText(
        name, Qt::AlignVCenter | Qt::AlignLeft,
        QFontMetrics(bold).elidedText(arrow + text(node.name), Qt::ElideMiddle, static_cast<int>(name.width())));
    painter.setFont(font());
    painter.setPen(node.troubled ? theme.readable(report::palette::vermilion) : theme.faint);
    const std::string about = node.outcome.empty() ? node.about : node.about + "   " + node.outcome;
    const QRectF place(names_width() + 4, top, viewport()->width() - names_width() - 8, line_height());
    painter.drawText(
        place, Qt::AlignVCenter | Qt::AlignLeft,
        fontMetrics().elidedText(text(about), Qt::ElideRight, static_cast<int>(place.width())));
}

void TrackView::paint_lane_name(QPainter& painter, const Line& line) const {
    const Theme theme = Theme::current();
    const int left = 8 + line.depth * indent;
    const QRectF pin = pin_of(line), name(left, top_of(line), pin.left() - 6 - left, line_height());
    std::string words = line.row->lane().name;
    if (line.pinned) words = recording_->overview.nodes[line.node].name + "  " + words;
    painter.setPen(theme.faint);
    painter.drawText(
        name, Qt::AlignVCenter | Qt::AlignLeft,
        fontMetrics().elidedText(text(words), Qt::ElideRight, static_cast<int>(name.width())));
    const bool is_near = underMouse() && now_.x() < names_width() && now_.y() >= name.top() && now_.y() < name.bottom();
    if (!line.pinned && !is_pinned(line.track) && !is_near) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.faint, 1.2));
    painter.setBrush(is_pinned(line.track) ? QBrush(theme.faint) : QBrush());
    painter.drawEllipse(pin);
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Where an end of an arrow is, if its lane is unfolded.
std::optional<QPointF> TrackView::point_of(std::size_t node, const report::Arrow::End& end) const {
    const Line* found = nullptr;
    for (const Line& line : lines_) {
        if (line.node != node || line.row == nullptr || line.row->lane().name != end.lane) continue;
        const std::size_t slice = line.row->slice_at(end.time, 0);
        const bool is_there = slice != SIZE_MAX && line.row->lane().slices[slice].frame == end.frame;
        if (found == nullptr || is_there) found = &line;
        if (is_there) break;
    }
    if (found == nullptr) return std::nullopt;
    return QPointF(scale().x(end.time), top_of(*found) + line_height() / 2.0);
}

void TrackView::paint_arrows(QPainter& painter, const report::TimeScale& scale) const {
    constexpr double head = 7, half = 4;
    if (!navigator_.place().node) return;
    const Theme theme = Theme::current();
    const auto is_in_view = [&](const report::Arrow::End& end) {
        return end.time >= scale.begin && end.time <= scale.end;
    };
    painter.setRenderHint(QPainter::Antialiasing);
    for (const report::Arrow& arrow : arrows_) {
        if (!is_in_view(arrow.from) && !is_in_view(arrow.to)) continue;
        const auto from = point_of(*navigator_.place().node, arrow.from);
        const auto to = point_of(*navigator_.place().node, arrow.to);
        if (!from || !to) continue;
        const double reach = std::clamp((to->x() - from->x()) / 2, 12.0, 60.0);
        const QPointF base(to->x() - head, to->y());
        QPainterPath path(*from);
        path.cubicTo(*from + QPointF(reach, 0), base - QPointF(reach, 0), base);
        painter.setPen(QPen(theme.ink, 1.4));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.ink);
        painter.drawPolygon(QPolygonF({*to, base + QPointF(0, half), base - QPointF(0, half)}));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// What fits; texts are laid out once, however often they are painted.
void TrackView::paint_words(QPainter& painter, const Slice& slice, const QRectF& area) const {
    constexpr int most_texts = 10'000;
    const auto fits = [&](const std::string& words) -> const QStaticText* {
        if (texts_.size() > most_texts) texts_.clear();
        auto place = texts_.find(words);
        if (place == texts_.end()) {
            place = texts_.try_emplace(words, text(words)).first;
            place->second.prepare(QTransform(), font());
        }
        return place->second.size().width() <= area.width() - 8 ? &place->second : nullptr;
    };
    const std::string& label = recording_->overview.labels[slice.label];
    const QStaticText* words = nullptr;
    if (slice.octets != 0) words = fits(label + " " + report::grouped(slice.octets) + " B");
    if (words == nullptr) words = fits(label);
    if (words == nullptr) return;
    painter.drawStaticText(QPointF(area.left() + 4, area.center().y() - words->size().height() / 2), *words);
}

void TrackView::paint_slices(
    QPainter& painter, const Line& line, const report::TimeScale& scale, const QRect& area_of_lines) const {
    const double top = top_of(line);
    const Theme theme = Theme::current();
    const Stretch& stretch = navigator_.stretch();
    const double height = line_height() - gap;
    const auto& slices = line.row->lane().slices;
    painter.setClipRect(area_of_lines & QRect(names_width(), 0, viewport()->width(), viewport()->height()));
    line.row->visit(stretch.begin, stretch.end, per_pixel() * 2, [&](const Piece& piece) {
        const double left = scale.x(piece.begin), right = std::max(scale.x(piece.end), left + least_width);
        const QRectF area(left, top + 1, right - left, height);
        QColor colour = Theme::fill(colour_of(piece.activity));
        const Slice& slice = slices[piece.slice];
        if (piece.count == 1 && !slice.ended) colour.setAlpha(130);
        painter.fillRect(area, colour);
        if (piece.count != 1) return;
        const bool is_chosen = navigator_.place().node == line.node && navigator_.place().frame == slice.frame &&
                               navigator_.place().time == slice.begin;
        if (is_chosen) {
            painter.setPen(QPen(theme.ink, 2));
            painter.drawRect(area.adjusted(0, 0, 0, -1));
        }
        constexpr double readable_width = 40;
        if (area.width() < readable_width) return;
        painter.setPen(colour.lightness() > 110 ? QColor(20, 20, 20) : QColor(Qt::white));
        paint_words(painter, slice, area);
    });
    painter.setClipRect(area_of_lines);
}

void TrackView::paint_cursor(QPainter& painter, const report::TimeScale& scale) const {
    const auto& time = navigator_.place().time;
    if (!time || *time < scale.begin || *time > scale.end) return;
    const Theme theme = Theme::current();
    const double x = scale.x(*time);
    painter.setPen(QPen(theme.readable(report::palette::purple), 1));
    painter.drawLine(QPointF(x, 0), QPointF(x, viewport()->height()));
    // How long after, or before, something is that the mouse points at.
    if (now_.x() < names_width() || !underMouse()) return;
    const Time distance = time_at(now_.x()) - *time;
    const double y = ruler_height() - 3;
    painter.drawLine(QPointF(x, y), QPointF(now_.x(), y));
    painter.drawLine(QPointF(now_.x(), y - 3), QPointF(now_.x(), y + 3));
    const QString words = (distance < 0 ? "-" : "+") + text(report::duration_text(std::abs(distance), true));
    painter.drawText(QRectF(8, 1, names_width() - 16, fontMetrics().height()), Qt::AlignLeft, words);
}

void TrackView::paint_box(QPainter& painter) const {
    if (!has_box_) return;
    const report::TimeScale scale = this->scale();
    const Theme theme = Theme::current();
    const double left = scale.x(box_stretch_.begin), right = scale.x(box_stretch_.end);
    const double offset = box_offset();
    QColor wash = theme.highlight;
    wash.setAlpha(50);
    painter.setPen(theme.highlight);
    painter.setBrush(wash);
    painter.drawRect(QRectF(QPointF(left, box_top_ + offset), QPointF(right, box_bottom_ + offset)));
    painter.setBrush(Qt::NoBrush);
    const QString words = text(report::duration_text(box_stretch_.length(), true));
    const double width = fontMetrics().horizontalAdvance(words) + 12;
    const QRectF label(
        (left + right - width) / 2, ruler_height() - fontMetrics().height() - 4, width, fontMetrics().height() + 2);
    painter.fillRect(label, theme.highlight);
    painter.setPen(QGuiApplication::palette().color(QPalette::HighlightedText));
    painter.drawText(label, Qt::AlignCenter, words);
}

// ---- mouse and keys ------------------------------------------------------------------------------

void TrackView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    set_scroll_range();
}

void TrackView::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const bool scrolls = event->position().x() < names_width() || (event->modifiers() & Qt::ShiftModifier) != 0;
    if (scrolls) {
        const int by = delta.y() != 0 ? delta.y() : delta.x();
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by * 3 * line_height() / 120);
    } else if (delta.y() != 0) {
        navigator_.zoom(std::pow(closer, delta.y() / 120.0), time_at(event->position().x()));
    } else {
        navigator_.pan(-pan_step * delta.x() / 120.0);
    }
    event->accept();
}

void TrackView::mousePressEvent(QMouseEvent* event) {
    press_ = now_ = event->position();
    pressed_stretch_ = navigator_.stretch();
    const bool pans = event->button() != Qt::LeftButton || (event->modifiers() & Qt::ShiftModifier) != 0;
    drag_ = pans ? Drag::pan : Drag::pressed;
}

void TrackView::mouseMoveEvent(QMouseEvent* event) {
    now_ = event->position();
    if (drag_ == Drag::pan) {
        const Time by = static_cast<Time>((press_.x() - now_.x()) * static_cast<double>(per_pixel()));
        navigator_.show({pressed_stretch_.begin + by, pressed_stretch_.end + by});
    } else if (drag_ == Drag::pressed && press_.x() >= names_width() && (now_ - press_).manhattanLength() > 6) {
        drag_ = Drag::box;
    }
    viewport()->update();
    if (drag_ != Drag::box) return;
    const Time from = time_at(press_.x()), to = time_at(now_.x());
    box_stretch_ = {std::min(from, to), std::max(from, to)};
    box_is_pinned_ = press_.y() < content_top();
    const double lowest = box_is_pinned_ ? pinned_height_ : std::numeric_limits<double>::max();
    box_top_ = std::clamp(std::min(press_.y(), now_.y()) - box_offset(), 0.0, lowest);
    box_bottom_ = std::clamp(std::max(press_.y(), now_.y()) - box_offset(), box_top_, lowest);
    has_box_ = true;
}

void TrackView::mouseReleaseEvent(QMouseEvent* event) {
    if (drag_ == Drag::box) finish_box();
    else if (drag_ == Drag::pressed) select(event->position());
    drag_ = Drag::none;
}

void TrackView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Hit hit = hit_at(event->position());
    if (hit.slice == nullptr) return;
    const Time margin = std::max<Time>(hit.slice->duration() / 2, 1000);
    navigator_.show({hit.slice->begin - margin, hit.slice->end + margin});
}

double TrackView::box_offset() const {
    return box_is_pinned_ ? ruler_height() : content_top() - verticalScrollBar()->value();
}

void TrackView::finish_box() {
    std::vector<const Lane*> lanes;
    for (const Line& line : box_is_pinned_ ? pinned_lines_ : lines_) {
        const bool inside = line.top + line_height() > box_top_ && line.top < box_bottom_;
        if (!inside || line.row == nullptr) continue;
        if (lanes.empty() || lanes.back() != &line.row->lane()) lanes.push_back(&line.row->lane());
    }
    if (on_box) on_box(box_stretch_, lanes);
}

void TrackView::select(QPointF at) {
    if (has_box_ && on_box) on_box({}, {});
    has_box_ = false;
    viewport()->update();
    const Hit hit = hit_at(at);
    if (hit.line != nullptr && hit.line->row != nullptr && pin_of(*hit.line).adjusted(-4, -4, 4, 4).contains(at)) {
        toggle_pin(hit.line->track);
        return;
    }
    if (hit.line != nullptr && hit.line->row == nullptr && at.x() < names_width()) {
        const std::size_t node = hit.line->node;
        collapsed_[node] = !collapsed_[node];
        lay_out();
        navigator_.go(
            {.node = node,
             .session = recording_->overview.nodes[node].name,
             .frame = {},
             .time = navigator_.place().time});
        return;
    }
    Place place = navigator_.place();
    if (at.x() >= names_width()) place.time = time_at(at.x());
    if (hit.line != nullptr) {
        place.node = hit.line->node;
        place.session = name_of(hit);
    }
    if (hit.slice != nullptr) {
        place.time = hit.slice->begin;
        place.frame = hit.slice->frame;
    }
    navigator_.go(std::move(place));
}

void TrackView::keyPressEvent(QKeyEvent* event) {
    const Time middle = (navigator_.stretch().begin + navigator_.stretch().end) / 2;
    const Time around = navigator_.place().time.value_or(middle);
    switch (event->key()) {
        case Qt::Key_W: navigator_.zoom(closer, around); break;
        case Qt::Key_S: navigator_.zoom(further, around); break;
        case Qt::Key_A: navigator_.pan(-pan_step); break;
        case Qt::Key_D: navigator_.pan(pan_step); break;
        case Qt::Key_0: navigator_.show(navigator_.whole()); break;
        case Qt::Key_P:
            if (const Hit hit = hit_at(now_); hit.line != nullptr && hit.line->row != nullptr)
                toggle_pin(hit.line->track);
            break;
        case Qt::Key_BracketLeft: follow_arrow(false); break;
        case Qt::Key_BracketRight: follow_arrow(true); break;
        case Qt::Key_F:
            if (has_box_) navigator_.show(box_stretch_);
            break;
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void TrackView::follow_arrow(bool forward) {
    Place place = navigator_.place();
    for (const report::Arrow& arrow : arrows_) {
        const report::Arrow::End& here = forward ? arrow.from : arrow.to;
        const report::Arrow::End& there = forward ? arrow.to : arrow.from;
        if (place.frame != here.frame) continue;
        place.frame = there.frame;
        place.time = there.time;
        navigator_.go(place);
        navigator_.reveal(there.time);
        return;
    }
}

bool TrackView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = recording_ ? hit_at(help->pos()) : Hit{};
    if (hit.slice != nullptr) QToolTip::showText(help->globalPos(), text(words_for(hit)), viewport());
    else QToolTip::hideText();
    return true;
}

/// The branch is unfolded and scrolled to.
void TrackView::follow_place() {
    viewport()->update();
    const Place& place = navigator_.place();
    arrows_.clear();
    if (!recording_ || !place.node || lines_.empty()) return;
    if (place.frame) arrows_ = recording_->arrows(recording_->overview.nodes[*place.node].name, *place.frame);
    bool unfolds = false;
    for (std::size_t above = recording_->overview.nodes[*place.node].parent; above != report::Node::none;
         above = recording_->overview.nodes[above].parent) {
        unfolds |= collapsed_[above];
        collapsed_[above] = false;
    }
    if (unfolds) lay_out();
    const auto line = std::ranges::find(lines_, *place.node, &Line::node);
    if (line == lines_.end()) return;
    const int page = viewport()->height() - content_top(), top = verticalScrollBar()->value();
    const auto lanes = std::ranges::count(lines_, *place.node, &Line::node);
    const int bottom = line->top + static_cast<int>(lanes) * line_height();
    if (line->top < top || bottom > top + page)
        verticalScrollBar()->setValue(std::max(0, std::min(line->top - line_height(), line->top - page / 4)));
}

}  // namespace fabricscope::viewer
