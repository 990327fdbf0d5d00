// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/report/psn_timeline.h"
#include "analyzer/report/rdma_report.h"
#include "protocols/ib/psn.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;

/// Of its operation.
bool is_last(const capture::Packet& packet) {
    const ib::Position position = packet.ib.opcode().position;
    return position == ib::Position::last || position == ib::Position::only;
}

/// PSNs, and what RDMA WRITEs and READs moved.
class RdmaDetail final : public DetailListener, public Observer {
public:
    explicit RdmaDetail(const Stream& stream) : stream_(stream), psns_({stream.id}) {}

    void listen(engine::Observers& observers) override { observers.rdma = this; }
    void on_packet(const FrameFacts& facts, const capture::Packet& packet) override;
    void on_merged(std::uint32_t stream, std::uint32_t into) override { psns_.on_merged(stream, into); }
    Detail take() override;

private:
    /// Where the octets of an operation lie.
    struct Region {
        std::size_t memory = 0;
        std::uint64_t address = 0;
        std::uint32_t psn = 0;  ///< of the packet that the address is that of
    };

    Side receiver_of(const capture::Packet& packet) const {
        const Endpoint& end = stream_.end[b];
        const bool is_b = end.address == packet.destination && (!end.qpn || *end.qpn == packet.ib.bth.destination_qpn);
        return is_b ? b : a;
    }
    Region region_of(const capture::Packet& packet) {
        const auto title = fmt::format(
            "Memory of {}, R_Key 0x{:08x}", to_string(packet.destination), packet.ib.reth.r_key);
        return {detail_.memory(title), packet.ib.reth.virtual_address, packet.ib.bth.psn};
    }
    void move(const FrameFacts& facts, const capture::Packet& packet, const Region& region, bool writes);
    void take_write(const FrameFacts& facts, const capture::Packet& packet);
    void take_read(const FrameFacts& facts, const capture::Packet& packet);
    void add_panel(const PsnTimeline& timeline, Side requester);

    const Stream& stream_;  ///< as it was read first
    PsnCollector psns_;
    Detail detail_;
    std::array<std::optional<Region>, 2> writes_;  ///< by who receives
    std::map<std::uint64_t, Region> reads_;        ///< by the frame of the request
    std::uint32_t path_mtu_ = 0;                   ///< octets of a packet that is not the last of its operation
};

void RdmaDetail::on_packet(const FrameFacts& facts, const capture::Packet& packet) {
    psns_.on_packet(facts, packet);
    if (facts.stream != stream_.id) return;
    const ib::Operation operation = packet.ib.opcode().operation;
    if (operation == ib::Operation::rdma_write) take_write(facts, packet);
    if (operation == ib::Operation::rdma_read_request || operation == ib::Operation::rdma_read_response)
        take_read(facts, packet);
}

void RdmaDetail::move(const FrameFacts& facts, const capture::Packet& packet, const Region& region, bool writes) {
    if (!is_last(packet)) path_mtu_ = packet.ib.payload_length;
    // Those of an operation follow each other, as many octets in each as the first has.
    const std::int32_t packets = ib::psn_distance(region.psn, packet.ib.bth.psn);
    if (packets < 0 || (packets > 0 && path_mtu_ == 0)) return;
    detail_.move(
        {.time = facts.time,
         .frame = facts.frame,
         .memory = region.memory,
         .address = region.address + static_cast<std::uint64_t>(packets) * path_mtu_,
         .octets = {packet.ib.payload.begin(), packet.ib.payload.end()},
         .writes = writes});
}

void RdmaDetail::take_write(const FrameFacts& facts, const capture::Packet& packet) {
    std::optional<Region>& region = writes_[receiver_of(packet)];
    if (packet.ib.has_reth) region = region_of(packet);
    if (region) move(facts, packet, *region, true);
    if (is_last(packet)) region.reset();
}

void RdmaDetail::take_read(const FrameFacts& facts, const capture::Packet& packet) {
    if (packet.ib.has_reth) {
        reads_[facts.frame] = region_of(packet);
    } else if (const auto request = reads_.find(facts.request_frame); request != reads_.end()) {
        move(facts, packet, request->second, false);
        if (facts.completes) reads_.erase(request);
    }
}

void RdmaDetail::add_panel(const PsnTimeline& timeline, Side requester) {
    PsnCurves curves = curves_of(timeline.of[requester]);
    if (curves.highest.empty()) return;
    CurvePanel panel{
        .title = fmt::format(
            "{} → {}: PSNs, counted from the first", requester == a ? "a" : "b", requester == a ? "b" : "a"),
        .curves = {},
        .counts_packets = true};
    panel.curves.push_back({"sent", produced_colour, false, std::move(curves.highest)});
    panel.curves.push_back({"acknowledged", consumed_colour, false, std::move(curves.acknowledged)});
    CurveMarks again{"retransmitted", again_colour, CurveMarks::Shape::cross, {}},
        naks{"NAK", palette::vermilion, CurveMarks::Shape::triangle, {}},
        rnr{"RNR NAK", palette::purple, CurveMarks::Shape::diamond, {}};
    for (const PsnCurves::Mark& mark : curves.marks) {
        if (mark.again) again.at.push_back({mark.time, mark.psn});
        if (mark.kind == PsnSample::Kind::nak) naks.at.push_back({mark.time, mark.psn});
        if (mark.kind == PsnSample::Kind::rnr_nak) rnr.at.push_back({mark.time, mark.psn});
    }
    for (CurveMarks* marks : {&again, &naks, &rnr})
        if (!marks->at.empty()) panel.marks.push_back(std::move(*marks));
    detail_.panels.push_back(std::move(panel));
}

/// Nobody tells it anything.
class NoDetail final : public DetailListener {
    void listen(engine::Observers&) override {}
    Detail take() override { return {}; }
};

Detail RdmaDetail::take() {
    const PsnTimeline timeline = psns_.timeline_of(stream_, 0);
    for (const Side requester : {a, b}) add_panel(timeline, requester);
    return std::move(detail_);
}

}  // namespace

std::unique_ptr<DetailListener> rdma_detail(const engine::rdma::Stream& stream) {
    return std::make_unique<RdmaDetail>(stream);
}

std::unique_ptr<DetailListener> cm_traffic_detail(const engine::rdma::Model& model, std::uint32_t connection) {
    const auto stream = std::ranges::find(model.streams, connection, &engine::rdma::Stream::cm_connection);
    if (stream == model.streams.end()) return std::make_unique<NoDetail>();
    return rdma_detail(*stream);
}

}  // namespace fabricscope::report
