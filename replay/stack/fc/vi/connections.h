// SPDX-License-Identifier: GPL-2.0-or-later
// Connection Setup and Disconnect of an emulated FC-VI Provider (ISO/IEC 14165-331, 5.3, 8.5, 8.6, annexes A, C, D;
// revision 1.0, 5.3): client and server, peer to peer with arbitration, timers T1 to T3 and TD, one retry.
#pragma once

#include "replay/stack/fc/vi/state.h"

namespace fabricscope::stack::vi {

/// What comes of a VipConnectWait: a Connect Request that matches it, or none in time.
struct ConnectionRequest {
    Return result = Return::success;
    ConnHandle conn = 0;
    NetAddress local;  ///< that is asked for
    NetAddress remote;
    Attributes attributes;
};

class Connections {
public:
    explicit Connections(Shared& shared)
        : shared_(shared),
          next_handle_(shared.config.first_handle),
          next_connection_id_(shared.config.first_connection_id) {}

    // The calls of VI-DG 5; none of them blocks: what comes of them is in Vi::connect_result, in next_request() and in
    // Vi::disconnect_result.
    Return wait(Time now, const NetAddress& local, Time timeout);
    Return accept(Time now, ConnHandle conn, Vi& vi);
    Return reject(Time now, ConnHandle conn);
    Return request(Time now, Vi& vi, const NetAddress& local, const NetAddress& remote, Time timeout, bool as_peer);
    enum class By : std::uint8_t { application, provider };
    /// By the Provider, the endpoint stays in Error: VipDisconnect is still to come, and tells the other side nothing.
    Return disconnect(Time now, Vi& vi, By by);
    std::optional<ConnectionRequest> next_request();
    /// Nobody waits for anything any more.
    void stop_waiting() { waits_.clear(); }
    /// A Disconnect that this side has requested is not over.
    bool is_disconnecting(ViHandle vi) const;
    /// The other side of a connection that has been ended here is still to end it, too (D.2).
    bool awaits_disconnects() const;

    /// Where a host is; from FARP or the Name Server.
    void learn(Time now, const Gid& host, std::uint32_t port_id);
    void unreachable(const Gid& host);
    std::vector<Gid> known_hosts() const;
    /// LOGO: all connections with the port are over (7.7.1).
    void logged_out(std::uint32_t port_id);

