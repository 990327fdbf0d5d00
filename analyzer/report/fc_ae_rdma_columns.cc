// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of FC-AE-RDMA: messages and memory regions.
#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

// ---- memory regions --------------------------------------------------------------------------------

constexpr auto range_columns = columns<RangeSet::Range>(
    column<&RangeSet::Range::begin>("begin", "first address"),
    column<&RangeSet::Range::end>("end", "behind the last one"));

constexpr auto ranges = table<range_columns>(
                            "fc_ae_rdma_ranges", "Which addresses of a memory region were read and written.")
                            .key("region", Type::text, "that they are in")
                            .member_name("kind", "read or written")
                            .position("in order of addresses, from 0");

template <RangeSet Region::*member> void each_range(const Region& region, const Each<RangeSet::Range>& each) {
    for (const RangeSet::Range& range : (region.*member).ranges()) each(range);
}

constexpr auto region_columns = columns<Region>(
    column<[](const Region& r) { return fc_ae_rdma_region_name(r.id); }>(
        "id", "fc-ae-rdma-region-1, ..., in order of first messages")
        .with_names(),
    column<&Region::target>("target", "N_Port_ID"), column<&Region::lun>("lun", "Logical Unit"),
    column<&Region::reads>("reads", "messages that read"), column<&Region::writes>("writes", "messages that wrote"),
    column<[](const Region& r) { return r.end(); }>("end", "behind the highest address that was touched"),
    rows<each_range<&Region::read>, ranges>("read", Form::arrays),
    rows<each_range<&Region::written>, ranges>("written", Form::arrays));

constexpr auto regions = table<region_columns>(
    "fc_ae_rdma_regions", "Memory regions: Logical Units that messages have touched.");

// ---- messages --------------------------------------------------------------------------------------

constexpr auto message_columns = columns<Message>(
    column<[](const Message& m) { return fc_ae_rdma_message_name(m.id); }>("id", "fc-ae-rdma-1, ...").with_names(),
    column<&Message::initiator>("initiator", "N_Port_ID"), column<&Message::target>("target", "N_Port_ID"),
    column<&Message::ox_id>("ox_id", "OX_ID"),
    column<[](const Message& m) { return m.operation(); }>(
        "operation", "read or write, as far as FCP_CMND was captured"),
    column<[](const Message& m) { return converted(number_or_null(m.region), fc_ae_rdma_region_name); }>(
        "region", "memory region that it reads or writes")
        .with_names(),
    column<&Message::lun>("lun", "Logical Unit: a memory region"),
    column<&Message::base_address>("base_address", "first address in the region"),
    column<&Message::data_length>("length", "FCP_DL"),
    column<&Message::notifies>("notification", "the Target's application is told"),
    column<&Message::state>("state", "open, complete, failed or aborted"),
    column<&Message::bytes>("bytes", "bytes of data, each once"),
    column<&Message::missing_bytes>("missing_bytes", "bytes missing between those that were seen"),
    column<&Message::frames>("frames", "frames, each once"),
    column<&Message::repeated_frames>("repeated_frames", "frames seen again"),
    column<&Message::service_class>("class", "class of service, where SOF tells"),
    column<&Message::status>("status", "SCSI status"),
    column<[](const Message& m) { return name_or_null(wire::status_names, m.status); }>(
        "status_name", "what the status says"),
    column<&Message::residual>("residual", "FCP_RESID"), column<&Message::resid_over>("overrun", "FCP_RESID_OVER"),
    column<&Message::resid_under>("underrun", "FCP_RESID_UNDER"),
    frame<&Message::command>("command_frame", "frame of FCP_CMND"),
    frame<&Message::response>("response_frame", "frame of FCP_RSP"),
    time<&Message::command>("command", "time of FCP_CMND"),
    time<&Message::first_data>("first_data", "time of the first FCP_DATA"),
    time<&Message::last_data>("last_data", "time of the last FCP_DATA"),
    time<&Message::response>("response", "time of FCP_RSP"),
    column<[](const Message& m) { return seconds_between(m.command, m.response); }>(
        "latency", "seconds from command to response"),
    column<[](const Message& m) { return text_or_null(trouble_of(m)); }>(
        "trouble", "what kept it from moving its data"));

constexpr auto messages = table<message_columns>(
                              "fc_ae_rdma_messages",
                              "FC-AE-RDMA messages: reads and writes of a Logical Unit's memory.")
                              .refers("region", "fc_ae_rdma_regions (id)")
                              .indexes("target", "state");

// ---- all -------------------------------------------------------------------------------------------

constexpr auto model_columns = columns<Model>(
    rows<&Model::messages, messages>("messages"), rows<&Model::regions, regions>("regions"),
    column<&Model::dropped_messages>("dropped_messages", "messages left out because a limit was reached"),
    column<&Model::dropped_regions>("dropped_regions", "memory regions left out because a limit was reached"),
    column<&Model::dropped_details>(
        "dropped_details",
        "frames of which a limit kept us from remembering which data of a message, or what memory, they had; what is "
        "told of both is at least as much"),
    column<[](const Model& m) { return m.dropped_findings; }>(
        "dropped_findings", "findings left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> fc_ae_rdma_columns{model_columns};

}  // namespace fabricscope::report
