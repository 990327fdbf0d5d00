// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/requests.h"

#include <algorithm>
#include <utility>

namespace fabricscope::engine::rdma {

using ib::psn_after;
using ib::psn_distance;

// ---- operations ------------------------------------------------------------------------------------

Pending& PendingOperations::insert(std::uint32_t psn, std::size_t limit) {
    if (count_ >= limit) pop();
    if (count_ == ring_.size()) {
        std::vector<Pending> larger(std::max<std::size_t>(2 * ring_.size(), 4));
        for (std::size_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
        ring_ = std::move(larger);
        mask_ = ring_.size() - 1;
        first_ = 0;
    }
    std::size_t place = count_++;
    for (; place > 0 && psn_distance(psn, (*this)[place - 1].seen.psn) > 0; --place)
        (*this)[place] = (*this)[place - 1];
    return (*this)[place] = {};
}

std::size_t PendingOperations::begun_by(std::uint32_t psn) {
    std::size_t low = 0, high = count_;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (psn_distance((*this)[middle].seen.psn, psn) >= 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

void PendingOperations::remove(std::size_t index) {
    for (; index + 1 < count_; ++index) (*this)[index] = (*this)[index + 1];
    --count_;
}

Pending* PendingOperations::covering(std::uint32_t psn) {
    const std::size_t begun = begun_by(psn);
    if (begun == 0) return nullptr;
    Pending& youngest = (*this)[begun - 1];
    return youngest.covers(psn) ? &youngest : nullptr;
}

bool PendingOperations::holds(std::uint32_t psn) {
    const Pending* one = covering(psn);
    return one != nullptr && (one->sends() || one->seen.psn == psn);
}

std::uint32_t Pending::ask_again(std::uint32_t from) {
    std::uint32_t lost = missing;
    const std::uint32_t due = answered_to.value_or(seen.psn);
    if (passed && sized && !sends()) lost += static_cast<std::uint32_t>(std::max(psn_distance(due, end_psn), 0));
    seen.answer.reset();
    missed.reset();
    passed = false;
    if (seen.type != OperationType::read) return lost;
    if (answered_to && (!furthest || psn_distance(*furthest, *answered_to) > 0)) furthest = answered_to;
    missing = missing_begin = missing_end = 0;
    answered_to = from;
    return lost;
}

// ---- packet sequence numbers -----------------------------------------------------------------------

namespace {

// PSNs run in a circle: what lies half of it behind cannot be told from what lies ahead.
constexpr std::uint32_t farthest_remembered = 1 << 22;

}  // namespace

Requests::Placed Requests::place(std::uint32_t psn) const {
    if (!started_) return {};
    const std::int32_t ahead = psn_distance(next_, psn);
    if (ahead == 0 || (ahead > 0 && share_unknown_)) return {};
    if (ahead > 0) return {Place::ahead, static_cast<std::uint32_t>(ahead)};
    for (const Gap& gap : gaps_)
        if (psn_distance(gap.begin, psn) >= 0 && psn_distance(psn, gap.end) > 0)
            return {Place::late, 0, gap.since, gap.refused, true};
    if (psn_distance(psn, lowest_) > 0) return {Place::late, 0, began_};
    for (const Answered& one : answered_)
        if (psn_distance(one.begin, psn) >= 0 && psn_distance(psn, one.end) > 0) return {Place::answered};
    return {Place::repeated};
}

void Requests::take(std::uint32_t psn, std::uint32_t count, Time now) {
    if (!started_) first_psn_ = lowest_ = next_ = psn, began_ = now;
    started_ = true;
    const std::uint32_t end = psn_after(psn, std::max(count, 1U));
    if (const std::int32_t ahead = psn_distance(next_, psn); ahead < 0) take_late(psn, end, count == 0);
    else if (ahead > 0 && !share_unknown_) add_gap({next_, psn, now});
    if (psn_distance(next_, end) <= 0) return;
    next_ = end;
    share_unknown_ = count == 0;
    if (((next_ - lowest_) & ib::psn_mask) <= farthest_remembered) return;
    lowest_ = psn_after(next_, ib::psn_mask + 1 - farthest_remembered);
    remembers_first_ = false;
}

void Requests::take_late(std::uint32_t psn, std::uint32_t end, bool may_take_more) {
    fill(psn, end, true);
    if (const auto rest = std::ranges::find(gaps_, end, &Gap::begin); may_take_more && rest != gaps_.end())
        rest->may_be_read = true;
    if (psn_distance(psn, lowest_) <= 0) return;
    if (psn_distance(end, lowest_) > 0) add_gap({end, lowest_, began_});
    lowest_ = psn;
}

void Requests::add_gap(const Gap& gap) {
    if (gaps_.size() >= limits_.gaps) gaps_.erase(gaps_.begin());
    gaps_.push_back(gap);
}

void Requests::settle_share(std::uint32_t end) {
    if (!share_unknown_) return;
    share_unknown_ = false;
    if (psn_distance(next_, end) > 0) next_ = end;
}

void Requests::add_answered(const Answered& answered) {
    if (answered_.size() >= limits_.gaps) answered_.erase(answered_.begin());
    answered_.push_back(answered);
}

Requests::Answered Requests::take_answered(std::uint32_t begin, std::uint32_t end) {
    Answered all;
    for (std::size_t i = 0; i < answered_.size(); ++i) {
        Answered& one = answered_[i];
        const std::uint32_t low = psn_distance(one.begin, begin) > 0 ? begin : one.begin;
        const std::uint32_t high = psn_distance(end, one.end) > 0 ? end : one.end;
        if (psn_distance(low, high) <= 0) continue;
        all.bytes += std::exchange(one.bytes, 0);
        all.packets += one.heard ? std::exchange(one.packets, 0) : static_cast<std::uint32_t>(psn_distance(low, high));
        const Answered rest{high, one.end, 0, 0, one.heard};
        one.end = low;
        if (rest.begin != rest.end) answered_.push_back(rest);
    }
    std::erase_if(answered_, [](const Answered& one) { return one.begin == one.end; });
    return all;
}

bool Requests::take_response(std::uint32_t psn, bool begins, std::uint64_t bytes, Time now) {
    const std::uint32_t end = psn_after(psn);
    if (psn_distance(next_, psn) >= 0) take(psn, 1, now);
    else if (fill(psn, end, true) == 0) return false;
    if (!begins && !answered_.empty() && answered_.back().heard && answered_.back().end == psn) {
        answered_.back().end = end;
        answered_.back().bytes += bytes;
    } else add_answered({psn, end, begins ? 1U : 0U, bytes, true});
    return true;
}

std::uint32_t Requests::answer(std::uint32_t begin, std::uint32_t end) { return fill(begin, end, false); }

std::uint32_t Requests::fill(std::uint32_t begin, std::uint32_t end, bool seen) {
    std::uint32_t filled = 0;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
        const Gap gap = gaps_[i];
        const std::uint32_t low = psn_distance(gap.begin, begin) > 0 ? begin : gap.begin;
        const std::uint32_t high = psn_distance(end, gap.end) > 0 ? end : gap.end;
        const std::int32_t common = psn_distance(low, high);
        if (common <= 0) continue;
        if (seen || !gap.may_be_read) filled += static_cast<std::uint32_t>(common);
        if (!seen && !gap.may_be_read) add_answered({low, high, static_cast<std::uint32_t>(common), 0, false});
        if (low == gap.begin) gaps_[i].begin = high;
        else gaps_[i].end = low;
        if (low == gap.begin || high == gap.end) continue;
        gaps_.push_back(gap);
        gaps_.back().begin = high;
    }
    std::erase_if(gaps_, [](const Gap& gap) { return gap.begin == gap.end; });
    return filled;
}

bool Requests::refuse(std::uint32_t psn) {
    for (Gap& gap : gaps_)
        if (psn_distance(gap.begin, psn) >= 0 && psn_distance(psn, gap.end) > 0) return gap.refused = true;
    return !started_ || psn_distance(next_, psn) >= 0;
}

std::uint32_t Requests::acknowledge(std::uint32_t psn) {
    if (acknowledged_ && psn_distance(*acknowledged_, psn) <= 0) return 0;
    const std::uint32_t begin = acknowledged_ ? psn_after(*acknowledged_) : psn;
    acknowledged_ = psn;
    if (gaps_.empty()) return 0;
    const std::uint32_t oldest = gaps_.front().begin;
    return answer(psn_distance(begin, oldest) < 0 ? oldest : begin, psn_after(psn));
}

std::optional<std::uint64_t> Requests::in_flight() const {
    if (!started_ || !acknowledged_ || share_unknown_) return std::nullopt;
    return static_cast<std::uint64_t>(std::max(psn_distance(psn_after(*acknowledged_), next_), 0));
}

std::optional<std::uint64_t> Requests::bytes_in_flight(std::optional<std::uint32_t> mtu) {
    if (!in_flight() || !gaps_.empty()) return std::nullopt;
    if (in_flight() == 0) return 0;
    if (pending.empty()) return std::nullopt;
    const Pending& oldest = pending.front();
    // All packets of a message are full but the last one, which is acknowledged with the whole message.
    const std::int32_t arrived = psn_distance(oldest.seen.psn, psn_after(*acknowledged_));
    if (arrived < 0 || (arrived > 0 && oldest.sends() && !mtu)) return std::nullopt;
    const std::uint64_t of_oldest = oldest.sends() ? static_cast<std::uint64_t>(arrived) * mtu.value_or(0) : 0;
    return of_oldest <= pending.bytes() ? std::optional(pending.bytes() - of_oldest) : std::nullopt;
}

}  // namespace fabricscope::engine::rdma
