// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of FC-AE-RDMA: messages, and the memory that they moved.
#pragma once

#include <memory>
#include <string>

#include "analyzer/observations/fc_ae_rdma.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport fc_ae_rdma_report;
extern const ColumnsElsewhere<engine::fc_ae_rdma::Model> fc_ae_rdma_columns;

bool add_fc_ae_rdma_fields(FrameLayers& layers);

void write_fc_ae_rdma(std::ostream& out, const engine::fc_ae_rdma::Model& model, const SummaryOptions& options);

/// The message's Exchange, which is sought in `fc`.
Ladder ladder_of(
    const engine::fc_ae_rdma::Message& message, const engine::fibre_channel::Model& fc, engine::Time start);

/// What a message moved. The client is the Initiator: its data are those that it writes.
std::unique_ptr<Stream> message_stream(const StreamChoice& choice, OctetSink& sink);
/// A region's memory, as messages wrote it, or as they read it.
std::unique_ptr<Stream> region_stream(const StreamChoice& choice, OctetSink& sink);

void fc_ae_rdma_overview(const engine::Models& models, Overview& overview);
void fc_ae_rdma_fabric(const engine::Models& models, Fabric& fabric);
std::vector<Memory> region_memories(const engine::fc_ae_rdma::Model& model, std::size_t index);
std::string fc_ae_rdma_memory_title(const engine::fc_ae_rdma::Region& region);
std::unique_ptr<DetailListener> region_detail(const engine::fc_ae_rdma::Region& region);
std::unique_ptr<DetailListener> message_detail(const engine::fc_ae_rdma::Message& message);

/// "fc-ae-rdma-3"
std::string fc_ae_rdma_message_name(std::uint64_t id);
/// "fc-ae-rdma-region-3"
std::string fc_ae_rdma_region_name(std::uint32_t id);
/// "Target 01.02.03"
std::string fc_ae_rdma_target_name(const engine::fibre_channel::Port& target);

using observations::trouble_of;

}  // namespace fabricscope::report
