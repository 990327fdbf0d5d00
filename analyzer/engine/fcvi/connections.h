// SPDX-License-Identifier: GPL-2.0-or-later
// Connections, found by the handle that an IU goes to, by FCVI_CONNECTION_ID, or by their addresses; and
// what has to be remembered of each besides what is reported.
#pragma once

#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "analyzer/engine/fcvi/arrival.h"

namespace fabricscope::engine::fcvi {

/// A Message that a side began, by its MSG_ID.
struct OpenMessage {
    std::uint64_t message = 0;  ///< id
    FrameStamp step;
};

/// Of MSG_IDs, of which FFFFFFFFh is followed by 0 (5.9.6).
constexpr bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

/// A Message that was begun while its side seemed to have too many open ones: those that were answered or aborted later
/// were open indeed.
struct Excess {
    std::uint64_t frame = 0;
    std::size_t most = 0;                ///< FCVI_PIPELINE_DEPTH
    std::size_t open = 0;                ///< of the others, known to have been open
    std::vector<std::uint32_t> waiting;  ///< MSG_IDs of those that are not known
};

/// What is remembered of one side's sending.
struct Sender {
    std::optional<std::uint32_t> next_message;
    std::set<std::uint32_t> missing;  ///< MSG_IDs that were skipped, up to ConnectionState::most
    std::optional<FrameStamp> gap;    ///< the first skip that was not filled
    /// Messages with a MSG_ID that was used: theirs seem to be skipped later. Negative: MSG_IDs that were skipped, and
    /// seem to be used again later. Each mistake is told once.
    std::int64_t misnumbered = 0;
    std::unordered_map<std::uint32_t, OpenMessage> awaiting;       ///< Messages whose response is due, by MSG_ID
    std::optional<std::uint32_t> good_response_to, read_answered;  ///< the latest of its Messages that its peer
                                                                   ///< answered good; a Read
    std::optional<std::uint32_t> failed_message;                   ///< the first that its peer answered with RESP_ERR
    std::optional<FrameStamp> failed;
    std::optional<FrameStamp> answered_late;  ///< the response to its Message came after FCVI_ULP_TIMEOUT, without ABTS
    std::optional<std::uint32_t> given_up;    ///< the first of its Messages whose Exchange it has aborted
    std::vector<Excess> excesses;
    std::optional<bool> preference;  ///< of its first Message
    std::uint64_t preference_frame = 0;
    std::optional<FrameStamp> begun_early;     ///< its first Message came before it could know that it may send
    std::optional<FrameStamp> answered_early;  ///< the client's first Message Response before CONNECT_RESP3
    std::optional<FrameStamp> disconnect_request, disconnect_response, logout;
    std::optional<wire::NetAddress> asked_for;  ///< REM_ADDR of its Connect Request
    /// An endpoint that has asked before the latest may still wait for the peer (VI-DG 6.7).
    bool others_wait = false;
    std::vector<std::uint8_t> answer;  ///< payload of its last CONNECT_RESP1
    std::uint64_t answer_frame = 0;
    bool answer_cut = false;  ///< it was not captured whole
    std::uint32_t retries = 0;
    std::optional<std::uint16_t> first_id;  ///< that its port gave to an Exchange of the setup

    /// The latest of its Messages that its peer answered good; 0: none.
    std::uint32_t last_good() const {
        const std::uint32_t read = read_answered.value_or(0), other = good_response_to.value_or(0);
        return before(read, other) ? other : read;
    }
};

/// A setup of concurrent peers that was answered before the answerer had the answer to its own, as far as was seen.
struct EarlyAnswer {
    std::uint64_t own_rqst = 0;         ///< the answerer's CONNECT_RQST
    std::vector<std::uint64_t> frames;  ///< both requests, and the answer
    std::string text;
};

struct ConnectionState {
    static constexpr std::size_t most = 256;

    PerSide<Sender> sender;
    /// Peers only, by setup: what was said of the ends. Several endpoints of a port may ask for one peer at once, and
    /// which of them it gets shows only with the setup that goes on.
    std::vector<PerSide<Announcement>> announced;
    bool several_ask = false, ends_known = false;
    /// Frames were seen out of order, or may come so: the fabric, or the capture, does not keep it.
    bool reordered = false;
    std::optional<EarlyAnswer> early_answer;
    bool order_known = false;         ///< a login tells whether the fabric keeps it
    std::optional<FrameStamp> first;  ///< frame
    bool several_interfaces = false;
    bool login_asked = false;  ///< its ports may have logged in anew since it began
    bool lossy = false;        ///< the capture has lost frames that the endpoints had

    /// Another interface may have another clock.
    void hear(const FrameStamp& frame) {
        if (!first) first = frame;
        several_interfaces |= first->interface != frame.interface;
    }
    /// Why frames that come in the wrong order prove nothing, if they do not.
    std::optional<UndecidedReason> lack_of_order() const {
        if (reordered) return UndecidedReason::out_of_order;
        if (several_interfaces) return UndecidedReason::interface_order;
        return order_known ? std::nullopt : std::optional(UndecidedReason::login_not_captured);
    }
};

class Connections {
public:
    struct Party {
        std::uint32_t connection;
        Side side;
    };
    struct SetupPlace {
        std::uint32_t connection;
        std::size_t setup;
    };

    Connections(const Options& options, Model& model) : options_(options), model_(model) {}

    /// nullptr if there are too many.
    Connection* create(const Arrival& a, const Port& client, const Port& server);
    Connection& at(std::uint32_t id) { return model_.connections[id - 1]; }
    ConnectionState& state(std::uint32_t id) { return states_[id - 1]; }
    std::size_t size() const { return model_.connections.size(); }
    /// Whether Messages were left out for want of room: which was the last one is not known.
    bool forgot_messages() const { return model_.dropped_messages != 0; }

