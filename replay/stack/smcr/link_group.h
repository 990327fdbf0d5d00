// SPDX-License-Identifier: GPL-2.0-or-later
// One side of a link group: links, RMBs and the LLC messages about them (RFC 7609, 2, 3.5 and A.3; version 2 as Linux
// has it).
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "protocols/smcr/llc.h"
#include "replay/stack/ib/adapter.h"
#include "replay/stack/smcr/data_path.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::stack::smcr {

enum class Role : std::uint8_t { client, server };

/// What CLC or ADD LINK tells of one end of a link.
struct LinkEnd {
    IbAddress address;
    std::uint32_t qpn = 0;
    std::uint32_t psn = 0;
    std::uint8_t mtu = 3;  ///< coded
};

struct Rmb {
    Octets octets;
    std::uint64_t element_size = 0;
    std::vector<bool> used;  ///< by element
    std::uint64_t address = 0;
    std::vector<std::uint32_t> rkeys;  ///< by link, in order of the group's links
    bool peer_knows = false;           ///< the key has been sent, by CLC or CONFIRM RKEY
    Time idle_since = never;           ///< no connection uses it
};

/// The identifier of an RMB on one link (RFC 7609, 2.1).
struct RToken {
    std::uint32_t rkey = 0;  ///< 0: not known
    std::uint64_t address = 0;
    bool operator==(const RToken&) const = default;
};

/// An element of an RMB: where a connection receives.
struct Element {
    std::size_t rmb = 0;
    std::uint8_t index = 1;
};

struct Link {
    std::uint8_t number = 1;
    std::size_t adapter = 0;
    std::uint32_t user_id = 0;
    LinkEnd own, peer;
    enum class State : std::uint8_t {
        pending,
        active,
        leaving,  ///< is being deleted in order: nothing new is sent on it
        ending,   ///< what was said last is still on its way; nothing that comes counts any more
        dead,
    } state = State::pending;
    std::size_t connections = 0;  ///< whose data this side sends on it
    Time test_deadline = never;   ///< for the reply to TEST LINK; ending: for the last acknowledgment
    decltype(wire::TestLink::user_data) test_data;
};

struct GroupEvent {
    enum class Kind : std::uint8_t {
        link_ready,      ///< first contact: data may flow
        link_failed,     ///< first contact: CONFIRM LINK did not come or was not answered
        rkey_confirmed,  ///< the peer knows RMB `rmb`
        rkey_refused,
        link_leaving,  ///< connections on link `link` move to others, once what they sent has arrived
        link_down,     ///< there are others: connections on link `link` move
        ended,         ///< no link is left
    };
    Kind kind{};
    std::size_t rmb = 0;
    std::size_t link = 0;
};

class LinkGroup {
public:
    LinkGroup(
        Role role, const Profile& profile, std::uint8_t version, std::vector<std::unique_ptr<Adapter>>& adapters,
        std::uint64_t element_size, Random random);

    Role role() const { return role_; }
    std::uint8_t version() const { return version_; }
    const Link& link(std::size_t index) const { return links_[index]; }
    const std::vector<Link>& links() const { return links_; }
    bool alive() const;
    bool ready() const { return ready_; }
    const std::vector<Rmb>& rmbs() const { return rmbs_; }

    /// The active link with the fewest connections, for one more; to be given back.
    std::size_t enter_link();
    void enter_link(std::size_t link) { ++links_[link].connections; }
    void leave_link(Time now, std::size_t link);
    /// The link that ends at that queue pair of the peer, or did: its RMBs are known by their names there.
    std::optional<std::size_t> link_to(const IbAddress& peer, std::uint32_t qpn) const;

    /// The link in use between two devices.
    std::optional<std::size_t> link_between(const Mac& own, const Mac& peer) const;

    /// Whether an active link ends at the adapter.
    bool uses(std::size_t adapter) const;
    /// Of the adapters that can be used, as version 2 lists them: that of adapter `first`, then the others.
    std::vector<Gid> gids(std::size_t first) const;

