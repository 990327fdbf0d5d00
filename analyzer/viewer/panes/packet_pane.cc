// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/packet_pane.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>
#include <array>

#include "analyzer/report/units.h"
#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {

PacketPane::PacketPane(Navigator& navigator)
    : navigator_(navigator),
      filter_(new QLineEdit),
      only_selection_(new QCheckBox("Only the selection's")),
      count_(new QLabel),
      table_(new QTableView) {
    setObjectName("packets");
    filter_->setObjectName("packetFilter");
    filter_->setPlaceholderText("Filter: address, QP, opcode, session, frame number");
    filter_->setClearButtonEnabled(true);
    only_selection_->setObjectName("packetsOfSelection");
    count_->setObjectName("packetCount");
    table_->setObjectName("packetTable");
    table_->setModel(&model_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(true);
    table_->setWordWrap(false);
    // Rows of one height: no row is asked for its own, however many there are.
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    auto* line = new QHBoxLayout;
    line->addWidget(filter_, 1);
    line->addWidget(only_selection_);
    line->addWidget(count_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(table_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this] { apply_filter(); });
    connect(only_selection_, &QCheckBox::toggled, this, [this] { apply_filter(); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!following_ && index.isValid()) go_to(model_.at(index.row()));
    });
    connect(&navigator, &Navigator::placed, this, [this] { follow_place(); });
}

void PacketPane::show(std::shared_ptr<const Recording> recording) {
    following_ = true;
    recording_ = std::move(recording);
    model_.show(recording_);
    following_ = false;
    apply_filter();
    const std::array samples{"0000000", "000.000000000", "192.0.2.10 port 00000", "192.0.2.10 port 00000",
                             "000,000", "smcr-000"};
    for (std::size_t i = 0; i < samples.size(); ++i)
        table_->setColumnWidth(static_cast<int>(i), fontMetrics().horizontalAdvance(samples[i]) + 12);
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
}

/// The table puts off its layout, and until then scrolls within what it showed before.
void PacketPane::scroll_to(int row) {
    table_->doItemsLayout();
    table_->scrollTo(model_.index(row, 0));
}

void PacketPane::go_to(const FrameRow& row) {
    Place place{.node = {}, .session = {}, .frame = row.number, .time = row.time};
    if (row.node != FrameRow::no_node) {
        place.node = row.node;
        place.session = recording_->overview.nodes[row.node].name;
    }
    // A frame of a link belongs to the selected connection that runs over it, too: the selection stays.
    if (shown_) {
        place.node = navigator_.place().node;
        place.session = navigator_.place().session;
    }
    following_ = true;
    navigator_.go(place);
    following_ = false;
    navigator_.reveal(row.time);
}

}  // namespace fabricscope::viewer
