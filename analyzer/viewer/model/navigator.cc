// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/navigator.h"

#include <algorithm>

namespace fabricscope::viewer {

void Navigator::reset(Stretch whole) {
    const Time margin = std::max<Time>(whole.length() / 50, 500);
    whole_ = stretch_ = {whole.begin - margin, whole.end + margin};
    way_ = {};
    Q_EMIT stretched();
    Q_EMIT placed();
}

void Navigator::go(Place place) {
    if (place == this->place()) return;
    auto& places = way_.places;
    places.resize(way_.position + 1);
    if (places.size() == most_places) places.erase(places.begin());
    places.push_back(std::move(place));
    way_.position = places.size() - 1;
    Q_EMIT placed();
}

void Navigator::take(Way way) {
    way_ = std::move(way);
    Q_EMIT placed();
}

void Navigator::back() {
    if (!can_go_back()) return;
    --way_.position;
    Q_EMIT placed();
}

void Navigator::forward() {
    if (!can_go_forward()) return;
    ++way_.position;
    Q_EMIT placed();
}

void Navigator::show(Stretch stretch) {
    constexpr Time shortest = 100;  // nanoseconds
    const Time length = std::clamp(stretch.length(), shortest, std::max(whole_.length(), shortest));
    const Time last = std::max(whole_.begin, whole_.end - length);
    const Time begin = std::clamp(stretch.begin, whole_.begin, last);
    const Stretch shown{begin, begin + length};
    if (shown == stretch_) return;
    stretch_ = shown;
    Q_EMIT stretched();
}

void Navigator::zoom(double factor, Time around) {
    const auto scaled = [&](Time distance) { return static_cast<Time>(static_cast<double>(distance) * factor); };
    show({around - scaled(around - stretch_.begin), around + scaled(stretch_.end - around)});
}

void Navigator::pan(double share) {
    const Time by = static_cast<Time>(static_cast<double>(stretch_.length()) * share);
    show({stretch_.begin + by, stretch_.end + by});
}

void Navigator::reveal(Time time) {
    if (time >= stretch_.begin && time <= stretch_.end) return;
    const Time half = stretch_.length() / 2;
    show({time - half, time - half + stretch_.length()});
}

}  // namespace fabricscope::viewer
