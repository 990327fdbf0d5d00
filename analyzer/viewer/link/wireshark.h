// SPDX-License-Identifier: GPL-2.0-or-later
// The way to Wireshark: what is selected, as display filter and as command line.
#pragma once

#include <QString>
#include <QStringList>

#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

/// Of the selected session, else of the frame; empty if nothing of both is selected.
QString display_filter(const Recording& recording, const Place& place);

/// The same for the one file that the place lies in. Of several, sessions have the numbers of all files together, which
/// mean nothing in one of them.
QString filter_in_file(const Recording& recording, const Place& place);

/// The arguments that make Wireshark show the frame among those of its session, in the file that it lies in.
QStringList wireshark_arguments(const Recording& recording, const Place& place);

/// The same in a file that has all frames of the recording, numbered as there.
QStringList wireshark_arguments(const Recording& recording, const Place& place, const QString& annotated);

/// A sentence if it cannot be started; empty if it was.
QString open_in_wireshark(const QStringList& arguments);

}  // namespace fabricscope::viewer
