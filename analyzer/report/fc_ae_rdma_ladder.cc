// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/fc_report.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

/// "read of 4,096 bytes at 001000h in LUN 3"
std::string task_text(const Message& message) {
    std::string text = message.is_read ? message.operation() : "message";
    if (message.data_length) text += " of " + counted(*message.data_length, "byte");
    text += fmt::format(" at {:06X}h", message.base_address);
    if (message.lun) text += fmt::format(" in LUN {}", *message.lun);
    return text;
}

/// What the Exchange's ladder cannot know.
void put_in_words(Rung& rung, const Message& message) {
    if (rung.step.frame == message.command.frame) rung.text = "FCP_CMND: " + task_text(message);
    if (!message.response || rung.step.frame != message.response->frame) return;
    const char* status = message.status ? layout::name_of(wire::status_names, *message.status) : nullptr;
    rung.text = fmt::format("FCP_RSP: {}", status != nullptr ? status : "?");
    if (message.residual)
        rung.text += fmt::format(
            ", {} {}", grouped(*message.residual), message.resid_over == true ? "too many" : "not moved");
    if (message.state == MessageState::failed) rung.kind = Rung::Kind::refusal;
    rung.latency = message.response->time - message.command.time;
}

}  // namespace

Ladder ladder_of(const Message& message, const engine::fibre_channel::Model& fc_model, Time start) {
    const auto exchange = std::ranges::find(
        fc_model.exchanges, message.command.frame, &engine::fibre_channel::Exchange::first_frame);
    Ladder ladder = exchange != fc_model.exchanges.end() ? ladder_of(*exchange, start) : Ladder{};
    const std::string trouble = trouble_of(message);
    ladder.title = "FC-AE-RDMA message " + fc_ae_rdma_message_name(message.id);
    ladder.about = fmt::format("A {}, {}", task_text(message), trouble.empty() ? name_of(message.state) : trouble);
    ladder.client = to_string(message.initiator);
    ladder.server = to_string(message.target);
    ladder.client_role = "Initiator";
    ladder.server_role = "Target";
    for (Rung& rung : ladder.rungs) put_in_words(rung, message);
    return ladder;
}

}  // namespace fabricscope::report
