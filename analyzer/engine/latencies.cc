// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/latencies.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fabricscope::engine {

namespace {

constexpr unsigned step_bits = 4;  // 16 buckets for each doubling
constexpr std::uint64_t steps = 1 << step_bits;

/// Numbers up to `steps` have a bucket each.
std::size_t bucket_of(std::uint64_t number) {
    if (number < steps) return number;
    const auto shift = static_cast<unsigned>(std::bit_width(number)) - step_bits - 1;
    return (shift + 1) * steps + ((number >> shift) - steps);
}

/// The number in the middle of a bucket.
std::uint64_t middle_of(std::size_t bucket) {
    if (bucket < steps) return bucket;
    const std::size_t shift = bucket / steps - 1;
    return ((steps + bucket % steps) << shift) + ((std::uint64_t{1} << shift) >> 1);
}

}  // namespace

void Latencies::add(Time duration) {
    duration = std::max<Time>(duration, 0);
    min_ = count_ == 0 ? duration : std::min(min_, duration);
    max_ = std::max(max_, duration);
    ++count_of(bucket_of(static_cast<std::uint64_t>(duration)));
    ++count_;
}

void Latencies::add(const Latencies& others) {
    if (others.count_ == 0) return;
    min_ = count_ == 0 ? others.min_ : std::min(min_, others.min_);
    max_ = std::max(max_, others.max_);
    for (std::size_t i = 0; i < others.counts_.size(); ++i)
        if (others.counts_[i] != 0) count_of(others.first_ + i) += others.counts_[i];
    count_ += others.count_;
}

/// For a whole doubling at a time.
void Latencies::make_room(std::size_t bucket) {
    const std::size_t begin = bucket / steps * steps;
    if (counts_.empty()) first_ = begin;
    if (begin < first_) {
        counts_.insert(counts_.begin(), first_ - begin, 0);
        first_ = begin;
    }
    if (bucket - first_ >= counts_.size()) counts_.resize(begin + steps - first_);
}

std::optional<Time> Latencies::percentile(double share) const {
    if (count_ == 0 || share >= 1) return max();
    const auto rank = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen >= rank) return std::clamp(static_cast<Time>(middle_of(first_ + i)), min_, max_);
    }
    return max_;
}

}  // namespace fabricscope::engine
