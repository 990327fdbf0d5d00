// SPDX-License-Identifier: GPL-2.0-or-later
// The selected session beside another one, or beside a run of itself.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>

#include "analyzer/viewer/model/background.h"
#include "analyzer/viewer/model/comparison.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace fabricscope::viewer {

class CompareModel : public QAbstractTableModel {
public:
    enum Column : int {
        frame,
        time,
        message,
        differs,
        other_message,
        other_time,
        other_frame,
        differences,
        column_count
    };

    void show(std::shared_ptr<const Compared> compared);
    const ComparedRow& at(int row) const { return compared_->rows[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int{column_count}; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Compared> compared_;
};

class ComparePane : public QWidget, public Numbers {
public:
    explicit ComparePane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override { write_model(model_, write); }

    /// Lays the selected session beside the one like it in other captures.
    void compare_with(std::vector<std::string> files);
    /// Plays one side of the selected session.
    void play(Side side);
    bool is_busy() const { return background_.is_busy(); }
    const Compared* compared() const { return compared_.get(); }

private:
    struct Result {
        std::shared_ptr<const Compared> compared;
        std::shared_ptr<const Conversations> own, other;
        std::vector<std::string> choices;  ///< sessions of the other captures
    };

    void lay_out();
    void show_rows(const std::shared_ptr<const Compared>& compared);
    void follow_place();
    void choose_files();
    void choose_session(const QString& session);
    using Job = std::function<Result(const Background::Stop&)>;
    /// What takes long is done in the background.
    void run(const QString& doing, Job job);
    void take(const Result& result);
    void go_to(const ComparedRow& row);

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::shared_ptr<const Conversations> own_, other_;  ///< as far as they have been read
    std::shared_ptr<const Compared> compared_;
    CompareModel model_;
    QPushButton *with_file_, *play_client_, *play_server_;
    QComboBox* session_;
    QLabel* summary_;
    QTableView* table_;
    Background background_;
};

}  // namespace fabricscope::viewer
