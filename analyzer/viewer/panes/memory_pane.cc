// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/memory_pane.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

using report::Access;
using report::Memory;

constexpr auto written_colour = report::palette::blue, read_colour = report::palette::orange;
constexpr double least = 2;  // pixels of an access, so that it can be seen

std::vector<Memory> memories_named(const Recording& recording, const std::string& name) {
    const engine::Engine& engine = *recording.reading.engine;
    const auto session = report::session_named(engine, name);
    if (!session || session->kind->memories == nullptr) return {};
    std::vector<Memory> memories = session->kind->memories(engine, session->index);
    std::erase_if(memories, [](const Memory& memory) { return memory.accesses.empty(); });
    return memories;
}

std::string words_for(const Access& access, const Recording& recording) {
    return fmt::format(
        "{} {} at 0x{:x}\n{} s, frame {}", access.writes ? "wrote" : "read", report::counted(access.octets, "byte"),
        access.address, report::seconds_text(access.begin - recording.start()), access.frame);
}

}  // namespace

std::vector<Memory> memories_of(const Recording& recording, const Place& place) {
    if (!recording.reading.engine) return {};
    if (auto memories = memories_named(recording, place.session); !memories.empty()) return memories;
    if (!place.node) return {};
    return memories_named(recording, recording.overview.nodes[*place.node].name);
}

MemoryPicture::MemoryPicture(Navigator& navigator) : navigator_(navigator) {
    setObjectName("memoryPicture");
    connect(&navigator, &Navigator::stretched, this, [this] { update(); });
    connect(&navigator, &Navigator::placed, this, [this] { update(); });
}

void MemoryPicture::show(const Recording* recording, const Memory* memory) {
    recording_ = recording;
    memory_ = memory;
    low_ = 0;
    high_ = 1;
    if (memory != nullptr) {
        low_ = memory->size ? 0 : UINT64_MAX;
        high_ = memory->size.value_or(0);
        for (const Access& access : memory->accesses) {
            low_ = std::min(low_, access.address);
            high_ = std::max(high_, access.address + access.octets);
        }
    }
    update();
}

double MemoryPicture::x_of(Time time) const {
    const Stretch& stretch = navigator_.stretch();
    const double share = static_cast<double>(time - stretch.begin) / static_cast<double>(stretch.length());
    return margin() + share * (width() - margin());
}

double MemoryPicture::y_of(std::uint64_t address) const {
    const double share = static_cast<double>(address - low_) /
                         static_cast<double>(std::max<std::uint64_t>(high_ - low_, 1));
    const double top = fontMetrics().height() + 6;
    return top + share * (height() - top - 6);
}

void MemoryPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme theme = Theme::current();
    painter.fillRect(rect(), theme.paper);
    if (memory_ == nullptr) return;
    painter.setPen(theme.faint);
    painter.drawText(QPointF(margin(), fontMetrics().ascent() + 2), QString("addresses over time"));
    double x = margin() + fontMetrics().horizontalAdvance("addresses over time") + 24;
    for (const auto& [name, colour] : {std::pair{"written", written_colour}, {"read", read_colour}}) {
        painter.fillRect(QRectF(x, 5, 10, 10), Theme::fill(colour));
        painter.drawText(QPointF(x + 15, fontMetrics().ascent() + 2), name);
        x += 15 + fontMetrics().horizontalAdvance(name) + 16;
    }
    constexpr int lines = 4;
    for (int i = 0; i <= lines; ++i) {
        const std::uint64_t address = low_ + (high_ - low_) / lines * static_cast<unsigned>(i);
        const double y = y_of(address);
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(margin(), y), QPointF(width(), y));
        painter.setPen(theme.faint);
        painter.drawText(
            QRectF(0, std::min(y - 10, height() - 20.0), margin() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
            text(fmt::format("0x{:x}", address)));
    }
    painter.setClipRect(QRectF(margin(), 0, width() - margin(), height()));
    for (const Access& access : memory_->accesses) {
        const double left = x_of(access.begin), right = std::max(x_of(access.end), left + least);
        if (right < margin() || left > width()) continue;
        QColor colour = Theme::fill(access.writes ? written_colour : read_colour);
        colour.setAlpha(navigator_.place().frame == access.frame ? 255 : 170);
        const double top = y_of(access.address);
        painter.fillRect(
            QRectF(left, top, right - left, std::max(y_of(access.address + access.octets) - top, least)), colour);
    }
    if (const auto& time = navigator_.place().time) {
        painter.setPen(theme.readable(report::palette::purple));
        painter.drawLine(QPointF(x_of(*time), 0), QPointF(x_of(*time), height()));
    }
}

const Access* MemoryPicture::access_at(QPointF at) const {
    constexpr double reach = 3;
    if (memory_ == nullptr) return nullptr;
    const Access* found = nullptr;
    for (const Access& access : memory_->accesses) {
        const QRectF area(
            QPointF(x_of(access.begin), y_of(access.address)),
            QPointF(x_of(access.end), y_of(access.address + access.octets)));
        if (area.adjusted(-reach, -reach, reach, reach).contains(at)) found = &access;
    }
    return found;
}

void MemoryPicture::mousePressEvent(QMouseEvent* event) {
    const Access* access = access_at(event->position());
    if (access == nullptr) return;
    Place place = navigator_.place();
    place.time = access->begin;
    place.frame = access->frame;
    navigator_.go(std::move(place));
}

bool MemoryPicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const Access* access = access_at(help->pos()))
        QToolTip::showText(help->globalPos(), text(words_for(*access, *recording_)), this);
    else QToolTip::hideText();
    return true;
}

MemoryPane::MemoryPane(Navigator& navigator)
    : navigator_(navigator), choice_(new QComboBox), picture_(new MemoryPicture(navigator)) {
    setObjectName("memory");
    choice_->setObjectName("memoryChoice");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(choice_);
    layout->addWidget(picture_, 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this](int index) {
        picture_->show(recording_.get(), index >= 0 ? &memories_[static_cast<std::size_t>(index)] : nullptr);
    });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void MemoryPane::show(std::shared_ptr<const Recording> recording) {
    picture_->show(nullptr, nullptr);
    recording_ = std::move(recording);
    shown_ = "-";
    follow_place();
}

void MemoryPane::write_rows(const WriteRow& write) const {
    write({"memory", "access", "begin", "end", "address", "bytes", "frame"});
    for (const Memory& memory : memories_)
        for (const Access& access : memory.accesses)
            write(
                {memory.title, access.writes ? "write" : "read",
                 report::seconds_text(access.begin - recording_->start()),
                 report::seconds_text(access.end - recording_->start()), fmt::format("0x{:x}", access.address),
                 std::to_string(access.octets), std::to_string(access.frame)});
}

void MemoryPane::follow_place() {
    if (!recording_ || navigator_.place().session == shown_) return;
    shown_ = navigator_.place().session;
    picture_->show(nullptr, nullptr);
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    memories_ = memories_of(*recording_, navigator_.place());
    for (const Memory& memory : memories_) choice_->addItem(text(memory.title));
    choice_->setEnabled(!memories_.empty());
    if (memories_.empty()) {
        choice_->addItem(
            shown_.empty() ? QString("Select a session to see its memory.")
                           : text("What " + shown_ + " wrote and read is not known by address."));
        return;
    }
    picture_->show(recording_.get(), &memories_.front());
}

}  // namespace fabricscope::viewer
