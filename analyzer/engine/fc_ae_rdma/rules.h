// SPDX-License-Identifier: GPL-2.0-or-later
// What FC-AE-RDMA traffic must keep to (ISO/IEC TR 14165-314).
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::fc_ae_rdma {

/// Positions in kRules.
enum class RuleName : std::uint8_t {
    code,
    lun_form,
    direction_bits,
    task_management,
    no_xfer_rdy,
    offset_present,
    first_offset,
    next_offset,
    zero_rx_id,
    residual,
    response_length,
    no_sense,
    status_code,
    data_allowed,
    iu_order,
    process_login,
    login_before,
    data_direction,
    region_size,
};

namespace evidence {
inline constexpr const char* ports = "an FC-AE-RDMA message between the ports before";
inline constexpr const char* command = "the FCP_CMND";
inline constexpr const char* exchange = "the Exchange from its FCP_CMND on";
inline constexpr const char* frame = "the frame";
inline constexpr const char* whole = "the Exchange without gaps";
inline constexpr const char* delimiters = "the frame's SOF";
inline constexpr const char* login = "the PRLI and its answer";
inline constexpr const char* region = "the region's size, given by the user";
}  // namespace evidence

inline constexpr std::array kRules{
    Rule{
        "AERDMA-01", Severity::warning, "ISO/IEC TR 14165-314, 4.2.3",
        "Between ports that use FC-AE-RDMA every FCP_CMND has Code A6h or A7h.", evidence::ports},
    Rule{
        "AERDMA-02", Severity::error, "ISO/IEC TR 14165-314, 4.2.2", "FCP_LUN is 00 xx 00 00 00 00 00 00.",
        evidence::command},
    Rule{
        "AERDMA-03", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.3", "FCP_CMND has either READ DATA or WRITE DATA.",
        evidence::command},
    Rule{
        "AERDMA-04", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.3", "FCP_CMND sets no Task Management Flag.",
        evidence::command},
    Rule{
        "AERDMA-05", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.5", "There is no FCP_XFER_RDY.", evidence::exchange},
    Rule{
        "AERDMA-06", Severity::error, "ISO/IEC TR 14165-314, 4.2.3",
        "Relative Offset Present is 0 in FCP_CMND and FCP_RSP, 1 in FCP_DATA.", evidence::frame},
    Rule{
        "AERDMA-07", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6", "The first frame of data has Relative Offset 0.",
        evidence::whole},
    Rule{
        "AERDMA-08", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6",
        "Each further frame of data has the Relative Offset where the one before it ended.", evidence::whole},
    Rule{
        "AERDMA-09", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.6", "In Class 3 write data have RX_ID 0000h.",
        evidence::delimiters},
    Rule{
        "AERDMA-10", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.5, 4.2.4.7",
        "As many octets move as FCP_DL says, or FCP_RESID tells the difference.", evidence::whole},
    Rule{
        "AERDMA-11", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7", "FCP_RSP has exactly 24 octets.",
        evidence::frame},
    Rule{
        "AERDMA-12", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7",
        "FCP_SNS_LEN and FCP_RSP_LEN are zero, and not said to be valid.", evidence::frame},
    Rule{
        "AERDMA-13", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.7", "The status code is one of table 2.",
        evidence::frame},
    Rule{
        "AERDMA-14", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.5, 4.2.4.7",
        "No data follow an error status, or lie beyond FCP_DL.", evidence::exchange},
    Rule{
        "AERDMA-15", Severity::error, "ISO/IEC TR 14165-314, 3.1.4, 4.2.4.4.1",
        "A message is one FCP_CMND, its data, and one FCP_RSP that ends the Exchange.", evidence::exchange},
    Rule{
        "AERDMA-16", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.3",
        "The service parameter pages of PRLI and its accept are as table 2 has them.", evidence::login},
    Rule{
        "AERDMA-17", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.3", "There is traffic only after an accepted PRLI.",
        evidence::login},
    Rule{
        "AERDMA-18", Severity::error, "ISO/IEC TR 14165-314, 4.2.4.4.1",
        "The Target sends the data of a read, the Initiator those of a write.", evidence::exchange},
    Rule{
        "AERDMA-19", Severity::error, "ISO/IEC TR 14165-314, 4.2.3, 4.2.4.7",
        "Base Address and data stay within the Logical Unit's memory region.", evidence::region},
};
static_assert(kRules.size() == static_cast<std::size_t>(RuleName::region_size) + 1);

constexpr const Rule& rule(RuleName name) { return kRules[static_cast<std::size_t>(name)]; }

}  // namespace fabricscope::engine::fc_ae_rdma
