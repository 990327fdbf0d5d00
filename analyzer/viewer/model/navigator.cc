// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/navigator.h"

#include <algorithm>

namespace fabricscope::viewer {

void Navigator::reset(Stretch whole) {
    const Time margin = std::max<Time>(whole.length() / 50, 500);
    whole_ = stretch_ = {whole.begin - margin, whole.end + margin};
    place_ = {};
    history_ = {place_};
    position_ = 0;
    Q_EMIT stretched();
    Q_EMIT placed();
}

void Navigator::go(Place place) {
    if (place == place_) return;
    history_.resize(std::min(position_ + 1, history_.size()));
    if (history_.size() == most_places) history_.erase(history_.begin());
    history_.push_back(place);
    position_ = history_.size() - 1;
    place_ = std::move(place);
    Q_EMIT placed();
}

void Navigator::back() {
    if (!can_go_back()) return;
    place_ = history_[--position_];
    Q_EMIT placed();
}

void Navigator::forward() {
    if (!can_go_forward()) return;
    place_ = history_[++position_];
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
