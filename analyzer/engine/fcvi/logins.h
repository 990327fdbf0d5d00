// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-VI has to know of logins: names, two service parameters, R_A_TOV.
#pragma once

#include <unordered_map>

#include "analyzer/engine/fcvi/tracker.h"

namespace fabricscope::engine::fcvi {

class Logins {
public:
    explicit Logins(const Options& options) : r_a_tov_(options.r_a_tov) {}

    void on_login(const PortLogin& login) {
        names_[key_of(login.port)] = login.port_name;
        logins_[key_of(login.port, login.peer)] = login;
    }
    /// A given value is the user's word, and stays.
    void on_r_a_tov(Time value) {
        if (!r_a_tov_) r_a_tov_ = value;
    }

    std::optional<std::uint64_t> name_of(const Port& port) const {
        const auto found = names_.find(key_of(port));
        if (found == names_.end()) return std::nullopt;
        return found->second;
    }
    /// What `port` said to `peer`, or nullptr.
    const PortLogin* login(const Port& port, const Port& peer) const {
        const auto found = logins_.find(key_of(port, peer));
        return found == logins_.end() ? nullptr : &found->second;
    }
    /// FCVI_ULP_TIMEOUT, if it is known (8.3).
    std::optional<Time> r_a_tov() const { return r_a_tov_; }

private:
    static std::uint64_t key_of(const Port& port) { return std::uint64_t{port.fabric} << 48 | port.id; }
    static std::uint64_t key_of(const Port& port, const Port& peer) {
        return key_of(port) | std::uint64_t{peer.id} << 24;
    }

    std::optional<Time> r_a_tov_;
    std::unordered_map<std::uint64_t, std::uint64_t> names_;
    std::unordered_map<std::uint64_t, PortLogin> logins_;
};

}  // namespace fabricscope::engine::fcvi
