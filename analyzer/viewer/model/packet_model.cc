// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/packet_model.h"

#include <algorithm>
#include <array>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/row_table.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

bool is_number(int column) {
    return column == PacketModel::number || column == PacketModel::time || column == PacketModel::length;
}

bool contains(const std::string& text_, const QString& words) {
    return text(text_).contains(words, Qt::CaseInsensitive);
}

/// Which texts hold the words; looked up for each frame.
std::vector<bool> words_with(const Words& all, const QString& words) {
    std::vector<bool> matches(all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) matches[i] = contains(all[i], words);
    return matches;
}

/// A branch and all below it.
std::vector<bool> branch(const report::Overview& overview, std::size_t top) {
    std::vector<bool> inside(overview.nodes.size());
    inside[top] = true;
    for (std::size_t i = top + 1; i < overview.nodes.size(); ++i)
        inside[i] = overview.nodes[i].parent != report::Node::none && inside[overview.nodes[i].parent];
    return inside;
}

std::vector<bool> branches_with(const report::Overview& overview, const QString& words) {
    std::vector<bool> matches(overview.nodes.size());
    for (std::size_t i = 0; i < matches.size(); ++i) matches[i] = contains(overview.nodes[i].name, words);
    return matches;
}

}  // namespace

void PacketModel::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    filter({}, {});
}

void PacketModel::show_lines(std::shared_ptr<const LineTable> lines) {
    lines_ = std::move(lines);
    if (rowCount({}) != 0) Q_EMIT dataChanged(index(0, summary), index(rowCount({}) - 1, summary));
}

void PacketModel::filter(const QString& words, std::optional<std::size_t> node) {
    if (!recording_) return;
    const FrameTable& frames = recording_->frames;
    if (words.isEmpty() && !node) {
        beginResetModel();
        shows_all_ = true;
        shown_.clear();
        endResetModel();
        return;
    }
    const std::vector<bool> texts = words_with(frames.words, words);
    const std::vector<bool> lines = lines_ ? lines_->with(words.toStdString()) : std::vector<bool>();
    const std::vector<bool> names = branches_with(recording_->overview, words);
    const std::vector<bool> inside = node ? branch(recording_->overview, *node) : std::vector<bool>();
    const std::uint64_t wanted = words.toULongLong();
    beginResetModel();
    shows_all_ = false;
    shown_.clear();
    for (std::uint32_t i = 0; i < frames.rows.size(); ++i) {
        const FrameRow& row = frames.rows[i];
        const bool has_node = row.node != FrameRow::no_node;
        if (node && !(has_node && inside[row.node])) continue;
        if (texts[row.source] || texts[row.destination] || texts[row.summary] || (has_node && names[row.node]) ||
            (row.number < lines.size() && lines[row.number]) || (wanted != 0 && row.number == wanted))
            shown_.push_back(i);
    }
    endResetModel();
}

std::optional<int> PacketModel::row_of(std::uint64_t frame) const {
    if (!recording_) return std::nullopt;
    const std::size_t wanted = recording_->frames.row_of(frame);
    if (shows_all_)
        return wanted < recording_->frames.rows.size() ? std::optional(static_cast<int>(wanted)) : std::nullopt;
    const auto place = std::ranges::lower_bound(shown_, wanted);
    if (place == shown_.end() || *place != wanted) return std::nullopt;
    return static_cast<int>(place - shown_.begin());
}

int PacketModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !recording_) return 0;
    return static_cast<int>(shows_all_ ? recording_->frames.rows.size() : shown_.size());
}

QString PacketModel::text_of(const FrameRow& row, int column) const {
    const FrameTable& frames = recording_->frames;
    switch (column) {
        case number: return QString::number(row.number);
        case time: return text(report::seconds_text(row.time - recording_->start()));
        case source: return text(frames.words[row.source]);
        case destination: return text(frames.words[row.destination]);
        case length: return text(report::grouped(row.octets));
        case session:
            return row.node != FrameRow::no_node ? text(recording_->overview.nodes[row.node].name) : QString();
        case summary: return summary_of(row);
        default: return {};
    }
}

QString PacketModel::summary_of(const FrameRow& row) const {
    if (const std::string line = lines_ ? lines_->line(row.number) : std::string(); !line.empty()) return text(line);
    const QString words = text(recording_->frames.words[row.summary]);
    if (!row.is_numbered) return words;
    return words + (words.startsWith("TCP") ? ", sequence number " : ", PSN ") + QString::number(row.sequence);
}

QVariant PacketModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole) return alignment_of(is_number(index.column()));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const QString words = text_of(at(index.row()), index.column());
    // As a tool tip, what a narrow column has no room for.
    return role == Qt::ToolTipRole ? tool_tip(words.toStdString()) : words;
}

QVariant PacketModel::headerData(int section, Qt::Orientation orientation, int role) const {
    constexpr std::array titles{"Frame", "Time, s", "Source", "Destination", "Bytes", "Session", "Info"};
    static_assert(titles.size() == column_count);
    return title_of(titles[static_cast<std::size_t>(section)], is_number(section), orientation, role);
}

}  // namespace fabricscope::viewer
