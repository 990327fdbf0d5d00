// SPDX-License-Identifier: GPL-2.0-or-later
// What transports need of the operating system: file descriptors that close themselves, addresses, waiting.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "protocols/layout/types.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {

class FileDescriptor {
public:
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }

private:
    int number_;
};

/// The IPv4 address as a GID. Throws TransportError if the text is none.
Gid parse_ip(const std::string& text);
in_addr in_addr_of(const Gid& ipv4);
/// The address that this host uses towards `peer`. Throws Unreachable.
Gid own_address_towards(const Gid& peer);
/// A locally administered address for somebody who has this IP address.
Mac made_up_mac(const Gid& ip);
/// Whether something can be read before `wait` nanoseconds are over.
bool readable_within(int descriptor, Time wait);
/// "what: why", with errno's text.
std::string system_error(const std::string& what);

}  // namespace fabricscope::replay
