// SPDX-License-Identifier: GPL-2.0-or-later
// What every emulated host is to the outside: a state machine that frames and the time go into, and that frames come
// out of. It has no socket, thread or clock, so the same endpoint works on a virtual clock, against a capture and
// behind a real interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::stack {

using capture::microsecond;
using capture::millisecond;
using capture::second;
using capture::Time;
using Octets = std::vector<std::uint8_t>;

/// No timer runs.
inline constexpr Time never = std::numeric_limits<Time>::max();
/// So much later; `never` if that is beyond all time.
constexpr Time later(Time time, Time by) { return time > never - by ? never : time + by; }

constexpr std::uint32_t in_milliseconds(Time time) { return static_cast<std::uint32_t>(time / millisecond); }

/// A frame that an endpoint wants sent.
struct OutgoingFrame {
    std::size_t port = 0;  ///< which of its ports, from 0
    Octets octets;
    std::string note;  ///< for people, why it is sent; becomes the frame's comment in a capture
};

/// The octets as something to decode.
inline capture::Frame ethernet_frame(ByteView octets) {
    capture::Frame frame;
    frame.wire_length = static_cast<std::uint32_t>(octets.size());
    frame.data = octets;
    frame.link = capture::LinkType::ethernet;
    return frame;
}

class Endpoint {
public:
    Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    virtual ~Endpoint() = default;

    /// A frame has arrived at one of the ports. `frame` needs to live only during the call.
    virtual void on_frame(Time now, std::size_t port, ByteView frame) = 0;
    /// wakeup() has come.
    virtual void on_timer(Time now) = 0;
    /// When on_timer() is to be called, at the earliest; `never` if nothing is waited for. Changes only in
    /// calls of this endpoint.
    virtual Time wakeup() const = 0;
    /// Takes the frames that want to be sent, in order; `frames` is emptied before.
    virtual void take_frames(std::vector<OutgoingFrame>& frames) = 0;
};

}  // namespace fabricscope::stack
