// SPDX-License-Identifier: GPL-2.0-or-later
// What messages of upper layer protocols begin with: whether a SEND can be one of theirs.
#pragma once

#include "protocols/layout/types.h"

namespace fabricscope::ib {

/// The octets that a message begins with; `whole`: there are no more of it.
struct MessageBegin {
    ByteView octets;
    bool whole = false;
};

/// RPC-over-RDMA, version 1 (RFC 8166, 4).
bool may_be_rpc_over_rdma(const MessageBegin& message);
/// SMB Direct ([MS-SMBD], 2.2).
bool may_be_smb_direct(const MessageBegin& message);
/// IP over InfiniBand, as datagrams or connected (RFC 4391, 6; RFC 4755).
bool may_be_ip_over_infiniband(const MessageBegin& message);

}  // namespace fabricscope::ib
