// SPDX-License-Identifier: GPL-2.0-or-later
// PRLI between ports that then use FC-AE-RDMA (ISO/IEC TR 14165-314, 4.2.4.3). A PRLI for FCP alone says nothing of
// it, so that it is judged when the first RDMA message between the ports comes.
#pragma once

#include <array>
#include <map>

#include "analyzer/engine/fc/given_ids.h"
#include "analyzer/engine/fc_ae_rdma/exchange.h"
#include "analyzer/engine/fc_ae_rdma/verdicts.h"
#include "protocols/fc_ae_rdma/process_login.h"

namespace fabricscope::engine::fc_ae_rdma {

/// A PRLI for FCP, or what came of it.
struct ProcessLogin {
    bool rejected = false;  ///< LS_RJT: there is no page
    wire::ServicePage page;
    std::uint16_t ox_id = 0;
    FrameStamp seen;

    /// Of an answer: the ports are logged in.
    bool executed() const { return !rejected && page.accept_response == wire::request_executed; }
};

class LoginRules {
public:
    LoginRules(const Options& options, Verdicts& verdicts) : options_(options), verdicts_(verdicts) {}

    /// A frame of an Extended Link Service.
    void on_els(const fibre_channel::FrameFacts& facts);
    /// The command of an RDMA message.
    void on_message(const Arrival& a, const fibre_channel::GivenIds& given_ids);
    /// Whether the ports have used FC-AE-RDMA before.
    bool speak_rdma(const Port& a, const Port& b) const;

private:
    struct PairKey {
        std::uint16_t fabric;
        std::uint32_t low, high;
        auto operator<=>(const PairKey&) const = default;
    };
    /// What one of the ports has asked, and the other one's answer: the latest. Those of both may cross.
    struct Dialog {
        std::optional<ProcessLogin> request, answer;
    };
    /// What undid the process logins.
    struct Ended {
        const char* text;  ///< in the finding of a message that comes then
        Port by;
        std::uint16_t ox_id;
        FrameStamp seen;
        bool login_may_follow;  ///< what looks like a PRLI before it
    };
    struct Pair {
        std::array<Dialog, 2> dialogs;  ///< the lower N_Port_ID's first
        std::optional<Ended> ended;
        bool speaks_rdma = false;

        Dialog& asked_by(const Port& asker, const Port& asked) { return dialogs[asker.id < asked.id ? 0 : 1]; }
    };
    void on_process_login(const fibre_channel::FrameFacts& facts);
    void on_logout(const fibre_channel::FrameFacts& facts, const char* text);
    static PairKey key_of(const Port& a, const Port& b) {
        return {a.fabric, std::min(a.id, b.id), std::max(a.id, b.id)};
    }
    void judge_dialog(const Arrival& a, const Dialog& dialog);
    /// False if something in the page is not as it should be.
    bool judge_page(const Arrival& a, const ProcessLogin& login, bool is_accept);
    void judge_permission(const Arrival& a, Pair& pair, const fibre_channel::GivenIds& given_ids);
    void judge_logout(const Arrival& a, const Dialog& dialog, const fibre_channel::GivenIds& given_ids);

    const Options& options_;
    Verdicts& verdicts_;
    std::map<PairKey, Pair> pairs_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
