// SPDX-License-Identifier: GPL-2.0-or-later
// The interfaces that each protocol implements for replay: sessions read from frames, an endpoint that plays one side
// of a session, and an emulated endpoint as its peer.
#pragma once

#include <functional>
#include <memory>

#include "analyzer/engine/engine.h"
#include "replay/engine/masks.h"
#include "replay/engine/script.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::replay {

/// Sends the messages of one side of a session. As every endpoint it has no clock and no socket.
class Player : public stack::Endpoint {
public:
    /// The run begins now; no frames are sent before.
    virtual void start(Time now) = 0;
    /// Nothing is left to be sent, and nothing is waited for.
    virtual bool over() const = 0;
    /// Not over: for people, what it waits for.
    virtual std::string waiting_for() const = 0;
    /// For people: where it could not do as recorded (a window that was smaller, an answer that was not recorded).
    virtual std::vector<std::string> notes() const { return {}; }
    /// Stops playing, and ends what has been begun at the peer: its frames are the last ones of a run, and not
    /// compared.
    virtual void leave(Time now) = 0;
    /// All has been played, and since then the peer has ended what is left, as leave() does.
    virtual bool peer_leaves() const { return false; }
    /// For people: why nothing came of it, if that is certain ("it refuses the connection: nobody listens at port 7");
    /// empty if it is not.
    virtual std::string refusal() const { return {}; }
};

/// An endpoint, and how its ports are attached.
template <class T> struct Attached {
    std::unique_ptr<T> endpoint;
    capture::LinkType link = capture::LinkType::ethernet;
    std::vector<Mac> addresses;  ///< Ethernet: of its ports, in order
};
using AttachedPlayer = Attached<Player>;
using AttachedEndpoint = Attached<stack::Endpoint>;

/// Addresses of this run, where they are not to be those of the recording: replay against a live peer.
struct LiveAddresses {
    Mac own_mac, peer_mac;
    Gid own_ip, peer_ip;  ///< IPv4 as ::ffff:a.b.c.d
    std::optional<std::uint16_t> own_port, peer_port;
    /// One of many copies at the same peer: by this number it tells their connections apart, besides addresses and
    /// ports.
    std::optional<std::uint32_t> copy{};
};

struct PlayOptions {
    Pace pace;
    std::optional<LiveAddresses> addresses;  ///< nothing: those of the recording
    Time patience = 10 * capture::second;    ///< how long an answer is waited for
    bool live = false;                       ///< the peer is not the one that Session::emulated() makes
};

struct SessionInfo {
    std::string id;     ///< "smcr-1", "lg-1", "cm-2"
    std::string kind;   ///< "SMC-R connection"
    std::string about;  ///< "192.0.2.10:38234 > 192.0.2.20:18001, smc-r"
    std::uint64_t first_frame = 0;
    std::string obstacle;  ///< why it cannot be replayed; empty if it can
};

/// The text is shown to the user unchanged.
struct NotPlayable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A session of a capture, complete with all that is needed to play either side of it.
class Session {
public:
    virtual ~Session() = default;
    virtual const Conversation& conversation() const = 0;
    /// Alters what is played and compared: masks, messages that are not as recorded. Before there is a player.
    virtual void edit(const std::function<void(Conversation&)>& change) = 0;
    /// Throws NotPlayable. The session has to live as long as the player.
    virtual AttachedPlayer player(Side played, const PlayOptions& options) const = 0;
    /// An endpoint of the emulated stack whose application does what the recorded one did. The protocol is the stack's
    /// own. `profile`: implementation to behave like; empty: the recorded side. Throws NotPlayable.
    virtual AttachedEndpoint emulated(Side side, const std::string& profile) const = 0;
};

/// Reads the sessions of one protocol. Its observers are given to an engine with its options; when the engine has
/// finished, there are sessions.
class Reader {
public:
    virtual ~Reader() = default;
    /// Switches on what is needed.
    virtual void prepare(engine::Options& options, engine::Observers& observers) = 0;
    virtual std::vector<SessionInfo> sessions(const engine::Engine& engine) const = 0;
    /// nullptr if there is no session of that name. May throw NotPlayable.
    virtual std::unique_ptr<Session> session(const engine::Engine& engine, std::string_view id) const = 0;
    /// The session of a run: the only one there is, or the first of its kind. nullptr if nothing of that kind happened.
    virtual std::unique_ptr<Session> session_like(const engine::Engine& engine, const Conversation& recorded) const = 0;
};

/// One line of a table per protocol.
struct Protocol {
    const char* name;  ///< as analyze --protocol names it
    std::unique_ptr<Reader> (*make_reader)();
};
std::span<const Protocol> protocols();

}  // namespace fabricscope::replay
