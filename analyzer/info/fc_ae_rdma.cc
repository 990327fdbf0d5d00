// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/fc_ae_rdma.h"

namespace fabricscope::info::fc_ae_rdma {
namespace {

using wire::Iu;

void add_range(Line& line, std::uint64_t first, std::uint64_t octets) {
    if (octets != 0) line << ", " << range_text(first, octets).c_str();
}

void add_command(Line& line, const Message& message) {
    if (message.data_length) {
        line << ", " << *message.data_length << " bytes";
        add_range(line, message.base_address, *message.data_length);
    }
    if (!message.notifies) line << ", without notification";
}

void add_data(Line& line, const fc::Frame& frame, const Message& message, bool repeated) {
    const std::uint64_t octets = frame.payload_length;
    if (octets == 0) return;
    const std::uint64_t first = frame.header.parameter;
    line << ", bytes " << first << "-" << first + octets - 1;
    if (message.data_length) line << " of " << *message.data_length;
    if (!repeated) add_range(line, message.base_address + first, octets);
}

void add_response(Line& line, const fc::Frame& frame) {
    wire::Response response;
    if (layout::parse_into(response, frame.payload)) return;
    const char* name = layout::name_of(wire::status_names, response.status);
    line << ": " << (name != nullptr ? name : "reserved status");
    if (response.status != 0) line << " (0x", line.hex(response.status) << ")";
    if (response.resid_under) line << ", " << response.resid << " bytes not transferred";
    if (response.resid_over) line << ", " << response.resid << " bytes too many";
}

}  // namespace

const char* name_of_iu(const fc::Frame& frame) {
    const char* name = layout::name_of(wire::iu_names, frame.header.r_ctl);
    return name != nullptr ? name : "FCP IU";
}

Line summary_of(const fc::Frame& frame, const Message& message, bool repeated) {
    Line line(name_of_iu(frame));
    line << " fc-ae-rdma-" << message.id;
    if (message.is_read) line << " " << message.operation();
    if (message.lun) line << " LUN " << *message.lun;
    switch (static_cast<Iu>(frame.header.r_ctl)) {
        case Iu::command: add_command(line, message); break;
        case Iu::data: add_data(line, frame, message, repeated); break;
        case Iu::response: add_response(line, frame); break;
        case Iu::xfer_rdy: break;
    }
    return line;
}

}  // namespace fabricscope::info::fc_ae_rdma
