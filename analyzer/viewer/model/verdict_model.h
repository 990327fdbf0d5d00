// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong, and what stands out, the worst first.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class VerdictModel : public QAbstractTableModel {
public:
    enum Column : int { severity, sentence, session, frames, kind, column_count };

    void show(std::shared_ptr<const Recording> recording);
    const Observation& at(int row) const { return recording_->observations()[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent) const override;
    int columnCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : int{column_count}; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Recording> recording_;
};

}  // namespace fabricscope::viewer
