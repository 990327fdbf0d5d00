// SPDX-License-Identifier: GPL-2.0-or-later
// Which Exchange a frame belongs to, and what it does to it: Sequences, Sequence Initiative, ACKs, rejects, ABTS
// (FC-PH 24; FC-FS, Exchange and Sequence management). The only table of Exchanges: what is built on Fibre Channel gets
// each frame with its Exchange.
#pragma once

#include <list>
#include <memory>

#include "analyzer/engine/fc/given_ids.h"
#include "analyzer/engine/fc/listeners.h"
#include "analyzer/engine/fc/tracker.h"
#include "analyzer/engine/flat_map.h"

namespace fabricscope::engine::fibre_channel {

/// A frame on its way through the trackers.
struct Arrival {
    const capture::Packet& packet;
    const wire::FrameHeader& header;
    Party from;
    Exchange& exchange;
    KeptNumbers& kept;
    capture::FcSequenceEvent event{};
    bool opens = false;
    bool closes = false;
    std::uint64_t request_frame = 0;
    Time request_time = 0;

    FrameStamp step() const { return step_of(packet); }
};

class Exchanges {
public:
    Exchanges(const Options& options, Listeners& listeners, Model& model)
        : limits_(options.limits), only_notable_(options.only_notable), listeners_(listeners), model_(model) {}

    /// The Exchange of the frame, made if need be, with the frame taken in.
    Arrival take(const capture::Packet& packet);

    /// The Exchange, which gave its Originator an address, turns out to have had another one's answer.
    void part_answer(std::uint32_t id);

    /// Those that are still followed are over.
    void finish();

    const GivenIds& given_ids() const { return given_ids_; }

private:
    /// An Exchange as its Originator names it. RX_ID is no part of it: the first frames have none yet.
    struct Key {
        std::uint32_t originator = 0, responder = 0;
        std::uint16_t ox_id = 0;
        Fabric fabric;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept;
    };
    /// An OX_ID between two ports, with the Exchange that uses it now.
    struct Place {
        Key key;
        Exchange* exchange = nullptr;        ///< in the model, or
        std::unique_ptr<Exchange> unlisted;  ///< if there is no room, or not yet
        bool is_listed = false;              ///< in the model
        PerParty<capture::FcSequences> sequences;
        wire::FrameHeader first_header;  ///< of the frame that was seen first
        std::uint64_t first_digest = 0;  ///< of its payload, as far as it was captured
        /// Port_Name of who asks the fabric for an address: until then all N_Ports have the same one.
        std::optional<std::uint64_t> asker;
        std::optional<std::uint16_t> given_rx_id;  ///< by the Responder
        bool answered = false;                     ///< the Responder has sent data
        bool is_over = false;
        PerParty<bool> id_noted;
        KeptNumbers kept{};
    };
    using List = std::list<Place>;

    /// Of one that is listed when it is opened.
    static std::size_t place_in_model(std::uint32_t id) { return id - 1; }
    static std::optional<Exchange> take_answer_out(Exchange& asked);
    static Key key_of(const capture::FcPacket& fc);
    Place& place_of(const capture::Packet& packet, bool& opens);
    Place* find(const Key& key);
    Place* find_fabric_login(const Key& key);
    static bool may_repeat(const Place& place, const capture::FcPacket& fc);
    static bool has_other_rx_id(const Place& place, const wire::FrameHeader& header);
    static bool starts_anew(const Place& place, const capture::FcPacket& fc);
    Place& make_place(const Key& key);
    void open(Place& place, const capture::Packet& packet);
    void end(Place& place);
    void list_late(const Exchange& exchange);
    void forget(List& list);
    void settle(Place& place);

    void take_data(Place& place, Arrival& arrival);
    void note_ids(Place& place, Party from);
    void note_sequence(Exchange& exchange, const Arrival& arrival) const;
    static void take_link_control(Exchange& exchange, const Arrival& arrival);
    static void take_basic_link_service(Exchange& exchange, const Arrival& arrival);

    const Limits& limits_;
    const bool only_notable_;
    Listeners& listeners_;
    Model& model_;
    GivenIds given_ids_;
    List open_, over_;  ///< the one used last comes first
    List spare_;        ///< that were forgotten: their memory is used again
    FlatMap<Key, List::iterator, KeyHash> index_;
    std::uint32_t last_id_ = 0;
};

}  // namespace fabricscope::engine::fibre_channel
