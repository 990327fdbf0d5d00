// SPDX-License-Identifier: GPL-2.0-or-later
// FARP as FC-VI uses it (ISO/IEC 14165-331, 7.5; revision 1.0, 7.4). IP over Fibre Channel asks in other ways, so a
// FARP is judged only when a Connect Request makes use of it.
#pragma once

#include <deque>

#include "analyzer/engine/fcvi/judge.h"
#include "analyzer/engine/fcvi/logins.h"
#include "protocols/fc/els.h"

namespace fabricscope::engine::fcvi {

class FarpRules {
public:
    /// The arguments outlive this object.
    FarpRules(Judge& judge, const Logins& logins) : judge_(judge), logins_(logins) {}

    /// Any frame of an Extended Link Service.
    void on_els(const FrameSeen& seen);
    /// A Connect Request to a host.
    void on_connect(const Arrival& a, const Gid& host);

private:
    struct Seen {
        fc::Farp farp;
        Port from, to;
        std::uint64_t frame = 0;

        bool asks() const { return farp.command == fc::els_farp_request; }
    };
    static constexpr std::size_t most = 256;

    /// `asked`: the requests that a reply may belong to.
    void judge(const Arrival& a, const Seen& seen, const std::vector<Seen>& asked);
    const char* fault(const Seen& seen, const std::vector<Seen>& asked) const;

    Judge& judge_;
    const Logins& logins_;
    std::deque<Seen> seen_;
};

}  // namespace fabricscope::engine::fcvi