    /// `side` of the connection receives with this handle from now on.
    void bind(Connection& connection, Side side, std::uint32_t handle);
    /// The endpoint of this handle has no part in the connection any more.
    void release(const Connection& connection, Side side, std::uint32_t handle);
    /// Whose handle it is, if `owner` gave it to a connection with `peer`.
    const Party* owner_of(const Port& owner, const Port& peer, std::uint32_t handle) const;
    /// Who receives the frame by its handle; nullptr, too, if its connection may be over and another one may have got
    /// the handle without the capture showing it.
    const Party* receiver_of(const Arrival& a) const;
    /// All that have got the handle from `owner`, the latest of each peer.
    std::span<const Party> owners_of(const Port& owner, std::uint32_t handle) const;

    void name_setup(const Port& originator, std::uint32_t connection_id, SetupPlace place);
    const SetupPlace* find_setup(const Port& originator, std::uint32_t connection_id) const;

    /// Peers that wait between the two ports, the latest first.
    std::vector<std::uint32_t>& waiting_peers(const Port& a, const Port& b);

    /// An IU between the two ports does not show what it is about: it may have been anything.
    void note_unread(const Port& a, const Port& b, UndecidedReason why = UndecidedReason::cut) {
        unread_.emplace(pair_key(a, b), why);
    }
    /// A setup between the two ports went on of which nothing else was captured.
    void note_unknown_setup(const Port& a, const Port& b) { unknown_setups_.insert(pair_key(a, b)); }
    /// One that belongs to no connection was sent between the two ports, perhaps a Message.
    void note_uncounted(const Port& a, const Port& b) { uncounted_.insert(pair_key(a, b)); }
    /// Why the frame's connection may have had Messages of its sender that were not counted.
    std::optional<UndecidedReason> lack_of_numbers(const Arrival& a) const;
    /// Why it is not known which endpoints are connected.
    std::optional<UndecidedReason> lack_of_ends(std::uint32_t connection) const;
    /// Why this side of the frame's connection may have had Exchanges since the setup that were not captured: further
    /// Messages, a Disconnect, another setup. Nothing if the port's numbers show that there was none.
    std::optional<UndecidedReason> lack_of_exchanges(const Arrival& a, Side side) const {
        return lack_of_exchanges(a, a.exchange.connection, side, a.id_given_by(side));
    }
    /// The same of another connection, from its setup up to the Exchange that the port has given `id`.
    std::optional<UndecidedReason> lack_of_exchanges(
        const Arrival& a, std::uint32_t connection, Side side, std::optional<std::uint16_t> id) const;

    /// Why the frame may belong to another connection between the two ports than its handle tells: a setup went on of
    /// which an answer is missing, and with it the handle that it gave.
    std::optional<UndecidedReason> lack_of_answers(const Arrival& a) const;

    /// A PLOGI was accepted, which ends all connections between the two ports: where their numbers begin.
    void note_login(const Port& a, std::uint16_t id_of_a, const Port& b, std::optional<std::uint16_t> id_of_b);
    /// Why the frame's handle may have been announced without the capture showing it. Nothing if login and all setups
    /// since were captured.
    std::optional<UndecidedReason> lack_of_setups(const Arrival& a) const;
    /// Whose handle a frame's, that was not announced, was meant to be: the sender put its own there, or the octets in
    /// the wrong order. The party is the receiver.
    struct Meant {
        Party party{};
        const char* mistake = nullptr;
        /// No port gives its endpoints such a pair of handles: that a setup was missed explains nothing.
        bool certain = false;
    };
    std::optional<Meant> meant_by(const Arrival& a) const;

    /// Calls `visit(Connection&, ConnectionState&, Side)` for each connection of `port` with `peer`; the side is the
    /// port's.
    template <class Visit> void for_each_between(const Port& port, const Port& peer, Visit&& visit) {
        for (const std::uint32_t id : between_[pair_key(port, peer)])
            visit(at(id), state(id), at(id).end[Side::client].port == port ? Side::client : Side::server);
    }

    void set_state(Connection& connection, Side side, State state, const FrameStamp& step) const;

private:
    bool is_between(const Party& party, const Port& owner, const Port& peer) const;
    static std::uint64_t handle_key(const Port& port, std::uint32_t value) {
        return (std::uint64_t{port.fabric} << 56) ^ std::uint64_t{port.id} << 32 ^ value;
    }
    static std::uint64_t pair_key(const Port& a, const Port& b) {
        return std::uint64_t{a.fabric} << 48 ^ std::uint64_t{std::min(a.id, b.id)} << 24 ^ std::max(a.id, b.id);
    }

    static constexpr std::size_t most_logins = 65'536;

    const Options& options_;
    Model& model_;
    std::deque<ConnectionState> states_;
    std::unordered_map<std::uint64_t, std::vector<Party>> by_handle_;
    std::unordered_map<std::uint64_t, SetupPlace> by_connection_id_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> waiting_, between_;
    std::unordered_map<std::uint64_t, UndecidedReason> unread_;  ///< by both ports
    std::set<std::uint64_t> uncounted_, unknown_setups_;         ///< pairs of ports
    /// The number that a port has given to the Exchange of its latest PLOGI; by both ports, its own first.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint16_t> login_ids_;
};

/// "FCVI_SEND_RQST goes to handle 00000099h, which nobody has announced"
std::string unannounced_text(const Arrival& a, const std::optional<Connections::Meant>& meant);

}  // namespace fabricscope::engine::fcvi
