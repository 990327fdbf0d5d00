// SPDX-License-Identifier: GPL-2.0-or-later
// The waiting room: frames of several interfaces or hosts are not always in order of time, so that the traffic of a
// link or a connection may be met before the message that announces it. Such traffic waits a little instead of being
// taken for something that began before the capture.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <variant>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/held.h"

namespace fabricscope::engine::smcr {

/// WaitingData is a WRITE or CDC message on a known link, of a connection that is not known yet. It owns what it
/// consists of; an Arrival is made anew when it is admitted.
struct WaitingData {
    struct Write {
        HeldWrite write;
        std::uint32_t rkey;
        std::uint64_t address;
    };
    struct Cdc {
        wire::Cdc message;
        std::uint32_t meant;  ///< connection to which it seems to belong, whatever its token; 0 = not known
    };
    using Content = std::variant<Write, Cdc>;

    WaitingData(const Arrival& a, Content of)
        : group(a.group),
          link(a.link),
          from(a.from),
          late(a.late),
          gaps(a.gaps),
          one_interface(a.one_interface),
          packet(*a.packet, {}),
          content(std::move(of)) {}

    /// arrival() returns the Arrival as it was. The arguments, which it points to, outlive it.
    Arrival arrival(const capture::Packet& of, FrameFacts& facts, GroupHistory& history) const {
        return {group, link, from, &of, &facts, &history, late, gaps, one_interface};
    }

    // As in Arrival.
    std::uint32_t group;
    std::uint32_t link;
    Side from;
    bool late;
    PerSide<std::uint32_t> gaps;
    bool one_interface;

    HeldPacket packet;  ///< without payload: what counts of it is in `content`
    Content content;
};

/// WaitingRoom keeps packets of unknown links and data of unknown connections until they are announced or are
/// overdue. It does not know what they mean: whoever admits them says whether they have found their place.
class WaitingRoom {
public:
    static constexpr Time patience = 2 * capture::second;

    /// `most`: packets, and data, that may wait at once; not 0.
    explicit WaitingRoom(std::size_t most) : most_(most) {}

    /// advance() moves the clock, which is that of the packets. If the room was closed, it opens again.
    void advance(Time now) { now_ = now, closed_ = false; }

    /// close() makes everything overdue: the capture has ended, as far as is known.
    void close() { closed_ = true; }
    bool closed() const { return closed_; }

    /// expects() returns whether a packet to an unknown queue pair is to wait: it begins a link, whose announcement
    /// cannot be long ago or far off, or goes between two ports between which one that waits has begun.
    bool expects(const capture::Packet& packet) const;

    std::size_t most() const { return most_; }

    /// full() returns whether no packet can be held any more until admit_packets() has been called.
    bool full() const { return packets_.size() >= most_; }

    /// hold() keeps a packet of which expects() is true.
    void hold(const capture::Packet& packet) { packets_.emplace_back(packet, packet.ib.payload); }

    /// hold() keeps data. If the room is full, the oldest makes room and is lost, which is what it returns.
    [[nodiscard]] bool hold(WaitingData data);
    bool holds_data() const { return !data_.empty(); }
    bool holds_data_of(std::uint32_t group, Side from) const {
        return std::ranges::any_of(data_, [&](const WaitingData& d) { return d.group == group && d.from == from; });
    }

    /// announce() says that a queue pair, an RMB or an alert token has become known.
    void announce() { news_ = true; }

    /// ready() returns whether it is time to admit() what waits: something was announced since the last time, or the
    /// oldest is overdue. It is asked for every packet.
    bool ready() const {
        return news_ || (!packets_.empty() && overdue(packets_.front())) ||
               (!data_.empty() && overdue(data_.front().packet));
    }

    /// admit() hands out everything that waits, the packets first. `deliver(const capture::Packet&, bool overdue)` and
    /// `settle(const WaitingData&, bool overdue)` return whether it has found its place; if not, it waits on. They may
    /// hold() more, which waits for the next call at least, but for data that `deliver` holds.
    template <class Deliver, class Settle> void admit(Deliver&& deliver, Settle&& settle) {
        news_ = false;
        admitting_ = true;
        admit_all(packets_, [&](const HeldPacket& held) { return deliver(held.packet(), overdue(held)); });
        admit_all(data_, [&](const WaitingData& data) { return settle(data, overdue(data.packet)); });
        admitting_ = false;
    }
    /// admit_packets() hands out all packets that wait, as if they were overdue: `deliver` as for admit().
    template <class Deliver> void admit_packets(Deliver&& deliver) {
        admitting_ = true;
        admit_all(packets_, [&](const HeldPacket& held) { return deliver(held.packet(), true); });
        admitting_ = false;
    }
    /// admitting() returns whether what is being dealt with has waited here.
    bool admitting() const { return admitting_; }

private:
    template <class Entry, class Admit> static void admit_all(std::deque<Entry>& entries, Admit&& admit) {
        std::deque<Entry> waiting;
        waiting.swap(entries);
        for (Entry& entry : waiting)
            if (!admit(entry)) entries.push_back(std::move(entry));
    }
    bool overdue(const HeldPacket& packet) const { return closed_ || now_ - packet.time() > patience; }

    std::size_t most_;
    std::deque<HeldPacket> packets_;
    std::deque<WaitingData> data_;
    Time now_ = 0;
    bool news_ = false;
    bool closed_ = false;
    bool admitting_ = false;
};

}  // namespace fabricscope::engine::smcr
