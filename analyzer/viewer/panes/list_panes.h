// SPDX-License-Identifier: GPL-2.0-or-later
// The panes that are lists: what is wrong, and who talked to whom.
#pragma once

#include <QSortFilterProxyModel>
#include <QWidget>
#include <map>
#include <memory>
#include <string>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/session_model.h"
#include "analyzer/viewer/model/verdict_model.h"
#include "analyzer/viewer/panes/column_fit.h"
#include "analyzer/viewer/panes/numbers.h"

class QLabel;
class QLineEdit;
class QTableView;
class QTreeView;

namespace fabricscope::viewer {

class VerdictPane : public QWidget, public Numbers {
public:
    explicit VerdictPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override { write_model(filtered_, write); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void go_to(const Observation& observation);
    void fit_sentences();

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    VerdictModel model_;
    QSortFilterProxyModel filtered_;
    QLabel* summary_;
    QLineEdit* filter_;
    QTableView* table_;
    bool filtering_ = false;  ///< the selection is moved by what is typed
};

class SessionPane : public QWidget, public Numbers {
public:
    explicit SessionPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override { write_model(filtered_, write); }

private:
    void follow_place();
    void go_to(const QModelIndex& index);
    void unfold_branches();
    bool shows_place(const QModelIndex& index) const;
    /// Whether branches are unfolded, by their names.
    std::map<std::string, bool> unfolded() const;

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    SessionModel model_;
    QSortFilterProxyModel filtered_;
    QLineEdit* search_;
    QTreeView* tree_;
    ColumnFit widths_;
    bool following_ = false;  ///< the selection is moved by another pane
};

}  // namespace fabricscope::viewer