    /// A queue pair on the first adapter, for ACCEPT or CONFIRM.
    void create_first_link();
    /// The peer's end is known: ready to receive, the server's side to send as well, which asks for confirmation.
    void connect_first_link(Time now, const LinkEnd& peer);
    /// Both ends are known, and the link has been confirmed before.
    void resume_first_link(Time now, std::uint32_t own_psn, const LinkEnd& peer);

    Element allocate_element();
    void release_element(Time now, Element element);
    std::span<std::uint8_t> octets_of(Element element);
    /// Makes sure that the peer knows the element's RMB; `rkey_confirmed` follows, at once if nothing is to be done.
    /// `link`: that of the connection which needs it.
    void tell_rkey(Time now, Element element, std::size_t link);
    /// The RMB was named in a CLC message.
    void mark_told(Element element) { rmbs_[element.rmb].peer_knows = true; }

    /// The peer's RMB that has this name on a link.
    std::size_t remote_rmb(std::size_t link, RToken token);
    /// `offset`: in the peer's RMB. The completion has `id`.
    void write(
        Time now, std::size_t link, std::size_t remote_rmb, std::uint64_t offset, Octets octets, std::uint64_t id);
    void send_cdc(Time now, std::size_t link, const wire::Cdc& message, const char* note, std::uint64_t id);

    /// An LLC message that arrived on the queue pair of a link.
    void on_llc(Time now, std::size_t link, ByteView octets);
    /// How many of them there have been that were no answers.
    std::size_t requests() const { return requests_; }
    void on_link_error(Time now, std::size_t link);
    /// A message that was sent with this identifier has been acknowledged.
    void on_sent(std::uint64_t id);
    /// Another adapter can be used: the server offers a link, if it is of use, a client asks for it (RFC
    /// 7609, 3.5.1.6).
    void want_link(Time now);
    /// The server offers one, although it may be of no use.
    void offer_any_link(Time now);
    /// Asks on each link whether it is alive.
    void test_links(Time now);
    /// Deletes the link of that number, whether there is one or not; a client asks the server to (RFC 7609, 3.5.5.1).
    void delete_link(Time now, std::uint8_t number, bool orderly, std::uint32_t reason);
    /// Withdraws a key as if it were that of an RMB.
    void delete_rkey(Time now, std::uint32_t rkey);
    /// Ends the whole group (RFC 7609, 3.5.4): the server sends DELETE LINK, a client asks the server to send it.
    void delete_all(Time now, bool orderly, std::uint32_t reason);
    void on_timer(Time now);
    Time wakeup() const;
    std::deque<GroupEvent>& events() { return events_; }
    /// The link with that queue pair, if it is this group's.
    std::optional<std::size_t> link_of(std::size_t adapter, std::uint32_t qpn) const;
    void end();

private:
    static constexpr std::size_t no_link = SIZE_MAX;
    /// What is being done about links: one flow at a time, and none about keys meanwhile (RFC 7609, 3.5.5.3).
    ///     first contact:  idle > confirm_first > idle, or > offer
    ///     another link:   idle > offer > tokens (version 1) > confirm > idle
    ///                     confirm > clearing > idle, or > idle
    ///     an end:         idle > leaving (if links are left in order) > removal > idle
    ///     no link at all: confirm_first > given_up
    /// A reject, a timeout or the loss of a link leads back to idle from each of them.
    struct LinkFlow {
        enum class State : std::uint8_t {
            idle,
            confirm_first,  ///< CONFIRM LINK of the first link is waited for
            offer,          ///< ADD LINK: the server waits for the answer, a client for the request
            tokens,         ///< ADD LINK CONTINUATION, of version 1
            confirm,        ///< CONFIRM LINK of `link`
            clearing,       ///< `link` was not confirmed: then the client rejects `offer`, and the server goes on
            leaving,        ///< connections have to leave `link` before it goes
            removal,        ///< the answer to DELETE LINK
            given_up,       ///< that the DELETE LINK for a group that did not come about arrives
        } state = State::idle;
        Time deadline = never;
        std::size_t link = no_link;
        std::size_t carrier = no_link;   ///< the link that the messages go over
        std::size_t rtokens_sent = 0;    ///< of this side's
        wire::AddLink offer{};           ///< client: the server's
        wire::DeleteLink delete_link{};  ///< leaving, removal: the message
    };
    /// A request of this side's outside of link flows; one runs at a time (RFC 7609, 3.5.5.3).
    struct RequestFlow {
        enum class State : std::uint8_t {
            idle,
            rkey,        ///< the answer to the first of `rkey_requests_`
            delete_all,  ///< client: the server's DELETE LINK of all links
        } state = State::idle;
        Time deadline = never;
        std::size_t link = 0;                       ///< rkey: the link that the messages go over
        std::deque<wire::LinkRtoken> rtokens_left;  ///< rkey: for CONFIRM RKEY CONTINUATION
    };
    struct RkeyRequest {
        enum class Kind : std::uint8_t { confirm_rkey, delete_rkey };
        Kind kind{};
        std::vector<std::size_t> rmbs;   ///< one, if it is CONFIRM RKEY
        std::size_t link = 0;            ///< where it runs, as long as that is active
        std::uint32_t unknown_rkey = 0;  ///< DELETE RKEY: a key that is none of these RMBs'
    };
    /// The peer's CONFIRM RKEY, of which CONTINUATION is still to come.
    struct Continued {
        std::size_t rmb = 0;
        std::size_t link = 0;
    };
    /// The server's next DELETE LINK.
    struct Removal {
        std::uint8_t number = 0;
        bool orderly = true;
        std::uint32_t reason = lost_path;
    };

