// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/link/wireshark.h"

#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <algorithm>

#include "analyzer/viewer/panes/theme.h"

namespace fabricscope::viewer {
namespace {

/// Fields have the names of sessions as their values.
QString filter_for(const std::string& name) {
    const auto session = report::kind_of(name);
    if (session && session->kind->number_filter != nullptr)
        return QString("%1 == %2").arg(session->kind->number_filter).arg(session->id);
    if (!session || session->kind->filter == nullptr) return {};
    return QString("%1 == \"%2\"").arg(session->kind->filter, text(name));
}

/// Wireshark does not start with a profile that it does not have.
bool has_profile(const QString& name) {
    const QString set = qEnvironmentVariable("WIRESHARK_CONFIG_DIR");
    const QString own = set.isEmpty()
                            ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/wireshark"
                            : set;
    return QFileInfo::exists(own + "/profiles/" + name) || QFileInfo::exists(FABRICSCOPE_PROFILE_DIR "/" + name);
}

/// Of the protocol that the place belongs to; empty: none that is installed.
QString profile_for(const Recording& recording, const Place& place) {
    std::optional<report::SessionPlace> session = report::kind_of(place.session);
    if (!session && place.node) session = report::kind_of(recording.overview.nodes[*place.node].name);
    if (!session) return {};
    const QString name = session->protocol->profile;
    return has_profile(name) ? name : QString();
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

/// That of the place, else the first one of what is selected.
std::uint64_t frame_of(const Recording& recording, const Place& place) {
    if (place.frame) return *place.frame;
    const std::uint64_t first = place.node ? recording.overview.nodes[*place.node].first_frame : 0;
    return std::max<std::uint64_t>(first, 1);
}

bool is_of_a_frame(const QString& filter) { return filter.startsWith("frame.number"); }

QStringList arguments_for(const QString& file, std::uint64_t frame, const QString& filter) {
    QStringList words{"-r", file, "-g", QString::number(frame)};
    if (!filter.isEmpty() && !is_of_a_frame(filter)) words << "-Y" << filter;
    return words;
}

QStringList profile_arguments(const Recording& recording, const Place& place) {
    const QString profile = profile_for(recording, place);
    return profile.isEmpty() ? QStringList() : QStringList{"-C", profile};
}

}  // namespace

QString display_filter(const Recording& recording, const Place& place) {
    if (QString filter = filter_for(place.session); !filter.isEmpty()) return filter;
    if (place.node)
        if (QString filter = filter_for(recording.overview.nodes[*place.node].name); !filter.isEmpty()) return filter;
    return place.frame ? QString("frame.number == %1").arg(*place.frame) : QString();
}

QString filter_in_file(const Recording& recording, const Place& place) {
    const QString filter = display_filter(recording, place);
    if (recording.reading.opened.size() < 2 || filter.isEmpty()) return filter;
    if (!is_of_a_frame(filter)) return {};
    return QString("frame.number == %1").arg(place_of(recording, *place.frame).second);
}

QStringList wireshark_arguments(const Recording& recording, const Place& place) {
    if (recording.reading.opened.empty()) return {};
    const auto [file, frame] = place_of(recording, frame_of(recording, place));
    return arguments_for(text(file), frame, filter_in_file(recording, place)) + profile_arguments(recording, place);
}

QStringList wireshark_arguments(const Recording& recording, const Place& place, const QString& annotated) {
    return arguments_for(annotated, frame_of(recording, place), display_filter(recording, place)) +
           profile_arguments(recording, place);
}

QString open_in_wireshark(const QStringList& arguments) {
    const QString program = QStandardPaths::findExecutable("wireshark");
    if (program.isEmpty()) return "Wireshark is not installed, or not on the PATH.";
    if (arguments.isEmpty()) return "No capture is open.";
    return QProcess::startDetached(program, arguments) ? QString() : QString("Wireshark could not be started.");
}

}  // namespace fabricscope::viewer
