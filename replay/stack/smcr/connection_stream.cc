// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/connection_stream.h"

#include <algorithm>

namespace fabricscope::stack::smcr {

std::size_t ConnectionStream::write(ByteView octets) {
    if (data) return data->write(octets);
    if (!tcp.established()) return 0;
    tcp.write(now, octets);
    return octets.size();
}

bool ConnectionStream::write_urgent(std::uint8_t octet) {
    return data ? data->write_urgent(octet) : write(ByteView(&octet, 1)) == 1;
}

Octets ConnectionStream::read(std::uint64_t most) {
    if (data) return data->read(most);
    Octets& arrived = tcp.received();
    const auto end = arrived.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, arrived.size()));
    Octets octets(arrived.begin(), end);
    arrived.erase(arrived.begin(), end);
    return octets;
}

void ConnectionStream::settle_tcp(bool all_arrived) {
    const Profile& profile = data->config().profile;
    if (tcp.was_reset() && profile.ends_with_tcp) data->abort();  // does nothing once this side has closed
    if (data->aborted()) tcp.abort(now);
    const bool both_closed = data->state() == CloseState::closed && all_arrived;
    if (!data->aborted() && data->closed_sent() && (profile.fin_with_closed || both_closed)) tcp.close(now);
}

}  // namespace fabricscope::stack::smcr
