// SPDX-License-Identifier: GPL-2.0-or-later
// QCustomPlot, whose header needs Qt's keywords. Everything else does without them: `slots` is the name of a field.
#pragma once

#include <QObject>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
