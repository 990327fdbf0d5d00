// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses over time: who wrote where in memory that both ends share, and who read.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QComboBox;

namespace fabricscope::viewer {

/// Of the selected session, or of the branch that it lies in.
std::vector<report::Memory> memories_of(const Recording& recording, const Place& place);

class MemoryPicture : public QWidget {
public:
    explicit MemoryPicture(Navigator& navigator);
    void show(const Recording* recording, const report::Memory* memory);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    double margin() const { return fontMetrics().horizontalAdvance("0x0000000000000000") + 10; }
    double x_of(Time time) const;
    double y_of(std::uint64_t address) const;
    const report::Access* access_at(QPointF at) const;

    Navigator& navigator_;
    const Recording* recording_ = nullptr;
    const report::Memory* memory_ = nullptr;
    std::uint64_t low_ = 0, high_ = 1;  ///< addresses in view
};

class MemoryPane : public QWidget, public Numbers {
public:
    explicit MemoryPane(Navigator& navigator);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;

private:
    void follow_place();

    Navigator& navigator_;
    std::shared_ptr<const Recording> recording_;
    std::vector<report::Memory> memories_;
    QComboBox* choice_;
    MemoryPicture* picture_;
    std::string shown_;
};

}  // namespace fabricscope::viewer
