// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that a single frame or IU keeps or breaks, whatever went before (ISO/IEC 14165-331, 5.8, 5.9, 6).
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/judge.h"

namespace fabricscope::engine::fcvi {

class IuRules {
public:
    IuRules(Judge& judge, Connections& connections) : judge_(judge), connections_(connections) {}

    /// Each frame, once its Exchange's connection is known as far as it can be.
    void on_frame(const Arrival& a);
    /// A FCVI_CONNECT_RQST or RESP1 with its whole payload, of `length` octets on the wire.
    void on_connect(const Arrival& a, const wire::ConnectPayload& payload, std::size_t length);
    /// A frame whose opcode `version` does not have, or that has no Device_Header.
    void on_unreadable(const FrameSeen& seen, std::uint32_t connection, const wire::DeviceHeader* header);

private:
    void judge_header(const Arrival& a);
    void judge_constancy(const Arrival& a);
    void judge_counts(const Arrival& a);
    void judge_place(const Arrival& a);
    void judge_mode(const Arrival& a);
    void judge_reserved(const Arrival& a);
    void judge_parameter(const Arrival& a);
    void judge_reason(const Arrival& a);
    void judge_errors(const Arrival& a);
    void judge_initiative(const Arrival& a);
    void judge_address(const Arrival& a, const char* whose, const wire::NetAddress& address);
    void judge_attributes(const Arrival& a, const wire::ConnectPayload& payload);

    bool may_be_of_other_version(const Arrival& a);

    Judge& judge_;
    Connections& connections_;
};

}  // namespace fabricscope::engine::fcvi