    void on_iu(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    void on_failure(Time now, ExchangeHandle exchange, fibre_channel::Failure failure);
    Time wakeup() const;
    void on_timer(Time now);

private:
    /// One Exchange of a setup.
    struct Setup {
        bool own = false;  ///< this port asks
        bool as_peer = false;
        bool retry = false;
        ExchangeHandle exchange = 0;  ///< 0: the other host's port is still looked for
        std::uint32_t connection_id = fcvi::unassigned_connection_id;
        std::uint32_t port_id = 0;
        ViHandle vi = 0;                                 ///< 0: nobody has accepted so far
        std::uint32_t handle = fcvi::unassigned_handle;  ///< that the VI has for this attempt
        NetAddress local, remote;                        ///< of the one who asks
        fcvi::ConnectPayload request;                    ///< of the other port
        std::uint32_t their_handle = fcvi::unassigned_handle;
        bool shows_vi = false;  ///< the refusal has the VI's attributes
        bool answered = false;  ///< RESP1 has been sent or has come
        bool accepted = false;  ///< and was good
        bool over = false;
        std::optional<ConnHandle> conn{};      ///< waits for the application's answer
        std::optional<fcvi::Reason> answer{};  ///< RESP1's reason
        bool held = false;                     ///< waits for the answer to this port's own request (5.3.4)
        Time t2 = never, t3 = never;
    };
    /// A VI whose application waits for its connection, until T1.
    struct Pending {
        ViHandle vi = 0;
        bool as_peer = false;
        NetAddress local, remote;
        Time until = never;
    };
    struct Wait {
        NetAddress local;
        Time until = never;
    };
    /// A Disconnect that this side has requested.
    struct OwnDisconnect {
        ViHandle vi = 0;
        ExchangeHandle exchange = 0;
        Time deadline = never;
        unsigned attempts = 0;
        By by = By::application;
    };
    /// An endpoint that has been connected, as long as its peer may still speak of it.
    struct Past {
        std::uint32_t remote_handle = fcvi::unassigned_handle;
        std::uint32_t highest_completed = 0;
        std::uint32_t port_id = 0;
        bool ended_here = false, ended_there = false;
    };

    // asking
    void ask(Time now, Setup& setup);
    void on_response1(Time now, Setup& setup, const fcvi::DeviceHeader& header, const fcvi::ConnectPayload& payload);
    void on_acceptance(Time now, Setup& setup, const fcvi::ConnectPayload& payload);
    void on_refusal(Time now, Setup& setup, fcvi::Reason reason, const fcvi::ConnectPayload& payload);
    void on_response3(Setup& setup, const fcvi::DeviceHeader& header);
    void retry(Time now, Setup& setup);
    void give_up(Setup& setup, Vi& vi);
    /// The other host cannot be reached.
    void partitioned(Vi& vi);
    void on_t3(Time now, Setup& setup);
    // answering
    void on_request(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    fcvi::Reason why_no_match() const;
    void match_wait(Time now, Setup& setup);
    void match_peer(Time now, Setup& setup);
    void agree(Time now, Setup& setup, Vi& vi);
    void arbitrate(Time now, Setup& theirs, Setup& own);
    void settle(Time now, Setup& own);
    void accept_setup(Time now, Setup& setup, Vi& vi);
    /// `vi`: whose attributes stand in a refusal.
    void send_response1(Time now, Setup& setup, std::optional<fcvi::Reason> reason, const Vi* vi = nullptr);
    void on_response2(Time now, Setup& setup, const fcvi::DeviceHeader& header);
    void disown(Time now, const Setup& setup);
    void on_t2(Setup& setup);
    bool answer_again(Time now, Setup& setup);
    Return mismatch(const fcvi::ConnectPayload& theirs, const Vi& vi) const;
    bool is_address(const NetAddress& address) const;
    Return result_for_peer(const Vi& vi, fcvi::Reason reason, const fcvi::ConnectPayload& theirs);
    // both
    Setup* find(ExchangeHandle exchange);
    Setup* own_setup(const Vi& vi);
    /// The VI, as long as no other attempt of its application has followed.
    Vi* vi_of(const Setup& setup);
    Pending* pending(ViHandle vi);
    /// The application has its answer.
    void finish(Vi& vi, Return result);
    void respond(
        Time now, Setup& setup, fcvi::IuType type, std::uint32_t handle, std::optional<fcvi::Reason> reason, bool last,
        std::string note);
    fcvi::ConnectPayload payload_for(
        const Vi* vi, const NetAddress& local, const NetAddress& remote, bool refused = false) const;
    void learn_peer(Vi& vi, const Setup& setup, std::uint32_t handle, const fcvi::ConnectPayload& theirs);
    /// Negative: this port's name or address is the lower one.
    int compare_with(const Setup& theirs, const Setup& own) const;
    /// It has accepted another one's request, and waits for RESP2.
    bool is_promised(const Vi& vi);
    /// Asked for by another VI of the same port.
    bool is_from_here(const Setup& theirs) const;
    bool login_is_sufficient(std::uint32_t port_id) const;
    void prepare(Vi& vi);
    // ends
    void send_disconnect(Time now, OwnDisconnect& disconnect);
    void on_disconnect_request(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    void on_disconnect_response(Time now, ExchangeHandle exchange);
    void forget_over();

    Shared& shared_;
    std::deque<Setup> setups_;  ///< pointers to them stay valid; those that are over are taken out in the timer
    std::vector<Wait> waits_;
    std::vector<Pending> pending_;
    std::vector<OwnDisconnect> disconnects_;
    std::deque<ConnectionRequest> requests_;
    std::map<Gid, std::uint32_t> hosts_;
    std::map<std::uint32_t, Past> past_;  ///< by own handle
    std::uint32_t next_handle_;
    std::uint32_t next_connection_id_;
    ConnHandle last_conn_ = 0;
};

}  // namespace fabricscope::stack::vi
