// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/variants/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "capture/packet.h"

namespace fabricscope::variants {
namespace {

constexpr std::size_t shortest_snap = 30, longest_snap = 256;
/// What people cut to who want headers only.
constexpr std::uint32_t usual_snaps[] = {64, 96, 128};

/// `count` numbers below `end`, evenly spread; all of them if they are that few.
std::vector<std::size_t> spread(std::size_t end, std::size_t count) {
    std::vector<std::size_t> numbers;
    const std::size_t of = std::min(end, count);
    for (std::size_t i = 0; i < of; ++i) numbers.push_back(i * end / of);
    return numbers;
}

/// What a frame's place in the network is told by.
struct Place {
    std::string source;     ///< address of the sender; empty: not known
    std::string transport;  ///< "TCP", "RoCE", "FC"; empty: something else
    bool identified = false;
};

Place place_of(const capture::Frame& frame) {
    const capture::Packet packet = decode(frame);
    const bool identified = packet.ip_identification != 0;
    switch (packet.transport) {
        case capture::Transport::tcp: return {to_string(packet.source), "TCP", identified};
        case capture::Transport::ib: return {to_string(packet.source), "RoCE", identified};
        case capture::Transport::fc: return {to_string(packet.source), "FC", identified};
        default: return {"", "", true};
    }
}

std::vector<std::size_t> numbers_in(const std::string& text) {
    std::vector<std::size_t> numbers;
    std::string spaced = text;
    std::ranges::replace_if(
        spaced, [](char each) { return each < '0' || each > '9'; }, ' ');
    std::istringstream rest(spaced);
    for (std::size_t number = 0; rest >> number;) numbers.push_back(number);
    return numbers;
}

class Maker {
public:
    Maker(const traffic::Recording& whole, std::size_t effort, const std::function<void(const Variant&)>& use)
        : whole_(whole), effort_(effort), use_(use) {
        for (std::size_t i = 0; i < whole.frames.size(); ++i) places_.push_back(place_of(traffic::frame_at(whole, i)));
    }

    void make_all() {
        make_losses();
        lose_in_a_row();
        cut();
        begin_late(25);
        end_early();
        lack_several_things();
        see_twice();
        see_at_two_places();
        see_from_two_interfaces();
        see_mirrored();
        see_times_rounded();
        split();
    }

    void make_named(const std::string& kind, const std::string& name) {
        const std::vector<std::size_t> numbers = numbers_in(name);
        const auto number = [&](std::size_t index) {
            if (index >= numbers.size()) throw std::runtime_error(kind + " " + name + ": is no variant's name");
            return numbers[index];
        };
        const auto frame = [&](std::size_t index) { return number(index) - 1; };
        if (kind == "one frame lost") return lose_one(frame(0));
        if (kind == "frames in a row lost") return lose_in_a_row(number(0), frame(1));
        if (kind == "early end") return end_early(frame(0));
        if (kind == "one transport") return see_one_transport(name);
        const bool cut = kind == "some frames lost + snap length";
        if (!cut && kind != "some frames lost") throw std::runtime_error(kind + ": such variants have no names");
        if (cut) cut_all(static_cast<std::uint32_t>(number(2)));
        lose_some(static_cast<unsigned>(number(0)), static_cast<unsigned>(number(1)));
        cut_none();
    }

    void make_losses() {
        lose_one();
        lose_some();
        see_one_direction();
        see_one_transport();
    }

private:
    std::size_t size() const { return whole_.frames.size(); }

    Kept whole_frame(std::size_t index) const {
        return {.index = index, .captured = snap_, .interface = whole_.frames[index].interface, .way = way_};
    }

    Variant empty(const std::string& kind, const std::string& name) const {
        return {kind + also_.kind, name + also_.name, {}, static_cast<std::uint32_t>(whole_.interfaces.size())};
    }

