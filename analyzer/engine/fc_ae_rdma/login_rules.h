// SPDX-License-Identifier: GPL-2.0-or-later
// PRLI between ports that then use FC-AE-RDMA (ISO/IEC TR 14165-314, 4.2.4.3). A PRLI for FCP alone says nothing of
// it, so that it is judged when the first RDMA message between the ports comes.
#pragma once

#include <map>

#include "analyzer/engine/fc_ae_rdma/exchange.h"
#include "analyzer/engine/fc_ae_rdma/verdicts.h"
#include "protocols/fc_ae_rdma/process_login.h"

namespace fabricscope::engine::fc_ae_rdma {

/// A PRLI for FCP, or what came of it.
struct ProcessLogin {
    Port from, to;  ///< who sent this page
    bool is_accept = false;
    bool rejected = false;  ///< LS_RJT: there is no page
    wire::ServicePage page;
    std::uint64_t frame = 0;
};

class LoginRules {
public:
    LoginRules(const Options& options, Verdicts& verdicts) : options_(options), verdicts_(verdicts) {}

    /// A frame of an Extended Link Service.
    void on_els(const fibre_channel::FrameFacts& facts);
    /// The command of an RDMA message.
    void on_message(const Arrival& a);
    /// Whether the ports have used FC-AE-RDMA before.
    bool speak_rdma(const Port& a, const Port& b) const;

private:
    struct PairKey {
        std::uint16_t fabric;
        std::uint32_t low, high;
        auto operator<=>(const PairKey&) const = default;
    };
    struct Pair {
        std::optional<ProcessLogin> request, answer;  ///< the latest
        std::optional<std::uint64_t> logout;          ///< the frame that undid them
        bool speaks_rdma = false;
    };
    void on_process_login(const fibre_channel::FrameFacts& facts);
    void on_process_logout(const FrameSeen& seen);
    static PairKey key_of(const Port& a, const Port& b) {
        return {a.fabric, std::min(a.id, b.id), std::max(a.id, b.id)};
    }
    void judge_page(const Arrival& a, const ProcessLogin& login);
    void judge_permission(const Arrival& a, const Pair& pair);

    const Options& options_;
    Verdicts& verdicts_;
    std::map<PairKey, Pair> pairs_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
