// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of RDMA messages (ISO/IEC TR 14165-314, 4.2.2 to 4.2.4). Each is called before the model takes the frame in.
#pragma once

#include "analyzer/engine/fc_ae_rdma/exchange.h"
#include "analyzer/engine/fc_ae_rdma/verdicts.h"

namespace fabricscope::engine::fc_ae_rdma {

class MessageRules {
public:
    MessageRules(const Options& options, Verdicts& verdicts) : options_(options), verdicts_(verdicts) {}

    void on_command(const Arrival& a, const wire::Command& command);
    /// A second FCP_CMND in an Exchange that has not ended.
    void on_second_command(const Arrival& a);
    void on_transfer_ready(const Arrival& a);
    void on_data(const Arrival& a, Continuity continuity);
    void on_response(const Arrival& a, const wire::Response& response);
    /// Its first response: what it says of the region's size, and what it said before.
    void judge_extent(const Arrival& a, const wire::Response& response, Region& region);
    /// No more comes of the Exchange.
    void settle(const Exchange& exchange);

private:
    template <class Text> void judge(RuleRef rule, bool kept, const Arrival& a, Text&& text);
    void judge_offset_present(const Arrival& a, bool wanted, const char* name);
    void judge_offset(const Arrival& a, Continuity continuity);
    void judge_beginning(const Arrival& a, const wire::Response& response);
    void judge_data_initiative(const Arrival& a, Continuity continuity);
    static std::uint64_t octets_told(const Arrival& a, const wire::Response& response);
    void judge_turn(const Arrival& a);
    void judge_region(const Arrival& a);
    void judge_residual(const Arrival& a, const wire::Response& response);

    const Options& options_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
