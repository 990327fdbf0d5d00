// SPDX-License-Identifier: GPL-2.0-or-later
// What ACCEPT, CONFIRM and DECLINE do to a link group: first contact makes one, a subsequent contact joins one
// (RFC 7609, 3.5 and A.2).
#pragma once

#include "analyzer/engine/smcr/link_rules.h"
#include "analyzer/engine/smcr/link_table.h"
#include "analyzer/engine/smcr/setup_rules.h"

namespace fabricscope::engine::smcr {

class Contacts {
public:
    /// The arguments outlive this object.
    Contacts(LinkTable& links, Sessions& sessions, SetupRules& setup_rules, LinkRules& link_rules)
        : links_(links), sessions_(sessions), setup_rules_(setup_rules), link_rules_(link_rules) {}

    /// on_accept() gives the connection its link group, and the server's end of a link, RMB element and alert token.
    void on_accept(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a);

    /// on_confirm() does so for the client's side, and opens the connection for data. Returns false if there are too
    /// many link groups or links.
    bool on_confirm(Session& session, const wire::SmcrAcceptConfirm& message, const TcpArrival& a);

    /// on_decline() ends the link group of the connection, if it was to make one.
    void on_decline(Session& session);

private:
    void adopt(
        Session& session, Side side, const wire::SmcrAcceptConfirm& message, QueuePairRef end, const TcpArrival& a);
    void join(Connection& connection, LinkGroup& group);
    void judge_contact(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body);

    LinkTable& links_;
    Sessions& sessions_;
    SetupRules& setup_rules_;
    LinkRules& link_rules_;
};

}  // namespace fabricscope::engine::smcr
