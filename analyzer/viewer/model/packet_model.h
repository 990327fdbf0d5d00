// SPDX-License-Identifier: GPL-2.0-or-later
// The frames as a table. A row costs nothing until it is painted.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/viewer/model/line_table.h"
#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class PacketModel : public QAbstractTableModel {
public:
    enum Column : int { number, time, source, destination, length, session, summary, column_count };

    void show(std::shared_ptr<const Recording> recording);
    /// What takes the place of opcodes and flags; nullptr: nothing does.
    void show_lines(std::shared_ptr<const LineTable> lines);
    /// Those with these words in any of their texts, or with that number, and of the branch and all below it.
    void filter(const QString& words, std::optional<std::size_t> node);
    const FrameRow& at(int row) const { return recording_->frames.rows[index_of(row)]; }
    /// The row of a frame; nothing if it is filtered out.
    std::optional<int> row_of(std::uint64_t frame) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : int{column_count}; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::size_t index_of(int row) const {
        return shows_all_ ? static_cast<std::size_t>(row) : shown_[static_cast<std::size_t>(row)];
    }
    QString text_of(const FrameRow& row, int column) const;
    QString summary_of(const FrameRow& row) const;

    std::shared_ptr<const Recording> recording_;
    std::shared_ptr<const LineTable> lines_;  ///< nullptr: not known
    bool shows_all_ = true;                   ///< nothing is filtered out, and `shown_` is empty
    std::vector<std::uint32_t> shown_;        ///< rows of the table, ascending
};

}  // namespace fabricscope::viewer
