// SPDX-License-Identifier: GPL-2.0-or-later
// What carries a NIC's frames on the real clock: an Ethernet interface, or an emulated host inside of this process.
#pragma once

#include <memory>
#include <string>

#include "replay/stack/core/endpoint.h"

namespace fabricscope::vipl {

using stack::Time;

/// What goes wrong without a code for it, for people, on stderr.
void log(const std::string& text);

/// Of all NICs and emulated hosts; nanoseconds, and never back.
Time now();

class Wire {
public:
    Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    virtual ~Wire() = default;

    /// By any thread, one at a time. Throws std::runtime_error.
    virtual void send(ByteView frame) = 0;
    /// The next frame that comes within `wait` nanoseconds, valid until the next call; empty if none does, or somebody
    /// has called wake(). By one thread. Throws std::runtime_error.
    virtual ByteView receive(Time wait) = 0;
    /// receive() returns at once, also one that has not been called yet.
    virtual void wake() = 0;
};

/// Throws capture::InterfaceError.
std::unique_ptr<Wire> open_interface(const std::string& name);
/// Its frames are those that `host` gives and takes; it has been started.
std::unique_ptr<Wire> connect_emulated(std::unique_ptr<stack::Endpoint> host);
/// Both directions are kept in a capture file, which is overwritten.
std::unique_ptr<Wire> recorded(std::unique_ptr<Wire> wire, const std::string& file);

}  // namespace fabricscope::vipl
