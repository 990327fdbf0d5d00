// SPDX-License-Identifier: GPL-2.0-or-later
// How long operations took: histogram, cumulative curve and percentiles.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QCustomPlot;
class QLabel;

namespace fabricscope::viewer {

struct Latency {
    Time time = 0;
    const Slice* slice = nullptr;
    std::size_t node = 0;
};
/// Of the operations of a branch and all below it, or of everything; those first that took longest.
std::vector<Latency> latencies_of(const Recording& recording, std::optional<std::size_t> node);

class LatencyPane : public QWidget, public Numbers {
public:
    explicit LatencyPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;

private:
    void follow_place();
    void draw();
    void go_to(double time);

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::vector<Latency> latencies_;
    std::optional<std::size_t> shown_;
    QLabel* summary_;
    QCustomPlot* plot_;
};

}  // namespace fabricscope::viewer
