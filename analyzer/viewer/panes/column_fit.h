// SPDX-License-Identifier: GPL-2.0-or-later
// Columns as wide as what stands in them, while more comes.
#pragma once

#include <limits>
#include <vector>

class QAbstractItemView;
class QHeaderView;

namespace fabricscope::viewer {

/// Widens a view's columns to what stands in them. None becomes narrower by that, which would let the others jump; what
/// the user has set stays.
class ColumnFit {
public:
    ColumnFit(QAbstractItemView& view, QHeaderView& header) : view_(view), header_(header) {}
    /// Another capture: forgets how wide they were.
    void begin() { widths_.clear(); }
    /// The first so many.
    void fit(int columns, int widest = std::numeric_limits<int>::max());

private:
    QAbstractItemView& view_;
    QHeaderView& header_;
    std::vector<int> widths_;  ///< as they were set here, pixels
};

}  // namespace fabricscope::viewer
