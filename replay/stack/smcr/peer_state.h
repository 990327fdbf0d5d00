// SPDX-License-Identifier: GPL-2.0-or-later
// What a peer keeps of each connection and link group. Private to peer.cc and rendezvous.cc.
#pragma once

#include "replay/stack/smcr/connection_stream.h"
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

struct Peer::Connection final : ConnectionStream, DataSink {
    Connection(TcpConfig tcp_config, const AppPlan& plan, std::uint64_t seed)
        : ConnectionStream(std::move(tcp_config)), application(plan, seed) {}
    using ConnectionStream::write;

    // DataSink
    void write(std::uint64_t offset, Octets octets) override {
        post({.offset = offset, .octets = std::move(octets)}, nullptr);
    }
    void send(const wire::Cdc& message, const char* note) override { post({.message = message}, note); }

    /// A WRITE or a CDC message that the peer's adapter has not acknowledged yet.
    struct Post {
        std::optional<wire::Cdc> message{};
        std::uint64_t offset = 0;  ///< in the peer's element
        Octets octets{};
    };
    void post(Post what, const char* note) {
        transmit(what, note);
        unacknowledged.push_back(std::move(what));
    }
    void transmit(const Post& what, const char* note) {
        if (!what.message)
            return group->links.write(now, link, remote.rmb, remote.offset + what.offset, what.octets, token);
        ++messages;
        group->links.send_cdc(now, link, *what.message, note, token);
    }
    void acknowledge() {
        if (unacknowledged.empty()) return;
        if (unacknowledged.front().message) acknowledged_sequence = unacknowledged.front().message->sequence;
        unacknowledged.pop_front();
    }
    /// Failover (RFC 7609, 4.6): where it is to go on, then again what may not have arrived.
    void move_to_another_link() {
        group->links.leave_link(link);
        link = group->links.enter_link();
        wire::Cdc validation;
        validation.sequence = acknowledged_sequence;
        validation.alert_token = remote.token;
        validation.flags.failover_validation = true;
        ++messages;
        group->links.send_cdc(now, link, validation, "goes on over this link", 0);
        for (const Post& what : unacknowledged) transmit(what, "once more");
    }

    Key key;
    IbAddress remote_port;  ///< MAC and IP address
    bool client = false;
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
    std::uint64_t messages = 0;
    std::deque<Post> unacknowledged;
    std::uint16_t acknowledged_sequence = 0;  ///< of the last CDC message that the peer certainly has
    bool released = false;

    std::string outcome;
    std::uint32_t decline_code = 0;
    bool declined_by_me = false;
};

}  // namespace fabricscope::stack::smcr
