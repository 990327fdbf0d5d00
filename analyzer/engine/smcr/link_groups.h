// SPDX-License-Identifier: GPL-2.0-or-later
// Link groups: links and their queue pairs, RMBs and their RTokens on each link, LLC exchanges, and
// from there the way of every packet to its connection (RFC 7609, 2 and 3.5).
#pragma once

#include <limits>
#include <memory>
#include <unordered_map>

#include "analyzer/engine/smcr/link_rules.h"
#include "analyzer/engine/smcr/sessions.h"
#include "analyzer/engine/smcr/setup_rules.h"
#include "analyzer/engine/smcr/transfer_rules.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::smcr {

class LinkGroups {
public:
    LinkGroups(
        const Options& options, Observer& observer, Model& model, Sessions& sessions, SetupRules& setup_rules,
        LinkRules& link_rules, TransferRules& transfer_rules)
        : options_(options),
          observer_(observer),
          model_(model),
          sessions_(sessions),
          setup_rules_(setup_rules),
          link_rules_(link_rules),
          transfer_rules_(transfer_rules) {}

    void on_accept(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a);
    void on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a);
    void on_decline(Session& session);

    /// Whether no packet of the link group (0 = none) is known to be missing.
    bool is_complete(std::uint32_t id);

    /// A packet of a reliable connection, whose link is known, or made known by what it carries; or a MAD of
    /// Communication Management, which SMC-R does not use.
    void on_ib(const capture::Packet& packet);

    void finish();

