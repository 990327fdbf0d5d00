// SPDX-License-Identifier: GPL-2.0-or-later
// The way to a live peer, as a player sees it: Ethernet frames go out and come in, whatever carries them.
#pragma once

#include <memory>
#include <stdexcept>

#include "replay/engine/player.h"

namespace fabricscope::replay {

/// The text is shown to the user unchanged, as is that of capture::InterfaceError, which is also thrown where raw
/// frames are sent and received.
struct TransportError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// The peer cannot be reached at all.
struct Unreachable : TransportError {
    using TransportError::TransportError;
};

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Nothing: the frames are to have the recorded addresses.
    virtual std::optional<LiveAddresses> addresses() const = 0;
    /// Frames to others than the peer are left out: nobody else is ever sent to. Throws TransportError.
    virtual void send(ByteView frame) = 0;
    /// The next frame that comes within `wait` nanoseconds; empty if none does. Valid until the next call.
    /// Throws TransportError.
    virtual ByteView receive(Time wait) = 0;
    /// The network has told that there is nobody to speak to: it makes no sense to wait.
    virtual bool is_refused() const { return false; }
    /// For people, if nothing has come: why, as far as the network has told. Empty if it has not.
    virtual std::string why_silent() const { return {}; }
};

/// Who is to be played against.
struct Target {
    enum class Kind : std::uint8_t {
        emulated,
        rocev2,     ///< rocev2://HOST[:PORT]
        smc,        ///< smc://HOST:PORT
        interface,  ///< if://IFACE[/MAC], if://IFACE/WWPN
    } kind = Kind::emulated;
    std::string profile;                     ///< emulated; empty: the recording's habits
    std::string host;                        ///< an IP address, without brackets
    std::string interface;                   ///< if://
    std::optional<Mac> mac;                  ///< if://: the peer's; nothing: the recorded one
    std::optional<std::uint64_t> port_name;  ///< if://: of the peer, whose MAC address is learned from it
    std::optional<std::uint16_t> port;
};
/// The name of a profile: "linux", "rfc7609", or "strict" for the latter.
bool is_profile(std::string_view name);
/// For people: what it says if a run against the target is the same as the recording, where that is less than it seems.
std::string proof_of(const Target& target);
/// Nothing, with the reason in `problem`, if the text names no target.
std::optional<Target> parse_target(const std::string& text, std::string& problem);

struct TransportOptions {
    std::string address;                  ///< smc: own IP address, which no other host may have
    std::string interface;                ///< smc: through which the peer is reached; empty: found by the address
    Time timeout = 10 * capture::second;  ///< for the peer to tell its MAC address, where that is asked for
};

/// Throws TransportError, Unreachable. Not for Kind::emulated.
std::unique_ptr<Transport> open_transport(const Target& target, const TransportOptions& options);

}  // namespace fabricscope::replay
