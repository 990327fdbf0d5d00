// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/memory_pane.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSplitter>
#include <QTextEdit>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <bit>
#include <map>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/hex_page.h"
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

/// Those below can be seen through it.
QColor fill_of(bool writes) {
    QColor colour = Theme::fill(writes ? written_colour : read_colour);
    colour.setAlpha(170);
    return colour;
}

std::string words_for(const Access& access, const Recording& recording) {
    return fmt::format(
        "{}{} {} at 0x{:x}\n{} s, frame {}", access.by.empty() ? "" : access.by + " ", access.writes ? "wrote" : "read",
        report::counted(access.octets, "byte"), access.address, report::seconds_text(access.begin - recording.start()),
        access.frame);
}

}  // namespace

std::vector<Memory> memories_of(const Recording& recording, const Place& place) {
    if (!recording.reading.engine) return {};
    if (auto memories = memories_named(recording, place.session); !memories.empty()) return memories;
    if (!place.node) return {};
    return memories_named(recording, recording.overview.nodes[*place.node].name);
}

MemoryState state_at(const Memory& memory, Time time) {
    MemoryState state;
    std::map<std::uint64_t, std::uint64_t> unread;  // where they end, by where they begin
    // Takes the octets out, and tells how many there were.
    const auto take = [&unread](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t taken = 0;
        auto range = unread.upper_bound(begin);
        if (range != unread.begin()) --range;
        while (range != unread.end() && range->first < end) {
            const auto [from, to] = *range;
            if (to <= begin) {
                ++range;
                continue;
            }
            range = unread.erase(range);
            taken += std::min(to, end) - std::max(from, begin);
            if (from < begin) unread[from] = begin;
            if (to > end) unread[end] = to;
        }
        return taken;
    };
    for (const Access& access : memory.accesses) {
        if (access.begin > time) continue;
        const std::uint64_t end = access.address + access.octets;
        const std::uint64_t taken = take(access.address, end);
        if (!access.writes) continue;
        state.written += access.octets;
        state.overwritten += taken;
        unread[access.address] = end;
    }
    for (const auto& [begin, end] : unread) state.not_read += end - begin;
    return state;
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

void MemoryPicture::tell(const QString& words) {
    show(nullptr, nullptr);
    words_ = words;
}

double MemoryPicture::margin() const {
    return fontMetrics().horizontalAdvance(text(fmt::format("0x{:x}", high_))) + 14;
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
    return top + share * (bottom() - top - 4);
}

double MemoryPicture::bottom() const { return height() - fontMetrics().height() - 2; }

/// What colours mean, which matters more, comes first.
void MemoryPicture::paint_heading(QPainter& painter) const {
    const double baseline = fontMetrics().ascent() + 2;
    double x = margin();
    struct Entry {
        const char* name;
        bool is_read, is_written;
    };
    for (const auto& [name, is_read, is_written] :
         {Entry{"written", false, true}, {"read", true, false}, {"both", true, true}}) {
        const QRectF box(x, 5, 10, 10);
        if (is_read) painter.fillRect(box, fill_of(false));
        if (is_written) painter.fillRect(box, fill_of(true));
        painter.drawText(QPointF(x + 15, baseline), name);
        x += 15 + fontMetrics().horizontalAdvance(name) + 16;
    }
    const int room = std::max(width() - static_cast<int>(x) - 4, 0);
    painter.drawText(QPointF(x, baseline), fontMetrics().elidedText("addresses over time", Qt::ElideRight, room));
}

/// At addresses that are round as people read them.
void MemoryPicture::paint_addresses(QPainter& painter) const {
    const Theme theme = Theme::current();
    constexpr std::uint64_t most_lines = 5;
    const std::uint64_t step = std::bit_ceil(std::max<std::uint64_t>((high_ - low_) / most_lines, 1));
    const std::uint64_t first = low_ % step == 0 ? low_ : low_ - low_ % step + step;
    for (std::uint64_t address = first; address >= first && address <= high_; address += step) {
        const double y = y_of(address);
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(margin(), y), QPointF(width(), y));
        painter.setPen(theme.faint);
        painter.drawText(
            QRectF(0, std::min(y - 10, bottom() - 16), margin() - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
            text(fmt::format("0x{:x}", address)));
    }
}

void MemoryPicture::paint_times(QPainter& painter, const report::TimeScale& scale) const {
    const Theme theme = Theme::current();
    const double baseline = height() - fontMetrics().descent() - 2;
    const QString unit = text(scale.title()).section(", ", -1);
    painter.drawText(QPointF(margin() - 8 - fontMetrics().horizontalAdvance(unit), baseline), unit);
    double free_from = scale.left;
    for (const auto& label : scale.labels()) {
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(label.x, y_of(low_)), QPointF(label.x, bottom()));
        const QString words = text(label.text);
        const double half = fontMetrics().horizontalAdvance(words) / 2.0;
        if (label.x - half < free_from || label.x + half > scale.right) continue;
        painter.setPen(theme.faint);
        painter.drawText(QPointF(label.x - half, baseline), words);
        free_from = label.x + half + 12;
    }
}

void MemoryPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme theme = Theme::current();
    painter.fillRect(rect(), theme.paper);
    painter.setPen(theme.faint);
    if (memory_ == nullptr) {
        painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, words_);
        return;
    }
    const report::TimeScale scale{
        .start = recording_->start(),
        .begin = navigator_.stretch().begin,
        .end = navigator_.stretch().end,
        .left = margin(),
        .right = static_cast<double>(width())};
    paint_heading(painter);
    paint_addresses(painter);
    paint_times(painter, scale);
    painter.setClipRect(QRectF(margin(), 0, width() - margin(), bottom()));
    // What was read below what was written, so that both together have one colour.
    for (const bool writes : {false, true})
        for (const Access& access : memory_->accesses)
            if (access.writes == writes) painter.fillRect(area_of(access), fill_of(writes));
    painter.setPen(QPen(theme.ink, 1.5));
    for (const Access& access : memory_->accesses)
        if (navigator_.place().frame == access.frame) painter.drawRect(area_of(access));
    if (const auto& time = navigator_.place().time) {
        painter.setPen(theme.readable(report::palette::purple));
        painter.drawLine(QPointF(x_of(*time), 0), QPointF(x_of(*time), height()));
    }
}

QRectF MemoryPicture::area_of(const Access& access) const {
    const double left = x_of(access.begin), right = std::max(x_of(access.end), left + least);
    const double top = y_of(access.address), bottom = std::max(y_of(access.address + access.octets), top + least);
    return {QPointF(left, top), QPointF(right, bottom)};
}

