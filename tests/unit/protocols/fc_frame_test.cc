// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/frame.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>

#include "protocols/fc/basic_links.h"
#include "protocols/fc/delimiters.h"
#include "protocols/fc/encapsulation.h"
#include "protocols/fc/registry.h"
#include "tests/unit/protocols/hex.h"

namespace fabricscope::fc {
namespace {

using Octets = std::vector<std::uint8_t>;
using test::from_hex;

Octets counted(std::size_t size) {
    Octets octets(size);
    std::iota(octets.begin(), octets.end(), std::uint8_t{1});
    return octets;
}

template <layout::WireFormat T> void append(Octets& octets, const T& part) {
    octets.resize(octets.size() + layout::size_of<T>);
    layout::build_into(part, std::span(octets).last(layout::size_of<T>));
}

/// A frame whose headers and payload are all there.
Octets frame_with(const DfCtl& df_ctl, std::size_t payload) {
    FrameHeader header;
    header.r_ctl = 0x01;
    header.df_ctl = df_ctl;
    Octets octets;
    append(octets, header);
    const std::size_t optional = df_ctl.esp_header
                                     ? 8
                                     : (df_ctl.network_header ? 16 : 0) + (df_ctl.association_header ? 32 : 0) +
                                           df_ctl.device_header_octets();
    const Octets rest = counted(optional + payload);
    octets.insert(octets.end(), rest.begin(), rest.end());
    return octets;
}

/// A visitor for walk() that notes what the parts are called.
struct Names {
    std::vector<std::string> found;

