// SPDX-License-Identifier: GPL-2.0-or-later
// An FC-AE-RDMA Initiator and its Target: each call is an IU as ISO/IEC TR 14165-314 has it, and may be changed before
// it is sent. Where its frames go, who derives from this says.
#pragma once

#include <functional>

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"
#include "tests/traffic/fc_talk.h"

namespace fabricscope::traffic {

/// A frame before it is sent.
struct FcAeRdmaSpec {
    bool from_initiator = true;
    fc::FrameHeader header;
    Octets payload;
    int service_class = 3;
    bool lost = false;  ///< sent, but not captured
};

class FcAeRdmaDialogue : public FcTalk {
public:
    using Change = std::function<void(FcAeRdmaSpec&)>;
    static void unchanged(FcAeRdmaSpec&) {}

    static constexpr std::uint32_t initiator_id = 0x01'0203, target_id = 0x04'0506;

    void command(bool read, std::uint32_t length, const Change& change = unchanged);
    /// The next octets of the data in a frame, which ends its Sequence or does not.
    void data_frame(std::uint32_t octets, bool ends_sequence, const Change& change = unchanged);
    void data(std::uint32_t octets, const Change& change = unchanged) { data_frame(octets, true, change); }
    /// The next octets of the data as one Sequence of as many frames as that takes.
    void data_frames(std::uint32_t octets, std::uint32_t frame_size);
    void response(fc_ae_rdma::StatusCode status = fc_ae_rdma::StatusCode::good, const Change& change = unchanged);
    void read(std::uint32_t octets) { command(true, octets), data(octets), response(); }
    void write(std::uint32_t octets) { command(false, octets), data(octets), response(); }
    void transfer_ready();
    /// An FCP_CMND of an Exchange that has nothing to do with FC-AE-RDMA.
    void plain_command();

    std::uint16_t ox_id = 0x100;  ///< of the latest Exchange
    std::uint8_t lun = 3;
    std::uint32_t base_address = 0x1000;
    bool notify = true;
    int service_class = 3;  ///< 2: each data frame is acknowledged with ACK_1

private:
    FcAeRdmaSpec spec(bool from_initiator, fc_ae_rdma::Iu iu) const;
    void send(FcAeRdmaSpec s, const Change& change);

    bool read_ = false;
    std::uint32_t length_ = 0, offset_ = 0;
    std::uint16_t seq_cnt_ = 0;  ///< of the data
    std::uint8_t seq_id_ = 0;
    bool in_sequence_ = false;
};

/// The service parameters of PRLI and its accept as table 2 has them.
inline constexpr std::uint32_t fc_ae_rdma_prli = 0x33, fc_ae_rdma_prli_accept = 0x33;

}  // namespace fabricscope::traffic
