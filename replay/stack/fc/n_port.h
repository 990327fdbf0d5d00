// SPDX-License-Identifier: GPL-2.0-or-later
// An emulated N_Port: Fabric and Port Login, Process Login, logouts, validation of addresses, timeouts of others, and
// finding the port that has an IP address by FARP or from the Name Server (FC-PH 23; FC-LS; FC-GS-2; ISO/IEC 14165-331
// 5.6, 7.4 to 7.7; RFC 2625 5.2).
//
// Point to point the port with the higher Port_Name logs in and gives both their addresses.
#pragma once

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "replay/stack/fc/exchanges.h"

namespace fabricscope::stack::fibre_channel {

enum class Resolver : std::uint8_t { farp, name_server };

/// Whether a Service Parameter page (16 octets) of PRLI, or of what accepts it, will do.
using ProcessLoginCheck = std::function<bool(ByteView page, bool is_accept)>;

struct NPortConfig {
    ExchangeConfig exchanges;
    std::uint64_t port_name = 0, node_name = 0;
    Gid ip;  ///< IPv4: in the last 4 octets, the others 0
    Resolver resolver = Resolver::farp;
    bool in_order = true;                    ///< the Fabric delivers in order: Sequential Delivery is asked for
    bool clock_sync = false;                 ///< PLOGI says that its clock may be set by ELS
    bool increasing_seq_cnt = true;          ///< what the port says of itself in PLOGI: SEQ_CNT (S)
    bool increasing_relative_offset = true;  ///< and the Relative Offset (C)
    std::optional<std::uint32_t> process_parameters;  ///< of FCP in PRLI; nothing: there is none
    ProcessLoginCheck process_login_will_do{};        ///< nothing: any will
    bool asks_for_process_login = true;               ///< else it waits for the other port's PRLI
    /// Point to point, a FLOGI of a port that is logged in means that it has begun anew: the login is over, and made
    /// again (FC-LS). Else it is one that has crossed the login.
    bool begins_anew_with_flogi = false;
    /// What the port says of itself in PLOGI and in what accepts it, instead of what is made of the above: a whole
    /// payload, whatever its command.
    Octets login{};
};

/// Another port that this one is logged in with.
struct RemotePort {
    std::uint32_t id = 0;
    std::uint64_t port_name = 0, node_name = 0;
    bool increasing_seq_cnt = false, increasing_relative_offset = false;
    bool process_login = false;  ///< PRLI has been accepted
};

struct NPortEvent {
    enum class What : std::uint8_t {
        online,       ///< the port has an address
        reached,      ///< and is logged in with the port that was looked for
        unreachable,  ///< it has not been found, or refuses the login
        logged_out,
        processes_logged_out,  ///< by PRLO, of either side
        validated,             ///< the other port, or the Fabric, is what it was (7.7)
        timeouts,              ///< the other port, or the Fabric, has told them
    };
    What what{};
    Gid ip{};                       ///< reached, unreachable
    std::uint32_t peer = 0;         ///< of all but online and unreachable
    Time e_d_tov = 0, r_a_tov = 0;  ///< timeouts
};

class NPort final : public ExchangeUser {
public:
    NPort(NPortConfig config, Exchanges& exchanges);

    // What the owner asks for; next_event() tells what came of it.
    /// The link is up: FLOGI.
    void start(Time now);
    /// Finds the port with this address and logs in.
    void reach(Time now, const Gid& ip);
    void log_out(Time now, std::uint32_t peer);
    /// Of all ports that it is logged in with.
    void log_out_all(Time now);
    bool is_logged_in() const { return !remotes_.empty(); }
    /// PRLO: the ports stay logged in.
    void log_processes_out(Time now, std::uint32_t peer);
    /// RTV, to a port or to the Fabric's login server.
    void read_timeouts(Time now, std::uint32_t peer);
    /// The loop has been initialised: ADISC to all ports that it is logged in with. Who is another one now is logged
    /// out (ISO/IEC 14165-331, 7.7.3).
    void validate(Time now);
    /// What it knew of a port is lost, without a word to it.
    void forget_login(std::uint32_t peer) { remotes_.erase(peer); }
    // What happened before is not of interest.
    /// The port has an address, and knows that of another one.
    void assume(std::uint32_t id, const Gid& remote_ip, std::uint32_t remote_id);
    /// It is logged in with the other one.
    void assume(const RemotePort& remote) { remotes_[remote.id] = remote; }
    std::optional<NPortEvent> next_event();