    template <class Condition> void keep(const char* kind, const std::string& name, Condition condition) {
        Variant variant = empty(kind, name);
        for (std::size_t i = 0; i < size(); ++i)
            if (condition(i)) variant.frames.push_back(whole_frame(i));
        variant.to_the_end = !variant.frames.empty() && variant.frames.back().index + 1 == size();
        if (variant.frames.size() < size()) use_(variant);
    }

    void lose_one(std::size_t lost) {
        keep("one frame lost", fmt::format("frame {}", lost + 1), [&](std::size_t i) { return i != lost; });
    }

    void lose_one() {
        for (const std::size_t lost : spread(size(), 60 * effort_)) lose_one(lost);
    }

    void lose_some(unsigned percent, unsigned seed) {
        std::mt19937 random(seed);
        keep("some frames lost", fmt::format("{} %, seed {}", percent, seed), [&](std::size_t) {
            return random() % 100 >= percent;
        });
    }

    void lose_some() {
        for (const unsigned percent : {1U, 5U, 20U})
            for (unsigned seed = 1; seed <= 4 * effort_; ++seed) lose_some(percent, seed);
    }

    void lose_in_a_row(std::size_t length, std::size_t first) {
        keep("frames in a row lost", fmt::format("{} from frame {} on", length, first + 1), [&](std::size_t i) {
            return i < first || i >= first + length;
        });
    }

    void lose_in_a_row() {
        for (const std::size_t length : {std::size_t{2}, std::size_t{5}, size() / 4})
            for (const std::size_t first : spread(size(), 10 * effort_)) lose_in_a_row(length, first);
    }

    void cut() {
        const std::size_t step = effort_ > 4 ? 1 : 3;
        for (std::size_t length = shortest_snap; length <= longest_snap; length += step) {
            Variant variant = empty("snap length", fmt::format("{}", length));
            bool differs = false;
            for (std::size_t i = 0; i < size(); ++i) {
                variant.frames.push_back(whole_frame(i));
                variant.frames.back().captured = static_cast<std::uint32_t>(length);
                differs = differs || whole_.frames[i].octets.size() > length;
            }
            if (differs) use_(variant);
        }
    }

    void begin_late(std::size_t count) {
        for (const std::size_t first : spread(size(), count * effort_))
            keep("late start", fmt::format("frame {}", first + 1), [&](std::size_t i) { return i >= first; });
    }

    void end_early(std::size_t end) {
        keep("early end", fmt::format("frame {}", end + 1), [&](std::size_t i) { return i <= end; });
    }

    void end_early() {
        for (const std::size_t end : spread(size(), 10 * effort_)) end_early(end);
    }

    std::set<std::string> senders() const {
        std::set<std::string> found;
        for (const Place& place : places_)
            if (!place.source.empty()) found.insert(place.source);
        return found;
    }

    void see_one_direction() {
        for (const std::string& sender : senders())
            keep("one direction", sender, [&](std::size_t i) { return places_[i].source == sender; });
    }

    void see_one_transport(const std::string& transport) {
        keep("one transport", transport, [&](std::size_t i) { return places_[i].transport == transport; });
    }

    void see_one_transport() {
        for (const char* transport : {"TCP", "RoCE", "FC"}) see_one_transport(transport);
    }

    void lose_some_of_one_direction() {
        for (const std::string& sender : senders()) {
            std::mt19937 random(1);
            keep("one direction + some frames lost", sender + ", 10 %", [&](std::size_t i) {
                return places_[i].source == sender && random() % 100 >= 10;
            });
        }
    }

    /// Whatever else is done to them.
    void cut_all(std::uint32_t snap) {
        snap_ = snap;
        also_ = {" + snap length", fmt::format(", {}", snap)};
    }
    void cut_none() {
        snap_ = no_snap;
        also_ = {};
    }

