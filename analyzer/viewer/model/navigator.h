// SPDX-License-Identifier: GPL-2.0-or-later
// Where the reader is: one moment, one selection and one stretch of time for all panes, and the way back.
#pragma once

#include <QObject>
#include <deque>
#include <optional>
#include <string>

#include "analyzer/engine/sides.h"

namespace fabricscope::viewer {

using engine::Time;

struct Place {
    std::optional<std::size_t> node;  ///< in the overview
    std::string session;              ///< what is selected: "smcr-1", "xchg-7"; empty: nothing
    std::optional<std::uint64_t> frame;
    std::optional<Time> time;  ///< of the time cursor
    bool operator==(const Place&) const = default;
};

struct Stretch {
    Time begin = 0;
    Time end = 1;
    Time length() const { return end - begin; }
    bool operator==(const Stretch&) const = default;
};

/// Where the reader has been, and which of these places is shown.
struct Way {
    std::deque<Place> places{Place{}};
    std::size_t position = 0;
};

class Navigator : public QObject {
    Q_OBJECT

public:
    /// Nothing is selected, all of the capture is in view.
    void reset(Stretch whole);

    const Place& place() const { return way_.places[way_.position]; }
    const Way& way() const { return way_; }
    const Stretch& stretch() const { return stretch_; }
    const Stretch& whole() const { return whole_; }

    /// Selects something; the place before can be gone back to.
    void go(Place place);
    /// Goes a way that was gone before.
    void take(Way way);
    void back();
    void forward();
    bool can_go_back() const { return way_.position > 0; }
    bool can_go_forward() const { return way_.position + 1 < way_.places.size(); }

    /// What is in view. Kept within the capture and a bit of margin.
    void show(Stretch stretch);
    /// The moment stays where it is on the screen; less than 1: closer.
    void zoom(double factor, Time around);
    void pan(double share);
    /// Shows the moment if it is out of view.
    void reveal(Time time);

Q_SIGNALS:
    void placed();
    void stretched();

private:
    static constexpr std::size_t most_places = 1000;

    Way way_;
    Stretch stretch_, whole_;
};

}  // namespace fabricscope::viewer
