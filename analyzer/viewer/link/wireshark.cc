// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/link/wireshark.h"

#include <QProcess>
#include <QStandardPaths>

#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

/// Fields have the names of sessions as their values.
QString filter_for(const std::string& name) {
    const auto session = report::kind_of(name);
    if (!session || session->kind->filter == nullptr) return {};
    return QString("%1 == \"%2\"").arg(session->kind->filter, text(name));
}

/// The file of a frame, and its number there.
std::pair<std::string, std::uint64_t> place_of(const Recording& recording, std::uint64_t frame) {
    if (recording.reading.opened.size() > 1) {
        const auto origins = recording.reading.origins.of({frame});
        if (const auto origin = origins.find(frame); origin != origins.end())
            return {recording.reading.opened[origin->second.source], origin->second.number};
    }
    return {recording.reading.opened.front(), frame};
}

}  // namespace

QString display_filter(const Recording& recording, const Place& place) {
    if (QString filter = filter_for(place.session); !filter.isEmpty()) return filter;
    if (place.node)
        if (QString filter = filter_for(recording.overview.nodes[*place.node].name); !filter.isEmpty()) return filter;
    return place.frame ? QString("frame.number == %1").arg(*place.frame) : QString();
}

QStringList wireshark_arguments(const Recording& recording, const Place& place) {
    if (recording.reading.opened.empty()) return {};
    const auto [file, frame] = place_of(recording, place.frame.value_or(1));
    QStringList words{"-r", text(file), "-g", QString::number(frame)};
    // Numbers of sessions are those of all files together.
    const bool same_numbers = recording.reading.opened.size() == 1;
    const QString filter = display_filter(recording, place);
    if (same_numbers && !filter.isEmpty() && !filter.startsWith("frame.number")) words << "-Y" << filter;
    return words;
}

QString open_in_wireshark(const Recording& recording, const Place& place) {
    const QString program = QStandardPaths::findExecutable("wireshark");
    if (program.isEmpty()) return "Wireshark is not installed, or not on the PATH.";
    const QStringList arguments = wireshark_arguments(recording, place);
    if (arguments.isEmpty()) return "No capture is open.";
    return QProcess::startDetached(program, arguments) ? QString() : QString("Wireshark could not be started.");
}

}  // namespace fabricscope::viewer