private:
    struct EndpointKey {
        Address address;
        std::uint32_t qpn;
        bool operator==(const EndpointKey&) const = default;
    };
    struct EndpointHash {
        std::size_t operator()(const EndpointKey& key) const noexcept {
            return std::hash<Address>{}(key.address) ^ (std::size_t{key.qpn} * 0x9E3779B97F4A7C15u);
        }
    };
    /// A queue pair: `side` of a link receives on it.
    struct EndpointRef {
        std::uint32_t group;  ///< 0: of none any more
        std::uint32_t link;
        Side side;
        bool operator==(const EndpointRef&) const = default;
    };
    struct WriteTarget {
        bool known = false;                    ///< the RMB
        std::uint64_t offset = 0;              ///< in the RMB element
        std::uint32_t connection = 0;          ///< whose element it is; 0 = not known
        std::optional<std::size_t> deleted{};  ///< the RMB, if DELETE RKEY has named it
    };
    /// A WRITE to an RMB that nothing has announced, kept until a cursor tells where the RMB is.
    struct StrayWrite {
        std::uint32_t link;
        std::uint32_t rkey;
        std::uint64_t address;
        Flow::Write write;
        std::vector<std::uint8_t> octets;
    };
    /// Of a link.
    struct QueuePairs {
        PerSide<std::unique_ptr<capture::RcReceiver>> receiver;  ///< at this side, once it was sent something
        PerSide<std::optional<std::uint32_t>> sent_psn;          ///< latest request PSN from this side
        PerSide<Continuity> continuity;                          ///< of the requests from this side
        PerSide<std::uint32_t> unanswered;  ///< repeated requests from this side since the other was heard
    };
    /// A link that ADD LINK proposed; it comes to be when the other side accepts.
    struct Offer {
        std::uint8_t number;
        Side from;
        LinkEndpoint end;
        std::uint32_t mtu;
        std::uint32_t carrier;  ///< link on which it was made, and on which reference RKeys are known
        std::vector<wire::RkeyPair> rkeys;
    };
    struct GroupState {
        std::vector<std::unique_ptr<QueuePairs>> links;
        GroupHistory history;
        PerSide<FlatMap<std::uint32_t, std::uint32_t>> tokens;  ///< connection id by the token that this side assigned
        std::vector<Offer> offers;
        PerSide<Address> address;           ///< of a group seen midway: both ends of its links
        std::vector<std::uint32_t> halves;  ///< connections seen midway of which one direction is known, the youngest
        PerSide<std::vector<StrayWrite>> strays;            ///< from this side
        PerSide<std::optional<std::size_t>> continued_rmb;  ///< of this side's latest CONFIRM RKEY
        PerSide<bool> says_no_eye_catcher, confirmed_link;
        std::uint32_t first_connection = 0;
        std::optional<std::uint32_t> interface;
        bool one_interface = true;  ///< by which all packets came
        bool llc_cut = false;       ///< an LLC message was cut by the snap length
    };
    LinkGroup& group(std::uint32_t id) { return *known_[id - 1].group; }
    GroupState& state(std::uint32_t id) { return *known_[id - 1].state; }
    Link& link(const Arrival& a) { return group(a.group).links[a.link]; }

    std::optional<std::uint32_t> create_group();
    std::optional<std::uint32_t> create_link(std::uint32_t id);
    std::optional<std::uint32_t> link_by_number(std::uint32_t id, std::uint8_t number);
    void register_end(std::uint32_t id, std::uint32_t index, Side side);
    void retire(const capture::Packet& mad);
    const EndpointRef* find(const Address& address, std::uint32_t qpn) const;

    // CLC
    std::optional<EndpointRef> first_contact(const Gid& gid, std::uint32_t qpn);
    std::optional<EndpointRef> subsequent_contact(std::uint32_t id, const Gid& gid, std::uint32_t qpn, Side side);
    void adopt(
        Session& session, Side side, const wire::SmcrAcceptConfirm& message, EndpointRef end, const TcpArrival& a);
    std::optional<LinkRef> named_by(const wire::SmcrAcceptConfirmBody& body) const;
    void note_left(const Arrival& a, const wire::DeleteLink& body);
    void note_group_facts(std::uint32_t id, Side side, const wire::SmcrAcceptConfirm& message);
    void set_base(std::uint32_t id, std::uint8_t base);
    bool orient(std::uint32_t id, Side found, Side wanted);
    void orient(Arrival& a, Side wanted);

    // RMBs
    std::optional<std::size_t> announce_rmb(
        std::uint32_t id, Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t address,
        std::uint64_t frame);
    void add_rtoken(std::uint32_t id, std::size_t rmb, std::uint32_t link, std::uint32_t rkey, std::uint64_t address);
    void add_rtokens(std::uint32_t id, std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t used);
    void add_rkeys(std::uint32_t id, Side owner, std::uint32_t carrier, std::uint32_t link, const wire::RkeyPair& pair);

    // packets
    bool deliver(const capture::Packet& packet);
    void on_arrival(Arrival& a);
    bool misses_begin(const Arrival& a);
    void on_send(Arrival& a, const capture::RcEvent& event, ByteView message, std::uint32_t length);
    void on_write(Arrival& a, const capture::RcEvent& event);
    void on_cdc(Arrival& a, ByteView message);
    void use_cdc(Arrival& a, Session& session, const wire::Cdc& cdc);
    void use_write(Arrival& a, std::uint32_t connection, const Flow::Write& write);
    void keep_stray(Arrival& a, const capture::RcEvent& event);
    void place_strays(Arrival& a, Session& session, const wire::Cdc& cdc);
    Session* session_of_token(Arrival& a, const wire::Cdc& cdc, std::uint32_t connection);
    Session* half_session(Arrival& a, const wire::Cdc& cdc);
    Session* other_half(const Arrival& a, const wire::Cdc& cdc, const Session* except);
    void join_halves(Arrival& a, Session& kept, Session& gone);
    static bool misses_acknowledged(const Arrival& a, const QueuePairs& pairs, const capture::RcEvent& event);
    void note_interface(Arrival& a);
    TransferRules::Lost why_lost(const Arrival& a, std::uint32_t rkey, std::uint64_t address);
    bool sure_to_be_lost(const Arrival& a, const capture::RcEvent& event);
    WriteTarget target_of(const Arrival& a, std::uint32_t rkey, std::uint64_t address);
    std::uint32_t connection_of_token(const Arrival& a, std::uint32_t token);
    std::uint32_t connection_of_cdc(const Arrival& a, ByteView message);
    void count_repetition(Arrival& a, const capture::RcEvent& event, ByteView message);

    // LLC
    void on_llc(Arrival& a, ByteView octets, std::uint32_t length);
    void note_exchange(Arrival& a, const wire::LlcMessage& message, ByteView octets);
    void on_request(Arrival& a, const wire::LlcMessage& message, ByteView octets);
    void on_reply(Arrival& a, const wire::LlcMessage& message);
    void apply(Arrival& a, const wire::UnknownLlc&, const wire::LlcMessage&) { (void)a; }
    void apply(Arrival& a, const wire::ConfirmLink& body, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::AddLinkMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::AddLinkContinuationMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::DeleteLink& body, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::RequestAddLinkMessage&, const wire::LlcMessage&) { (void)a; }
    void apply(Arrival& a, const wire::ConfirmRkeyMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::ConfirmRkeyContinuationMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::DeleteRkeyMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::TestLink&, const wire::LlcMessage&) { (void)a; }

    // waiting room
    struct WaitingData;
    bool awaits_link(const capture::Packet& packet) const;
    void hold(const capture::Packet& packet);
    void hold(const Arrival& a, ByteView message, const wire::Cdc& cdc);
    void hold(const Arrival& a, const Flow::Write& write, std::uint32_t rkey, std::uint64_t address);
    void hold(WaitingData data);
    bool overdue(Time since) const;
    void admit();
    void admit_packets();
    void admit_data();
    bool admit(WaitingData& waiting);
    bool takes_data(std::uint32_t connection);
    bool admit_write(Arrival& a, WaitingData& waiting);
    bool admit_cdc(Arrival& a, const WaitingData& waiting);
    void give_up(const Arrival& a, std::uint32_t rkey, std::uint64_t address);
    std::uint32_t connection_meant(const Arrival& a, const wire::Cdc& cdc);
    bool finishing() const { return now_ == std::numeric_limits<Time>::max(); }
    void tell(const FrameFacts& facts) {
        if (!admitting_) observer_.on_facts(facts);
    }

    // midstream
    void on_unknown(const capture::Packet& packet);
    void remember_stray(const capture::Packet& packet);
    std::optional<EndpointRef> midstream_link(const capture::Packet& packet);
    std::optional<EndpointRef> acknowledged_link(const capture::Packet& packet);
    std::optional<std::uint32_t> midstream_group(const capture::Packet& packet);

    const Options& options_;
    Observer& observer_;
    Model& model_;
    Sessions& sessions_;
    SetupRules& setup_rules_;
    LinkRules& link_rules_;
    TransferRules& transfer_rules_;
    std::deque<GroupState> states_;
    struct Known {
        LinkGroup* group;
        GroupState* state;
    };
    std::size_t links_ = 0, rmbs_ = 0, rtokens_ = 0, exchanges_ = 0;  ///< of all groups together
    std::vector<Known> known_;  ///< by id; several times for each packet, so no deque's arithmetic
    FlatMap<EndpointKey, EndpointRef, EndpointHash> ends_;
    /// Groups seen midway, by the ports at both ends: the lower address first.
    using PortPair = std::pair<Address, Address>;
    struct PortPairHash {
        std::size_t operator()(const PortPair& pair) const noexcept {
            return std::hash<Address>{}(pair.first) * 31 + std::hash<Address>{}(pair.second);
        }
    };
    static PortPair ports_of(const capture::Packet& packet);
    std::unordered_map<PortPair, std::uint32_t, PortPairHash> midstream_groups_;

    /// A packet to a queue pair of a link that is just being set up, although the message that
    /// announces it has not been seen.
    struct WaitingPacket {
        capture::Packet packet;
        std::vector<std::uint8_t> payload;
    };
    /// A CDC message or a WRITE of a connection that is not known yet, on a link that is.
    struct WaitingData {
        Arrival arrival;
        capture::Packet packet;
        std::vector<std::uint8_t> octets;  ///< the CDC message or the WRITE's payload
        std::optional<Flow::Write> write;  ///< nullopt: a CDC message
        std::uint32_t rkey = 0;
        std::uint64_t address = 0;
        std::uint32_t meant = 0;  ///< connection to which a CDC message seems to belong, whatever its token
    };
    std::deque<WaitingPacket> waiting_packets_;
    std::deque<WaitingData> waiting_data_;
    bool something_new_ = false;  ///< a queue pair or token was announced since the last admit()
    bool admitting_ = false;      ///< frames admitted late have been told of already
    Time now_ = 0;
    /// The latest WRITEs to queue pairs that nothing is known of: one may turn out to be SMC-R.
    struct UnknownWrite {
        EndpointKey to;
        StrayWrite write;
    };
    std::array<UnknownWrite, 8> unknown_writes_{};
    std::size_t next_unknown_write_ = 0;
};

}  // namespace fabricscope::engine::smcr
