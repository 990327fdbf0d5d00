// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/fabric_pane.h"

#include <fmt/format.h>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>
#include <numbers>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr auto healthy_colour = report::palette::green, repeated_colour = report::palette::orange,
               failed_colour = report::palette::vermilion, congested_colour = report::palette::purple,
               down_colour = report::palette::faint;

/// The worst of what holds; a line that is not there has no colour of its own.
report::Colour colour_of(const BundleState& state) {
    if (state.failures != 0) return failed_colour;
    if (state.up == 0) return down_colour;
    if (state.retransmitted != 0) return repeated_colour;
    return state.cnps != 0 ? congested_colour : healthy_colour;
}

}  // namespace

FabricPane::FabricPane(Navigator& navigator) : navigator_(navigator) {
    setObjectName("fabric");
    setMouseTracking(true);
    connect(&navigator, &Navigator::placed, this, [this] { update(); });
}

void FabricPane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    const report::Fabric& fabric = recording_->fabric;
    bundles_ = bundles_of(fabric);
    below_mouse_ = nullptr;
    ports_of_.assign(fabric.hosts.size(), {});
    row_of_.clear();
    for (std::size_t port = 0; port < fabric.ports.size(); ++port) {
        auto& ports = ports_of_[fabric.ports[port].host];
        row_of_.push_back(ports.size());
        ports.push_back(port);
    }
    update();
}

void FabricPane::write_rows(const WriteRow& write) const {
    write(
        {"host", "port", "other host", "other port", "link", "session", "up", "packets", "retransmitted", "failures",
         "cnps"});
    if (!recording_) return;
    const report::Fabric& fabric = recording_->fabric;
    for (const report::FabricLink& link : fabric.links) {
        const report::LinkCondition state = report::condition_of(link, navigator_.place().time);
        std::vector<std::string> cells;
        for (const report::LinkEnd& end : link.ends) {
            cells.push_back(fabric.hosts[fabric.ports[end.port].host]);
            cells.push_back(to_string(fabric.ports[end.port].address));
        }
        for (const std::string& cell :
             {link.name, link.session, std::string(state.is_up ? "yes" : "no"), std::to_string(link.packets),
              std::to_string(state.retransmitted), std::to_string(state.failures), std::to_string(link.cnps)})
            cells.push_back(cell);
        write(cells);
    }
}

// ---- where things are --------------------------------------------------------------------------------

/// Two hosts stand side by side, more on an ellipse.
QRectF FabricPane::box_of(std::size_t host) const {
    const double line = row_height(), width = fontMetrics().averageCharWidth() * 24;
    const double height = line * static_cast<double>(1 + ports_of_[host].size()) + 8;
    const double top = line + 12, room = this->height() - top - line;
    QPointF middle(this->width() / 2.0, top + room / 2);
    const auto count = static_cast<double>(ports_of_.size());
    if (count > 1) {
        // The first one is on the left, the others follow clockwise.
        const double angle = std::numbers::pi * (1 + 2 * static_cast<double>(host) / count);
        const double across = std::max(this->width() / 2.0 - width / 2 - 16, width / 2 + 8);
        middle += QPointF(std::cos(angle) * across, std::sin(angle) * std::max(room / 2 - height / 2 - 8, 0.0));
    }
    return {middle.x() - width / 2, middle.y() - height / 2, width, height};
}

QPointF FabricPane::plug_of(std::size_t port, bool on_the_right) const {
    const QRectF box = box_of(recording_->fabric.ports[port].host);
    const double line = row_height();
    return {on_the_right ? box.right() : box.left(), box.top() + 4 + line * (static_cast<double>(row_of_[port]) + 1.5)};
}

QPainterPath FabricPane::path_of(const Bundle& bundle) const {
    const auto& ports = recording_->fabric.ports;
    const double one = box_of(ports[bundle.ports[0]].host).center().x();
    const double other = box_of(ports[bundle.ports[1]].host).center().x();
    const bool loops = std::abs(one - other) < 1;  // within a host, or above each other
    const QPointF from = plug_of(bundle.ports[0], loops || one < other);
    const QPointF to = plug_of(bundle.ports[1], loops || one > other);
    const double spread = fontMetrics().height() * 2.2 *
                          (static_cast<double>(bundle.place) - static_cast<double>(bundle.of - 1) / 2);
    const double reach = loops ? width() / 6.0 : std::abs(to.x() - from.x()) / 2;
    const auto away = [&](QPointF plug, bool to_the_right) {
        return plug + QPointF(to_the_right ? reach : -reach, spread * 4 / 3);
    };
    QPainterPath path(from);
    path.cubicTo(away(from, loops || one < other), away(to, loops || one > other), to);
    return path;
}