    using LlcBody = decltype(wire::LlcMessage::body);

    // links
    std::size_t create_link(std::size_t adapter, std::uint8_t number);
    void connect_link(std::size_t index, const LinkEnd& peer);
    void drop_link(std::size_t index);
    void lose_link(std::size_t index);
    std::size_t carrier() const;
    std::vector<bool> asymmetric_links() const;
    std::size_t active_links() const;
    std::size_t symmetric_links() const;
    bool has_asymmetric_link() const { return symmetric_links() < active_links(); }
    template <class Ends> bool any_symmetric_link(Ends&& ends) const;
    bool is_parallel(std::size_t adapter, const IbAddress& peer) const;
    std::optional<std::size_t> spare_adapter() const;
    std::optional<std::size_t> adapter_towards(const IbAddress& server, std::size_t carrier) const;
    bool needs_link() const;
    std::uint8_t new_number();
    std::optional<std::size_t> link_of_number(std::uint8_t number) const;
    bool has_active_link() const { return active_links() != 0; }

    // messages
    Octets message_of(wire::LlcType type, const LlcBody& body, std::uint8_t reject_reason = 0) const;
    void send(Time now, std::size_t link, Octets octets, const char* note, std::uint64_t id = 0);
    void send_confirm_link(Time now, std::size_t index, bool reply);
    void send_add_link(Time now, std::size_t link, wire::AddLink body, const char* note, std::uint8_t reason = 0);
    void send_tokens(Time now, bool reply);
    void send_delete_link(Time now, const wire::DeleteLink& message);
    void send_confirm_rkey(Time now, const Rmb& rmb);
    void send_rkey_continuation(Time now);
    void send_delete_rkey(Time now, const RkeyRequest& request);
    void ask_for_link(Time now);
    void on_link_request(Time now);
    void on_confirm_link(Time now, std::size_t index, const wire::ConfirmLink& message);
    void on_add_link(Time now, std::size_t link, const wire::LlcMessage& message, const wire::AddLinkMessage& body);
    void on_offer(Time now, std::size_t link, const wire::AddLinkMessage& message);
    void on_offer_answer(Time now, std::size_t link, const wire::AddLinkMessage& message);
    void on_tokens(Time now, std::size_t link, const wire::AddLinkContinuationMessage& message);
    void on_confirm_rkey(Time now, std::size_t link, const wire::ConfirmRkeyMessage& message);
    void on_rkey_continuation(Time now, std::size_t link, const wire::ConfirmRkeyContinuationMessage& message);
    void on_rkey_answer(Time now, bool negative, bool retry);
    void learn_rkeys(std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t used);
    void rkeys_learnt(Time now, std::size_t rmb);
    void on_delete_rkey(Time now, std::size_t link, const wire::DeleteRkeyMessage& message);
    std::uint8_t forget_rkeys(std::size_t link, const wire::DeleteRkeyMessage& message);
    void on_delete_link(Time now, std::size_t link, const wire::DeleteLink& message);
    void on_client_deletes(Time now, std::size_t link, const wire::DeleteLink& message);
    void on_server_deletes(Time now, std::size_t link, const wire::DeleteLink& message);
    void end_group(Time now, std::size_t link, const wire::DeleteLink& message);
    void end_once_more(Time now, std::size_t link);
    void on_test_link(Time now, std::size_t link, const wire::TestLink& message);

