// SPDX-License-Identifier: GPL-2.0-or-later
// What a peer keeps of each connection and link group. Private to peer.cc and rendezvous.cc.
#pragma once

#include "replay/stack/smcr/connection_stream.h"
#include "replay/stack/smcr/data_sender.h"
#include "replay/stack/smcr/peer.h"

namespace fabricscope::stack::smcr {

/// What CLC told of the other side's element.
struct RemoteElement {
    std::size_t rmb = 0;       ///< as the link group numbers the peer's
    std::uint64_t offset = 0;  ///< of the element in the RMB
    std::uint64_t size = 0;
    std::uint32_t token = 0;
};

struct Peer::Group {
    Group(
        Role role, const Profile& profile, std::uint8_t version, std::vector<std::unique_ptr<Adapter>>& adapters,
        std::uint64_t element_size, Random random)
        : links(role, profile, version, adapters, element_size, random) {}

    LinkGroup links;
    wire::PeerId peer;
};

struct Peer::Connection final : ConnectionStream, DataSender {
    Connection(TcpConfig tcp_config, const AppPlan& plan, std::uint64_t seed)
        : ConnectionStream(std::move(tcp_config)), refusal(plan.refusal), application(plan, seed) {}
    using ConnectionStream::write;
    using DataSender::write;

    // DataSender
    void transmit(std::uint64_t offset, const Octets& octets) override {
        group->links.write(now, link, remote.rmb, remote.offset + offset, octets, token);
    }
    void transmit(const wire::Cdc& message, const char* note, bool kept) override {
        group->links.send_cdc(now, link, message, note, kept ? token : 0);
    }

    /// A connection that has closed moves, too, for what has not arrived yet, but counts no more.
    void move_to_another_link() {
        const std::size_t before = link;
        link = group->links.enter_link();
        go_on(remote.token);
        group->links.leave_link(now, released ? link : before);
    }

    std::size_t index = 0;   ///< in `connections_`
    Time scheduled = never;  ///< in `timers_`
    Key key;
    IbAddress remote_port;  ///< MAC and IP address
    bool client = false;
    std::optional<Refusal> refusal;
    Application application;
    Phase phase = Phase::tcp;
    Time deadline = never;

    std::uint8_t version = 0;
    bool first_contact = false;
    Group* group = nullptr;
    std::size_t link = 0;  ///< of the group: the one that this side sends on
    std::optional<Element> element;
    std::uint32_t token = 0;
    RemoteElement remote;
    std::optional<wire::Proposal> proposal;           ///< server: while it waits for its turn
    std::optional<wire::SmcrAcceptConfirm> accepted;  ///< client: while it waits for its turn; without lists
    std::vector<wire::Cdc> early;                     ///< messages that came before CONFIRM
    bool released = false;

    std::string outcome;
    std::uint32_t decline_code = 0;
    bool declined_by_me = false;
    Time set_up = never;  ///< when it became active
    bool ended = false;   ///< has been told
};

}  // namespace fabricscope::stack::smcr