double FabricPane::place_of_label(const Bundle& bundle) const {
    constexpr std::array places{0.5, 0.3, 0.7};
    return places[static_cast<std::size_t>(&bundle - bundles_.data()) % places.size()];
}

QPointF FabricPane::middle_of(std::size_t line) const { return path_of(bundles_[line]).pointAtPercent(0.5); }

const Bundle* FabricPane::bundle_at(QPointF at) const {
    constexpr double reach = 6;
    QPainterPathStroker stroker;
    stroker.setWidth(2 * reach);
    for (const Bundle& bundle : bundles_)
        if (stroker.createStroke(path_of(bundle)).contains(at)) return &bundle;
    return nullptr;
}

bool FabricPane::is_selected(const Bundle& bundle) const {
    const std::string& session = navigator_.place().session;
    return !session.empty() &&
           std::ranges::any_of(bundle.links, [&](const report::FabricLink* link) { return link->session == session; });
}

// ---- painting ----------------------------------------------------------------------------------------

void FabricPane::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::current();
    painter.fillRect(rect(), theme.paper);
    painter.setPen(theme.faint);
    if (!recording_ || bundles_.empty()) {
        painter.drawText(
            rect().adjusted(8, 8, -8, -8), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
            recording_ ? "No link between two ports is known." : "Open a capture to see who is linked to whom.");
        return;
    }
    for (const Bundle& bundle : bundles_) paint_line(painter, bundle);
    for (std::size_t host = 0; host < ports_of_.size(); ++host) paint_host(painter, host);
    for (const Bundle& bundle : bundles_) paint_label(painter, bundle);
    paint_legend(painter);
}

void FabricPane::paint_host(QPainter& painter, std::size_t host) const {
    const Theme theme = Theme::current();
    const QRectF box = box_of(host);
    const double line = row_height();
    painter.setPen(QPen(theme.faint, 1.2));
    painter.setBrush(theme.band);
    painter.drawRoundedRect(box, 6, 6);
    const auto write = [&](const std::string& words, double row) {
        const QRectF place(box.left() + 8, box.top() + 4 + line * row, box.width() - 16, line);
        painter.drawText(
            place, Qt::AlignCenter,
            painter.fontMetrics().elidedText(text(words), Qt::ElideMiddle, static_cast<int>(place.width())));
    };
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.ink);
    write(recording_->fabric.hosts[host], 0);
    painter.setFont(font());
    for (const std::size_t port : ports_of_[host]) {
        const double row = static_cast<double>(row_of_[port]) + 1;
        painter.setPen(theme.grid);
        painter.drawLine(
            QPointF(box.left(), box.top() + 4 + line * row), QPointF(box.right(), box.top() + 4 + line * row));
        painter.setPen(theme.faint);
        write(to_string(recording_->fabric.ports[port].address), row);
    }
}

void FabricPane::paint_line(QPainter& painter, const Bundle& bundle) const {
    const Theme theme = Theme::current();
    const BundleState state = state_of(bundle, navigator_.place().time);
    QPen pen(theme.readable(colour_of(state)), bundle.links.size() > 1 ? 4 : 2.2);
    // What is not there is told without colours, too.
    if (state.up == 0) pen.setStyle(Qt::DashLine);
    pen.setCapStyle(Qt::RoundCap);
    const QPainterPath path = path_of(bundle);
    if (is_selected(bundle) || &bundle == below_mouse_) {
        QColor wash = theme.highlight;
        wash.setAlpha(90);
        painter.strokePath(path, QPen(wash, pen.widthF() + 7, Qt::SolidLine, Qt::RoundCap));
    }
    painter.strokePath(path, pen);
}

