// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/fc_ae_rdma.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "analyzer/engine/fc_ae_rdma/verdicts.h"
#include "analyzer/observations/latencies.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {

using namespace engine::fc_ae_rdma;

namespace {

namespace kinds {
constexpr Kind failed{
    "AERDMA-O-failed",
    Severity::error,
    "A message ended with a bad status",
    "FCP_RSP of an RDMA read or write has another status than GOOD: the Target did not do it, or not all of it.",
    "BUFFER OVERRUN and protect errors: base address and length against the Target's region of that Logical Unit. "
    "BUSY and QUEUE FULL: how many messages the Initiator keeps open. LOGICAL UNIT NOT AVAILABLE: the Target's "
    "application.",
    "the write of 512 bytes to LUN 0 ended with BUFFER OVERRUN"};
constexpr Kind aborted{
    "AERDMA-O-aborted",
    Severity::warning,
    "A message was aborted",
    "ABTS ended the message's Exchange before its FCP_RSP.",
    "The Initiator's timeout, and why the Target did not answer in time.",
    "the read of 2,048 bytes from LUN 1 was aborted by ABTS"};
constexpr Kind no_response{
    "AERDMA-O-no-response",
    Severity::note,
    "A message got no response",
    "No FCP_RSP was captured for two seconds (E_D_TOV) or longer after the command. Where the capture ends earlier, "
    "nothing is told. An Initiator that gets none aborts the Exchange, which is told by itself.",
    "The Target's log, and whether the capture has its direction.",
    "no FCP_RSP was captured for the write of 512 bytes to LUN 0"};
constexpr Kind incomplete{
    "AERDMA-O-incomplete",
    Severity::note,
    "Data of a message is missing from the capture",
    "The status is GOOD, but frames of its data were not captured.",
    "Drops of the capture; are both directions and all paths in it?",
    "1,024 bytes of the read of 2,048 bytes from LUN 1 were not captured"};
constexpr Kind latency_outlier{
    "AERDMA-O-latency-outlier",
    Severity::note,
    "Messages of a memory region took far longer than others",
    "From FCP_CMND to FCP_RSP a message took 20 times as long as the median of its like, and a millisecond more: reads "
    "or writes of a memory region, of like size, 20 of them at least. Messages that failed or were repeated are left "
    "out.",
    "The Target at that time, and credit on the way (buffer-to-buffer credit at zero in the switch's port counters).",
    "1 of 64 messages took far longer than others of their kind: up to 40.1 ms, with a median of 310 us"};
}  // namespace kinds

constexpr std::array all_kinds{
    &kinds::failed, &kinds::aborted, &kinds::no_response, &kinds::incomplete, &kinds::latency_outlier};

std::string status_text(std::uint8_t status) {
    const char* name = layout::name_of(wire::status_names, status);
    return name != nullptr ? name : fmt::format("status {:02X}h", status);
}

/// "the write of 512 bytes to LUN 0"
std::string message_text(const Message& message) {
    std::string text = std::string("the ") + (message.is_read ? message.operation() : "message");
    if (message.data_length) text += " of " + counted(*message.data_length, "byte");
    if (message.lun) text += fmt::format(" {} LUN {}", message.reads() ? "from" : "to", *message.lun);
    return text;
}

std::string cause_of(const Message& message) {
    constexpr std::uint8_t write_protect = 0x5B, read_protect = 0x5C, overrun = 0x5D;
    const auto range = [&] {
        return fmt::format(
            "{:06X}h to {:06X}h", message.base_address,
            message.base_address + std::uint64_t{std::max<std::uint32_t>(message.data_length.value_or(1), 1)} - 1);
    };
    switch (message.status.value_or(0)) {
        case overrun: return fmt::format("The addresses {} reach beyond the Target's memory region.", range());
        case write_protect: return fmt::format("The Target does not allow writes at {}.", range());
        case read_protect: return fmt::format("The Target does not allow reads at {}.", range());
        default: return "";
    }
}

void observe(const Message& message, Time end, Observations& observations) {
    constexpr Time e_d_tov = 2 * capture::second;
    const std::string session = to_string(Subject{.message = message.id});
    const std::uint64_t answer = message.response ? message.response->frame : 0;
    const auto add = [&](const Kind& kind, std::string text) -> Observation& {
        return observations.add(kind, session, frames_of({message.command.frame, answer}), std::move(text));
    };
    switch (message.state) {
        case MessageState::failed:
            add(kinds::failed, message_text(message) + " " + trouble_of(message)).cause = cause_of(message);
            return;
        case MessageState::aborted: add(kinds::aborted, message_text(message) + " was aborted by ABTS"); return;
        case MessageState::open:
            if (!message.response && end - message.command.time > e_d_tov)
                add(kinds::no_response, "no FCP_RSP was captured for " + message_text(message));
            return;
        case MessageState::complete:
            if (message.missing_bytes != 0)
                add(kinds::incomplete,
                    fmt::format(
                        "{} of {} were not captured", counted(message.missing_bytes, "byte"), message_text(message)));
            return;
    }
}

void observe_latencies(const Model& model, Observations& observations) {
    ComparedTimes latencies(model.messages, [](const Message& one) -> std::optional<Timed> {
        const bool ordinary = one.state == MessageState::complete && one.repeated_frames == 0;
        if (!ordinary || !one.response || one.region == 0) return std::nullopt;
        return Timed{
            one.region,         0, one.reads(), one.bytes, one.response->time - one.command.time, one.command.frame,
            one.response->frame};
    });
    const auto name = [](std::uint32_t region) { return fmt::format("fc-ae-rdma-region-{}", region); };
    std::move(latencies).observe(kinds::latency_outlier, "message", name, observations);
}

}  // namespace

std::string trouble_of(const Message& message) {
    switch (message.state) {
        case MessageState::failed: return "ended with " + status_text(message.status.value_or(0));
        case MessageState::aborted: return "aborted by ABTS";
        case MessageState::open: return message.response ? "with a status that is not known" : "without FCP_RSP";
        case MessageState::complete: break;
    }
    return message.missing_bytes != 0 ? "with frames of data that were not captured" : "";
}

constinit const Source fc_ae_rdma_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        if (evidence.models.fc_ae_rdma == nullptr) return;
        const Time end = evidence.end_of_capture();
        const Model& model = *evidence.models.fc_ae_rdma;
        for (const Message& message : model.messages) observe(message, end, observations);
        observe_latencies(model, observations);
        observe_limits(
            observations, {{model.dropped_messages, "FC-AE-RDMA message", "fc-ae-rdma.messages"},
                           {model.dropped_regions, "memory region"},
                           {model.dropped_details, "detail of FC-AE-RDMA messages"},
                           {model.lost_findings(), "FC-AE-RDMA finding"}});
    }};

}  // namespace fabricscope::observations