    template <layout::WireFormat T> void part(const T&, std::size_t, layout::PartInfo) {
        found.emplace_back(layout::layout_of<T>.name);
    }
    void octets(ByteView octets, std::size_t, layout::PartInfo info) {
        if (!octets.empty()) found.emplace_back(info.label);
    }
};

std::vector<std::string> parts_of(const Frame& frame) {
    Names names;
    walk(frame, names);
    return names.found;
}

TEST(FcFrame, HeaderOfARealFrame) {
    // PRLI of samples/real/fcoe_vn2vn.pcap, frame 17.
    const Octets octets = from_hex(
        "22 00 53 14 00 00 53 0a 01 29 00 00 00 00 00 00 00 00 ff ff 00 00 00 00"
        "20 10 00 14 08 00 20 00 00 00 00 00 00 00 00 00 00 00 01 a2");
    const Frame frame = parse_frame(octets, octets.size());
    EXPECT_FALSE(frame.error) << to_string(frame.error);
    EXPECT_EQ(frame.header.r_ctl, r_ctl_els_request);
    EXPECT_EQ(frame.header.d_id, 0x005314U);
    EXPECT_EQ(frame.header.s_id, 0x00530AU);
    EXPECT_EQ(frame.header.type, type_els);
    EXPECT_TRUE(frame.header.is_els());
    EXPECT_TRUE(frame.header.f_ctl.first_sequence);
    EXPECT_TRUE(frame.header.f_ctl.end_sequence);
    EXPECT_TRUE(frame.header.f_ctl.sequence_initiative);
    EXPECT_FALSE(frame.header.f_ctl.last_sequence);
    EXPECT_FALSE(frame.header.f_ctl.exchange_responder);
    EXPECT_EQ(frame.header.ox_id, 0);
    EXPECT_EQ(frame.header.rx_id, unassigned_x_id);
    EXPECT_EQ(frame.payload.size(), 20U);
    EXPECT_EQ(frame.payload_length, 20U);
    EXPECT_EQ(build(frame), octets);
    Octets crc;
    append(crc, Crc{crc_of(octets)});
    EXPECT_EQ(crc, from_hex("67 1c 93 23")) << "as it stands in the capture";
}

TEST(FcFrame, EveryBitOfFCtlHasItsMember) {
    const auto f_ctl = [](std::uint32_t word) {
        Octets octets(frame_header_size);
        octets[9] = static_cast<std::uint8_t>(word >> 16);
        octets[10] = static_cast<std::uint8_t>(word >> 8);
        octets[11] = static_cast<std::uint8_t>(word);
        return parse_frame(octets, octets.size()).header.f_ctl;
    };
    const std::pair<std::uint32_t, bool FCtl::*> flags[] = {
        {1U << 23, &FCtl::exchange_responder},     {1U << 22, &FCtl::sequence_recipient},
        {1U << 21, &FCtl::first_sequence},         {1U << 20, &FCtl::last_sequence},
        {1U << 19, &FCtl::end_sequence},           {1U << 18, &FCtl::end_connection},
        {1U << 17, &FCtl::priority_enable},        {1U << 16, &FCtl::sequence_initiative},
        {1U << 15, &FCtl::x_id_reassigned},        {1U << 14, &FCtl::invalidate_x_id},
        {1U << 11, &FCtl::data_compression},       {1U << 10, &FCtl::data_encryption},
        {1U << 9, &FCtl::retransmitted_sequence},  {1U << 8, &FCtl::unidirectional},
        {1U << 3, &FCtl::relative_offset_present}, {1U << 2, &FCtl::exchange_reassembly}};
    for (const auto& [bit, member] : flags) {
        FCtl expected;
        expected.*member = true;
        EXPECT_EQ(f_ctl(bit), expected) << std::hex << bit;
    }
    EXPECT_EQ(f_ctl(0x003000).ack_form, AckForm::ack_0);
    EXPECT_EQ(f_ctl(0x001000).ack_form, AckForm::ack_1);
    EXPECT_EQ(f_ctl(0x000080).continue_sequence, 2);
    EXPECT_EQ(f_ctl(0x000030).abort_sequence, 3);
    EXPECT_EQ(f_ctl(0x000002).fill_bytes, 2);
}

TEST(FcFrame, OptionalHeadersInAnyCombinationBuildBack) {
    for (unsigned code = 0; code < 64; ++code) {
        const DfCtl df_ctl{
            false, (code & 32) != 0, (code & 16) != 0, (code & 8) != 0, 0, static_cast<std::uint8_t>(code & 3)};
        const Octets octets = frame_with(df_ctl, 12);
        const Frame frame = parse_frame(octets, octets.size());
        EXPECT_FALSE(frame.error) << to_string(frame.error);
        EXPECT_EQ(frame.payload.size(), 12U) << code;
        EXPECT_EQ(frame.esp_header().has_value(), df_ctl.esp_header);
        EXPECT_EQ(frame.network_header().has_value(), df_ctl.network_header && !df_ctl.esp_header);
        EXPECT_EQ(frame.association_header().has_value(), df_ctl.association_header && !df_ctl.esp_header);
        EXPECT_EQ(frame.device_header().size(), df_ctl.esp_header ? 0 : df_ctl.device_header_octets());
        EXPECT_EQ(build(frame), octets) << code;
    }
}

TEST(FcFrame, OptionalHeadersStandInTheirOrder) {
    const Octets octets = frame_with({false, false, true, true, 0, 2}, 4);
    const Frame frame = parse_frame(octets, octets.size());
    EXPECT_EQ(frame.network_header()->destination, 0x0102030405060708U);
    EXPECT_EQ(frame.network_header()->source, 0x090A0B0C0D0E0F10U);
    EXPECT_TRUE(frame.association_header()->responder_operation_valid);  // octet 11h
    EXPECT_EQ(frame.association_header()->originator_process, 0x12131415161718U);
    EXPECT_EQ(frame.association_header()->responder_process, 0x1A1B1C1D1E1F20U);
    EXPECT_EQ(frame.association_header()->originator_operation, 0x2122232425262728U);
    EXPECT_EQ(frame.association_header()->responder_operation, 0x292A2B2C2D2E2F30U);
    ASSERT_EQ(frame.device_header().size(), 32U);
    EXPECT_EQ(frame.device_header()[0], 0x31);
    EXPECT_EQ(frame.payload[0], 0x51);
}

TEST(FcFrame, DeviceHeaderCodes) {
    for (const std::size_t octets : {std::size_t{0}, std::size_t{16}, std::size_t{32}, std::size_t{64}}) {
        DfCtl df_ctl;
        df_ctl.device_header = DfCtl::device_header_code(octets);
        EXPECT_EQ(df_ctl.device_header_octets(), octets);
    }
}

TEST(FcFrame, FillOctetsAreNoPayload) {
    Octets octets = frame_with({}, 8);
    octets[11] = 3;
    const Frame frame = parse_frame(octets, octets.size());
    EXPECT_EQ(frame.payload.size(), 5U);
    EXPECT_EQ(frame.payload_length, 5U);
    EXPECT_EQ(frame.fill.size(), 3U);
    EXPECT_EQ(build(frame), octets);
    octets.resize(frame_header_size + 2);
    EXPECT_EQ(parse_frame(octets, octets.size()).fill.size(), 2U) << "more fill than there is";
}

TEST(FcFrame, ExtendedHeaders) {
    VftHeader vft;
    vft.priority = 5;
    vft.vf_id = 0x123;
    vft.hop_count = 7;
    IfrHeader ifr;
    ifr.routing.octets[6] = 9;
    EncHeader enc;
    enc.d_id = 0x010203;
    Octets octets;
    append(octets, enc);
    append(octets, ifr);
    append(octets, vft);
    EXPECT_EQ(octets[24 + 8 + 2], 0xA2) << "Priority in bits 15-13, VF_ID in bits 12-1";
    EXPECT_EQ(octets[24 + 8 + 3], 0x46);
    const Octets inner = frame_with({}, 4);
    octets.insert(octets.end(), inner.begin(), inner.end());
    const Frame frame = parse_frame(octets, octets.size());
    EXPECT_FALSE(frame.error) << to_string(frame.error);
    EXPECT_EQ(frame.vf_id, 0x123);
    EXPECT_EQ(frame.extended_headers.size(), 40U);
    EXPECT_EQ(frame.header.r_ctl, 0x01);
    EXPECT_EQ(frame.payload.size(), 4U);
    EXPECT_EQ(build(frame), octets);
    const std::vector<std::string> names{
        layout::layout_of<EncHeader>.name, layout::layout_of<IfrHeader>.name, layout::layout_of<VftHeader>.name,
        layout::layout_of<FrameHeader>.name, "Payload"};
    EXPECT_EQ(parts_of(frame), names);
    const Frame cut = parse_frame(ByteView(octets).first(24 + 1), octets.size());
    EXPECT_EQ(parts_of(cut).at(1), "Extended_Header") << "one octet of it";
}

TEST(FcFrame, ExtendedHeadersThatNobodyKnowsOrThatNeverEnd) {
    Octets octets(80);
    octets[0] = 0x5F;
    EXPECT_EQ(parse_frame(octets, octets.size()).error.fault, layout::Fault::wrong_value);
    for (std::size_t i = 0; i < octets.size(); i += 8) octets[i] = r_ctl_vft_header;
    EXPECT_EQ(parse_frame(octets, octets.size()).error.fault, layout::Fault::wrong_value);
}

TEST(FcFrame, CutAnywhereItKeepsWhatIsThere) {
    Octets octets;
    append(octets, VftHeader{});
    const Octets inner = frame_with({false, false, true, true, 0, 3}, 20);
    octets.insert(octets.end(), inner.begin(), inner.end());
    for (std::size_t size = 0; size < octets.size(); ++size) {
        const Frame frame = parse_frame(ByteView(octets).first(size), octets.size());
        EXPECT_EQ(frame.error.fault, layout::Fault::truncated) << size;
        if (size >= 8 + frame_header_size) {
            EXPECT_EQ(frame.header.r_ctl, 0x01);
        }
        if (size >= octets.size() - 20) {
            EXPECT_EQ(frame.payload_length, 20U);
        }
    }
    EXPECT_EQ(parse_frame(octets, 20).error.fault, layout::Fault::wrong_length) << "shorter on the wire, too";
}

TEST(FcFrame, CsCtlAndPreference) {
    FrameHeader header;
    header.preference = true;
    header.class_control = 0x05;
    Octets octets;
    append(octets, header);
    EXPECT_EQ(octets[4], 0x85);
    EXPECT_EQ(header.cs_ctl(), 0x85);
}

TEST(FcFrame, AddressesAndNames) {
    EXPECT_EQ(port_id_text(0x010E0F), "01.0e.0f");
    EXPECT_EQ(name_text(0x200000005E005314), "20:00:00:00:5e:00:53:14");
    EXPECT_STREQ(layout::name_of(address_names, 0xFFFFFC), "Directory Server");
}

TEST(FcFrame, LinkControlParameters) {
    FrameHeader header;
    header.r_ctl = r_ctl_p_rjt;
    header.parameter = 0x02'0B'00'FF;
    EXPECT_TRUE(header.is_link_control());
    const auto reject = parameter_as<RejectParameter>(header);
    EXPECT_STREQ(layout::name_of(reject_action_names, reject.action), "not to be retried");
    EXPECT_STREQ(layout::name_of(reject_reason_names, reject.reason), "invalid OX_ID");
    EXPECT_EQ(reject.vendor, 0xFF);
    EXPECT_EQ(to_parameter(reject), header.parameter);
    header.parameter = 0x00'01'00'02;
    EXPECT_TRUE(parameter_as<AckParameter>(header).history);
    EXPECT_EQ(parameter_as<AckParameter>(header).count, 2);
    header.parameter = 0x01'03'00'00;
    EXPECT_STREQ(
        layout::name_of(busy_reason_names, parameter_as<BusyParameter>(header).reason), "N_Port resource busy");
    header.r_ctl = r_ctl_f_bsy_link_control;
    header.type = 0x31;
    EXPECT_STREQ(layout::name_of(fabric_busy_reason_names, fabric_busy_reason(header)), "N_Port busy");
}

TEST(FcFrame, AnswersToAbts) {
    const Octets accept = from_hex("80 05 00 00 12 34 56 78 00 01 ff ff");
    BaAcc ba_acc;
    EXPECT_FALSE(layout::parse_into(ba_acc, accept));
    EXPECT_STREQ(layout::name_of(seq_id_validity_names, ba_acc.seq_id_validity), "valid");
    EXPECT_EQ(ba_acc.seq_id, 5);
    EXPECT_EQ(ba_acc.ox_id, 0x1234);
    EXPECT_EQ(ba_acc.rx_id, 0x5678);
    EXPECT_EQ(ba_acc.low_seq_cnt, 1);
    EXPECT_EQ(ba_acc.high_seq_cnt, 0xFFFF);
    BaRjt ba_rjt;
    EXPECT_FALSE(layout::parse_into(ba_rjt, from_hex("00 03 03 00")));
    EXPECT_STREQ(layout::name_of(ba_rjt_reason_names, ba_rjt.reason), "logical error");
    EXPECT_STREQ(layout::name_of(ba_rjt_explanation_names, ba_rjt.explanation), "invalid OX_ID-RX_ID combination");
}

// ---- delimiters ----

TEST(FcDelimiters, EveryFormFindsBack) {
    for (int i = 1; i <= static_cast<int>(Sof::n4); ++i) {
        const Sof sof = static_cast<Sof>(i);
        EXPECT_EQ(sof_of_ordered_set(ordered_set_of(sof)), sof) << name_of(sof);
        EXPECT_EQ(sof_of_mds(mds_of(sof)), sof);
        if (class_of(sof) != 1) {
            EXPECT_EQ(sof_of_code(code_of(sof)), sof);
        }
    }
    for (int i = 1; i <= static_cast<int>(Eof::rti); ++i) {
        const Eof eof = static_cast<Eof>(i);
        EXPECT_EQ(eof_of_ordered_set(ordered_set_of(eof)), eof) << name_of(eof);
        EXPECT_EQ(eof_of_ordered_set(ordered_set_of(eof, true)), eof) << name_of(eof);
        EXPECT_EQ(eof_of_code(code_of(eof)), eof);
        EXPECT_EQ(eof_of_mds(mds_of(eof)), eof);
    }
}

TEST(FcDelimiters, TheCodesOfFcoe) {
    EXPECT_EQ(sof_of_code(0x2E), Sof::i3);
    EXPECT_EQ(sof_of_code(0x36), Sof::n3);
    EXPECT_EQ(eof_of_code(0x41), Eof::n);
    EXPECT_EQ(eof_of_code(0x42), Eof::t);
    EXPECT_EQ(sof_of_code(0), std::nullopt);
    EXPECT_EQ(eof_of_code(0xFF), std::nullopt);
    EXPECT_EQ(sof_of_ordered_set(0), std::nullopt);
}

TEST(FcDelimiters, WhatTheyMean) {
    EXPECT_EQ(class_of(Sof::i2), 2);
    EXPECT_TRUE(initiates(Sof::i3));
    EXPECT_FALSE(initiates(Sof::n3));
    EXPECT_TRUE(terminates(Eof::t));
    EXPECT_FALSE(terminates(Eof::n));
    EXPECT_TRUE(is_invalid(Eof::ni));
}

// ---- encapsulations ----

TEST(FcEncapsulation, FcipHeaderAsTheRfcDrawsIt) {
    const Octets octets = from_hex(
        "01 01 fe fe 01 01 fe fe 00 00 ff ff 00 10 ff ef 00 00 00 01 80 00 00 00 00 00 00 00");
    EncapsulationHeader header;
    EXPECT_FALSE(layout::parse_into(header, octets));
    EXPECT_EQ(header.frame_length, 16);
    EXPECT_EQ(header.frame_length_inverted, 0x3EF);
    EXPECT_EQ(header.flags_inverted, 0x3F);
    EXPECT_EQ(header.fraction, 0x8000'0000U);
    EXPECT_FALSE(header.special_frame);
    Octets built;
    append(built, header);
    EXPECT_EQ(built, octets);
    EXPECT_TRUE(DelimiterWord::of(0x2E).consistent());
    EXPECT_FALSE((DelimiterWord{0x2E, 0x2E, 0xD1, 0xD0}.consistent()));
}

TEST(FcEncapsulation, MdsHeader) {
    Octets octets = counted(16);
    octets[1] = 0x26, octets[2] = 0x60, octets[3] = 0x44;
    octets[5] = 0x0A, octets[6] = 0xBE, octets[7] = 0xF1;
    octets[13] = 0x20, octets[14] = 0x0A;
    MdsHeader header;
    EXPECT_FALSE(layout::parse_into(header, octets));
    EXPECT_EQ(sof_of_mds(header.sof), Sof::i3);
    EXPECT_EQ(header.packet_length, 0x44);
    EXPECT_EQ(header.destination_index, 0x2AF);
    EXPECT_EQ(header.source_index, 0x2F1);
    EXPECT_EQ(header.vsan, 10);
    EXPECT_EQ(header.span, 2);
}

// ---- registry ----

TEST(FcRegistry, NamesAreOursAndEachMeansOneThing) {
    std::set<std::string> parts;
    for (const layout::LayoutInfo& part : layouts()) {
        EXPECT_TRUE(parts.insert(part.name).second || std::string(part.name) == "F_Port common service parameters")
            << part.name;
        std::set<std::string> in_part;
        for (const layout::FieldInfo& field : part.fields) {
            EXPECT_EQ(std::string(field.filter).rfind("fabricscope.fc.", 0), 0U) << field.filter;
            EXPECT_TRUE(in_part.insert(field.filter).second) << field.filter;
        }
    }
}

}  // namespace
}  // namespace fabricscope::fc
