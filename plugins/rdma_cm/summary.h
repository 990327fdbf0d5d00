// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a message, for the Info column and the head of its tree.
#pragma once

#include "plugins/rdma_cm/record.h"
#include "plugins/shell/show.h"

namespace fabricscope::plugin::rdma_cm {

/// What a line about a message is made of.
struct MessageView {
    const wire::Message& message;
    std::size_t captured;          ///< octets of the MAD
    const Connection* connection;  ///< nullptr if it belongs to none
    Ends ends;                     ///< sockets; none if they are not known
};

/// "REQ cm-1 192.0.2.10:40000 → 192.0.2.20:7471 tcp, QP 0x11"
/// "REJ cm-1 192.0.2.20:7471 → 192.0.2.10:40000 rejects REQ: invalid service id (8), nobody listens there"
Line summary_of(const MessageView& view);

/// "by the server: consumer reject (28), IP version not supported, suggests 6"; empty if nobody said no.
Line rejection_of(const Connection& connection);

/// "REQ", "CM attribute 0x1b"
Line name_of_message(const wire::Message& message);

}  // namespace fabricscope::plugin::rdma_cm
