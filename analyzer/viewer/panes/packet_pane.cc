// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/packet_pane.h"

#include <QCheckBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTextEdit>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/hex_page.h"
#include "analyzer/viewer/panes/row_table.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

constexpr const char* nothing_selected = "Select a frame to see its fields.";

}  // namespace

PacketPane::PacketPane(Navigator& navigator)
    : navigator_(navigator),
      filter_(new QLineEdit),
      only_selection_(new QCheckBox("Selected session only")),
      count_(new QLabel),
      table_(row_table("packetTable", model_)),
      widths_(*table_, *table_->horizontalHeader()),
      fields_(new QTreeWidget),
      octets_(new QTextEdit),
      halves_(new QSplitter(Qt::Vertical)) {
    setObjectName("packets");
    filter_->setObjectName("packetFilter");
    filter_->setPlaceholderText("Filter: address, session, opcode, frame number, words of the summary");
    filter_->setClearButtonEnabled(true);
    only_selection_->setObjectName("packetsOfSelection");
    count_->setObjectName("packetCount");
    lay_out();
    connect(filter_, &QLineEdit::textChanged, this, [this] { apply_filter(); });
    connect(only_selection_, &QCheckBox::toggled, this, [this] { apply_filter(); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!following_ && index.isValid()) go_to(model_.at(index.row()));
    });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void PacketPane::lay_out() {
    fields_->setObjectName("packetFields");
    fields_->setHeaderHidden(true);
    fields_->setIndentation(14);
    fields_->setUniformRowHeights(true);
    octets_->setObjectName("packetOctets");
    octets_->setReadOnly(true);
    octets_->setLineWrapMode(QTextEdit::NoWrap);
    octets_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* line = new QHBoxLayout;
    line->addWidget(filter_, 1);
    line->addWidget(only_selection_);
    line->addWidget(count_);
    auto* below = new QSplitter(Qt::Horizontal);
    below->addWidget(fields_);
    below->addWidget(octets_);
    below->setSizes({1000, 1000});
    halves_->addWidget(table_);
    halves_->addWidget(below);
    halves_->setStretchFactor(0, 1);
    halves_->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(halves_, 1);
    connect(fields_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item != nullptr)
            show_octets(item->data(0, Qt::UserRole).toULongLong(), item->data(0, Qt::UserRole + 1).toULongLong());
    });
}

void PacketPane::show(std::shared_ptr<const Recording> recording) {
    following_ = true;
    background_.abandon();
    frame_.reset();
    show_frame(WholeFrame{{}, {}, nothing_selected});
    // Those of a file that has grown stay until it has been read once more.
    const bool has_grown = recording_ && recording_->files == recording->files;
    recording_ = std::move(recording);
    if (!has_grown) {
        model_.show_lines(nullptr);
        widths_.begin();
    }
    has_fit_columns_ = false;
    model_.show(recording_);
    following_ = false;
    apply_filter();
}

/// To what stands in them, once for each time that the capture is read; most of the room is left for what is said.
void PacketPane::fit_columns() {
    if (has_fit_columns_ || visibleRegion().isEmpty()) return;
    has_fit_columns_ = true;
    constexpr int rows_looked_at = 200, most_letters = 24;
    table_->horizontalHeader()->setResizeContentsPrecision(rows_looked_at);
    widths_.fit(PacketModel::summary, most_letters * fontMetrics().averageCharWidth());
}

void PacketPane::apply_filter() {
    if (!recording_) return;
    following_ = true;
    shown_ = only_selection_->isChecked() ? navigator_.place().node : std::nullopt;
    model_.filter(filter_->text().trimmed(), shown_);
    const auto shown = static_cast<std::uint64_t>(model_.rowCount()), all = recording_->frames.rows.size();
    count_->setText(text(
        shown == all ? report::counted(all, "frame")
                     : report::grouped(shown) + " of " + report::counted(all, "frame")));
    following_ = false;
    follow_place();
}

void PacketPane::follow_place() {
    if (!recording_ || following_) return;
    if (only_selection_->isChecked() && navigator_.place().node != shown_) {
        apply_filter();
        return;
    }
    following_ = true;
    const auto& frame = navigator_.place().frame;
    if (const auto row = frame ? model_.row_of(*frame) : std::nullopt) {
        table_->setCurrentIndex(model_.index(*row, 0));
        scroll_to(*row);
    } else {
        table_->setCurrentIndex({});
    }
    following_ = false;
    show_frame();
    fit_columns();
    want_lines();
}

