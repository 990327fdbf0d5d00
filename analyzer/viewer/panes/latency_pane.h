// SPDX-License-Identifier: GPL-2.0-or-later
// How long operations took: histogram, cumulative curve, percentiles, the slowest; and the steps of set-ups.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/latencies.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/panes/numbers.h"

class QComboBox;
class QCPItemRect;
class QCustomPlot;
class QLabel;
class QTableWidget;
class QTabWidget;

namespace fabricscope::viewer {

class Waterfall;

class LatencyPane : public QWidget, public Numbers {
public:
    explicit LatencyPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;
    /// Those that took as long as that, or longer: they are marked and listed, and the slowest is gone to.
    void select_tail(Time least);
    /// There may be millions of operations: what is behind another tab is not drawn.
    void draw_if_seen();

private:
    void lay_out();
    void follow_place();
    void draw();
    void draw_histogram();
    void offer_operations();
    void list(std::size_t count);
    void go_to(const Latency& latency);

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::vector<Latency> latencies_;
    std::optional<std::size_t> shown_;
    bool is_old_ = false;  ///< something else is to be drawn
    QTabWidget* tabs_;
    QComboBox* operation_;
    QLabel* summary_;
    QCustomPlot* plot_;
    QTableWidget* slowest_;
    Waterfall* waterfall_;
    QCPItemRect* tail_ = nullptr;
};

}  // namespace fabricscope::viewer
