// SPDX-License-Identifier: GPL-2.0-or-later
// What becomes of streams at the end of the capture.
#include <fmt/format.h>

#include <unordered_map>

#include "analyzer/engine/rdma/streams.h"

namespace fabricscope::engine::rdma {

void Streams::finish() {
    pauses_.finish(now_);
    sessions_.update();
    join_announced();
    settle_halves();
    settle_merged();
    settle_sessions(model_, sessions_);
    settle_ends();
    judge_retry_counts();
    judge_migration();
    settle_final_refusals();
}

/// Those that no acknowledgment has joined.
void Streams::join_announced() {
    std::unordered_map<std::uint32_t, Half*> by_stream;
    for (Half& half : halves_)
        if (half.peer == nullptr) by_stream[half.stream->id] = &half;
    for (const auto& [one, other_one] : halves_of_one(model_, sessions_)) {
        const auto half = by_stream.find(one), peer = by_stream.find(other_one);
        if (half != by_stream.end() && peer != by_stream.end()) join(*half->second, *peer->second, Learned::cm);
    }
}

void Streams::judge_retry_counts() {
    for (const Half& half : halves_) {
        if (half.gone || half.peer == nullptr) continue;
        const Stream& stream = *half.stream;
        if (stream.cm_connection == 0) continue;
        const rdma_cm::Connection& connection = announcements_.cm.connections[stream.cm_connection - 1];
        if (half.rnr_waits.most != 0) judge_rnr_retries(half, connection);
        if (half.reads.count != 0) judge_outstanding_reads(half, connection);
        if (half.timeouts.most == 0) continue;
        judge_timeout_retries(half, connection.retry_count);
    }
}

void Streams::judge_timeout_retries(const Half& half, std::optional<std::uint8_t> allowed) {
    if (!allowed) return verdicts_.undecided(rules::retry_count, UndecidedReason::request_not_captured);
    if (half.timeouts.most <= *allowed) return verdicts_.satisfied(rules::retry_count);
    std::string text = fmt::format("repeated {} times, with a retry count of {}", half.timeouts.most, *allowed);
    // Linux's soft-RoCE takes the largest one for "for ever", as it is one for RNR NAKs.
    if (*allowed == ib::most_retries)
        return verdicts_.deviation(
            rules::retry_count, half.timeouts.frames->of_longest, {half.stream->id}, std::move(text));
    verdicts_.broken(rules::retry_count, half.timeouts.frames->of_longest, {half.stream->id}, std::move(text));
}

/// Each side is told by the other.
void Streams::judge_rnr_retries(const Half& half, const rdma_cm::Connection& connection) {
    constexpr std::uint32_t for_ever = 7;
    const std::optional<engine::Side> peer = side_of(connection, half.key.pair.destination, half.key.qpn);
    const auto allowed = peer ? connection.end[*peer].rnr_retry_count : std::nullopt;
    if (!allowed) verdicts_.undecided(rules::rnr_retry_count, UndecidedReason::setup_not_captured);
    else if (*allowed == for_ever || half.rnr_waits.most <= *allowed) verdicts_.satisfied(rules::rnr_retry_count);
    else
        verdicts_.broken(
            rules::rnr_retry_count, half.rnr_waits.frames->of_longest, {half.stream->id},
            fmt::format(
                "repeated {} times after RNR NAKs, with an RNR retry count of {}", half.rnr_waits.most, *allowed));
}

void Streams::judge_outstanding_reads(const Half& half, const rdma_cm::Connection& connection) {
    const std::optional<engine::Side> peer = side_of(connection, half.key.pair.destination, half.key.qpn);
    const auto allowed = peer ? connection.end[*peer].responder_resources : std::nullopt;
    if (!allowed) verdicts_.undecided(rules::outstanding_reads, UndecidedReason::setup_not_captured);
    else if (half.reads.count <= *allowed) verdicts_.satisfied(rules::outstanding_reads);
    else
        verdicts_.broken(
            rules::outstanding_reads, {half.reads.response_frame, half.reads.request_frame}, {half.stream->id},
            fmt::format("{} were outstanding, with responder resources for {}", half.reads.count, *allowed));
}

/// One that changes it is migrating its path.
void Streams::judge_migration() {
    constexpr std::array<bool, 2> clear{true, false}, set{false, true};
    for (const Half& half : halves_) {
        if (half.peer == nullptr || half.side != a) continue;
        const std::array<bool, 2>&here = half.migration_seen, &there = half.peer->migration_seen;
        if (here == there) verdicts_.satisfied(rules::same_migration);
        else if ((here == clear && there == set) || (here == set && there == clear))
            verdicts_.broken(
                rules::same_migration, {half.first_frame, half.peer->first_frame}, {half.stream->id},
                fmt::format("MigReq is {} one way and {} the other", here == set ? 1 : 0, there == set ? 1 : 0));
    }
}

void Streams::settle_final_refusals() {
    for (const Half& half : halves_)
        if (half.final_refusal && !half.final_refusal->broken) verdicts_.satisfied(rules::nothing_behind_refusal);
}

void Streams::settle_halves() {
    for (Half& half : halves_) {
        if (half.early_retry) verdicts_.undecided(rules::ack_timeout, UndecidedReason::capture_ended);
        if (half.cut_reads) direction_of(half).reads_known = false;
        if (half.cut_answers) {
            Direction& asker = opposite_of(half);
            asker.answers_known = false;
            asker.ack_rtt = asker.operation_time = {};  // those that are left tell of READs only
        }
        PendingOperations& pending = half.requests.pending;
        Stream& stream = *half.stream;
        for (; !pending.empty(); pending.pop()) {
            Pending& front = pending.front();
            if (is_reliable(half.key.transport) && !front.seen.answer && !front.missed) ++stream.unanswered[half.side];
            keep(half, front.seen);
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
        for (const Side side : {a, b}) {
            const bool heard = stream.from[side].packets != 0;
            stream.from[side].sender_heard = heard;
            stream.from[other(side)].receiver_heard = heard || !is_reliable(stream.transport);  // which answers nothing
        }
        if (stream.silence && stream.silence->is_final_at(now_)) stream.ending = End::retries_exhausted;
        if (stream.fatal) stream.ending = End::nak;
        const bool all_answered = stream.unanswered[a] + stream.unanswered[b] == 0;
        const bool answers = is_reliable(stream.transport) && stream.learned;
        if (stream.ending == End::unknown && answers && all_answered && !may_be_disconnected(stream))
            stream.ending = End::open;
    }
}

/// nullptr: none that is known by now.
const rdma_cm::Connection* Streams::connection_of(const Stream& stream) {
    sessions_.update();
    const std::optional<Session> session = sessions_.find(stream);
    if (!session || session->cm_connection == 0) return nullptr;
    return &announcements_.cm.connections[session->cm_connection - 1];
}

std::uint32_t Streams::retries_of(const Stream& stream) {
    const rdma_cm::Connection* connection = connection_of(stream);
    return connection != nullptr && connection->retry_count.value_or(0) != 0 ? *connection->retry_count
                                                                             : ib::most_retries;
}

}  // namespace fabricscope::engine::rdma
