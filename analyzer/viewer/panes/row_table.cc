// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/row_table.h"

#include <QApplication>
#include <QHeaderView>
#include <QProxyStyle>
#include <QTableView>

namespace fabricscope::viewer {
namespace {

/// Room between a number on the right of a column and the words on the left of the next one.
class RoomyCells : public QProxyStyle {
public:
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        constexpr int room = 5;
        if (metric == PM_FocusFrameHMargin || metric == PM_HeaderMargin) return room;
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
};

}  // namespace

QTableView* row_table(const char* name, QAbstractItemModel& model) {
    auto* const table = new QTableView;
    table->setObjectName(name);
    table->setModel(&model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setWordWrap(false);
    // No row is asked for its own height.
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 4);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    auto* const style = new RoomyCells;
    style->setParent(table);
    table->setStyle(style);
    table->horizontalHeader()->setStyle(style);
    return table;
}

QVariant title_of(const char* title, bool is_number, Qt::Orientation orientation, int role) {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignment_of(is_number);
    return role == Qt::DisplayRole ? QVariant(title) : QVariant();
}

QVariant alignment_of(bool is_number) {
    return QVariant((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

}  // namespace fabricscope::viewer
