// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of LLC: links, RTokens, requests and replies (RFC 7609, 3.5.5 and A.3).
//
// This is the door, and what is about the format of messages and about confirming a link; what takes
// more than one message stands in classes of its own.
#pragma once

#include "analyzer/engine/smcr/add_link_rules.h"
#include "analyzer/engine/smcr/contact_rules.h"
#include "analyzer/engine/smcr/exchange_rules.h"
#include "analyzer/engine/smcr/link_offers.h"
#include "analyzer/engine/smcr/rkey_rules.h"
#include "analyzer/engine/smcr/silence_rules.h"
#include "analyzer/engine/smcr/topology_rules.h"

namespace fabricscope::engine::smcr {

class LinkRules {
public:
    LinkRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// An LLC message, before the model has taken it in.
    void on_llc(const Arrival& a, const wire::LlcMessage& message);

    /// An LLC request that has been taken in, before it counts as open.
    void on_request(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request);

    /// A reply that has been taken in, to `request`, which still counts as open.
    void on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request);

    /// A reply that has been taken in, to nothing that is open.
    void on_unasked_reply(const Arrival& a, const wire::LlcMessage& message);

    /// The CONFIRM LINK request of a new link, of which CLC or ADD LINK named another GID or queue pair.
    void on_misnamed(
        const capture::Packet& packet, const LinkRef& of, const LinkEndpoint& named, const LinkEndpoint& actual);

    /// ACCEPT or CONFIRM of a subsequent contact names an RMB of `side`, before the model has taken it in.
    void on_contact(const ContactSeen& contact, GroupHistory& history) { rkeys_.on_contact(contact, history); }

    /// The CONFIRM LINK request of a new link whose ADD LINK was rejected.
    void on_refused_link(
        const capture::Packet& packet, std::uint32_t group, const RefusedLink& refused, const GroupHistory& history);

    /// The next WRITE or CDC message, while GroupHistory::watched.
    void on_data(const Arrival& a);

    /// A WRITE into an RMB whose deletion has been announced.
    void on_write_to_deleted(const Arrival& a, std::size_t rmb) { rkeys_.on_write_to_deleted(a, rmb); }

    /// A packet sent for the first time, before its content is taken in: it may prove what an earlier one only
    /// suggested.
    void on_proof(const Arrival& a) {
        Proof& proof = a.history->proof;
        if (a.history->mixed(a.link)) proof.drop(verdicts_, UndecidedReason::interface_order);
        const bool may_follow_others = a.history->begun_before[a.from] == a.packet->number;
        const std::uint32_t missing = a.history->gaps[a.from] + (may_follow_others ? 1 : 0);
        proof.on_request(verdicts_, link_set_of(a.link), a.from, missing, a.packet->number);
    }

    /// A packet sent for the first time, after GroupHistory::next_due, its content taken in.
    void on_due(const Arrival& a) { exchanges_.on_due(a); }

    /// No more packets of the group.
    void finish(GroupHistory& history) { history.proof.drop(verdicts_, UndecidedReason::capture_ended); }

    /// No more packets after `last`.
    void finish(Time last);

private:
    bool judge_format(const Arrival& a, const wire::LlcMessage& message);
    void judge_begin(const Arrival& a, const wire::LlcMessage& message);
    void judge_identity(const Arrival& a, const wire::ConfirmLink& confirm);
    void judge_max_links(const Arrival& a, const wire::ConfirmLink& confirm, std::uint8_t version);
    void judge_clients_max_links(const Arrival& a, const wire::ConfirmLink& confirm, const OpenRequest& request);

    const Model& model_;
    Verdicts& verdicts_;
    ExchangeRules exchanges_{model_, verdicts_};
    AddLinkRules add_links_{model_, verdicts_};
    TopologyRules topology_{model_, verdicts_};
    RkeyRules rkeys_{model_, verdicts_};
    SilenceRules silence_{model_, verdicts_};
    PerId<bool> begun_;  ///< whether the server has been heard on the first link
};

}  // namespace fabricscope::engine::smcr
