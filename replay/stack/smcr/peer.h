// SPDX-License-Identifier: GPL-2.0-or-later
// A host that speaks SMC-R: TCP rendezvous, CLC, link groups and connections (RFC 7609, 3; version 2 as Linux has it).
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "protocols/smcr/clc.h"
#include "replay/stack/net/tcp.h"
#include "replay/stack/smcr/application.h"
#include "replay/stack/smcr/link_group.h"

namespace fabricscope::stack::smcr {

/// The GID that an adapter has for RoCE v1: link-local, from the MAC (RFC 4291, appendix A).
Gid link_local(const Mac& mac);

/// An RDMA device, and its IPv4 address as a GID.
struct Device {
    Mac mac;
    Gid ip;
};

struct PeerConfig {
    Profile profile;
    Mac mac;
    Gid ip;                                    ///< IPv6, or IPv4 as a GID
    std::uint8_t subnet_bits = 24;             ///< IPv4
    std::vector<wire::Ipv6Prefix> prefixes{};  ///< of its device, which a client tells
    bool smc = true;                           ///< offers SMC-R at all
    bool rdma = true;                          ///< has an RDMA device
    /// More of them, at ports 1 and up of the endpoint; 7 at most (RFC 7609, 2.2.2).
    std::vector<Device> more_devices;
    std::string eid = "FABRICSCOPE";
    std::string hostname = "host";
    std::uint8_t buffer_size = 2;  ///< compressed: of RMB elements
    std::uint64_t send_buffer = 65'536;
    std::uint32_t first_qpn = 0x11;
    bool forgets_ended = false;  ///< connections, once take_ended() has told of them
    std::uint64_t seed = 1;
};

/// What a side knows of a connection.
struct PeerAccount {
    bool client = false;
    std::uint16_t client_port = 0;
    std::string outcome;        ///< "smc-r", "fallback", "plain-tcp", "failed"
    std::uint32_t decline = 0;  ///< code, sent or received; 0 = none
    bool declined_by_me = false;
    std::uint8_t version = 0;
    bool first_contact = false;
    StreamDigest sent, received;                   ///< by the application
    std::uint64_t produced = 0, acknowledged = 0;  ///< positions of the sending direction
    std::uint64_t consumed = 0;                    ///< of the receiving one
    std::uint64_t wraps = 0;
    std::uint64_t messages = 0;  ///< CDC messages sent; after a failover some of them twice
    std::string close;           ///< state of RFC 7609, 4.8
    bool aborted = false;
    Time set_up = never;  ///< when data could go over RDMA
};

class Peer final : public Endpoint {
public:
    explicit Peer(PeerConfig config);
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() override;

    void listen(std::uint16_t port, const AppPlan& plan) { services_[port] = plan; }
    /// The application for a connection from that port of a client.
    void expect(std::uint16_t port, std::uint16_t client_port, const AppPlan& plan) {
        expected_[{port, client_port}] = plan;
    }
    void connect(
        Time now, std::uint16_t local_port, const Mac& mac, const Gid& ip, std::uint16_t port, const AppPlan& plan);
    /// A link group that has been set up before, as both sides name its link. The number of this side's queue pair is
    /// the first one of the configuration.
    void resume_group(
        Time now, Role role, const wire::SmcrAcceptConfirmBody& own, const wire::SmcrAcceptConfirmBody& peer);
    /// Asks whether each link is alive.
    void test_links(Time now);
    /// Deletes, in each group, the link of that number; a client asks for it.
    void delete_link(Time now, std::uint8_t number, bool orderly, std::uint32_t reason);
    /// Withdraws, in each group, an RKey that is none of its RMBs'.
    void delete_rkey(Time now, std::uint32_t rkey);
    /// Ends all link groups, and with them their connections. `reason`: of DELETE LINK (RFC 7609, A.3.4).
    void delete_groups(Time now, bool orderly = true, std::uint32_t reason = operator_initiated);
    /// A device comes to be, or ceases to be, usable. Its links end; when it comes, links are wanted.
    void set_device(Time now, std::size_t device, bool up);
    /// The links between two devices cannot be used any more, nor can this side's device if it has no other.
    void lose_link(Time now, const Mac& own, const Mac& peer);
    /// Another link is wanted in each group. The device, or each one, can be used from now on. A server that does not
    /// add links of itself, because two are all that there may be, offers one in any case.
    void want_links(Time now, const std::optional<Mac>& device);

    void on_frame(Time now, std::size_t port, ByteView frame) override;
    void on_timer(Time now) override;
    Time wakeup() const override;
    void take_frames(std::vector<OutgoingFrame>& frames) override;

