// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/panes/column_fit.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <algorithm>

namespace fabricscope::viewer {

void ColumnFit::fit(int columns, int widest) {
    const bool is_first = widths_.empty();
    widths_.resize(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
        int& width = widths_[static_cast<std::size_t>(column)];
        if (!is_first && width != header_.sectionSize(column)) continue;
        const int wanted = std::max(header_.sectionSizeHint(column), view_.sizeHintForColumn(column));
        header_.resizeSection(column, std::max(width, std::min(wanted, widest)));
        width = header_.sectionSize(column);
    }
}

}  // namespace fabricscope::viewer
