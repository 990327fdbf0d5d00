// SPDX-License-Identifier: GPL-2.0-or-later
// The overview's branches as a tree of hosts, link groups and connections.
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class SessionModel : public QAbstractItemModel {
public:
    enum Column : int { name, outcome, octets, packets, retransmitted, worst, first, about, column_count };
    /// Values to sort by; numbers as they are.
    static constexpr int sort_role = Qt::UserRole;

    void show(std::shared_ptr<const Recording> recording);
    std::size_t node_at(const QModelIndex& index) const { return index.internalId(); }
    QModelIndex index_of(std::size_t node) const;

    QModelIndex index(int row, int column, const QModelIndex& parent) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent) const override;
    int columnCount(const QModelIndex&) const override { return column_count; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const std::vector<std::size_t>& children_of(const QModelIndex& parent) const;

    std::shared_ptr<const Recording> recording_;
    std::vector<std::size_t> roots_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<int> rows_;  ///< of each node among its siblings
};

}  // namespace fabricscope::viewer
