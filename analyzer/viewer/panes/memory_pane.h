// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses over time: who wrote where in memory that both ends share, and who read; and what stood there.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/report/scales.h"
#include "analyzer/viewer/model/details.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"
#include "analyzer/viewer/panes/numbers.h"

class QComboBox;
class QLabel;
class QSplitter;
class QTextEdit;

namespace fabricscope::viewer {

/// Of the selected session, or of the branch that it lies in.
std::vector<report::Memory> memories_of(const Recording& recording, const Place& place);

/// What a memory held at a moment, by who wrote and read.
struct MemoryState {
    std::uint64_t written = 0;      ///< octets
    std::uint64_t not_read = 0;     ///< of them, since they were written last
    std::uint64_t overwritten = 0;  ///< before they had been read
};
MemoryState state_at(const report::Memory& memory, Time time);

class MemoryPicture : public QWidget {
public:
    explicit MemoryPicture(Navigator& navigator);
    void show(const Recording* recording, const report::Memory* memory);
    /// A sentence why there is none.
    void tell(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// Room for addresses, and for times.
    double margin() const;
    double bottom() const;
    void paint_heading(QPainter& painter) const;
    void paint_addresses(QPainter& painter) const;
    void paint_times(QPainter& painter, const report::TimeScale& scale) const;
    double x_of(Time time) const;
    double y_of(std::uint64_t address) const;
    /// What stands for it in the picture.
    [[nodiscard]] QRectF area_of(const report::Access& access) const;
    const report::Access* access_at(QPointF at) const;

    QString words_;  ///< in place of a picture
    Navigator& navigator_;
    const Recording* recording_ = nullptr;
    const report::Memory* memory_ = nullptr;
    std::uint64_t low_ = 0, high_ = 1;  ///< addresses in view
};

class MemoryPane : public QWidget, public Numbers {
public:
    MemoryPane(Navigator& navigator, Details& details);
    void show(std::shared_ptr<const Recording> recording);
    void write_rows(const WriteRow& write) const override;
    void follow_place();

private:
    void offer(const std::vector<report::Memory>& memories);
    void take_detail(const std::string& session);
    void choose(int index);
    /// What is known of the octets at the time cursor, around what is selected.
    void show_octets();
    std::string session_with_memory() const;

    Navigator& navigator_;
    Details& details_;
    std::shared_ptr<const Recording> recording_;
    std::vector<report::Memory> memories_;
    QComboBox* choice_;
    MemoryPicture* picture_;
    QLabel* state_;
    QTextEdit* octets_;
    QSplitter* halves_;
    std::string shown_;
    int chosen_ = -1;  ///< in `memories_`
};

}  // namespace fabricscope::viewer