const Access* MemoryPicture::access_at(QPointF at) const {
    constexpr double reach = 3;
    if (memory_ == nullptr) return nullptr;
    const Access* found = nullptr;
    for (const Access& access : memory_->accesses) {
        if (area_of(access).adjusted(-reach, -reach, reach, reach).contains(at)) found = &access;
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

MemoryPane::MemoryPane(Navigator& navigator, Details& details)
    : navigator_(navigator),
      details_(details),
      choice_(new QComboBox),
      picture_(new MemoryPicture(navigator)),
      state_(new QLabel),
      octets_(new QTextEdit),
      halves_(new QSplitter) {
    setObjectName("memory");
    choice_->setObjectName("memoryChoice");
    state_->setObjectName("memoryState");
    state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    octets_->setObjectName("memoryOctets");
    octets_->setReadOnly(true);
    octets_->setLineWrapMode(QTextEdit::NoWrap);
    octets_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    halves_->addWidget(picture_);
    halves_->addWidget(octets_);
    halves_->setSizes({1000, 1000});
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* line = new QHBoxLayout;
    line->addWidget(choice_);
    line->addWidget(state_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addLayout(line);
    layout->addWidget(halves_, 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this](int index) { choose(index); });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
    connect(&details, &Details::arrived, this, [this](const QString& session) { take_detail(session.toStdString()); });
}

void MemoryPane::show(std::shared_ptr<const Recording> recording) {
    picture_->show(nullptr, nullptr);
    chosen_ = -1;
    memories_.clear();
    recording_ = std::move(recording);
    shown_ = "-";
    follow_place();
}

void MemoryPane::write_rows(const WriteRow& write) const {
    write({"memory", "by", "access", "begin", "end", "address", "bytes", "frame"});
    for (const Memory& memory : memories_)
        for (const Access& access : memory.accesses)
            write(
                {memory.title, access.by, access.writes ? "write" : "read",
                 report::seconds_text(access.begin - recording_->start()),
                 report::seconds_text(access.end - recording_->start()), fmt::format("0x{:x}", access.address),
                 std::to_string(access.octets), std::to_string(access.frame)});
}

/// The selected one, or the branch that it lies in.
std::string MemoryPane::session_with_memory() const {
    const Place& place = navigator_.place();
    const auto kind = report::kind_of(place.session);
    const bool has_own = kind && (kind->kind->memories != nullptr || kind->kind->number_filter != nullptr);
    if (has_own || !place.node) return place.session;
    const std::string& name = recording_->overview.nodes[*place.node].name;
    return report::kind_of(name) ? name : place.session;
}

void MemoryPane::follow_place() {
    if (!recording_) return;
    const std::string session = session_with_memory();
    if (!visibleRegion().isEmpty()) details_.want(session);
    if (session != shown_) {
        shown_ = session;
        offer(memories_of(*recording_, navigator_.place()));
    }
    show_octets();
}

void MemoryPane::offer(const std::vector<Memory>& memories) {
    picture_->show(nullptr, nullptr);
    const QSignalBlocker quiet(choice_);
    choice_->clear();
    memories_ = memories;
    for (const Memory& memory : memories_) choice_->addItem(text(memory.title));
    choice_->setVisible(!memories_.empty());
    if (memories_.empty())
        picture_->tell(
            shown_.empty() ? QString("Select a session to see its memory.")
                           : text("The capture does not tell at which addresses " + shown_ + " wrote and read."));
    choose(memories_.empty() ? -1 : 0);
}

/// Queue pairs tell of their memory in single packets only.
void MemoryPane::take_detail(const std::string& session) {
    const report::Detail* detail = details_.find(session);
    if (session != shown_ || detail == nullptr) return;
    if (memories_.empty() && !detail->memories.empty()) {
        std::vector<Memory> memories;
        for (const std::string& title : detail->memories) memories.push_back(accesses_of(*detail, title));
        offer(memories);
    }
    show_octets();
}

void MemoryPane::choose(int index) {
    chosen_ = index;
    if (index >= 0) picture_->show(recording_.get(), &memories_[static_cast<std::size_t>(index)]);
    show_octets();
}

void MemoryPane::show_octets() {
    const report::Detail* detail = details_.find(shown_);
    const bool is_there = chosen_ >= 0;
    octets_->setVisible(is_there && detail != nullptr && !detail->moved.empty());
    state_->clear();
    if (!is_there) return;
    const Memory& memory = memories_[static_cast<std::size_t>(chosen_)];
    const Time time = navigator_.place().time.value_or(recording_->end());
    const MemoryState state = state_at(memory, time);
    std::string words = fmt::format(
        "at {} s: {} written, {} not read since", report::seconds_text(time - recording_->start()),
        report::counted(state.written, "byte"), report::grouped(state.not_read));
    if (state.overwritten != 0)
        words += fmt::format(", {} written over before they were read", report::grouped(state.overwritten));
    state_->setText(text(words));
    if (!octets_->isVisibleTo(this)) return;
    // What is selected, or what was touched last.
    const Access* access = nullptr;
    for (const Access& each : memory.accesses)
        if (each.begin <= time && (access == nullptr || each.begin >= access->begin)) access = &each;
    for (const Access& each : memory.accesses)
        if (navigator_.place().frame == each.frame) access = &each;
    if (access == nullptr) return octets_->setPlainText("Nothing was written or read until then.");
    constexpr std::uint64_t row = 16, page = 4096;
    const std::uint64_t begin = access->address / row * row;
    const auto count = static_cast<std::size_t>(std::min(page, access->address + access->octets - begin));
    const auto known = report::octets_at(*detail, memory.title, time, begin, count);
    const std::uint64_t frame = access->frame;
    octets_->setHtml(text(hex_page(
        hex_row_size(octets_->viewport()->width(), octets_->fontMetrics().horizontalAdvance('0')), count, begin,
        [&](std::size_t i) {
            const report::KnownOctet& octet = known[i];
            return octet.frame != 0 ? HexOctet{octet.value, octet.frame == frame} : HexOctet{};
        },
        Theme::current().readable(written_colour).name().toStdString())));
}

}  // namespace fabricscope::viewer
