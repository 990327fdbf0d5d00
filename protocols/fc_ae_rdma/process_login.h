// SPDX-License-Identifier: GPL-2.0-or-later
// The service parameter page of FCP in PRLI and in its accept, with what FC-AE-RDMA wants of it
// (ISO/IEC TR 14165-314, 4.2.4.3 and table 2). Big-endian.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::fc_ae_rdma {

using layout::ValueName;

inline constexpr std::size_t service_page_size = 16;

/// In the accept only; 0 in the request.
inline constexpr std::uint8_t request_executed = 1;
inline constexpr std::array accept_response_names{
    ValueName{1, "Request executed"},
    ValueName{2, "No resources"},
    ValueName{3, "Initialization not complete"},
    ValueName{4, "Page does not exist"},
    ValueName{5, "Predefined configuration"},
    ValueName{6, "Conditionally executed"},
    ValueName{7, "Multiple pages"}};

struct ServicePage {
    std::uint8_t type = 0x08;
    std::uint8_t type_extension = 0;
    bool originator_process_associator_valid = false;
    bool responder_process_associator_valid = false;
    bool image_pair = true;  ///< request: establish it; accept: it is established
    bool reserved1 = false;
    std::uint8_t accept_response = 0;  ///< 4 bits
    std::uint8_t reserved2 = 0;
    std::uint32_t originator_process_associator = 0;
    std::uint32_t responder_process_associator = 0;
    std::uint32_t reserved3 = 0;  ///< 25 bits
    bool data_overlay_allowed = false;
    bool initiator = true;
    bool target = true;
    bool command_data_mixed = false;
    bool data_response_mixed = false;
    bool read_xfer_rdy_disabled = true;
    bool write_xfer_rdy_disabled = true;  ///< shall be ignored; should be set
};

/// A line of table 2 that a page can break.
enum class PageFault : std::uint8_t {
    type_code,
    process_associator_valid,
    image_pair,
    response_code,  ///< accept only
    data_overlay,
    initiator_function,
    target_function,
    command_data_mixed,
    data_response_mixed,
    read_xfer_rdy,
};
inline constexpr std::size_t page_fault_count = 10;
/// The line of table 2 in words: "Process Associator Validity Bits = 1 is prohibited".
const char* describe(PageFault fault);

/// What a page has other than table 2 asks for, in the table's order.
struct PageFaults {
    std::array<PageFault, page_fault_count> faults{};
    std::size_t count = 0;

    std::span<const PageFault> list() const { return std::span(faults).first(count); }
};
PageFaults check_page(const ServicePage& page, bool is_accept);

/// FCP's service parameters: the last word of the page.
std::uint32_t service_parameters_of(const ServicePage& page);

}  // namespace fabricscope::fc_ae_rdma

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc_ae_rdma::ServicePage> = layout<fc_ae_rdma::ServicePage>(
    "Service parameter page", "ISO/IEC TR 14165-314, 4.2.4.3", octets(0, 16),
    field<&fc_ae_rdma::ServicePage::type>(at(0), "fcaerdma.prli.type", "Type Code", hex),
    field<&fc_ae_rdma::ServicePage::type_extension>(
        at(1), "fcaerdma.prli.type_extension", "Type Code extension", hex, reserved),
    field<&fc_ae_rdma::ServicePage::originator_process_associator_valid>(
        bits(2, 0x80), "fcaerdma.prli.opa_valid", "Originator Process Associator valid"),
    field<&fc_ae_rdma::ServicePage::responder_process_associator_valid>(
        bits(2, 0x40), "fcaerdma.prli.rpa_valid", "Responder Process Associator valid"),
    field<&fc_ae_rdma::ServicePage::image_pair>(bits(2, 0x20), "fcaerdma.prli.image_pair", "Image Pair"),
    field<&fc_ae_rdma::ServicePage::reserved1>(bits(2, 0x10), "fcaerdma.prli.reserved_bit", "Reserved", reserved),
    field<&fc_ae_rdma::ServicePage::accept_response>(
        bits(2, 0x0F), "fcaerdma.prli.accept_response", "Accept Response Code",
        names(fc_ae_rdma::accept_response_names)),
    field<&fc_ae_rdma::ServicePage::reserved2>(at(3), "fcaerdma.prli.reserved", "Reserved", hex, reserved),
    field<&fc_ae_rdma::ServicePage::originator_process_associator>(
        at(4), "fcaerdma.prli.opa", "Originator Process Associator", hex),
    field<&fc_ae_rdma::ServicePage::responder_process_associator>(
        at(8), "fcaerdma.prli.rpa", "Responder Process Associator", hex),
    field<&fc_ae_rdma::ServicePage::reserved3>(
        bits(12, 0xFFFF'FF80, 4), "fcaerdma.prli.reserved_parameters", "Reserved", hex, reserved),
    field<&fc_ae_rdma::ServicePage::data_overlay_allowed>(
        bits(15, 0x40), "fcaerdma.prli.data_overlay", "Data overlay allowed"),
    field<&fc_ae_rdma::ServicePage::initiator>(bits(15, 0x20), "fcaerdma.prli.initiator", "Initiator function"),
    field<&fc_ae_rdma::ServicePage::target>(bits(15, 0x10), "fcaerdma.prli.target", "Target function"),
    field<&fc_ae_rdma::ServicePage::command_data_mixed>(
        bits(15, 0x08), "fcaerdma.prli.command_data_mixed", "Command/data mixed allowed"),
    field<&fc_ae_rdma::ServicePage::data_response_mixed>(
        bits(15, 0x04), "fcaerdma.prli.data_response_mixed", "Data/response mixed allowed"),
    field<&fc_ae_rdma::ServicePage::read_xfer_rdy_disabled>(
        bits(15, 0x02), "fcaerdma.prli.read_xfer_rdy_disabled", "Read XFER_RDY disabled"),
    field<&fc_ae_rdma::ServicePage::write_xfer_rdy_disabled>(
        bits(15, 0x01), "fcaerdma.prli.write_xfer_rdy_disabled", "Write XFER_RDY disabled"));

}  // namespace fabricscope::layout
