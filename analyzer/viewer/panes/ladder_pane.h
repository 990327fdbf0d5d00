// SPDX-License-Identifier: GPL-2.0-or-later
// Who said what to whom in the selected session.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

namespace fabricscope::viewer {

/// Of the selected session, or of the branch that it lies in; nothing if it has none.
std::optional<report::Ladder> ladder_of(const Recording& recording, const Place& place);

class LadderPane : public QAbstractScrollArea, public Numbers {
public:
    explicit LadderPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Columns {
        double time, after, frame, client, server;  ///< right edges of texts, then the two sides
    };

    void follow_place();
    void set_scroll_range();
    void go_to(std::size_t rung);
    /// The last rung up to the time cursor.
    std::optional<std::size_t> current() const;
    int rung_height() const { return fontMetrics().height() + 10; }
    int head_height() const { return fontMetrics().height() * 3 + 14; }
    Columns columns() const;
    void paint_head(QPainter& painter, const Columns& columns) const;
    void paint_rung(QPainter& painter, const Columns& columns, std::size_t i, double top) const;

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::optional<report::Ladder> ladder_;
    std::string shown_;
};

}  // namespace fabricscope::viewer