    /// Cut, and something else.
    void lack_several_things() {
        lose_some_of_one_direction();
        for (const std::uint32_t snap : usual_snaps) {
            cut_all(snap);
            see_one_direction();
            see_one_transport();
            begin_late(6);
            for (unsigned seed = 1; seed <= effort_; ++seed)
                for (const unsigned percent : {5U, 20U}) lose_some(percent, seed);
        }
        cut_none();
    }

    bool is_ethernet() const {
        return std::ranges::all_of(
            whole_.interfaces, [](const auto& each) { return each.link == capture::LinkType::ethernet; });
    }

    /// From a tunnel into which a switch mirrors, or from a trunk.
    void see_mirrored() {
        if (!is_ethernet()) return;
        for (const auto& [way, name] :
             {std::pair{Way::vxlan, "VXLAN"}, {Way::erspan, "ERSPAN"}, {Way::tagged, "VLAN"}}) {
            way_ = way;
            Variant variant = empty("mirrored", name);
            for (std::size_t i = 0; i < size(); ++i) variant.frames.push_back(whole_frame(i));
            use_(variant);
            also_ = {" + mirrored", fmt::format(", {}", name)};
            see_one_direction();
            lose_some(5, 1);
            begin_late(3);
            snap_ = 128;
            also_ = {" + mirrored + snap length", fmt::format(", {}, 128", name)};
            lose_some(1, 1);
            snap_ = no_snap;
            also_ = {};
        }
        way_ = Way::as_sent;
    }

    /// Two taps, each of which shows all that goes by but for what it loses; one of them may be behind a router. Of
    /// what IP does not identify the clocks must agree well, or the first copies are none (capture/duplicate_filter.h).
    void see_at_two_places() {
        const bool identified = std::ranges::all_of(places_, &Place::identified);
        for (const Way way : {Way::as_sent, Way::routed, Way::tagged}) {
            if (way != Way::as_sent && !is_ethernet()) continue;
            for (const capture::Time later :
                 {-5 * capture::microsecond, 50 * capture::microsecond, capture::millisecond})
                for (const unsigned percent : {0U, 10U})
                    if (later < capture::millisecond || identified) see_at_two_places(way, later, percent);
        }
    }

    void see_at_two_places(Way way, capture::Time later, unsigned percent) {
        std::mt19937 random(1);
        Variant variant = empty(
            percent == 0 ? "two places" : "two places + some frames lost",
            fmt::format("{} us later, by way {}, {} %", later / capture::microsecond, static_cast<int>(way), percent));
        const auto interfaces = variant.interfaces;
        variant.interfaces *= 2;
        variant.in_order = variant.same_times = false;
        for (std::size_t i = 0; i < size(); ++i) {
            if (random() % 100 >= percent) variant.frames.push_back(whole_frame(i));
            if (random() % 100 < percent || !is_seen_by(way, whole_.frames[i].octets)) continue;
            Kept& copy = variant.frames.emplace_back(whole_frame(i));
            copy.interface += interfaces;
            copy.later = later;
            copy.way = way;
        }
        std::ranges::stable_sort(
            variant.frames, {}, [&](const Kept& kept) { return whole_.frames[kept.index].time + kept.later; });
        use_(variant);
    }

    /// By a clock that counts in larger steps.
    void see_times_rounded() {
        for (const capture::Time step : {capture::microsecond, capture::millisecond, 10 * capture::millisecond}) {
            Variant variant = empty("rounded times", fmt::format("{} us", step / capture::microsecond));
            variant.same_times = false;
            for (std::size_t i = 0; i < size(); ++i) {
                variant.frames.push_back(whole_frame(i));
                variant.frames.back().later = -(whole_.frames[i].time % step);
            }
            use_(variant);
        }
    }

    void see_twice() {
        for (const unsigned percent : {100U, 10U})
            for (const capture::Time later : {capture::Time{0}, 3 * capture::microsecond}) {
                std::mt19937 random(1);
                Variant variant = empty("seen twice", fmt::format("{} % of frames, {} ns apart", percent, later));
                for (std::size_t i = 0; i < size(); ++i) {
                    variant.frames.push_back(whole_frame(i));
                    if (random() % 100 >= percent) continue;
                    variant.frames.push_back(whole_frame(i));
                    variant.frames.back().later = later;
                }
                use_(variant);
            }
    }

