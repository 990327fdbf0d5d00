// SPDX-License-Identifier: GPL-2.0-or-later
// Lanes over time: a picture of what went on, to zoom, pan and measure in.
#pragma once

#include <QAbstractScrollArea>
#include <QStaticText>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/report/scales.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class TrackView : public QAbstractScrollArea {
public:
    explicit TrackView(Navigator& navigator);

    void show(std::shared_ptr<const Recording> recording);
    int line_height() const;
    /// Below the ruler and the pinned lanes, which do not scroll.
    int content_top() const { return ruler_height() + pinned_height_; }
    /// What was selected with a box: the stretch of time, and the lanes.
    std::function<void(Stretch stretch, const std::vector<const Lane*>& lanes)> on_box;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    /// One row of the picture: the name of a branch, or a row of one of its lanes.
    struct Line {
        std::size_t node = 0;
        const Row* row = nullptr;  ///< nullptr: a name
        std::size_t track = 0;
        bool first = false;  ///< of its lane
        int depth = 0;
        int top = 0;
        bool pinned = false;
    };
    struct Hit {
        const Line* line = nullptr;
        const Slice* slice = nullptr;
    };

    void lay_out();
    void lay_out_pinned();
    void toggle_pin(std::size_t track);
    bool is_pinned(std::size_t track) const;
    /// Pins and folds in a recording of the same files what is so in the present one.
    void keep_pins_and_folds(const Recording& grown);
    QRectF pin_of(const Line& line) const;
    void add_node(std::size_t node, int depth);
    void set_scroll_range();
    void follow_place();

    report::TimeScale scale() const;
    Time time_at(double x) const;
    Time per_pixel() const;
    int names_width() const;
    int ruler_height() const;
    /// Where a line is in the viewport.
    int top_of(const Line& line) const;
    const Line* line_at(double y) const;
    Hit hit_at(QPointF at) const;
    bool is_collapsed(std::size_t node) const { return collapsed_[node]; }
    std::string name_of(const Hit& hit) const;
    std::string words_for(const Hit& hit) const;

    void paint_ruler(QPainter& painter, const report::TimeScale& scale) const;
    /// `area`: what may be painted on.
    void paint_lines(QPainter& painter, const std::vector<Line>& lines, const QRect& area) const;
    void paint_line(QPainter& painter, const Line& line, const report::TimeScale& scale, const QRect& area) const;
    void paint_name(QPainter& painter, const Line& line) const;
    void paint_lane_name(QPainter& painter, const Line& line) const;
    void paint_slices(QPainter& painter, const Line& line, const report::TimeScale& scale, const QRect& area) const;
    void paint_words(QPainter& painter, const Slice& slice, const QRectF& area) const;
    void paint_arrows(QPainter& painter, const report::TimeScale& scale) const;
    std::optional<QPointF> point_of(std::size_t node, const report::Arrow::End& end) const;
    void paint_cursor(QPainter& painter, const report::TimeScale& scale) const;
    void paint_box(QPainter& painter) const;
    void select(QPointF at);
    /// To what comes of the selected operation, or to what brought it on its way.
    void follow_arrow(bool forward);
    void finish_box();
    /// From places in the picture to those in the viewport.
    double box_offset() const;

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::vector<std::size_t>> tracks_of_;  ///< of each node
    std::vector<bool> collapsed_;
    std::vector<Line> lines_;
    int height_ = 0;
    std::vector<std::size_t> pinned_;  ///< tracks
    std::vector<Line> pinned_lines_;
    int pinned_height_ = 0;
    std::vector<report::TimeScale::Label> labels_;                ///< of the picture that is being painted
    mutable std::unordered_map<std::string, QStaticText> texts_;  ///< laid out
    std::vector<report::Arrow> arrows_;                           ///< of the selected operation

    enum class Drag { none, pressed, box, pan };
    Drag drag_ = Drag::none;
    QPointF press_, now_;
    Stretch pressed_stretch_;
    bool has_box_ = false;
    Stretch box_stretch_;
    bool box_is_pinned_ = false;           ///< over the pinned lanes, not the ones that scroll
    double box_top_ = 0, box_bottom_ = 0;  ///< in the laid out picture, not the viewport
};

}  // namespace fabricscope::viewer
