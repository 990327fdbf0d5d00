// SPDX-License-Identifier: GPL-2.0-or-later
// The overview's branches as a tree of hosts, link groups and connections; below those that have no further ones their
// operations, as soon as somebody unfolds them.
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class SessionModel : public QAbstractItemModel {
public:
    enum Column : int { name, outcome, octets, packets, retransmitted, worst, first, about, column_count };
    /// Values to sort by; numbers as they are.
    static constexpr int sort_role = Qt::UserRole;
    /// Of a connection, the first ones.
    static constexpr std::size_t most_operations = 50'000;

    void show(std::shared_ptr<const Recording> recording);
    /// The branch that the row is, or that it lies in.
    std::size_t node_at(const QModelIndex& index) const { return index.internalId() >> 1; }
    /// nullptr: the row is a branch.
    const report::Slice* operation_at(const QModelIndex& index) const;
    QModelIndex index_of(std::size_t node) const;
    bool has_branches(std::size_t node) const { return !children_[node].empty(); }

    QModelIndex index(int row, int column, const QModelIndex& parent) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent) const override;
    bool hasChildren(const QModelIndex& parent) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    int columnCount(const QModelIndex&) const override { return column_count; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Operation {
        const report::Lane* lane;
        const report::Slice* slice;
    };
    static bool is_operation(const QModelIndex& index) { return (index.internalId() & 1) != 0; }
    const Operation& operation_of(const QModelIndex& index) const;
    const std::vector<std::size_t>& children_of(const QModelIndex& parent) const;
    std::vector<Operation> operations_of(std::size_t node) const;

    std::shared_ptr<const Recording> recording_;
    std::vector<std::size_t> roots_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<int> rows_;                                             ///< of each node among its siblings
    std::vector<bool> has_operations_;                                  ///< of each node
    std::unordered_map<std::size_t, std::vector<Operation>> unfolded_;  ///< by node
};

}  // namespace fabricscope::viewer
