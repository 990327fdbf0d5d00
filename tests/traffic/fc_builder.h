// SPDX-License-Identifier: GPL-2.0-or-later
// Whole Sequences and Exchanges of the frames that protocols/builders/fc_frame_builder.h makes, and more ways of
// carrying them.
#pragma once

#include <optional>
#include <vector>

#include "protocols/builders/fc_frame_builder.h"
#include "protocols/builders/fc_login_payloads.h"

namespace fabricscope::traffic {

using Octets = std::vector<std::uint8_t>;

using builders::as_fc2_with_delimiters;
using builders::as_fcoe;
using builders::fc_frame;
using builders::fc_ip;
using builders::fc_with_crc;
using builders::FcFrame;
using builders::gid_ipp_answer_payload;
using builders::gid_ipp_payload;
using builders::ls_acc_payload;
using builders::sof_of;

/// An Information Unit, to be sent as one Sequence.
struct FcSequenceFields {
    fc::FrameHeader header;         ///< of the first frame; its Sequence Initiative is passed by the last one
    ByteView device_header{};       ///< in every frame: 0, 16, 32 or 64 octets
    ByteView data{};                ///< the payload of all frames together
    std::size_t frame_size = 2048;  ///< most octets of payload in a frame, a multiple of 4
    int service_class = 3;
};

/// What a data frame ends with. In class 2 it is the ACK of the last frame that ends the Sequence.
fc::Eof eof_of(int service_class, bool last);

/// The frames of a Sequence: SEQ_CNT counts up from the header's, and so does the Relative Offset, if present.
std::vector<FcFrame> fc_sequence(const FcSequenceFields& fields);

/// A Link_Control frame that answers a data frame: ACK_1, P_RJT, F_RJT, P_BSY, F_BSY. `rx_id`: what the Responder
/// calls the Exchange, if the data frame does not have it yet.
FcFrame fc_link_control(
    const FcFrame& frame, std::uint8_t r_ctl, std::uint32_t parameter, std::optional<std::uint16_t> rx_id = {});
FcFrame ack_1(const FcFrame& frame, std::optional<std::uint16_t> rx_id = {});

// ---- Exchanges -------------------------------------------------------------------------------------

/// An N_Port, or a well-known address.
struct FcPort {
    std::uint32_t id = 0;
    std::uint64_t port_name = 0, node_name = 0;
    std::uint16_t next_x_id = 0x100;  ///< for OX_ID and RX_ID
};

/// An Information Unit of an Exchange.
struct FcIu {
    std::uint8_t r_ctl = 0;
    ByteView data{};
    ByteView device_header{};
    bool from_responder = false;
    bool last = false;  ///< Last_Sequence
    bool passes_initiative = false;
    bool relative_offset = false;
    std::uint32_t offset = 0;  ///< of the first frame, with relative_offset
    std::size_t frame_size = 2048;
};

/// Makes the frames of one Exchange, in order. SEQ_ID counts up; so does SEQ_CNT, over the whole Exchange in each
/// direction if `continuous`, from 0 in each Sequence otherwise.
class FcExchange {
public:
    FcExchange(
        FcPort& originator, FcPort& responder, std::uint8_t type, int service_class = 3, bool continuous = false);

    std::vector<FcFrame> send(const FcIu& iu);

    FcFrame abts(bool from_responder, bool sequence_only = false) const;
    FcFrame ba_acc(bool from_responder) const;
    FcFrame ba_rjt(bool from_responder, std::uint8_t reason, std::uint8_t explanation) const;

    std::uint16_t ox_id() const { return ox_id_; }
    void set_ox_id(std::uint16_t ox_id) { ox_id_ = ox_id; }
    void set_originator(const FcPort& port) { originator_ = port; }  ///< once FLOGI gave it an address

private:
    fc::FrameHeader header(bool from_responder) const;
    FcFrame basic(bool from_responder, std::uint8_t r_ctl, std::uint32_t parameter, ByteView payload) const;

    FcPort originator_, responder_;
    std::uint8_t type_;
    int service_class_;
    bool continuous_;
    std::uint16_t ox_id_, rx_id_;
    bool answered_ = false;
    struct Sent {
        std::uint8_t next_seq_id = 0;
        std::uint16_t next_seq_cnt = 0;
        bool any = false;
    };
    Sent sent_[2];
};

// Payloads of Extended Link Services and of the Name Server.
Octets login_payload(const FcPort& port, std::uint8_t command);
Octets flogi_accept_payload(const FcPort& port, std::uint32_t r_a_tov_ms, std::uint32_t e_d_tov_ms);
Octets prli_payload(std::uint8_t type, std::uint32_t parameters);
Octets prli_accept_payload(std::uint8_t type, std::uint32_t parameters, std::uint8_t response = 1);
Octets ls_rjt_payload(std::uint8_t reason, std::uint8_t explanation);
Octets farp_payload(
    std::uint8_t command, const FcPort& asking, const Gid& asking_ip, const FcPort& asked, const Gid& asked_ip);

/// FIP Clear Virtual Links of these VN_Ports, from FIP's header on; of none: of all that a station has.
Octets clear_virtual_links(const std::vector<std::uint32_t>& ports);

// ---- carriers --------------------------------------------------------------------------------------

// What a capture holds of a frame.
/// With a VFT_Header before it, if it is of a Virtual Fabric.
Octets as_fc2(const FcFrame& frame, std::optional<std::uint16_t> vf_id = std::nullopt);
Octets as_mds(const FcFrame& frame, std::uint16_t vsan);
Octets as_boardwalk(const FcFrame& frame, std::uint16_t vsan);
/// A piece of an FCIP connection's TCP stream.
Octets as_fcip(const FcFrame& frame);

}  // namespace fabricscope::traffic
