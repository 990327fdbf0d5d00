// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "analyzer/engine/smcr/observer.h"
#include "analyzer/report/smcr_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// What WRITEs put into RMB elements, and which of them were retransmitted.
class SmcrDetail final : public DetailListener, public Observer {
public:
    explicit SmcrDetail(const Connection& connection) : connection_(connection) {}

    void listen(engine::Observers& observers) override { observers.smcr = this; }

    void on_facts(const FrameFacts& facts) override {
        const bool is_write = facts.what == FrameFacts::What::write && facts.from;
        if (!is_write || facts.connection != connection_.id) return;
        if (facts.retransmission && facts.position) again_[*facts.from].push_back({facts.time, *facts.position});
        if (!facts.rmbe_offset || facts.packet == nullptr) return;
        const ByteView octets = facts.packet->ib.payload;
        detail_.move(
            {.time = facts.time,
             .frame = facts.frame,
             .memory = detail_.memory(rmb_element_title(*facts.from)),
             .address = *facts.rmbe_offset,
             .octets = {octets.begin(), octets.end()},
             .writes = true});
    }

    Detail take() override {
        for (CurvePanel& panel : smcr_curves(connection_)) {
            const Side from = panel.title == direction_name(Side::client) ? Side::client : Side::server;
            if (!again_[from].empty())
                panel.marks.push_back(
                    {"retransmitted", again_colour, CurveMarks::Shape::cross, std::move(again_[from])});
            detail_.panels.push_back(std::move(panel));
        }
        return std::move(detail_);
    }

private:
    const Connection& connection_;  ///< as it was read first
    engine::PerSide<std::vector<StepValue>> again_;
    Detail detail_;
};

}  // namespace

std::unique_ptr<DetailListener> smcr_detail(const Connection& connection) {
    return std::make_unique<SmcrDetail>(connection);
}

}  // namespace fabricscope::report
