// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/session_model.h"

#include <QColor>
#include <algorithm>
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

Cell cell_of(const report::Slice& operation, const report::Lane& lane, int column, const Recording& recording) {
    switch (column) {
        case SessionModel::name: return {text(recording.overview.labels[operation.label]), {}};
        case SessionModel::outcome: return {operation.ended ? QString() : QString("end not captured"), {}};
        case SessionModel::octets: return cell(std::optional(operation.octets), report::grouped);
        case SessionModel::worst: {
            const auto took = operation.ended ? std::optional(operation.duration()) : std::nullopt;
            return cell(took, [](Time time) { return report::duration_text(time, true); });
        }
        case SessionModel::first:
            return cell(std::optional(operation.begin), [&](Time time) {
                return report::seconds_text(time - recording.start());
            });
        case SessionModel::about: return {text(lane.name), {}};
        default: return {};
    }
}

bool is_operation_of_data(const report::Slice& slice) { return slice.activity == report::Activity::operation; }

/// Numbers count as such: smcr-9 comes before smcr-10, and 10.1.2.0 before 10.1.10.0.
QString sortable(const QString& words) {
    constexpr qsizetype most_digits = 20;
    QString key;
    for (qsizetype i = 0; i < words.size();) {
        const qsizetype begin = i;
        while (i < words.size() && words[i].isDigit()) ++i;
        if (i == begin) key += words[i++];
        else key += words.sliced(begin, i - begin).rightJustified(most_digits, '0');
    }
    return key;
}

}  // namespace

void SessionModel::show(std::shared_ptr<const Recording> recording) {
    beginResetModel();
    recording_ = std::move(recording);
    const auto& nodes = recording_->overview.nodes;
    roots_.clear();
    children_.assign(nodes.size(), {});
    rows_.assign(nodes.size(), 0);
    has_operations_.assign(nodes.size(), false);
    unfolded_.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto& siblings = nodes[i].parent == Node::none ? roots_ : children_[nodes[i].parent];
        rows_[i] = static_cast<int>(siblings.size());
        siblings.push_back(i);
        has_operations_[i] = std::ranges::any_of(nodes[i].lanes, [](const report::Lane& lane) {
            return std::ranges::any_of(lane.slices, is_operation_of_data);
        });
    }
    endResetModel();
}

/// In order of time.
std::vector<SessionModel::Operation> SessionModel::operations_of(std::size_t node) const {
    std::vector<Operation> operations;
    for (const report::Lane& lane : recording_->overview.nodes[node].lanes)
        for (const report::Slice& slice : lane.slices)
            if (is_operation_of_data(slice)) operations.push_back({&lane, &slice});
    std::ranges::stable_sort(operations, {}, [](const Operation& one) { return one.slice->begin; });
    if (operations.size() > most_operations) operations.resize(most_operations);
    return operations;
}

const SessionModel::Operation& SessionModel::operation_of(const QModelIndex& index) const {
    return unfolded_.at(node_at(index))[static_cast<std::size_t>(index.row())];
}

const report::Slice* SessionModel::operation_at(const QModelIndex& index) const {
    return is_operation(index) ? operation_of(index).slice : nullptr;
}

const std::vector<std::size_t>& SessionModel::children_of(const QModelIndex& parent) const {
    return parent.isValid() ? children_[node_at(parent)] : roots_;
}

QModelIndex SessionModel::index_of(std::size_t node) const { return createIndex(rows_[node], 0, node << 1); }

QModelIndex SessionModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= column_count) return {};
    const auto& branches = children_of(parent);
    if (branches.empty()) return createIndex(row, column, node_at(parent) << 1 | 1);
    return createIndex(row, column, branches[static_cast<std::size_t>(row)] << 1);
}

QModelIndex SessionModel::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    if (is_operation(index)) return index_of(node_at(index));
    const std::size_t parent = recording_->overview.nodes[node_at(index)].parent;
    return parent != Node::none ? index_of(parent) : QModelIndex();
}

int SessionModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0 || (parent.isValid() && is_operation(parent))) return 0;
    const auto& branches = children_of(parent);
    if (!branches.empty() || !parent.isValid()) return static_cast<int>(branches.size());
    const auto unfolded = unfolded_.find(node_at(parent));
    return unfolded != unfolded_.end() ? static_cast<int>(unfolded->second.size()) : 0;
}

bool SessionModel::hasChildren(const QModelIndex& parent) const {
    return rowCount(parent) != 0 || canFetchMore(parent);
}

bool SessionModel::canFetchMore(const QModelIndex& parent) const {
    if (!parent.isValid() || parent.column() > 0 || is_operation(parent)) return false;
    const std::size_t node = node_at(parent);
    return !has_branches(node) && has_operations_[node] && !unfolded_.contains(node);
}

void SessionModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) return;
    std::vector<Operation> operations = operations_of(node_at(parent));
    beginInsertRows(parent, 0, static_cast<int>(operations.size()) - 1);
    unfolded_.emplace(node_at(parent), std::move(operations));
    endInsertRows();
}

QVariant SessionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node& node = recording_->overview.nodes[node_at(index)];
    const bool is_number = index.column() >= octets && index.column() <= first;
    if (role == Qt::TextAlignmentRole && is_number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && node.troubled && index.column() == outcome && !is_operation(index))
        return Theme::current().readable(report::palette::vermilion);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != sort_role) return {};
    const Cell cell = is_operation(index)
                          ? cell_of(*operation_of(index).slice, *operation_of(index).lane, index.column(), *recording_)
                          : cell_of(node, index.column(), *recording_);
    if (role != sort_role) return cell.text;
    return is_number ? cell.key : QVariant(sortable(cell.text));
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
