// SPDX-License-Identifier: GPL-2.0-or-later
// What LLC messages do to a link group, and which request each reply answers (RFC 7609, 3.5.5 and A.3).
#pragma once

#include "analyzer/engine/smcr/link_rules.h"
#include "analyzer/engine/smcr/link_table.h"
#include "analyzer/engine/smcr/setup_rules.h"

namespace fabricscope::engine::smcr {

class Llc {
public:
    /// The arguments outlive this object.
    Llc(const Options& options, LinkTable& links, Sessions& sessions, SetupRules& setup_rules, LinkRules& link_rules)
        : options_(options),
          links_(links),
          sessions_(sessions),
          setup_rules_(setup_rules),
          link_rules_(link_rules),
          exchanges_left_(options.limits.exchanges) {}

    /// on_message() takes in an LLC message that was not seen before: `octets` as captured, `length` on the wire. If
    /// the message tells who is client and who is server, `a` says so afterwards. A reply's facts name its request.
    void on_message(Arrival& a, ByteView octets, std::uint32_t length);

    /// finish() says of the group's requests without a reply whether it may have been missed.
    static void finish(const TrackedGroup& tracked);

    /// begin_refused_link() returns whether the packet begins a link whose ADD LINK was rejected. It is a link of its
    /// group then.
    bool begin_refused_link(const capture::Packet& packet);

private:
    void on_request(Arrival& a, const wire::LlcMessage& message, ByteView octets);
    void on_reply(Arrival& a, const wire::LlcMessage& message);

    void apply(Arrival&, const wire::UnknownLlc&, const wire::LlcMessage&) {}
    void apply(Arrival& a, const wire::ConfirmLink& body, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::AddLinkMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::AddLinkContinuationMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::DeleteLink& body, const wire::LlcMessage&);
    void apply(Arrival&, const wire::RequestAddLinkMessage&, const wire::LlcMessage&) {}
    void apply(Arrival& a, const wire::ConfirmRkeyMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::ConfirmRkeyContinuationMessage& message, const wire::LlcMessage&);
    void apply(Arrival& a, const wire::DeleteRkeyMessage& message, const wire::LlcMessage&);
    void apply(Arrival&, const wire::TestLink&, const wire::LlcMessage&) {}

    void refuse(const Arrival& a, LinkOffers& offers, LinkOffer refusal);
    void add_link(TrackedGroup& tracked, const LinkOffer& offer, const LinkOffer& acceptance);
    static void remove(const Arrival& a, TrackedGroup& tracked, std::uint32_t index);
    void note_left(const Arrival& a, const wire::DeleteLink& body);

    const Options& options_;
    LinkTable& links_;
    Sessions& sessions_;
    SetupRules& setup_rules_;
    LinkRules& link_rules_;
    std::size_t exchanges_left_;  ///< how many may still be kept, in all groups together
};

}  // namespace fabricscope::engine::smcr
