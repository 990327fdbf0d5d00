// SPDX-License-Identifier: GPL-2.0-or-later
// The lanes, and below them what a box selected.
#pragma once

#include <QWidget>

#include "analyzer/viewer/panes/numbers.h"
#include "analyzer/viewer/panes/track_view.h"

class QLabel;
class QTableWidget;

namespace fabricscope::viewer {

class TrackPane : public QWidget, public Numbers {
public:
    explicit TrackPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    /// What is in view.
    void write_rows(const WriteRow& write) const override;
    TrackView& view() { return *view_; }

private:
    void show_statistics(Stretch stretch, const std::vector<const Lane*>& lanes);

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    TrackView* view_;
    QLabel* legend_;
    QTableWidget* statistics_;
};

}  // namespace fabricscope::viewer