void PacketPane::want_lines() {
    if (lines_of_ == recording_ || visibleRegion().isEmpty()) return;
    lines_of_ = recording_;
    lines_background_.run(
        [recording = recording_](const Background::Stop& stop) { return lines_of(*recording, stop); },
        [this](const std::shared_ptr<const LineTable>& lines) {
            if (!lines) return;
            model_.show_lines(lines);
            if (!filter_->text().isEmpty()) apply_filter();
        });
}

std::string PacketPane::session_of(const FrameRow& row) const {
    const auto& nodes = recording_->overview.nodes;
    for (std::size_t node = row.node; node < nodes.size(); node = nodes[node].parent)
        if (report::kind_of(nodes[node].name)) return nodes[node].name;
    return {};
}

void PacketPane::show_frame() {
    const auto& wanted = navigator_.place().frame;
    if (!recording_ || wanted == frame_ || visibleRegion().isEmpty()) return;
    frame_ = wanted;
    const std::size_t row = wanted ? recording_->frames.row_of(*wanted) : recording_->frames.rows.size();
    if (row == recording_->frames.rows.size()) {
        background_.abandon();
        return show_frame(WholeFrame{{}, {}, nothing_selected});
    }
    background_.run(
        [recording = recording_, number = *wanted, session = session_of(recording_->frames.rows[row])](
            const Background::Stop& stop) { return whole_frame(*recording, number, session, stop); },
        [this](const WholeFrame& frame) { show_frame(frame); });
}

void PacketPane::show_frame(const WholeFrame& frame) {
    fields_->clear();
    frame_octets_ = frame.octets;
    const auto item_of = [](const report::FrameField& field) {
        auto* item = new QTreeWidgetItem({text(field.text)});
        item->setData(0, Qt::UserRole, static_cast<qulonglong>(field.offset));
        item->setData(0, Qt::UserRole + 1, static_cast<qulonglong>(field.length));
        return item;
    };
    const std::function<void(QTreeWidgetItem*, const report::FrameField&)> add = [&](QTreeWidgetItem* above,
                                                                                     const report::FrameField& field) {
        QTreeWidgetItem* const item = item_of(field);
        if (above != nullptr) above->addChild(item);
        else fields_->addTopLevelItem(item);
        for (const report::FrameField& below : field.fields) add(item, below);
    };
    for (const report::FrameField& field : frame.fields) add(nullptr, field);
    // What is inside is what one looks for.
    if (const int count = fields_->topLevelItemCount(); count != 0) {
        fields_->expandItem(fields_->topLevelItem(count - 1));
        fields_->scrollToItem(fields_->topLevelItem(count - 1), QAbstractItemView::PositionAtTop);
    }
    if (!frame.complaint.empty()) fields_->addTopLevelItem(new QTreeWidgetItem({text(frame.complaint)}));
    show_octets(0, 0);
}

/// With those of a field marked.
void PacketPane::show_octets(std::size_t offset, std::size_t length) {
    const std::string mark = Theme::current().highlight.name().toStdString();
    octets_->setHtml(text(hex_page(
        hex_row_size(octets_->viewport()->width(), octets_->fontMetrics().horizontalAdvance('0')), frame_octets_.size(),
        0,
        [&](std::size_t i) {
            return HexOctet{frame_octets_[i], i >= offset && i < offset + length};
        },
        mark)));
}

/// The table puts off its layout, and until then scrolls within what it showed before.
void PacketPane::scroll_to(int row) {
    table_->doItemsLayout();
    table_->scrollTo(model_.index(row, 0));
}

void PacketPane::go_to(const FrameRow& row) {
    Place place = recording_->place_of(row.number);
    // A frame of a link belongs to the selected connection that runs over it, too: the selection stays.
    if (shown_) {
        place.node = navigator_.place().node;
        place.session = navigator_.place().session;
    }
    following_ = true;
    navigator_.go(place);
    following_ = false;
    show_frame();
    navigator_.reveal(row.time);
}

}  // namespace fabricscope::viewer