void FabricPane::paint_label(QPainter& painter, const Bundle& bundle) const {
    const Theme theme = Theme::current();
    const BundleState state = state_of(bundle, navigator_.place().time);
    std::string words = name_of(bundle);
    if (bundle.links.size() > 1 && state.up != bundle.links.size()) words += fmt::format(", {} up", state.up);
    if (bundle.links.size() == 1 && state.up == 0) words += " down";
    if (state.retransmitted != 0) words += fmt::format(", {} retransmitted", report::grouped(state.retransmitted));
    if (state.failures != 0) words += ", " + report::counted(state.failures, "failure");
    if (state.cnps != 0) words += ", " + report::counted(state.cnps, "CNP");
    const QPointF middle = path_of(bundle).pointAtPercent(place_of_label(bundle));
    const QRectF size = fontMetrics().boundingRect(text(words));
    const QRectF place(
        middle.x() - size.width() / 2 - 5, middle.y() - size.height() / 2 - 1, size.width() + 10, size.height() + 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.paper);
    painter.drawRoundedRect(place, 4, 4);
    painter.setPen(state.up == 0 && state.failures == 0 ? theme.faint : theme.readable(colour_of(state)));
    painter.drawText(place, Qt::AlignCenter, text(words));
}

void FabricPane::paint_legend(QPainter& painter) const {
    const Theme theme = Theme::current();
    const int line = fontMetrics().height();
    const auto& time = navigator_.place().time;
    const QString when = time ? "at " + text(report::seconds_text(*time - recording_->start())) + " s"
                              : QString("at the end of the capture");
    painter.setPen(theme.ink);
    painter.drawText(QPointF(8, fontMetrics().ascent() + 4), when);
    double x = 8 + fontMetrics().horizontalAdvance(when) + 24;
    for (const auto& [name, colour] :
         {std::pair{"healthy", healthy_colour},
          {"packets retransmitted", repeated_colour},
          {"failed", failed_colour},
          {"CNPs", congested_colour},
          {"down", down_colour}}) {
        QPen pen(theme.readable(colour), 3);
        if (std::string_view(name) == "down") pen.setStyle(Qt::DashLine);
        painter.setPen(pen);
        painter.drawLine(QPointF(x, 4 + line / 2.0), QPointF(x + 18, 4 + line / 2.0));
        painter.setPen(theme.faint);
        painter.drawText(QPointF(x + 24, fontMetrics().ascent() + 4), name);
        x += 24 + fontMetrics().horizontalAdvance(name) + 16;
    }
}

// ---- mouse -------------------------------------------------------------------------------------------

void FabricPane::mouseMoveEvent(QMouseEvent* event) {
    const Bundle* below = bundle_at(event->position());
    if (below == below_mouse_) return;
    below_mouse_ = below;
    setCursor(below != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void FabricPane::mousePressEvent(QMouseEvent* event) {
    const Bundle* bundle = bundle_at(event->position());
    if (bundle == nullptr) return;
    const report::FabricLink& link = *bundle->links.front();
    // The time cursor stays: it is what the picture shows.
    Place place{
        .node = recording_->node_of(link.session),
        .session = link.session,
        .frame = {},
        .time = navigator_.place().time};
    if (link.first_frame != 0) place.frame = link.first_frame;
    navigator_.go(std::move(place));
}

std::string FabricPane::words_for(const Bundle& bundle) const {
    constexpr std::size_t most_events = 6;
    std::string words = name_of(bundle) + "\n" + report::counted(state_of(bundle, {}).packets, "packet");
    if (bundle.links.size() > 1) return words;
    const auto& events = bundle.links.front()->events;
    for (std::size_t i = 0; i < std::min(events.size(), most_events); ++i) {
        constexpr std::array names{"up", "down", "retransmitted", "failed"};
        words += fmt::format(
            "\n{} s: {}", report::seconds_text(events[i].time - recording_->start()),
            names[static_cast<std::size_t>(events[i].kind)]);
    }
    if (events.size() > most_events) words += fmt::format("\nand {} more", events.size() - most_events);
    return words;
}

bool FabricPane::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const Bundle* bundle = recording_ ? bundle_at(help->pos()) : nullptr)
        QToolTip::showText(help->globalPos(), text(words_for(*bundle)), this);
    else QToolTip::hideText();
    return true;
}

}  // namespace fabricscope::viewer
