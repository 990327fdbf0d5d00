// SPDX-License-Identifier: GPL-2.0-or-later
// The frames, of everything or of the selection.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/packet_model.h"
#include "analyzer/viewer/panes/numbers.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace fabricscope::viewer {

class PacketPane : public QWidget, public Numbers {
public:
    explicit PacketPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override { write_model(model_, write); }
    /// Selects the frame that the selection is at, and scrolls to it.
    void follow_place();

private:
    void apply_filter();
    void scroll_to(int row);
    void go_to(const FrameRow& row);

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    PacketModel model_;
    std::optional<std::size_t> shown_;  ///< the branch whose frames are listed
    QLineEdit* filter_;
    QCheckBox* only_selection_;
    QLabel* count_;
    QTableView* table_;
    bool following_ = false;  ///< the selection is moved by another pane
};

}  // namespace fabricscope::viewer
