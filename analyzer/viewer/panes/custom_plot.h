// SPDX-License-Identifier: GPL-2.0-or-later
// QCustomPlot in our colours. Its header needs Qt's keywords. Everything else does without them: `slots` is the name of
// a field.
#pragma once

#include <QObject>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach

#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {

inline void style_axis(QCPAxis& axis, const Theme& theme) {
    axis.setBasePen(QPen(theme.faint));
    axis.setTickPen(QPen(theme.faint));
    axis.setSubTickPen(QPen(theme.grid));
    axis.setTickLabelColor(theme.ink);
    axis.setLabelColor(theme.faint);
    axis.grid()->setPen(QPen(theme.grid));
    axis.grid()->setZeroLinePen(QPen(theme.grid));
}

}  // namespace fabricscope::viewer
