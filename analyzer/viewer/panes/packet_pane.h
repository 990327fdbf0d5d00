// SPDX-License-Identifier: GPL-2.0-or-later
// The frames, of everything or of the selection.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/viewer/model/details.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/packet_model.h"
#include "analyzer/viewer/panes/column_fit.h"
#include "analyzer/viewer/panes/numbers.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QTableView;
class QTextEdit;
class QTreeWidget;

namespace fabricscope::viewer {

class PacketPane : public QWidget, public Numbers {
public:
    explicit PacketPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override { write_model(model_, write); }
    /// Selects the frame that the selection is at, and scrolls to it.
    void follow_place();

private:
    void lay_out();
    void fit_columns();
    void apply_filter();
    /// Its fields and octets, where the pane can be seen.
    void show_frame();
    void show_frame(const WholeFrame& frame);
    void show_octets(std::size_t offset, std::size_t length);
    /// Reads them, where the pane can be seen.
    void want_lines();
    std::string session_of(const FrameRow& row) const;
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
    ColumnFit widths_;
    QTreeWidget* fields_;
    QTextEdit* octets_;
    QSplitter* halves_;
    std::optional<std::uint64_t> frame_;  ///< whose fields are shown
    std::vector<std::uint8_t> frame_octets_;
    Background background_;
    Background lines_background_;
    std::shared_ptr<const Recording> lines_of_;  ///< whose lines have been read, or are being read
    bool has_fit_columns_ = false;
    bool following_ = false;  ///< the selection is moved by another pane
};

}  // namespace fabricscope::viewer
