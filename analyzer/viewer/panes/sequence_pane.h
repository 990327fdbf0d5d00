// SPDX-License-Identifier: GPL-2.0-or-later
// How data advanced: the cursors of the selected session, or, where there are none, what its operations added up to;
// below, how much was in flight, and how fast it went.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/details.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QCPAxis;
class QCPAxisRect;
class QCPGraph;
class QCPItemStraightLine;
class QCPMarginGroup;
class QCustomPlot;
class QLabel;

namespace fabricscope::viewer {

/// A panel for each direction; nothing if nothing that advances is known of it.
std::vector<report::CurvePanel> panels_of(const Recording& recording, const Place& place);
/// The same, with what a second look has told.
std::vector<report::CurvePanel> panels_of(const Recording& recording, const Place& place, const Details& details);
/// The same session in a capture from another point: the one between the same ends.
Place place_beside(const Recording& recording, const Place& place, const Recording& other);

class SequencePane : public QWidget, public Numbers {
public:
    SequencePane(Navigator& navigator, Details& details);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;
    /// A capture of the same run from another point, drawn over the first; nullptr: none.
    void show_beside(std::shared_ptr<const Recording> other);
    bool has_beside() const { return beside_ != nullptr; }

    void follow_place();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow_stretch();
    void draw();
    std::string session_beside() const;
    /// Side by side, where there is room.
    bool is_wide() const { return width() > 2 * height(); }
    QCPAxisRect* add_rect(int row, int column, QCPMarginGroup& group);
    void add_panel(std::size_t number, const report::CurvePanel& panel, const report::CurvePanel* beside);
    void add_curve(QCPAxisRect& rect, const report::Curve& curve, bool is_beside);
    void add_marks(QCPAxisRect& rect, const report::CurveMarks& marks);
    void add_flow(QCPAxisRect& rect, const report::CurvePanel& panel);
    void add_cursor(QCPAxisRect& rect);
    void label_times(QCPAxis& across) const;
    void update_rates();
    void put_cursor();
    double seconds(Time time) const;
    /// The moment at a place of the axis.
    Time time_at(double at) const;

    Navigator& navigator_;
    Details& details_;
    Details details_beside_;
    std::shared_ptr<const Recording> recording_, beside_;
    QLabel* title_;
    QCustomPlot* plot_;
    std::string shown_;
    std::vector<QCPItemStraightLine*> cursors_;
    struct RateCurve {
        QCPGraph* graph;
        std::vector<report::StepValue> sent;
    };
    std::vector<RateCurve> rates_;  ///< drawn anew for each stretch
    bool was_wide_ = false;
    bool following_ = false;  ///< axes are moved by the window, not by the reader
};

}  // namespace fabricscope::viewer
