// SPDX-License-Identifier: GPL-2.0-or-later
// What becomes of streams at the end of the capture.
#include <fmt/format.h>

#include <unordered_map>

#include "analyzer/engine/rdma/streams.h"

namespace fabricscope::engine::rdma {

void Streams::finish() {
    sessions_.update();
    join_announced();
    settle_halves();
    settle_merged();
    settle_sessions(model_, sessions_);
    settle_ends();
    judge_retry_counts();
    settle_final_refusals();
}

/// Those that no acknowledgment has joined.
void Streams::join_announced() {
    std::unordered_map<std::uint32_t, Half*> by_stream;
    for (Half& half : halves_)
        if (half.peer == nullptr) by_stream[half.stream] = &half;
    for (const auto& [one, other_one] : halves_of_one(model_, sessions_)) {
        const auto half = by_stream.find(one), peer = by_stream.find(other_one);
        if (half != by_stream.end() && peer != by_stream.end()) join(*half->second, *peer->second, Learned::cm);
    }
}

void Streams::judge_retry_counts() {
    for (const Half& half : halves_) {
        if (half.gone || half.peer == nullptr || half.most_timeouts == 0) continue;
        const Stream& stream = stream_of(half);
        if (stream.cm_connection == 0) continue;
        const auto& allowed = announcements_.cm.connections[stream.cm_connection - 1].retry_count;
        if (!allowed) verdicts_.undecided(rules::retry_count, UndecidedReason::request_not_captured);
        else if (half.most_timeouts <= *allowed) verdicts_.satisfied(rules::retry_count);
        else
            verdicts_.broken(
                rules::retry_count, half.timeout_frames, {half.stream},
                fmt::format("repeated {} times, with a retry count of {}", half.most_timeouts, *allowed));
    }
}

void Streams::settle_final_refusals() {
    for (const Half& half : halves_)
        if (half.final_refusal && !half.final_refusal->broken) verdicts_.satisfied(rules::nothing_behind_refusal);
}

void Streams::settle_halves() {
    for (Half& half : halves_) {
        PendingOperations& pending = half.requests.pending;
        Stream& stream = stream_of(half);
        for (; !pending.empty(); pending.pop()) {
            const Pending& front = pending.front();
            if (is_reliable(half.key.transport) && !front.answer && !front.missed) ++stream.unanswered[half.side];
            Operation operation = front.seen;
            operation.answer = front.answer;
            operation.stream = half.stream;
            operation.by = half.side;
            keep(operation);
        }
    }
}

void Streams::settle_merged() {
    for (Event& event : model_.events) {
        const auto& [into, side] = merged_[event.stream - 1];
        if (into != 0) event.stream = into, event.from = side;
    }
    for (Operation& operation : model_.operations) {
        const auto& [into, side] = merged_[operation.stream - 1];
        if (into != 0) operation.stream = into, operation.by = side;
    }
}

/// What ended a stream comes before its being disconnected.
void Streams::settle_ends() {
    for (Stream& stream : model_.streams) {
        if (stream.merged) continue;
        if (stream.silence && stream.silence->is_final_at(now_)) stream.ending = End::retries_exhausted;
        if (stream.fatal) stream.ending = End::nak;
        const bool all_answered = stream.unanswered[a] + stream.unanswered[b] == 0;
        const bool answers = is_reliable(stream.transport) && stream.learned;
        if (stream.ending == End::unknown && answers && all_answered) stream.ending = End::open;
    }
}

/// As the CM negotiated them, or as many as a queue pair can be told to.
std::uint32_t Streams::retries_of(const Stream& stream) {
    sessions_.update();
    const std::optional<Session> session = sessions_.find(stream);
    if (!session || session->cm_connection == 0) return ib::most_retries;
    const auto& told = announcements_.cm.connections[session->cm_connection - 1].retry_count;
    return told && *told != 0 ? *told : ib::most_retries;
}

}  // namespace fabricscope::engine::rdma