    /// What each of two senders sends is captured on an interface of its own, whose clock is wrong.
    void see_from_two_interfaces() {
        const std::set<std::string> found = senders();
        if (found.size() != 2 || whole_.interfaces.size() != 1) return;
        for (const capture::Time skew :
             {-capture::millisecond, -20 * capture::microsecond, 20 * capture::microsecond, capture::millisecond}) {
            Variant variant = empty("two interfaces", fmt::format("skew {} us", skew / capture::microsecond));
            variant.interfaces = 2;
            variant.in_order = variant.same_times = false;
            for (std::size_t i = 0; i < size(); ++i) {
                variant.frames.push_back(whole_frame(i));
                if (places_[i].source != *found.begin()) continue;
                variant.frames.back().interface = 1;
                variant.frames.back().later = skew;
            }
            std::ranges::stable_sort(
                variant.frames, {}, [&](const Kept& kept) { return whole_.frames[kept.index].time + kept.later; });
            use_(variant);
        }
    }

    /// The capture in several files: frame `i` in that which `file_of(i)` gives. They are merged as every command
    /// merges its files; no interface of one is known to be that of another.
    template <class FileOf> void deal(std::uint32_t files, std::string name, FileOf file_of) {
        const auto interfaces = static_cast<std::uint32_t>(whole_.interfaces.size());
        Variant variant = empty("split files", std::move(name));
        variant.interfaces = files * interfaces;
        for (std::size_t i = 0; i < size(); ++i) {
            variant.frames.push_back(whole_frame(i));
            variant.frames.back().interface += file_of(i) * interfaces;
        }
        std::ranges::stable_sort(variant.frames, {}, [&](const Kept& kept) {
            return std::pair(whole_.frames[kept.index].time, kept.interface / interfaces);
        });
        variant.in_order = variant.same_times = std::ranges::is_sorted(variant.frames, {}, &Kept::index);
        use_(variant);
    }

    void split() {
        for (const std::size_t at : spread(size(), 4 * effort_)) {
            if (at == 0) continue;
            deal(2, fmt::format("before frame {}", at + 1), [&](std::size_t i) { return i < at ? 0U : 1U; });
            deal(2, fmt::format("before frame {}, the later one first", at + 1), [&](std::size_t i) {
                return i < at ? 1U : 0U;
            });
        }
        for (unsigned seed = 1; seed <= effort_; ++seed) {
            std::mt19937 random(seed);
            deal(3, fmt::format("each frame in any of three, seed {}", seed), [&](std::size_t) {
                return static_cast<std::uint32_t>(random() % 3);
            });
        }
    }

    const traffic::Recording& whole_;
    std::size_t effort_;
    const std::function<void(const Variant&)>& use_;
    std::vector<Place> places_;

    /// What is done to all frames besides.
    struct Also {
        std::string kind, name;
    };
    static constexpr std::uint32_t no_snap = std::numeric_limits<std::uint32_t>::max();
    Also also_;
    std::uint32_t snap_ = no_snap;
    Way way_ = Way::as_sent;
};

}  // namespace

void for_each_variant(
    const traffic::Recording& whole, std::size_t effort, const std::function<void(const Variant&)>& use) {
    Maker(whole, effort, use).make_all();
}

void for_each_loss(
    const traffic::Recording& whole, std::size_t effort, const std::function<void(const Variant&)>& use) {
    Maker(whole, effort, use).make_losses();
}

void for_named(
    const traffic::Recording& whole, const std::string& kind, const std::string& name,
    const std::function<void(const Variant&)>& use) {
    Maker(whole, 1, use).make_named(kind, name);
}

}  // namespace fabricscope::variants
