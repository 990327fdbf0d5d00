// SPDX-License-Identifier: GPL-2.0-or-later
// FCP_RSP as FC-AE-RDMA uses it: exactly 24 octets (ISO/IEC TR 14165-314, 4.2.4.7). Big-endian.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::fc_ae_rdma {

using layout::ValueName;

inline constexpr std::size_t response_size = 24;

/// Where parts of an FCP_RSP end: an IU that is shorter does not have them.
inline constexpr std::size_t flags_end = 11, status_end = 12, resid_end = 16;

/// Table 2, FCP_STATUS octet 3.
enum class StatusCode : std::uint8_t {
    good = 0x00,
    busy = 0x08,
    queue_full = 0x28,
    logical_unit_not_available = 0x5A,
    write_protect_error = 0x5B,
    read_protect_error = 0x5C,
    buffer_overrun = 0x5D,
};
inline constexpr std::array status_names{
    ValueName{0x00, "GOOD"},
    ValueName{0x08, "BUSY"},
    ValueName{0x28, "TASK SET FULL/QUEUE FULL"},
    ValueName{0x5A, "LOGICAL UNIT NOT AVAILABLE"},
    ValueName{0x5B, "WRITE PROTECT ERROR"},
    ValueName{0x5C, "READ PROTECT ERROR"},
    ValueName{0x5D, "BUFFER OVERRUN"}};

struct Response {
    std::uint64_t reserved1 = 0;
    std::uint16_t reserved2 = 0;
    std::uint8_t reserved_flags = 0;  ///< 4 bits
    bool resid_under = false;         ///< fewer octets than FCP_DL were transferred
    bool resid_over = false;          ///< more would have been
    bool sns_len_valid = false;
    bool rsp_len_valid = false;
    std::uint8_t status = 0;  ///< see StatusCode
    std::uint32_t resid = 0;  ///< octets; means something if resid_under or resid_over
    std::uint32_t sns_len = 0;
    std::uint32_t rsp_len = 0;
};

}  // namespace fabricscope::fc_ae_rdma

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc_ae_rdma::Response> = layout<fc_ae_rdma::Response>(
    "FCP_RSP", "ISO/IEC TR 14165-314, 4.2.4.7", octets(0, 24),
    field<&fc_ae_rdma::Response::reserved1>(at(0), "fcaerdma.rsp.reserved1", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Response::reserved2>(at(8), "fcaerdma.rsp.reserved2", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Response::reserved_flags>(
        bits(10, 0xF0), "fcaerdma.rsp.reserved_flags", "Reserved", hex, reserved),
    field<&fc_ae_rdma::Response::resid_under>(
        bits(10, 0x08), "fcaerdma.resid_under", "Fewer octets than FCP_DL (FCP_RESID_UNDER)"),
    field<&fc_ae_rdma::Response::resid_over>(
        bits(10, 0x04), "fcaerdma.resid_over", "More octets than FCP_DL (FCP_RESID_OVER)"),
    field<&fc_ae_rdma::Response::sns_len_valid>(bits(10, 0x02), "fcaerdma.sns_len_valid", "FCP_SNS_LEN_VALID (zero)"),
    field<&fc_ae_rdma::Response::rsp_len_valid>(bits(10, 0x01), "fcaerdma.rsp_len_valid", "FCP_RSP_LEN_VALID (zero)"),
    field<&fc_ae_rdma::Response::status>(
        at(11), "fcaerdma.status", "Status Code", hex, names(fc_ae_rdma::status_names)),
    field<&fc_ae_rdma::Response::resid>(at(12), "fcaerdma.resid", "Residual Count (FCP_RESID)"),
    field<&fc_ae_rdma::Response::sns_len>(at(16), "fcaerdma.sns_len", "FCP_SNS_LEN (zero)"),
    field<&fc_ae_rdma::Response::rsp_len>(at(20), "fcaerdma.rsp_len", "FCP_RSP_LEN (zero)"));

}  // namespace fabricscope::layout
