// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_counters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;

/// What all queue pairs of a host sent, or were sent.
struct Traffic {
    std::uint64_t packets = 0;  ///< management included
    std::uint64_t management = 0;
    std::array<std::uint64_t, operation_types> operations{};
    std::uint64_t unanswered = 0;  ///< operations, at the end
    std::uint64_t duplicate_requests = 0;
    std::uint64_t sequence_naks = 0, rnr_naks = 0;  ///< that answered it
    std::uint64_t timeouts = 0, implied = 0, given_up = 0;
    std::uint64_t cnps = 0;  ///< that answered it
    std::uint64_t ce_marked = 0;

    void add(const Stream& stream, Side from) {
        const Direction& direction = stream.from[from];
        packets += direction.packets + direction.not_captured;
        for (std::size_t type = 0; type < operation_types; ++type) operations[type] += direction.operations[type].count;
        unanswered += stream.unanswered[from];
        duplicate_requests += direction.duplicate_requests;
        const bool has_fatal = stream.fatal && stream.fatal->by != from && direction.naks != 0;
        sequence_naks += direction.naks - (has_fatal ? 1 : 0);
        rnr_naks += direction.rnr_naks;
        timeouts += direction.timeouts;
        implied += direction.asked_again().implied;
        given_up += stream.ending == End::retries_exhausted && stream.unanswered[from] != 0 ? 1 : 0;
        ce_marked += direction.ce_marked;
    }
};

struct Host {
    Address address;
    Traffic sent, received;
};

std::vector<Host> hosts_of(const Model& model) {
    std::vector<Host> hosts;
    std::unordered_map<Address, std::size_t> places;
    const auto host_at = [&](const Address& address) -> Host& {
        const auto [place, is_new] = places.try_emplace(address, hosts.size());
        if (is_new) hosts.push_back({address, {}, {}});
        return hosts[place->second];
    };
    for (const Stream& stream : model.streams) {
        if (stream.merged) continue;
        for (const Side side : {a, b}) {
            host_at(stream.end[side].address).sent.add(stream, side);
            host_at(stream.end[other(side)].address).received.add(stream, side);
        }
    }
    for (Host& host : hosts)
        if (const auto found = model.hosts.find(host.address); found != model.hosts.end()) {
            host.sent.packets += host.sent.management = found->second.management_sent;
            host.received.packets += host.received.management = found->second.management_received;
            host.sent.cnps = found->second.cnps_received;
            host.received.cnps = found->second.cnps_sent;
        }
    return hosts;
}

template <OperationType type> std::uint64_t requests(const Traffic& traffic) {
    return traffic.operations[static_cast<std::size_t>(type)];
}

/// rxe counts a SEND when it is answered.
std::uint64_t completed_sends(const Traffic& traffic) {
    const std::uint64_t sends = requests<OperationType::send>(traffic);
    return sends - std::min(sends, traffic.unanswered);
}

struct CounterMeaning {
    const char* adapter;
    const char* name;
    Relation relation;
    std::uint64_t (*value)(const Host& host);
};

