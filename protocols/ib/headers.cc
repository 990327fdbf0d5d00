// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/ib/headers.h"

namespace fabricscope::ib {

const char* to_string(AethSyndrome syndrome) {
    using enum AethSyndrome::Class;
    switch (syndrome.kind) {
        case ack: return "ACK";
        case rnr_nak: return "RNR NAK";
        case reserved: return "reserved syndrome";
        case nak: break;
    }
    switch (syndrome.value) {
        case AethSyndrome::psn_sequence_error: return "NAK: PSN sequence error";
        case AethSyndrome::invalid_request: return "NAK: invalid request";
        case AethSyndrome::remote_access_error: return "NAK: remote access error";
        case AethSyndrome::remote_operational_error: return "NAK: remote operational error";
        case AethSyndrome::invalid_rd_request: return "NAK: invalid RD request";
        default: return "NAK: reserved code";
    }
}

}  // namespace fabricscope::ib
