// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <utility>

#include "analyzer/engine/fcvi/observer.h"
#include "analyzer/report/fcvi_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using engine::Side;

/// How far Messages have come, frame by frame, and what RDMA moved.
class FcviDetail final : public DetailListener, public Observer {
public:
    FcviDetail(const Model& model, std::uint32_t connection) : model_(model), connection_(connection) {}

    void listen(engine::Observers& observers) override { observers.fcvi = this; }

    void on_facts(const FrameFacts& facts) override {
        if (facts.connection == connection_ && facts.repeated)
            repeated_.push_back({facts.time, facts.message, facts.from});
    }

    void on_data(const DataPiece& piece) override {
        if (piece.message.connection != connection_) return;
        reached_.push_back({0, piece.message.id, piece.from, piece.offset + piece.octets.size()});
        if (!piece.message.rmt_va) return;
        const Side owner = piece.message.reads() ? piece.from : other(piece.from);
        pending_.push_back(
            {.memory = detail_.memory(fcvi_memory_title(owner)),
             .address = *piece.message.rmt_va + piece.offset,
             .octets = {piece.octets.begin(), piece.octets.end()},
             .writes = !piece.message.reads()});
    }

    void on_packet(const capture::Packet& packet) override {
        for (MovedOctets& octets : pending_) {
            octets.time = packet.time;
            octets.frame = packet.number;
            detail_.move(std::move(octets));
        }
        pending_.clear();
        for (; dated_ < reached_.size(); ++dated_) reached_[dated_].time = packet.time;
    }

    Detail take() override {
        for (const Side from : {Side::client, Side::server}) add_panel(from);
        return std::move(detail_);
    }

private:
    struct Reached {
        engine::Time time;
        std::uint64_t message;
        Side from;
        std::uint64_t offset;  ///< behind the octets
    };
    struct Repeated {
        engine::Time time;
        std::uint64_t message;
        Side from;
    };

    void add_panel(Side from);

    const Model& model_;  ///< as it was read first
    std::uint32_t connection_;
    std::vector<MovedOctets> pending_;
    std::vector<Reached> reached_;
    std::size_t dated_ = 0;  ///< of them
    std::vector<Repeated> repeated_;
    Detail detail_;
};

/// Messages stand one on top of the other.
void FcviDetail::add_panel(Side from) {
    std::map<std::uint64_t, std::uint64_t> base;  // by message
    std::vector<std::pair<engine::Time, std::uint64_t>> answers;
    std::uint64_t sum = 0;
    for (const Message& message : model_.messages) {
        const bool is_from = message.connection == connection_ && (message.from == from) != message.reads();
        if (!is_from || message.bytes == 0) continue;
        base[message.id] = sum;
        sum += std::max<std::uint64_t>(message.total_length.value_or(0), message.bytes);
        if (message.state == MessageState::complete) answers.emplace_back(message.last, sum);
    }
    CurvePanel panel{.title = direction_name(from), .curves = {}};
    Curve sent{"sent", produced_colour}, answered{"answered", consumed_colour};
    CurveMarks again{"retransmitted", again_colour, CurveMarks::Shape::cross, {}};
    std::uint64_t highest = 0;
    for (const Reached& each : reached_) {
        const auto place = base.find(each.message);
        if (each.from != from || place == base.end()) continue;
        highest = std::max(highest, place->second + each.offset);
        sent.steps.push_back({each.time, highest});
    }
    for (const Repeated& each : repeated_)
        if (const auto place = base.find(each.message); each.from == from && place != base.end())
            again.at.push_back({each.time, place->second});
    std::ranges::stable_sort(answers);
    for (const auto& [time, octets] : answers) answered.steps.push_back({time, octets});
    if (sent.steps.empty()) return;
    panel.curves = {std::move(sent), std::move(answered)};
    if (!again.at.empty()) panel.marks.push_back(std::move(again));
    detail_.panels.push_back(std::move(panel));
}

}  // namespace

std::unique_ptr<DetailListener> fcvi_detail(const Model& model, std::uint32_t connection) {
    return std::make_unique<FcviDetail>(model, connection);
}

}  // namespace fabricscope::report
