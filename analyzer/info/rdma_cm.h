// SPDX-License-Identifier: GPL-2.0-or-later
// One line about a message, for Wireshark's Info column, the head of its tree, and the viewer.
#pragma once

#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/info/line.h"
#include "protocols/rdma_cm/message.h"

namespace fabricscope::info::rdma_cm {

namespace wire = fabricscope::rdma_cm;
using engine::rdma_cm::Connection;

/// What a line about a message is made of.
struct MessageView {
    const wire::Message& message;
    std::size_t captured;          ///< octets of the MAD
    const Connection* connection;  ///< nullptr if it belongs to none
    const char* source;            ///< socket; nullptr: not known
    const char* destination;
};

/// "REQ cm-1 192.0.2.10:40000 → 192.0.2.20:7471 tcp, QP 0x11"
/// "REJ cm-1 192.0.2.20:7471 → 192.0.2.10:40000 rejects REQ: invalid service id (8), nobody listens there"
Line summary_of(const MessageView& view);

/// "by the server: consumer reject (28), IP version not supported, suggests 6"; empty if nobody said no.
Line rejection_of(const Connection& connection);

/// "REQ", "CM attribute 0x1b"
Line name_of_message(const wire::Message& message);

}  // namespace fabricscope::info::rdma_cm
