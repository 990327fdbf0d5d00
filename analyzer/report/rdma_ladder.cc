// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "analyzer/report/rdma_report.h"
#include "analyzer/report/units.h"
#include "protocols/ib/headers.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;
using Kind = Rung::Kind;

engine::Side side_of(Side side) { return side == a ? engine::Side::client : engine::Side::server; }

void add(std::vector<Rung>& rungs, const Operation& operation) {
    std::string text = fmt::format("{} {}", operation_words(operation.type), counted(operation.bytes, "byte"));
    if (operation.packets > 1) text += fmt::format(" in {} packets", grouped(operation.packets));
    rungs.push_back({operation.first, side_of(operation.by), Kind::data, std::move(text)});
    if (!operation.answer) return;
    const bool acknowledged = operation.type == OperationType::send || operation.type == OperationType::write;
    rungs.push_back(
        {*operation.answer, side_of(other(operation.by)), Kind::control,
         fmt::format("{} of the {}", acknowledged ? "acknowledgment" : "response", operation_words(operation.type)),
         operation.answer->time - operation.first.time});
}

void add(std::vector<Rung>& rungs, const Event& event) {
    std::string text;
    switch (event.kind) {
        case Event::Kind::nak:
        case Event::Kind::rnr_nak:
            text = fmt::format("{}, PSN {}", ib::to_string(ib::AethSyndrome::of(*event.syndrome)), event.psn);
            break;
        case Event::Kind::retransmission:
            text = event.count == 1 ? fmt::format("PSN {} again", event.psn)
                                    : fmt::format("{} from PSN {} on again", counted(event.count, "packet"), event.psn);
            text += std::string(", ") + cause_words(event.cause.value_or(Cause::unknown));
            break;
        default: return;
    }
    const Kind kind = event.kind == Event::Kind::retransmission ? Kind::data : Kind::refusal;
    rungs.push_back({{event.time, event.frame}, side_of(event.from), kind, std::move(text), event.waited});
}

}  // namespace

const char* operation_words(engine::rdma::OperationType type) {
    switch (type) {
        case OperationType::send: return "SEND";
        case OperationType::write: return "WRITE";
        case OperationType::read: return "READ";
        case OperationType::atomic: return "atomic operation";
    }
    return "";
}

const char* cause_words(engine::rdma::Cause cause) {
    switch (cause) {
        case Cause::nak: return "after a NAK";
        case Cause::timeout: return "after a timeout";
        case Cause::rnr: return "after an RNR NAK";
        case Cause::implied: return "for a response that was missed";
        case Cause::unknown: return "for no reason that was captured";
    }
    return "";
}

Ladder ladder_of(const engine::rdma::Stream& stream, const Model& model, engine::Time start) {
    Ladder ladder{
        .title = "Operations of " + stream_name(stream.id),
        .about = fmt::format("{}, {}", name_of(stream.transport), counted(stream.packets(), "packet")),
        .client = end_text(stream.end[a]),
        .server = end_text(stream.end[b]),
        .start = start,
        .rungs = {},
        .client_role = "a",
        .server_role = "b"};
    if (const std::string session = session_name(stream); !session.empty()) ladder.about += ", set up by " + session;
    for (const Operation& operation : model.operations)
        if (operation.stream == stream.id) add(ladder.rungs, operation);
    for (const Event& event : model.events)
        if (event.stream == stream.id) add(ladder.rungs, event);
    sort_by_time(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
