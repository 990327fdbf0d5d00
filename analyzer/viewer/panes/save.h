// SPDX-License-Identifier: GPL-2.0-or-later
// Panes as files.
#pragma once

#include <QString>

class QWidget;

namespace fabricscope::viewer {

/// Names that save_pane() knows the ends of, for a file dialog.
QString kinds_of_files(const QWidget& pane);

/// As SVG, PNG or, if the pane has numbers, CSV, by the end of the file's name. A sentence if that cannot be done;
/// empty if it was.
QString save_pane(QWidget& pane, const QString& file);

}  // namespace fabricscope::viewer
