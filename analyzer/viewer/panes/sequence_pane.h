// SPDX-License-Identifier: GPL-2.0-or-later
// How data advanced: the cursors of the selected session, or, where there are none, what its operations added up to.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QCPItemStraightLine;
class QCustomPlot;
class QLabel;

namespace fabricscope::viewer {

/// A panel for each direction; nothing if nothing that advances is known of it.
std::vector<report::CurvePanel> panels_of(const Recording& recording, const Place& place);

class SequencePane : public QWidget, public Numbers {
public:
    explicit SequencePane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    void follow_place();
    void follow_stretch();
    void draw();
    void add_panel(std::size_t row, const report::CurvePanel& panel);
    void put_cursor();
    double seconds(Time time) const;
    /// The moment at a place of the axis.
    Time time_at(double at) const;

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    QLabel* title_;
    QCustomPlot* plot_;
    std::string shown_;
    std::vector<QCPItemStraightLine*> cursors_;
    bool following_ = false;  ///< axes are moved by the window, not by the reader
};

}  // namespace fabricscope::viewer
