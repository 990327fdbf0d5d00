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
    bool peer_knows = false;           ///< the key has been told, by CLC or CONFIRM RKEY
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
    enum class State : std::uint8_t { pending, active, dead } state = State::pending;
};

struct GroupEvent {
    enum class Kind : std::uint8_t {
        link_ready,      ///< first contact: data may flow
        link_failed,     ///< first contact: CONFIRM LINK did not come or was not answered
        rkey_confirmed,  ///< the peer knows RMB `rmb`
        rkey_refused,
        ended,  ///< no link is left
    };
    Kind kind{};
    std::size_t rmb = 0;
};

class LinkGroup {
public:
    LinkGroup(
        Role role, const Profile& profile, std::uint8_t version, std::vector<std::unique_ptr<Adapter>>& adapters,
        std::uint64_t element_size, Random random);

    Role role() const { return role_; }
    std::uint8_t version() const { return version_; }
    const Link& link(std::size_t index = 0) const { return links_[index]; }
    const std::vector<Link>& links() const { return links_; }
    bool alive() const { return !links_.empty() && links_[0].state != Link::State::dead; }
    bool ready() const { return ready_; }
    const std::vector<Rmb>& rmbs() const { return rmbs_; }

    /// A queue pair on the first adapter, for ACCEPT or CONFIRM.
    void create_first_link();
    /// The peer's end is known: ready to receive, the server's side to send as well, which asks for confirmation.
    void connect_first_link(Time now, const LinkEnd& peer);

    Element take_element();
    void release_element(Time now, Element element);
    std::span<std::uint8_t> octets_of(Element element);
    /// Makes sure that the peer knows the element's RMB; `rkey_confirmed` follows, at once if nothing is to be done.
    void tell_rkey(Time now, Element element);
    /// The RMB was named in a CLC message.
    void mark_told(Element element) { rmbs_[element.rmb].peer_knows = true; }

    void write(Time now, std::uint64_t address, std::uint32_t rkey, Octets octets);
    void send_cdc(Time now, const wire::Cdc& message, const char* note);

    /// An LLC message that arrived on the queue pair of a link.
    void on_llc(Time now, std::size_t link, ByteView octets);
    void on_link_error(Time now, std::size_t link);
    void test_link(Time now);
    /// Ends the whole group (RFC 7609, 3.5.4): the server says so, a client asks the server to say it.
    void delete_all(Time now);
    void on_timer(Time now);
    Time wakeup() const;
    std::deque<GroupEvent>& events() { return events_; }
    /// The link with that queue pair, if it is this group's.
    std::optional<std::size_t> link_of(std::size_t adapter, std::uint32_t qpn) const;
    void end();

private:
    enum class Wait : std::uint8_t { nothing, confirm_link, add_link, rkey, test_link, delete_link };
    /// An exchange that this side begins; one runs at a time (RFC 7609, 3.5.5.3).
    struct Exchange {
        enum class Kind : std::uint8_t { confirm_rkey, delete_rkey } kind{};
        std::size_t rmb = 0;
    };

    Octets message_of(wire::LlcType type, auto body) const;
    void send(Time now, std::size_t link, Octets octets, const char* note);
    void send_confirm_link(Time now, std::size_t index, bool reply);
    void send_add_link(Time now);
    void on_confirm_link(Time now, std::size_t index, const wire::ConfirmLink& message);
    void on_add_link(Time now, std::size_t link, const wire::LlcMessage& message, const wire::AddLinkMessage& body);
    void on_confirm_rkey(Time now, std::size_t link, const wire::ConfirmRkeyMessage& message);
    void on_delete_rkey(Time now, std::size_t link, const wire::DeleteRkeyMessage& message);
    void on_delete_link(Time now, std::size_t link, const wire::DeleteLink& message);
    void next_exchange(Time now);
    void become_ready(Time now);
    void wait_for(Wait what, Time until) { wait_ = what, deadline_ = until; }
    void report(GroupEvent::Kind kind, std::size_t rmb = 0) { events_.push_back({kind, rmb}); }

    Role role_;
    Profile profile_;
    std::uint8_t version_;
    std::vector<std::unique_ptr<Adapter>>& adapters_;
    std::uint64_t element_size_;
    Random random_;
    std::vector<Link> links_;
    std::vector<Rmb> rmbs_;
    std::deque<Exchange> exchanges_;  ///< the first one is under way, if `wait_` says so
    Wait wait_ = Wait::nothing;
    Time deadline_ = never;
    bool ready_ = false;
    std::deque<GroupEvent> events_;
    std::uint64_t next_address_;
    std::uint32_t refused_qpn_ = 0;  ///< of the second link that was offered
};

}  // namespace fabricscope::stack::smcr
