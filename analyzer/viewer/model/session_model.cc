// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/session_model.h"

#include <QColor>
#include <array>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

using report::Node;

struct Cell {
    QString text;
    QVariant key;  ///< to sort by
};

template <class T, class Words> Cell cell(const std::optional<T>& value, const Words& words) {
    if (!value) return {};
    return {text(words(*value)), QVariant::fromValue(static_cast<qlonglong>(*value))};
}

Cell share_cell(const Node& node) {
    if (!node.retransmitted || !node.packets || *node.packets == 0) return {};
    const double share = 100.0 * static_cast<double>(*node.retransmitted) / static_cast<double>(*node.packets);
    return {QString::number(share, 'f', share > 0 && share < 0.1 ? 3 : 1) + " %", share};
}

Cell cell_of(const Node& node, int column, const Recording& recording) {
    const auto duration = [](Time time) { return report::duration_text(time, true); };
    switch (column) {
        case SessionModel::name: return {text(node.name), {}};
        case SessionModel::outcome: return {text(node.outcome), {}};
        case SessionModel::octets: return cell(node.octets, report::grouped);
        case SessionModel::packets: return cell(node.packets, report::grouped);
        case SessionModel::retransmitted: return share_cell(node);
        case SessionModel::worst: return cell(node.worst, duration);
        case SessionModel::first:
            return cell(node.first, [&](Time time) { return report::seconds_text(time - recording.start()); });
        case SessionModel::about: return {text(node.about), {}};
        default: return {};
    }
}

/// Names end with numbers: smcr-9 comes before smcr-10.
QString sortable(const QString& name) {
    const auto digits = name.size() - 1 - name.lastIndexOf('-');
    return name.left(name.size() - digits) + name.right(digits).rightJustified(20, '0');
}

}  // namespace

void SessionModel::show(std::shared_ptr<const Recording> recording) {
    beginResetModel();
    recording_ = std::move(recording);
    const auto& nodes = recording_->overview.nodes;
    roots_.clear();
    children_.assign(nodes.size(), {});
    rows_.assign(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto& siblings = nodes[i].parent == Node::none ? roots_ : children_[nodes[i].parent];
        rows_[i] = static_cast<int>(siblings.size());
        siblings.push_back(i);
    }
    endResetModel();
}

const std::vector<std::size_t>& SessionModel::children_of(const QModelIndex& parent) const {
    return parent.isValid() ? children_[node_at(parent)] : roots_;
}

QModelIndex SessionModel::index_of(std::size_t node) const { return createIndex(rows_[node], 0, node); }

QModelIndex SessionModel::index(int row, int column, const QModelIndex& parent) const {
    const auto& siblings = children_of(parent);
    if (row < 0 || static_cast<std::size_t>(row) >= siblings.size() || column < 0 || column >= column_count) return {};
    return createIndex(row, column, siblings[static_cast<std::size_t>(row)]);
}

QModelIndex SessionModel::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const std::size_t parent = recording_->overview.nodes[node_at(index)].parent;
    return parent != Node::none ? index_of(parent) : QModelIndex();
}

int SessionModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(children_of(parent).size());
}

QVariant SessionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node& node = recording_->overview.nodes[node_at(index)];
    const bool is_number = index.column() >= octets && index.column() <= first;
    if (role == Qt::TextAlignmentRole && is_number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && node.troubled && index.column() == outcome)
        return Theme::current().readable(report::palette::vermilion);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != sort_role) return {};
    const Cell cell = cell_of(node, index.column(), *recording_);
    if (role != sort_role) return cell.text;
    if (index.column() == name) return sortable(cell.text);
    return is_number ? cell.key : QVariant(cell.text);
}

QVariant SessionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    constexpr std::array titles{"Session", "Outcome", "Bytes", "Packets", "Retrans.", "Slowest", "First, s", "Ends"};
    static_assert(titles.size() == column_count);
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section >= octets && section <= first ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(titles[static_cast<std::size_t>(section)]) : QVariant();
}

}  // namespace fabricscope::viewer
