// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of many rows, as panes have them.
#pragma once

#include <QVariant>
#include <span>

class QAbstractItemModel;
class QTableView;

namespace fabricscope::viewer {

/// A table in which one row at a time is selected, all of one height, however many there are.
QTableView* row_table(const char* name, QAbstractItemModel& model);

/// What a column's title is, and on which side it stands; of other roles and orientations, nothing.
QVariant title_of(const char* title, bool is_number, Qt::Orientation orientation, int role);
/// Numbers stand on the right.
QVariant alignment_of(bool is_number);

}  // namespace fabricscope::viewer
