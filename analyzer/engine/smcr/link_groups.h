// SPDX-License-Identifier: GPL-2.0-or-later
// From a packet to its link group, link and connection (RFC 7609, 2 and 3.5): it asks each part in turn (links, RMBs,
// LLC, midstream, waiting room), and the rules.
#pragma once

#include "analyzer/engine/smcr/contacts.h"
#include "analyzer/engine/smcr/llc.h"
#include "analyzer/engine/smcr/midstream.h"
#include "analyzer/engine/smcr/outcome.h"
#include "analyzer/engine/smcr/transfer_rules.h"
#include "analyzer/engine/smcr/waiting_room.h"

namespace fabricscope::engine::smcr {

class LinkGroups {
public:
    /// The arguments outlive this object.
    LinkGroups(
        const Options& options, Observer& observer, Model& model, Sessions& sessions, SetupRules& setup_rules,
        LinkRules& link_rules, TransferRules& transfer_rules)
        : observer_(observer),
          model_(model),
          sessions_(sessions),
          setup_rules_(setup_rules),
          link_rules_(link_rules),
          transfer_rules_(transfer_rules),
          links_(options, model, sessions),
          contacts_(links_, sessions, setup_rules, link_rules),
          llc_(options, links_, sessions, setup_rules, link_rules),
          midstream_(options, links_, sessions),
          room_(options.limits.waiting) {}

    /// on_accept(), on_confirm() and on_decline() take in a CLC message of a connection; see Contacts. A CONFIRM may
    /// be what traffic has waited for, or come behind traffic that did not wait.
    void on_accept(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a) {
        contacts_.on_accept(session, message, a);
    }
    void on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a);
    void on_decline(Session& session) { contacts_.on_decline(session); }

    /// history() returns what is known of what its sides sent; nullptr if there is no group (0).
    const GroupHistory* history(std::uint32_t id) { return id != 0 ? &links_.at(id).history : nullptr; }
    /// is_complete() returns whether no packet of the link group (0 = none) is known to be missing.
    bool is_complete(std::uint32_t id) { return id == 0 || links_.at(id).history.complete(); }

    /// on_ib() takes in a packet of a reliable connection, whose link is known, or made known by what it carries; or a
    /// MAD of Communication Management, which SMC-R does not use.
    void on_ib(const capture::Packet& packet);

    /// seen() tells what of a connection was captured whole.
    Seen seen(const Session& session);

    /// finish() ends the capture: nothing waits any longer, and links and connections get what is known at the end.
    void finish();

private:
    Link& link(const Arrival& a) { return links_.at(a.group).group.links[a.link]; }
    void retire(const capture::Packet& mad);

    // packets
    bool deliver(const capture::Packet& packet);
    bool begins_another(const capture::Packet& packet, const QueuePairRef& end);
    void on_unknown(const capture::Packet& packet);
    bool recognise(const capture::Packet& packet);
    void on_arrival(Arrival& a);
    void note_cut(const Arrival& a);
    void on_send(Arrival& a, const capture::RcEvent& event);
    void on_write(Arrival& a, const capture::RcEvent& event);
    void count_repetition(Arrival& a, std::uint32_t connection);
    void tell(const FrameFacts& facts) {
        if (!room_.admitting()) observer_.on_facts(facts);
    }

    // CDC messages and WRITEs
    void on_cdc(Arrival& a, ByteView message);
    void use_cdc(Arrival& a, Session& session, const wire::Cdc& cdc);
    static void expect_missed_replay(const Arrival& a, Session& session);
    void use_write(Arrival& a, std::uint32_t connection, const Flow::Write& write);
    void place_strays(Arrival& a, Session& session, const wire::Cdc& cdc);
    Session* lacking_confirm(const Arrival& a, bool (*lacks)(const Connection&));
    bool use_without_confirm(Arrival& a, const WaitingData::Cdc& waiting);
    bool use_without_confirm(Arrival& a, const WaitingData::Write& waiting);
    RmbTable::Target target_of(const Arrival& a, std::uint32_t rkey, std::uint64_t address);
    std::uint32_t connection_of_token(const Arrival& a, std::uint32_t token);
    std::uint32_t connection_of_cdc(const Arrival& a, ByteView message);
    std::uint32_t connection_meant(const Arrival& a, const wire::Cdc& cdc);
    Session& session_of(const Arrival& a, const wire::Cdc& cdc, std::uint32_t named);
    bool sure_to_be_lost(const Arrival& a);
    std::optional<UndecidedReason> why_not_announced(const Arrival& a);
    void on_lost_cdc(Arrival& a, const wire::Cdc& cdc, std::uint32_t meant);
    bool awaits_confirm(std::uint32_t group);
    bool was_over(std::uint32_t connection, const Arrival& a);
    void give_up(const Arrival& a, const WaitingData::Write& waiting, const RmbTable::Target& target);

    // what has waited
    void hold(const capture::Packet& packet);
    template <class Content> void use_or_hold(Arrival& a, Content content);
    void admit();
    bool admit(const capture::Packet& packet, bool overdue);
    void admit_waiting();
    bool settle(const WaitingData& data, bool overdue);
    bool settle(Arrival& a, const WaitingData::Write& waiting, bool overdue);
    bool settle(Arrival& a, const WaitingData::Cdc& waiting, bool overdue);
    bool takes_data(std::uint32_t connection);
    bool is_behind_waiting(const Arrival& a, std::uint32_t connection);
    bool began_later(std::uint32_t connection, const Arrival& a);
    bool is_anothers(std::uint32_t connection, const Arrival& a);

    Observer& observer_;
    Model& model_;
    Sessions& sessions_;
    SetupRules& setup_rules_;
    LinkRules& link_rules_;
    TransferRules& transfer_rules_;
    LinkTable links_;
    Contacts contacts_;
    Llc llc_;
    Midstream midstream_;
    WaitingRoom room_;
    Time now_ = 0;
};

}  // namespace fabricscope::engine::smcr
