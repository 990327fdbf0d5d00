// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <utility>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/report/fc_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;

/// The Relative Offset that each frame of an Exchange reaches.
class ExchangeDetail final : public DetailListener, public Observer {
public:
    explicit ExchangeDetail(std::uint32_t exchange) : exchange_(exchange) {}

    void listen(engine::Observers& observers) override { observers.fc = this; }

    void on_frame(const FrameFacts& facts) override {
        const auto& frame = facts.packet.fc->frame;
        if (facts.exchange.id != exchange_ || !frame.header.f_ctl.relative_offset_present) return;
        offsets_[facts.from == Party::originator ? 0 : 1].push_back(
            {facts.packet.time, frame.header.parameter + frame.payload.size()});
    }

    Detail take() override {
        constexpr std::array titles{"originator → responder", "responder → originator"};
        for (std::size_t i = 0; i < titles.size(); ++i) {
            if (offsets_[i].empty()) continue;
            CurvePanel panel{.title = std::string(titles[i]) + ": Relative Offset behind each frame", .curves = {}};
            panel.curves.push_back({"data", produced_colour, false, std::move(offsets_[i])});
            detail_.panels.push_back(std::move(panel));
        }
        return std::move(detail_);
    }

private:
    std::uint32_t exchange_;
    std::array<std::vector<StepValue>, 2> offsets_;
    Detail detail_;
};

}  // namespace

std::unique_ptr<DetailListener> exchange_detail(const Exchange& exchange) {
    return std::make_unique<ExchangeDetail>(exchange.id);
}

}  // namespace fabricscope::report
