// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/verdict_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QColor>
#include <array>

#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr std::size_t most_frames = 2;

std::string frames_text(const Observation& o) {
    const auto shown = std::min(o.frames.size(), most_frames);
    // The last one is the one to look at first.
    const auto begin = o.frames.end() - static_cast<std::ptrdiff_t>(shown);
    return fmt::format("{}{}", shown < o.frames.size() ? "…, " : "", fmt::join(begin, o.frames.end(), ", "));
}

std::string text_of(const Observation& o, int column) {
    switch (column) {
        case VerdictModel::severity: return name_of(o.severity);
        case VerdictModel::sentence: return o.cause.empty() ? o.text : o.text + "\n" + o.cause;
        case VerdictModel::session: return o.session;
        case VerdictModel::frames: return frames_text(o);
        case VerdictModel::kind: return o.id;
        default: return {};
    }
}

report::Colour colour_of(engine::Severity severity) {
    switch (severity) {
        case engine::Severity::error: return report::palette::vermilion;
        case engine::Severity::warning: return report::palette::orange;
        case engine::Severity::note: return report::palette::blue;
    }
    return report::palette::text;
}

}  // namespace

void VerdictModel::show(std::shared_ptr<const Recording> recording) {
    beginResetModel();
    recording_ = std::move(recording);
    endResetModel();
}

int VerdictModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !recording_ ? 0 : static_cast<int>(recording_->observations().size());
}

QVariant VerdictModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Observation& o = at(index.row());
    if (role == Qt::ForegroundRole && index.column() == severity)
        return Theme::current().readable(colour_of(o.severity));
    if (role == Qt::ToolTipRole) return tool_tip(o.look.empty() ? o.text : o.text + "\n" + o.look);
    return role == Qt::DisplayRole ? QVariant(text(text_of(o, index.column()))) : QVariant();
}

QVariant VerdictModel::headerData(int section, Qt::Orientation orientation, int role) const {
    constexpr std::array titles{"Severity", "What was seen", "Session", "Frames", "Kind"};
    static_assert(titles.size() == column_count);
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(titles[static_cast<std::size_t>(section)]) : QVariant();
}

}  // namespace fabricscope::viewer
