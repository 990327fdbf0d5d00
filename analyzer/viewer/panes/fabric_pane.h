// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts, ports and links as a graph, as they were at the time cursor.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/fabric_model.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QPainterPath;

namespace fabricscope::viewer {

class FabricPane : public QWidget, public Numbers {
public:
    explicit FabricPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;

    std::size_t line_count() const { return bundles_.size(); }
    /// Where a line can be clicked.
    QPointF middle_of(std::size_t line) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    double row_height() const { return fontMetrics().height() * 1.6; }
    QRectF box_of(std::size_t host) const;
    /// Labels of lines that cross or touch stand beside each other.
    double place_of_label(const Bundle& bundle) const;
    /// Where lines to a place further right, or left, begin.
    QPointF plug_of(std::size_t port, bool on_the_right) const;
    QPainterPath path_of(const Bundle& bundle) const;
    const Bundle* bundle_at(QPointF at) const;
    std::string words_for(const Bundle& bundle) const;
    bool is_selected(const Bundle& bundle) const;

    void paint_host(QPainter& painter, std::size_t host) const;
    void paint_line(QPainter& painter, const Bundle& bundle) const;
    void paint_label(QPainter& painter, const Bundle& bundle) const;
    void paint_legend(QPainter& painter) const;

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::vector<Bundle> bundles_;
    std::vector<std::vector<std::size_t>> ports_of_;  ///< of each host
    std::vector<std::size_t> row_of_;                 ///< of each port in its host's box
    const Bundle* below_mouse_ = nullptr;
};

}  // namespace fabricscope::viewer
