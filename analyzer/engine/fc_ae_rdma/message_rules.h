// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of RDMA messages (ISO/IEC TR 14165-314, 4.2.2 to 4.2.4). Each is called before the model takes the frame in.
#pragma once

#include "analyzer/engine/fc_ae_rdma/exchange.h"
#include "analyzer/engine/fc_ae_rdma/verdicts.h"

namespace fabricscope::engine::fc_ae_rdma {

class MessageRules {
public:
    MessageRules(const Options& options, Verdicts& verdicts) : options_(options), verdicts_(verdicts) {}

    void on_command(const Arrival& a, const Readable<wire::Command>& command);
    /// A second FCP_CMND in an Exchange that has not ended.
    void on_second_command(const Arrival& a);
    void on_transfer_ready(const Arrival& a);
    /// Data against the direction of the message, with frames missing before: the FCP_RSP may be among these, and the
    /// FCP_CMND of the next message with that OX_ID.
    bool may_be_anothers(const Arrival& a, Continuity continuity);
    void on_data(const Arrival& a, Continuity continuity);
    void on_response(const Arrival& a, const Readable<wire::Response>& response);
    /// Its first response, with a status: what it says of the region's size, and what it said before.
    void judge_extent(const Arrival& a, std::uint8_t status, Region& region);
    /// No more comes of the Exchange.
    void settle(const Exchange& exchange);

private:
    template <class Text> void judge(RuleRef::OfMessages rule, bool kept, const Arrival& a, Text&& text);
    template <class Text> void judge(RuleRef rule, const Doubt& doubt, bool kept, const Arrival& a, Text&& text);
    /// The same of a part of an IU that ends there: nothing is judged of one that the snap length has cut.
    template <class T, class Text>
    void judge_part(
        RuleRef::OfMessages rule, const Readable<T>& iu, std::size_t end, bool kept, const Arrival& a, Text&& text);
    void judge_rx_id(const Arrival& a);
    void judge_behind_response(const Arrival& a, Continuity continuity);
    bool judge_early_response(const Arrival& a, Continuity continuity);
    void judge_protection(const Arrival& a, std::uint8_t status);
    void judge_offset_present(const Arrival& a, bool wanted, const char* name);
    void judge_offset(const Arrival& a, Continuity continuity);
    void judge_beginning(const Arrival& a, const wire::Response& response);
    void judge_data_initiative(const Arrival& a, Continuity continuity);
    static std::uint64_t octets_told(std::uint32_t data_length, const wire::Response& response);
    void judge_turn(const Arrival& a);
    const RegionSize* told_size(const Message& message) const;
    void judge_region(const Arrival& a);
    bool judge_residual_count(const Arrival& a, const wire::Response& response);
    void judge_residual(const Arrival& a, const wire::Response& response);

    const Options& options_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
