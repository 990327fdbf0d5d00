// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc_ae_rdma/process_login.h"

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fc_ae_rdma {

const char* describe(PageFault fault) {
    switch (fault) {
        case PageFault::type_code: return "Type Code 08h is required";
        case PageFault::process_associator_valid: return "Process Associator Validity Bits = 1 is prohibited";
        case PageFault::image_pair: return "Image Pair = 1 is required";
        case PageFault::response_code: return "Response Code 0001b, Request Executed, is expected";
        case PageFault::data_overlay: return "Data Overlay Allowed = 1 is prohibited";
        case PageFault::initiator_function: return "Initiator Function = 1 is required";
        case PageFault::target_function: return "Target Function = 1 is required";
        case PageFault::command_data_mixed: return "Command/Data Mixed Allowed = 1 is prohibited";
        case PageFault::data_response_mixed: return "Data/Response Mixed Allowed = 1 is prohibited";
        case PageFault::read_xfer_rdy: return "Read XFER_RDY Disabled = 1 is required";
    }
    return "";
}

PageFaults check_page(const ServicePage& page, bool is_accept) {
    PageFaults found;
    const auto check = [&](bool right, PageFault fault) {
        if (!right) found.faults[found.count++] = fault;
    };
    check(page.type == fc_type, PageFault::type_code);
    check(
        !page.originator_process_associator_valid && !page.responder_process_associator_valid,
        PageFault::process_associator_valid);
    check(page.image_pair, PageFault::image_pair);
    check(!is_accept || page.accept_response == request_executed, PageFault::response_code);
    check(!page.data_overlay_allowed, PageFault::data_overlay);
    check(page.initiator, PageFault::initiator_function);
    check(page.target, PageFault::target_function);
    check(!page.command_data_mixed, PageFault::command_data_mixed);
    check(!page.data_response_mixed, PageFault::data_response_mixed);
    check(page.read_xfer_rdy_disabled, PageFault::read_xfer_rdy);
    return found;
}

std::uint32_t service_parameters_of(const ServicePage& page) {
    const auto octets = layout::octets_of(page);
    std::uint32_t word = 0;
    for (std::size_t i = octets.size() - 4; i < octets.size(); ++i) word = word << 8 | octets[i];
    return word;
}

}  // namespace fabricscope::fc_ae_rdma
