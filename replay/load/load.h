// SPDX-License-Identifier: GPL-2.0-or-later
// Many sessions at once: what they are to do, who does it, and what came of them.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "analyzer/engine/latencies.h"
#include "protocols/layout/types.h"
#include "replay/engine/player.h"

namespace fabricscope::replay {

using capture::Time;
using engine::Latencies;

enum class LoadKind : std::uint8_t {
    cm,        ///< RDMA CM: REQ, REP, RTU, then DREQ and DREP
    rc,        ///< messages (SEND) over reliable connections that RDMA CM sets up
    smc,       ///< SMC-R: TCP, CLC, messages that the server sends back, close
    recorded,  ///< copies of a recorded session, each from a host of its own
};
/// "cm", "rc", "smc", "recorded"
const char* name_of(LoadKind kind);
std::optional<LoadKind> load_kind_of(std::string_view name);

/// Clients take their ports from here to the last one, one after the other.
inline constexpr std::uint16_t first_client_port = 0x8000;

struct LoadPlan {
    LoadKind kind = LoadKind::cm;
    Gid peer{};                            ///< of a client
    Mac peer_mac{};                        ///< the same
    std::uint16_t port = 7174;             ///< the server's; 0: as recorded
    std::size_t sessions = 1;              ///< at once
    double rate = 0;                       ///< a second: sessions, of `rc` messages; 0: as many as can be
    std::optional<std::uint64_t> total{};  ///< sessions; nothing: as many as there is time for
    Time duration = 10 * capture::second;
    std::optional<std::uint64_t> messages{};  ///< of each session; nothing: until the end
    std::uint32_t size = 64;                  ///< octets of each
    std::uint32_t depth = 64;                 ///< messages of a session under way at once, of `rc`
    std::uint64_t seed = 1;
    const Session* session = nullptr;      ///< that is played, of `recorded`: its client
    Time patience = 10 * capture::second;  ///< how long an answer is waited for, of `recorded`
};

/// What one side knows of all its sessions.
struct LoadAccount {
    std::uint64_t started = 0, completed = 0;
    std::map<std::string, std::uint64_t> failed;  ///< by reason
    std::uint64_t messages = 0, octets = 0;       ///< that the other side has got, or that came back
    std::uint64_t wrong = 0;                      ///< messages that are not what was sent
    Latencies sessions;                           ///< `recorded`: from when it was due until all had been played
    Latencies set_ups;                            ///< client: from when it was due to the end of the set-up
    Latencies exchanges;                          ///< the same of messages

    std::uint64_t all_failed() const;
};

/// One host of a load. What it sends and gets goes to nobody but the peer.
class LoadHost : public stack::Endpoint {
public:
    explicit LoadHost(LoadAccount& account) : account_(account) {}

    /// Client: whether there can be one more.
    virtual bool may_start() const { return true; }
    /// Client: one more. `due`: when it should have begun.
    virtual void start_session(Time /*now*/, Time /*due*/) {}
    /// Client, with a rate of messages: one more, on any session. False if all have as many under way as they may.
    virtual bool post(Time /*now*/, Time /*due*/) { return false; }
    /// Nothing new is begun, and what there is ends.
    virtual void stop(Time now) = 0;
    /// At the very end, what belongs to no session ends, too: link groups. True if the peer answers to that.
    virtual bool leave(Time /*now*/) { return false; }
    /// Sessions that have neither been completed nor failed.
    virtual std::size_t open() const = 0;
    /// Packets that it has sent again so far.
    virtual std::uint64_t retransmissions() const { return 0; }

protected:
    LoadAccount& account() { return account_; }
    void fail(const std::string& reason) { ++account_.failed[reason]; }

private:
    LoadAccount& account_;
};

/// `account` has to live as long. `own`, `mac`: the host's addresses; `host`: its number, from 0.
std::unique_ptr<LoadHost> make_load_client(
    const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac);
std::unique_ptr<LoadHost> make_load_server(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac);

}  // namespace fabricscope::replay