    // what is under way
    void offer_link(Time now);
    void confirm_new_link(Time now);
    void link_added(Time now);
    void give_up_link(Time now);
    void give_up_unconfirmed(Time now);
    void reject_unconfirmed(Time now);
    void start_over(Time now);
    bool adds_link() const;
    void remove_link(Time now);
    void leave(Time now, std::size_t link, const wire::DeleteLink& message);
    void on_left(Time now);
    void queue_removal(Removal removal);
    void tell_of_lost_link(Time now, std::uint8_t number);
    void go_on_without(Time now, std::size_t link);
    void give_up_first_contact(Time now);
    void fail_first_contact();
    std::vector<wire::RkeyPair> token_pairs() const;
    void learn_tokens(std::size_t link, const layout::List<wire::RkeyPair>& pairs, std::size_t count);
    bool may_begin() const;
    void next(Time now);
    void enter(LinkFlow::State state, Time until) { link_flow_.state = state, link_flow_.deadline = until; }
    void finish_link_flow(Time now);
    void on_link_flow_timeout(Time now);
    void enter(RequestFlow::State state, Time until) { request_flow_.state = state, request_flow_.deadline = until; }
    bool is_running(RkeyRequest::Kind kind) const;
    void finish_rkey_request();
    Time withdrawal_of(const Rmb& rmb) const;
    void withdraw_idle_rmbs(Time now);
    void report(GroupEvent::Kind kind, std::size_t rmb = 0) { events_.push_back({kind, rmb, 0}); }

    Role role_;
    Profile profile_;
    std::uint8_t version_;
    std::vector<std::unique_ptr<Adapter>>& adapters_;
    std::uint64_t element_size_;
    Random random_;
    std::vector<Link> links_;
    std::vector<Rmb> rmbs_;
    std::vector<std::vector<RToken>> remote_rmbs_;  ///< the peer's, by link
    std::optional<Continued> continued_;            ///< what the peer has yet to tell
    std::deque<RkeyRequest> rkey_requests_;         ///< the first one runs in RequestFlow::State::rkey
    bool any_link_wanted_ = false;                  ///< server: whether it is of use or not
    bool link_wanted_ = false;                      ///< server: a link is to be offered; client: to be asked for
    std::deque<Removal> removals_;                  ///< server: links whose end is to be told
    LinkFlow link_flow_;
    RequestFlow request_flow_;
    std::size_t requests_ = 0;
    std::uint8_t max_links_;  ///< symmetric ones, as agreed (RFC 7609, 2.2.2)
    bool ready_ = false;
    std::deque<GroupEvent> events_;
    std::uint64_t next_address_;
    std::uint8_t next_number_ = 1;  ///< of links
};

}  // namespace fabricscope::stack::smcr
