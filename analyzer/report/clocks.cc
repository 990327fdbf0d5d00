// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/clocks.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "analyzer/observations/smcr_words.h"
#include "analyzer/report/setup_steps.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// Enough to tell, in a capture of any size.
constexpr std::size_t most_orders = 20'000;

struct NamedStep {
    std::string name;
    FrameStamp step;
};

/// What must come first, and what after it.
struct Order {
    NamedStep first, then;
    std::string session;
};

void add_orders(std::vector<Order>& orders, const Connection& connection) {
    std::vector<NamedStep> steps;
    for (const SetupStep& each : setup_steps) {
        const std::optional<FrameStamp>& step = connection.setup.*each.step;
        // DECLINE may come from either side, and cross the other's message.
        if (step && each.step != &Setup::decline) steps.push_back({each.words, *step});
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (std::size_t j = i + 1; j < steps.size(); ++j)
            orders.push_back({steps[i], steps[j], connection_name(connection.id)});
}

void add_orders(std::vector<Order>& orders, const Model& model) {
    for (const Connection& connection : model.connections) {
        if (orders.size() >= most_orders) break;
        if (!connection.merged && !connection.midstream) add_orders(orders, connection);
    }
    for (const LinkGroup& group : model.link_groups)
        for (const LlcExchange& exchange : group.exchanges) {
            if (orders.size() >= 2 * most_orders) return;
            if (exchange.request.frame == 0 || !exchange.reply) continue;
            const std::string name = observations::llc_name(exchange);
            orders.push_back({{name, exchange.request}, {name + " reply", *exchange.reply}, link_group_name(group.id)});
        }
}

/// A few requests that come behind their answers may have been sent again, and not been captured before.
void add_orders(std::vector<Order>& orders, const engine::rdma::Model& model) {
    constexpr std::uint64_t enough = 8;
    for (const engine::rdma::Stream& stream : model.streams) {
        if (stream.merged) continue;
        for (const engine::rdma::Direction& direction : stream.from)
            if (const auto& belated = direction.belated; belated && belated->count >= enough)
                orders.push_back(
                    {{"its request", belated->request},
                     {"an answer", belated->answer},
                     engine::rdma::stream_name(stream.id)});
    }
}

std::vector<Order> orders_of(const engine::Models& models) {
    std::vector<Order> orders;
    if (models.smcr != nullptr) add_orders(orders, *models.smcr);
    if (models.rdma != nullptr) add_orders(orders, *models.rdma);
    return orders;
}

struct Contradiction {
    Time by = 0;  ///< at least
    Order order;
};

std::string sentence(const std::string& ahead, const std::string& behind, const Contradiction& contradiction) {
    const auto& [first, then, session] = contradiction.order;
    const std::string by = seconds_text(contradiction.by);
    return fmt::format(
        "the clocks of the files differ: {} is at least {} s behind {} ({}: {} in frame {} before {} in frame {}); "
        "what follows from the order of frames may be wrong, unless the file is shifted: editcap -t {} ...",
        behind, by, ahead, session, then.name, then.step.frame, first.name, first.step.frame, by);
}

}  // namespace

std::set<std::uint64_t> frames_with_an_order(const engine::Models& models) {
    std::set<std::uint64_t> frames;
    for (const Order& order : orders_of(models)) frames.insert({order.first.step.frame, order.then.step.frame});
    return frames;
}

std::vector<std::string> clock_warnings(const engine::Models& models, const std::map<std::uint64_t, Place>& places) {
    if (places.empty()) return {};
    std::map<std::pair<std::string, std::string>, Contradiction> worst;  // by file ahead and file behind
    for (const Order& order : orders_of(models)) {
        const auto first = places.find(order.first.step.frame), then = places.find(order.then.step.frame);
        if (first == places.end() || then == places.end() || first->second.file == then->second.file) continue;
        const Time by = order.first.step.time - order.then.step.time;
        Contradiction& known = worst[{first->second.file, then->second.file}];
        if (by > known.by) known = {by, order};
    }
    std::vector<std::string> warnings;
    for (const auto& [files, contradiction] : worst)
        if (contradiction.by > 0) warnings.push_back(sentence(files.first, files.second, contradiction));
    return warnings;
}

std::vector<std::string> clock_warnings(
    const capture::DuplicateFilter::ClockOffset& offset, const std::map<std::uint64_t, Place>& places) {
    const auto first = places.find(offset.frame), copy = places.find(offset.copy);
    if (first == places.end() || copy == places.end() || first->second.file == copy->second.file) return {};
    const std::string by = seconds_text(offset.by);
    return {fmt::format(
        "the clocks of the files differ: {} has {} s later what {} has as well (frames {} and {}); these copies are "
        "taken for retransmissions, unless the file is shifted: editcap -t -{} ...",
        copy->second.file, by, first->second.file, offset.copy, offset.frame, by)};
}

}  // namespace fabricscope::report