using enum Relation;
/// rxe: drivers/infiniband/sw/rxe as Linux 6.12 counts. mlx5: as its documentation defines them.
constexpr std::array meanings{
    CounterMeaning{"rxe", "sent_pkts", at_least, [](const Host& h) { return h.sent.packets; }},
    CounterMeaning{"rxe", "rcvd_pkts", at_most, [](const Host& h) { return h.received.packets; }},
    CounterMeaning{"rxe", "duplicate_request", at_least, [](const Host& h) { return h.received.duplicate_requests; }},
    CounterMeaning{"rxe", "out_of_seq_request", at_least, [](const Host& h) { return h.received.sequence_naks; }},
    // Only those that take the requester forward are counted.
    CounterMeaning{"rxe", "rcvd_seq_err", at_most, [](const Host& h) { return h.sent.sequence_naks; }},
    CounterMeaning{"rxe", "send_rnr_err", equal, [](const Host& h) { return h.received.rnr_naks; }},
    CounterMeaning{"rxe", "rcvd_rnr_err", equal, [](const Host& h) { return h.sent.rnr_naks; }},
    CounterMeaning{"rxe", "completer_retry_err", at_least, [](const Host& h) { return h.sent.timeouts; }},
    CounterMeaning{"rxe", "retry_exceeded_err", at_least, [](const Host& h) { return h.sent.given_up; }},
    CounterMeaning{
        "rxe", "rdma_sends", at_least, [](const Host& h) { return completed_sends(h.sent) + h.sent.management; }},
    CounterMeaning{"mlx5", "duplicate_request", at_least, [](const Host& h) { return h.received.duplicate_requests; }},
    CounterMeaning{"mlx5", "out_of_sequence", at_least, [](const Host& h) { return h.received.sequence_naks; }},
    CounterMeaning{"mlx5", "packet_seq_err", at_most, [](const Host& h) { return h.sent.sequence_naks; }},
    CounterMeaning{"mlx5", "rnr_nak_retry_err", at_most, [](const Host& h) { return h.sent.rnr_naks; }},
    CounterMeaning{"mlx5", "local_ack_timeout_err", at_least, [](const Host& h) { return h.sent.timeouts; }},
    CounterMeaning{"mlx5", "implied_nak_seq_err", at_most, [](const Host& h) { return h.sent.implied; }},
    CounterMeaning{
        "mlx5", "rx_write_requests", at_least,
        [](const Host& h) { return requests<OperationType::write>(h.received); }},
    CounterMeaning{
        "mlx5", "rx_read_requests", at_least, [](const Host& h) { return requests<OperationType::read>(h.received); }},
    CounterMeaning{
        "mlx5", "rx_atomic_requests", at_least,
        [](const Host& h) { return requests<OperationType::atomic>(h.received); }},
    CounterMeaning{"mlx5", "np_ecn_marked_roce_packets", at_least, [](const Host& h) { return h.received.ce_marked; }},
    CounterMeaning{"mlx5", "np_cnp_sent", equal, [](const Host& h) { return h.received.cnps; }},
    CounterMeaning{"mlx5", "rp_cnp_handled", equal, [](const Host& h) { return h.sent.cnps; }},
};

/// rxe and mlx5 have names in common; what an adapter calls its other counters tells which one it is.
bool is_of(const Counters& read, std::string_view adapter) {
    return std::ranges::any_of(meanings, [&](const CounterMeaning& meaning) {
        const bool is_shared = std::ranges::count(
                                   meanings, std::string_view(meaning.name),
                                   [](const CounterMeaning& m) { return std::string_view(m.name); }) > 1;
        return adapter == meaning.adapter && !is_shared && read.contains(meaning.name);
    });
}

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

const char* name_of(Relation relation) {
    switch (relation) {
        case equal: return "equal";
        case at_least: return "at least";
        case at_most: return "at most";
    }
    return "?";
}

std::optional<bool> AdapterCounter::agrees() const {
    if (!read) return std::nullopt;
    switch (relation) {
        case equal: return *read == expected;
        case at_least: return *read >= expected;
        case at_most: return *read <= expected;
    }
    return std::nullopt;
}

Counters counters_in(std::string_view text) {
    constexpr std::string_view between = "\": =\t";
    Counters counters;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin;
        while (end < text.size() && (is_name(text[end]) || (end != begin && is_digit(text[end])))) ++end;
        if (end == begin) {
            ++begin;
            continue;
        }
        const std::size_t number = std::min(text.find_first_not_of(between, end), text.size());
        std::uint64_t value = 0;
        const auto result = std::from_chars(text.data() + number, text.data() + text.size(), value);
        if (number != end && result.ec == std::errc{}) counters[std::string(text.substr(begin, end - begin))] = value;
        begin = end;
    }
    return counters;
}

std::optional<Counters> increase(const Counters& before, const Counters& after) {
    Counters counters;
    for (const auto& [name, value] : after) {
        const auto earlier = before.find(name);
        if (earlier == before.end()) continue;
        if (earlier->second > value) return std::nullopt;
        counters[name] = value - earlier->second;
    }
    return counters;
}

std::vector<AdapterCounter> counters_of(const Model& model, std::span<const HostCounters> read) {
    std::vector<AdapterCounter> counters;
    for (const Host& host : hosts_of(model)) {
        const auto of_host = std::ranges::find(read, capture::to_string(host.address), &HostCounters::host);
        const Counters* const own = of_host != read.end() ? &of_host->counters : nullptr;
        for (const CounterMeaning& meaning : meanings) {
            AdapterCounter counter{host.address,     meaning.adapter,     meaning.name,
                                   meaning.relation, meaning.value(host), {}};
            if (own != nullptr) {
                const auto found = own->find(meaning.name);
                if (found == own->end() || !is_of(*own, meaning.adapter)) continue;
                counter.read = found->second;
            }
            counters.push_back(counter);
        }
    }
    return counters;
}

}  // namespace fabricscope::report
