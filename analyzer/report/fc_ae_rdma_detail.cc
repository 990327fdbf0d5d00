// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/report/fc_ae_rdma_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

/// What of a memory region messages moved, or how far one message has come.
class FcAeRdmaDetail final : public DetailListener, public Observer {
public:
    /// `region`: nullptr: of one message
    FcAeRdmaDetail(const Region* region, std::uint64_t message) : region_(region), message_(message) {}

    void listen(engine::Observers& observers) override { observers.fc_ae_rdma = this; }

    void on_data(const DataPiece& piece) override {
        const Message& message = piece.message;
        if (region_ != nullptr ? message.region != region_->id : message.id != message_) return;
        pending_.push_back(
            {.memory = region_ != nullptr ? detail_.memory(fc_ae_rdma_memory_title(*region_)) : 0,
             .address = piece.address - (region_ != nullptr ? 0 : message.base_address),
             .octets = {piece.octets.begin(), piece.octets.end()},
             .writes = message.writes()});
    }

    void on_packet(const capture::Packet& packet) override {
        for (MovedOctets& octets : pending_) {
            octets.time = packet.time;
            octets.frame = packet.number;
            if (region_ == nullptr) offsets_.push_back({octets.time, octets.address + octets.octets.size()});
            else detail_.move(std::move(octets));
        }
        pending_.clear();
    }

    Detail take() override {
        if (!offsets_.empty()) {
            CurvePanel panel{.title = "Relative Offset behind each frame", .curves = {}};
            panel.curves.push_back({"data", produced_colour, false, std::move(offsets_)});
            detail_.panels.push_back(std::move(panel));
        }
        return std::move(detail_);
    }

private:
    const Region* region_;  ///< as it was read first
    std::uint64_t message_;
    std::vector<MovedOctets> pending_;
    std::vector<StepValue> offsets_;
    Detail detail_;
};

}  // namespace

std::unique_ptr<DetailListener> region_detail(const Region& region) {
    return std::make_unique<FcAeRdmaDetail>(&region, 0);
}

std::unique_ptr<DetailListener> message_detail(const Message& message) {
    return std::make_unique<FcAeRdmaDetail>(nullptr, message.id);
}

}  // namespace fabricscope::report
