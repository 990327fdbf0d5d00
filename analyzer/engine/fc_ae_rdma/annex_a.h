// SPDX-License-Identifier: GPL-2.0-or-later
// The example profile for avionics networks (ISO/IEC TR 14165-314, annex A), as far as a capture shows it: logins,
// which classes and addresses are used, time between IUs. It is about all Fibre Channel of the network, and asked for
// in Profile::avionics only.
//
// Not decided: what is only allowed or invocable, link and loop protocols, which no capture holds, and BB_Credit of
// N_Ports, which depends on the topology.
#pragma once

#include <map>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/engine/fc_ae_rdma/exchange.h"
#include "analyzer/engine/fc_ae_rdma/verdicts.h"

namespace fabricscope::engine::fc_ae_rdma {

class AnnexA {
public:
    AnnexA(const Options& options, Verdicts& verdicts) : options_(options), verdicts_(verdicts) {}

    bool is_asked_for() const { return options_.profile == Profile::avionics; }

    void on_frame(const fibre_channel::FrameFacts& facts);
    void on_login(const fibre_channel::Login& login, fibre_channel::Party said_by);
    /// The command of an RDMA message; the port login between its ports, if one was seen.
    void on_message(const Arrival& a, const fibre_channel::Login* login, const fibre_channel::GivenIds& given_ids);
    /// A frame of an IU of the message; `previous` is when the frame before it was sent.
    void on_iu(const Arrival& a, Time previous);

private:
    class LoginJudge;

    void note_asked(const fibre_channel::FrameFacts& facts);
    void judge_classes(const fibre_channel::FrameFacts& facts);
    void judge_addresses(const fibre_channel::FrameFacts& facts);
    void judge_services(const fibre_channel::FrameFacts& facts);
    template <class Text>
    void judge(RuleRef::OfMessages rule, bool kept, const fibre_channel::FrameFacts& facts, Text&& text);
    Doubt doubt_of_login(
        const Message& m, const fibre_channel::Login* login, const fibre_channel::GivenIds& given_ids) const;

    const Options& options_;
    Verdicts& verdicts_;
    struct FabricLogin {
        std::uint16_t ox_id = 0;
        bool has_asked = false;  ///< something else by an ELS, since then
    };
    std::map<std::pair<std::uint16_t, std::uint32_t>, FabricLogin> logged_in_;  ///< by fabric and N_Port_ID
};

}  // namespace fabricscope::engine::fc_ae_rdma