    /// In the order in which the connections began.
    std::vector<PeerAccount> accounts() const;
    /// Of those that have ended since the last call; with `forgets_ended`.
    std::vector<PeerAccount> take_ended();
    /// Of a connection's application: 0 if it does not run yet, else 1 and the steps of its script that it has done.
    std::size_t progress(std::uint16_t client_port) const;
    /// Of all connections: the steps that their applications have done.
    std::size_t progress() const;
    /// LLC messages that have come and were no answers.
    std::size_t requests() const;
    /// Packets that were sent again over RDMA.
    std::uint64_t retransmissions() const;

private:
    enum class Phase : std::uint8_t {
        tcp,       ///< handshake
        proposal,  ///< server: waits for PROPOSAL
        queued,    ///< another connection is setting up a link group
        accept,    ///< client: waits for ACCEPT
        key,       ///< waits until the peer knows the key of the RMB
        confirm,   ///< server: waits for CONFIRM
        link,      ///< first contact: the link is being set up
        active,    ///< data over RDMA
        plain,     ///< data over TCP
        over,
    };
    struct Group;
    struct Connection;
    using Key = std::tuple<std::uint16_t, Gid, std::uint16_t>;  ///< local port, remote address, remote port

    void add_device(const Mac& mac, const Gid& ip);
    static PeerAccount account_of(const Connection& connection);
    std::size_t free_place();
    static bool has_ended(const Connection& connection);
    void forget(Connection& connection);
    Connection& add(Key key, const Mac& mac, bool client, const AppPlan& plan, TcpConfig tcp);
    TcpConfig tcp_config(std::uint16_t local, std::uint16_t remote);
    void on_tcp(Time now, const capture::Packet& packet);
    const AppPlan* plan_for(const capture::TcpSegment& opening) const;
    void refuse_segment(const capture::Packet& packet);
    void touch(Time now, Connection& connection);
    void touch_due(Time now);
    void schedule(Connection& connection);
    void flush(Connection& connection);
    void work(Time now);
    bool step(Time now, Connection& connection);
    void on_established(Time now, Connection& connection);
    void on_clc(Time now, Connection& connection);
    void on_clc_message(Time now, Connection& connection, const wire::ClcMessage& message);
    void enter(Connection& connection, Phase phase, Time deadline);

    // rendezvous
    bool acquire_lock(Connection& connection);
    void release_lock(Connection& connection);
    void send_clc(Time now, Connection& connection, wire::ClcType type, wire::ClcMessage message);
    void send_proposal(Time now, Connection& connection);
    void send_accept_or_confirm(Time now, Connection& connection, wire::ClcType type);
    void decline(Time now, Connection& connection, std::uint32_t code, bool out_of_sync = false);
    void on_proposal(Time now, Connection& connection, const wire::Proposal& proposal);
    void answer_proposal(Time now, Connection& connection);
    void on_accept(Time now, Connection& connection, const wire::SmcrAcceptConfirm& accept);
    void answer_accept(Time now, Connection& connection);
    void on_confirm(Time now, Connection& connection, const wire::SmcrAcceptConfirm& confirm);
    void on_decline(Time now, Connection& connection, const wire::Decline& decline);
    bool is_local_subnet(const wire::Proposal& proposal) const;

    // link groups and data
    void give_token(Connection& connection);
    Group& new_group(Role role, std::uint8_t version);
    void on_completion(Time now, std::size_t adapter, Completion completion);
    void on_cdc(Time now, const Group& group, ByteView octets);
    void on_link_leaving(Time now, Connection& connection);
    void on_link_down(Time now, Connection& connection);
    void leave_group(Time now, Connection& connection);
    Connection* connection_of(const Group& group, std::uint64_t token);
    void on_group_event(Time now, Group& group, const GroupEvent& event);
    void on_setup_event(Time now, Connection& connection, const GroupEvent& event);
    void on_link_event(Time now, Connection& connection, const GroupEvent& event);
    void remember_peer(Connection& connection, std::size_t link, const wire::SmcrAcceptConfirm& message);
    void become_active(Time now, Connection& connection);
    void become_plain(Connection& connection, const char* outcome);
    void fail(Time now, Connection& connection, const char* outcome);
    void run_application(Time now, Connection& connection);
    void settle_end(Time now, Connection& connection);
    wire::PeerId peer_id() const;

    PeerConfig config_;
    Random random_;
    std::vector<OutgoingFrame> frames_;
    std::vector<std::unique_ptr<Adapter>> adapters_;
    std::map<std::uint16_t, AppPlan> services_;
    std::map<std::pair<std::uint16_t, std::uint16_t>, AppPlan> expected_;  ///< by port and client's port
    std::vector<std::unique_ptr<Connection>> connections_;                 ///< nullptr: one that was forgotten
    std::vector<std::size_t> ended_, free_places_;                         ///< of connections
    // Connections by their place in `connections_`, so that what happens to one costs the others nothing.
    std::set<std::size_t> touched_;                  ///< something has happened to them; work() goes on with them
    std::set<std::pair<Time, std::size_t>> timers_;  ///< those that wait for a time
    std::map<Key, Connection*> by_key_;
    std::unordered_map<std::uint64_t, Connection*> by_token_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::deque<Connection*> lock_queue_;  ///< the first one may set up a link group
    std::uint32_t next_token_ = 1;
    std::uint16_t instance_;
    std::uint16_t identification_;
    builders::FrameBuilder builder_;
};

}  // namespace fabricscope::stack::smcr
