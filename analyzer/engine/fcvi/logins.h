// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-VI has to know of logins: names, service parameters, R_A_TOV.
#pragma once

#include "analyzer/engine/fc/logins.h"
#include "analyzer/engine/fcvi/tracker.h"

namespace fabricscope::engine::fcvi {

/// Of what a port said of itself in a PLOGI or its accept.
struct PortLogin {
    bool increasing_seq_cnt = false;          ///< S: word 1, bit 17 of the Common Service Parameters
    bool increasing_relative_offset = false;  ///< C: word 1, bit 30
    bool sequential_delivery = true;          ///< asked for in each class that it has; else frames may overtake others
};

class Logins {
public:
    explicit Logins(const Options& options) : options_(options) {}

    /// All that is known with this frame.
    void look_at(const fibre_channel::FrameFacts& facts) { all_ = &facts.logins; }

    std::optional<std::uint64_t> name_of(const Port& port) const { return all_->port_name(port); }
    std::optional<fibre_channel::Logins::Names> names_of(const Port& port) const { return all_->names(port); }
    /// What `port` said to `peer`.
    std::optional<PortLogin> login(const Port& port, const Port& peer) const;
    /// FCVI_ULP_TIMEOUT between the frame's ports, if it is known (8.3).
    std::optional<Time> r_a_tov(const FrameSeen& seen) const;

private:
    const fibre_channel::Logins* all_ = nullptr;
    const Options& options_;
};

}  // namespace fabricscope::engine::fcvi
