// SPDX-License-Identifier: GPL-2.0-or-later
// Which Exchange a frame belongs to, and what it does to it: Sequences, Sequence Initiative, ACKs, rejects, ABTS
// (FC-PH 24; FC-FS, Exchange and Sequence management).
#pragma once

#include <list>
#include <unordered_map>

#include "analyzer/engine/fc/tracker.h"

namespace fabricscope::engine::fibre_channel {

/// A frame on its way through the trackers.
struct Arrival {
    const capture::Packet& packet;
    const wire::FrameHeader& header;
    Party from;
    Exchange& exchange;
    capture::FcSequenceEvent event{};
    bool opens = false;
    bool closes = false;
    std::uint64_t request_frame = 0;
    Time request_time = 0;

    Step step() const { return {packet.time, packet.number, packet.interface}; }
};

class Exchanges {
public:
    Exchanges(const Limits& limits, Observer& observer, Model& model)
        : limits_(limits), observer_(observer), model_(model), sequences_({.directions = 2 * limits.followed}) {}

    /// The Exchange of the frame, made if need be, with the frame taken in.
    Arrival take(const capture::Packet& packet);

    /// Lists what is still followed.
    void finish();

private:
    struct KeyHash {
        std::size_t operator()(const capture::FcExchangeKey& key) const noexcept;
    };
    struct Followed {
        capture::FcExchangeKey key;
        Exchange exchange;
        wire::FrameHeader first;  ///< of its first frame
        bool answered = false;    ///< the Responder has sent data
    };
    using List = std::list<Followed>;

    Followed& followed(const capture::Packet& packet, bool& opens);
    Followed* find(const capture::FcExchangeKey& key);
    Followed* find_fabric_login(const capture::FcExchangeKey& key);
    static bool starts_anew(const Followed& followed, const wire::FrameHeader& header);
    Followed& open(const capture::Packet& packet, const capture::FcExchangeKey& key);
    void retire(List::iterator followed);

    void take_data(Followed& followed, Arrival& arrival);
    void note_sequence(Exchange& exchange, const Arrival& arrival) const;
    static void take_link_control(Exchange& exchange, const Arrival& arrival);
    static void take_basic_link_service(Exchange& exchange, const Arrival& arrival);

    const Limits& limits_;
    Observer& observer_;
    Model& model_;
    capture::FcSequences sequences_;
    List list_;  ///< the one used last comes first
    std::unordered_map<capture::FcExchangeKey, List::iterator, KeyHash> index_;
    std::uint32_t last_id_ = 0;
};

}  // namespace fabricscope::engine::fibre_channel
