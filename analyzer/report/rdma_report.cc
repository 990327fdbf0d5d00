// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_report.h"

#include <array>

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;
using Streams = SessionsIn<&engine::Engine::rdma, &Model::streams>;

constexpr std::array sessions{
    SessionKind{
        .prefix = "rdma-",
        .noun = "stream",
        .count = Streams::count,
        .at = Streams::at,
        .ends =
            [](const engine::Engine& engine, std::size_t index) {
                const Stream& stream = engine.rdma().streams[index];
                return end_text(stream.end[a]) + " > " + end_text(stream.end[b]);
            },
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.rdma().streams[index], engine.rdma(), start); },
        .why_no_stream = ": queue pairs do not tell in which order their data are read; see analyze and timeline",
        .number_filter = "rdma.stream",
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return rdma_detail(engine.rdma().streams[index]); }},
};

constexpr std::array names{NameKind{"rdma-", Streams::count}};

constexpr std::array own_views{
    View{
        "rdma_worst_streams", "Which streams lost or repeated most, and why?",
        "SELECT stream, direction, packets, retransmitted_packets, "
        "round(100.0 * retransmitted_packets / packets, 2) AS percent,\n"
        "    retransmitted_nak, retransmitted_timeout, retransmitted_rnr, retransmitted_implied, lost, naks, rnr_naks\n"
        "FROM rdma_directions WHERE retransmitted_packets + naks + rnr_naks > 0\n"
        "ORDER BY 1.0 * retransmitted_packets / packets DESC"},
    View{
        "rdma_slowest_operations", "Which operations took longest?",
        "SELECT stream, type, bytes, first_frame, answer_frame, retransmitted,\n"
        "    round(answer_time - first_time, 9) AS seconds\n"
        "FROM rdma_operations WHERE answer_time IS NOT NULL ORDER BY answer_time - first_time DESC"},
};

bool is_there(const engine::Models& models) {
    const Model* model = models.rdma;
    return model != nullptr && (!model->streams.empty() || model->cnps + model->pfc_frames + model->pause_frames != 0);
}

}  // namespace

constinit const ProtocolReport rdma_report{
    .protocol = engine::protocol("rdma"),
    .section = section<&engine::Models::rdma, rdma_columns>("rdma", "RDMA").column,
    .is_there = is_there,
    .write_summary = write_rdma,
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .profile = "RDMA",
    .overview = rdma_overview,
    .fabric = rdma_fabric};

}  // namespace fabricscope::report
