// SPDX-License-Identifier: GPL-2.0-or-later
// What a peer keeps of each connection and link group. Private to peer.cc and rendezvous.cc.
#pragma once

#include "replay/stack/smcr/peer.h"

namespace fabricscope::stack::smcr {

/// What CLC told of the other side's element.
struct RemoteElement {
    std::uint32_t rkey = 0;
    std::uint64_t address = 0;  ///< of the element
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

/// The streams of a connection, over TCP or over RDMA.
struct Peer::Connection final : ByteStream, DataSink {
    Connection(TcpConfig tcp_config, const AppPlan& plan, std::uint64_t seed)
        : tcp(std::move(tcp_config)), application(plan, seed) {}

    // ByteStream
    std::size_t write(ByteView octets) override {
        if (data) return data->write(octets);
        if (!tcp.established()) return 0;
        tcp.write(now, octets);
        return octets.size();
    }
    bool write_urgent(std::uint8_t octet) override {
        return data ? data->write_urgent(octet) : write(ByteView(&octet, 1)) == 1;
    }
    std::uint64_t readable() const override { return data ? data->readable() : received.size(); }
    Octets read(std::uint64_t most) override {
        if (data) return data->read(most);
        const auto end = received.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, received.size()));
        Octets octets(received.begin(), end);
        received.erase(received.begin(), end);
        return octets;
    }
    bool at_end() const override { return data ? data->at_end() : tcp_at_end && received.empty(); }
    void shutdown_write() override { data ? data->shutdown_write() : tcp.close(now); }
    void close() override { data ? data->close() : tcp.close(now); }
    void abort() override { data ? data->abort() : tcp.abort(now); }

    // DataSink
    void write(std::uint64_t offset, Octets octets) override {
        group->links.write(now, remote.address + offset, remote.rkey, std::move(octets));
    }
    void send(const wire::Cdc& message, const char* note) override {
        ++messages;
        group->links.send_cdc(now, message, note);
    }

    Key key;
    IbAddress remote_port;  ///< MAC and IP address
    bool client = false;
    TcpConnection tcp;
    Application application;
    Phase phase = Phase::tcp;
    Time deadline = never;
    Time now = 0;     ///< of the input that is being handled
    Octets received;  ///< TCP octets that are no CLC
    bool tcp_at_end = false;

    std::uint8_t version = 0;
    bool first_contact = false;
    Group* group = nullptr;
    std::optional<Element> element;
    std::uint32_t token = 0;
    RemoteElement remote;
    std::optional<wire::Proposal> proposal;           ///< server: while it waits for its turn
    std::optional<wire::SmcrAcceptConfirm> accepted;  ///< client: while it waits for its turn; without lists
    std::optional<DataPath> data;
    std::vector<wire::Cdc> early;  ///< messages that came before CONFIRM
    std::uint64_t messages = 0;
    bool released = false;

    std::string outcome;
    std::uint32_t decline_code = 0;
    bool declined_by_me = false;
};

}  // namespace fabricscope::stack::smcr
