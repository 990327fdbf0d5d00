// SPDX-License-Identifier: GPL-2.0-or-later
// What a pane shows, as rows of a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

class QAbstractItemModel;

namespace fabricscope::viewer {

using WriteRow = std::function<void(const std::vector<std::string>& cells)>;

/// A pane that can say in numbers what it shows.
class Numbers {
public:
    virtual ~Numbers() = default;
    /// The first row names the columns.
    virtual void write_rows(const WriteRow& write) const = 0;
};

/// Titles, then all rows, each followed by those below it.
void write_model(const QAbstractItemModel& model, const WriteRow& write);

}  // namespace fabricscope::viewer
