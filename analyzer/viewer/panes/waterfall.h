// SPDX-License-Identifier: GPL-2.0-or-later
// Set-ups below each other, each from its own beginning: which step took how long.
#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <vector>

#include "analyzer/viewer/model/latencies.h"

namespace fabricscope::viewer {

class Waterfall : public QAbstractScrollArea {
public:
    Waterfall();
    void show(const Recording* recording, std::vector<SetUp> set_ups);
    /// A click on one of its steps.
    std::function<void(const SetUp& set_up, const Slice& step)> on_step;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Hit {
        const SetUp* set_up = nullptr;
        const Slice* step = nullptr;
    };

    int row_height() const { return fontMetrics().height() + 6; }
    int names_width() const { return fontMetrics().averageCharWidth() * 16; }
    void set_scroll_range();
    double x_of(Time since_begin) const;
    QRectF area_of(std::size_t row, const Slice& step) const;
    Hit hit_at(QPointF at) const;
    void paint_set_up(class QPainter& painter, std::size_t row) const;

    const Recording* recording_ = nullptr;
    std::vector<SetUp> set_ups_;
    Time longest_ = 1;
};

}  // namespace fabricscope::viewer