    const NPortConfig& config() const { return config_; }
    /// nullptr if not logged in. The port needs no login with itself.
    const RemotePort* remote(std::uint32_t id) const;
    /// Else it is alone with the port at the other end of the link.
    bool is_on_fabric() const { return fabric_.has_value(); }

    Time wakeup() const;
    void on_timer(Time now);
    void on_iu(Time now, const IncomingIu& iu) override;
    void on_failure(Time now, ExchangeHandle exchange, Failure failure) override;

private:
    /// A request of this port that waits for its answer.
    struct Request {
        std::uint8_t command = 0;  ///< of an ELS; 0: GID_IPP
        std::uint32_t to = 0;
        Octets payload;
        std::string note;
        unsigned attempts = 0;
        Time deadline = never;
    };
    /// A port that is looked for.
    struct Search {
        Gid ip;
        std::uint32_t peer = 0;  ///< once it is found
        unsigned attempts = 0;   ///< FARP-REQ
        Time deadline = never;   ///< of a FARP-REQ
        bool asked = false;
    };

    void request(Time now, Request request);
    void els(Time now, std::uint8_t command, std::uint32_t to, Octets payload, std::string note);
    void answer(Time now, ExchangeHandle exchange, Octets payload, std::string note);
    void reject(Time now, ExchangeHandle exchange, std::uint8_t reason, std::uint8_t explanation);
    Octets login(std::uint8_t command) const;
    Octets process_login() const;

    void on_els_request(Time now, const IncomingIu& iu, const fc::ElsMessage& message);
    void on_login_request(Time now, const IncomingIu& iu, const fc::Login& login);
    void on_process_login(Time now, const IncomingIu& iu, const fc::Prli& request);
    bool process_login_will_do(const IncomingIu& iu, bool is_accept) const;
    void on_farp(Time now, const fc::Farp& farp);
    void on_fabric_address(Time now, const fc::Fan& fan);
    void on_els_answer(Time now, const Request& request, const IncomingIu& iu);
    void on_fabric_login(Time now, const IncomingIu& iu, const fc::Login& login);
    void on_name_server(Time now, const IncomingIu& iu);

    /// Ports without FC-VI have no address, as many as there are.
    bool is_itself(const Gid& ip) const { return ip == config_.ip && ip != Gid{}; }
    void take_address(std::uint32_t id);
    void go_online(Time now, std::uint32_t id);
    void begin_anew(Time now);
    void learn(std::uint32_t id, const fc::Login& login);
    void note_process_login(Time now, std::uint32_t peer);
    void note_process_logout(std::uint32_t peer);
    Octets identity(std::uint8_t command) const;
    void compare_identity(Time now, std::uint32_t peer, const fc::Adisc& told);
    void tell_timeouts(std::uint32_t peer, const fc::RtvAccept& told);
    void log_in_point_to_point(Time now);
    void search_on(Time now);
    void go_on(Time now, Search& search);
    void resolve(Time now, Search& search);
    void found(Time now, const Gid& ip, std::uint32_t id);
    void fail_searches(std::uint32_t peer);
    void forget(Time now, std::uint32_t peer);

    NPortConfig config_;
    Exchanges& exchanges_;
    std::map<ExchangeHandle, Request> requests_;
    std::map<std::uint32_t, RemotePort> remotes_;
    RemotePort itself_;  ///< as others see it
    std::vector<Search> searches_;
    std::map<Gid, std::uint32_t> addresses_;  ///< what FARP and the Name Server have told
    std::deque<NPortEvent> events_;
    bool online_ = false;
    std::optional<std::uint64_t> neighbour_;  ///< point to point: the other port's name
    bool asked_neighbour_ = false;
    std::optional<fc::LoginNames> fabric_;
};

}  // namespace fabricscope::stack::fibre_channel
