// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/track_pane.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

const QStringList titles{"What", "Count", "Bytes", "Total", "Median", "99 %", "Longest"};

/// The colours, each with its name in ink that can be read.
QString legend_text() {
    QString words;
    for (std::size_t i = 0; i < report::activity_count; ++i) {
        const auto activity = static_cast<Activity>(i);
        words += QString("<span style='color:%1'>■</span>&nbsp;%2&nbsp;&nbsp; ")
                     .arg(Theme::fill(colour_of(activity)).name(), name_of(activity));
    }
    return words;
}

QString duration(std::optional<Time> time) { return time ? text(report::duration_text(*time, true)) : QString(); }

}  // namespace

TrackPane::TrackPane(Navigator& navigator)
    : navigator_(navigator),
      view_(new TrackView(navigator)),
      legend_(new QLabel(legend_text())),
      statistics_(new QTableWidget) {
    setObjectName("trackPane");
    legend_->setMargin(4);
    statistics_->setObjectName("statistics");
    statistics_->setColumnCount(static_cast<int>(titles.size()));
    statistics_->setHorizontalHeaderLabels(titles);
    statistics_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    statistics_->verticalHeader()->hide();
    statistics_->setShowGrid(false);
    statistics_->setMaximumHeight(fontMetrics().height() * 9);
    statistics_->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(view_, 1);
    layout->addWidget(statistics_);
    layout->addWidget(legend_);
    view_->on_box = [this](Stretch stretch, const std::vector<const Lane*>& lanes) { show_statistics(stretch, lanes); };
}

void TrackPane::show(std::shared_ptr<const Recording> recording) {
    recording_ = std::move(recording);
    statistics_->hide();
    view_->show(recording_);
}

void TrackPane::write_rows(const WriteRow& write) const {
    write({"session", "lane", "what", "kind", "begin", "took", "bytes", "frame"});
    if (!recording_) return;
    const Stretch& shown = navigator_.stretch();
    for (const Track& track : recording_->tracks) {
        const report::Node& node = recording_->overview.nodes[track.node];
        const Lane& lane = node.lanes[track.lane];
        for (const Slice& slice : lane.slices) {
            if (slice.end < shown.begin || slice.begin > shown.end) continue;
            write(
                {node.name, lane.name, recording_->overview.labels[slice.label], name_of(slice.activity),
                 report::seconds_text(slice.begin - recording_->start()),
                 slice.ended ? report::seconds_text(slice.duration()) : "", std::to_string(slice.octets),
                 std::to_string(slice.frame)});
        }
    }
}

void TrackPane::show_statistics(Stretch stretch, const std::vector<const Lane*>& lanes) {
    const std::vector<Statistics> all = statistics_of(lanes, stretch.begin, stretch.end);
    statistics_->setVisible(!lanes.empty());
    statistics_->setRowCount(static_cast<int>(all.size()));
    for (int row = 0; row < statistics_->rowCount(); ++row) {
        const Statistics& one = all[static_cast<std::size_t>(row)];
        Time total = 0;
        for (const Time each : one.durations) total += each;
        const QStringList cells{
            text(recording_->overview.labels[one.label]),
            text(report::grouped(one.count)),
            one.octets != 0 ? text(report::grouped(one.octets)) : QString(),
            one.durations.empty() ? QString() : duration(total),
            duration(one.percentile(0.5)),
            duration(one.percentile(0.99)),
            duration(one.percentile(1))};
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            if (column != 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            statistics_->setItem(row, column, item);
        }
    }
    statistics_->resizeColumnsToContents();
}

}  // namespace fabricscope::viewer
