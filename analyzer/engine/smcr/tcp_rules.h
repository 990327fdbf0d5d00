// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of what TCP carries besides CLC messages: the option before them, nothing behind them
// (RFC 7609, 3.5.1.1, 3.5.2.4 and 4.5.3).
#pragma once

#include <deque>

#include "analyzer/engine/smcr/clc_rules.h"

namespace fabricscope::engine::smcr {

class TcpRules {
public:
    TcpRules(Verdicts& verdicts, const ClcRules& clc) : verdicts_(verdicts), clc_(clc) {}

    /// A CLC message, before ClcRules and the model have taken it in.
    void on_clc(const TcpArrival& a);

    /// The stream goes on with something that is no CLC message.
    void on_other_data(const TcpArrival& a);

    /// A side says that it has sent all: `missing` octets of its stream behind its CLC messages were not seen.
    void on_end(const TcpArrival& a, std::int32_t missing);

private:
    Verdicts& verdicts_;
    const ClcRules& clc_;
};

}  // namespace fabricscope::engine::smcr
