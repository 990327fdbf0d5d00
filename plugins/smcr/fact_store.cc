// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/fact_store.h"

#include <algorithm>

namespace fabricscope::plugin::smcr {
namespace {

using engine::smcr::Side;
using What = FrameFacts::What;

template <class T> std::optional<T> optional_if(bool present, T value) {
    return present ? std::optional(value) : std::nullopt;
}

std::uint32_t length_of(const FrameFacts& facts) {
    switch (facts.what) {
        case What::tcp: return facts.clc_pending;
        case What::write: return facts.length;
        case What::llc:
        case What::cdc:
        case What::other: break;
    }
    return facts.message_length;
}

}  // namespace

void FactStore::add(const FrameFacts& facts, std::uint32_t previous) {
    Entry& entry = entries_.add(facts.frame);
    entry.previous = previous;
    entry.connection = facts.connection;
    entry.link_group = facts.link_group;
    entry.length = length_of(facts);
    entry.what = facts.what;
    entry.link = facts.link.value_or(0);
    entry.has_link = facts.link.has_value();
    entry.has_from = facts.from.has_value();
    entry.from_server = facts.from == Side::server;
    entry.roles_known = facts.roles_known;
    entry.retransmission = facts.retransmission;
    add_detail(entry, facts);
}

void FactStore::add_detail(Entry& entry, const FrameFacts& facts) {
    switch (facts.what) {
        case What::write:
            if (facts.rmbe_offset) entry.detail = writes_.add({*facts.rmbe_offset, facts.position.value_or(unplaced)});
            break;
        case What::cdc:
            if (facts.connection != 0) entry.detail = cdcs_.add(Cdc(facts));
            break;
        case What::llc:
        case What::tcp:
        case What::other:
            if (facts.request_frame != 0)
                entry.detail = replies_.add({facts.time, facts.request_time, facts.request_frame});
            break;
    }
}

bool FactStore::find(std::uint64_t frame, FrameFacts& facts) const {
    const Entry* found = entries_.find(frame);
    if (found == nullptr) return false;
    const Entry& entry = *found;
    facts = {};
    facts.frame = frame;
    facts.what = entry.what;
    facts.connection = entry.connection;
    facts.link_group = entry.link_group;
    facts.link = optional_if(entry.has_link, entry.link);
    facts.from = optional_if(entry.has_from, entry.from_server ? Side::server : Side::client);
    facts.roles_known = entry.roles_known;
    facts.retransmission = entry.retransmission;
    if (entry.what == What::tcp) facts.clc_pending = entry.length;
    else if (entry.what == What::write) facts.length = entry.length;
    else facts.message_length = entry.length;
    if (entry.detail != 0) take_detail(entry, facts);
    return true;
}

std::uint64_t FactStore::announcement(std::uint64_t frame) const {
    constexpr std::size_t most_searched = 16'384;
    const Entry* const write = entries_.find(frame);
    if (write == nullptr || write->what != What::write || write->connection == 0 || write->detail == 0) return 0;
    const std::uint64_t position = writes_[write->detail].position;
    if (position == unplaced) return 0;
    const auto tells = [&](const Entry& entry) {
        if (entry.what != What::cdc || entry.connection != write->connection || entry.detail == 0) return false;
        const Cdc& cdc = cdcs_[entry.detail];
        return entry.from_server == write->from_server && cdc.has_produced && cdc.produced >= position + write->length;
    };
    const Entry* found = entries_.find_behind(frame, most_searched, tells);
    return found != nullptr ? found->frame : 0;
}

std::span<const std::uint32_t> FactStore::announced(std::uint64_t frame) const {
    constexpr std::size_t most = 64, most_frames = 256;
    announced_.clear();
    const Entry* const told = entries_.find(frame);
    if (told == nullptr || told->what != What::cdc || told->detail == 0) return {};
    const Cdc& cdc = cdcs_[told->detail];
    if (!cdc.has_produced) return {};
    const Entry* entry = told;
    for (std::size_t i = 0; entry != nullptr && i < most_frames && announced_.size() < most; ++i) {
        entry = entries_.find(entry->previous);
        if (entry == nullptr || entry->from_server != told->from_server) continue;
        if (entry->what == What::cdc) break;  // it told of those before
        if (entry->what != What::write || entry->detail == 0) continue;
        const Write& write = writes_[entry->detail];
        if (write.position != unplaced && write.position + entry->length <= cdc.produced)
            announced_.push_back(entry->frame);
    }
    std::ranges::reverse(announced_);
    return announced_;
}

void FactStore::take_detail(const Entry& entry, FrameFacts& facts) const {
    if (entry.what == What::write) {
        const Write& write = writes_[entry.detail];
        facts.rmbe_offset = write.rmbe_offset;
        facts.position = optional_if(write.position != unplaced, write.position);
    } else if (entry.what == What::cdc) {
        cdcs_[entry.detail].tell(facts);
    } else {
        const Reply& reply = replies_[entry.detail];
        facts.time = reply.time;
        facts.request_time = reply.request_time;
        facts.request_frame = reply.request_frame;
    }
}

FactStore::Cdc::Cdc(const FrameFacts& facts)
    : produced(facts.produced.value_or(0)),
      in_flight(facts.in_flight.value_or(0)),
      window(facts.window.value_or(0)),
      producer_delta(facts.producer_delta.value_or(0)),
      consumer_delta(facts.consumer_delta.value_or(0)),
      stall_time(facts.stall_time.value_or(0)),
      has_produced(facts.produced.has_value()),
      has_in_flight(facts.in_flight.has_value()),
      has_window(facts.window.has_value()),
      has_producer_delta(facts.producer_delta.has_value()),
      has_consumer_delta(facts.consumer_delta.has_value()),
      has_stall_time(facts.stall_time.has_value()) {}

void FactStore::Cdc::tell(FrameFacts& facts) const {
    facts.produced = optional_if(has_produced, produced);
    facts.in_flight = optional_if(has_in_flight, in_flight);
    facts.window = optional_if(has_window, window);
    facts.producer_delta = optional_if(has_producer_delta, producer_delta);
    facts.consumer_delta = optional_if(has_consumer_delta, consumer_delta);
    facts.stall_time = optional_if(has_stall_time, stall_time);
}

}  // namespace fabricscope::plugin::smcr
