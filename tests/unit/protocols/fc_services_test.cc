// SPDX-License-Identifier: GPL-2.0-or-later
// Extended Link Services and Common Transport. "Frame n" is one of samples/real/fcoe_vn2vn.pcap.
#include <gtest/gtest.h>

#include <numeric>

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "tests/unit/protocols/hex.h"

namespace fabricscope::fc {
namespace {

using Octets = std::vector<std::uint8_t>;
using test::from_hex;

ElsMessage parsed(const Octets& octets, std::optional<std::uint8_t> request = std::nullopt) {
    ElsMessage message = parse_els(octets, octets.size(), request);
    EXPECT_FALSE(message.error) << to_string(message.error);
    EXPECT_EQ(build(message), octets);
    return message;
}

template <class Body> Body body_of(const Octets& octets, std::optional<std::uint8_t> request = std::nullopt) {
    return std::get<Body>(parsed(octets, request).body);
}

/// Octets that count up behind the command, so that each field has another value.
Octets counted(std::uint8_t command, std::size_t size) {
    Octets octets(size);
    std::iota(octets.begin(), octets.end(), std::uint8_t{0});
    octets[0] = command;
    octets[1] = octets[2] = octets[3] = 0;
    return octets;
}

const Octets plogi = from_hex(  // frame 15
    "03 00 00 00 20 20 00 0a 80 00 08 40 00 ff 00 1f 00 00 07 d0 20 00 00 00 5e 00 53 14 10 00 00 00 5e 00 53 14"
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
    "88 00 00 00 00 00 08 40 00 ff 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");

TEST(FcEls, PlogiOfLinux) {
    const Login login = body_of<Login>(plogi);
    const auto& common = std::get<PortServiceParameters>(login.common);
    EXPECT_EQ(common.credit.bb_credit, 10);
    EXPECT_TRUE(common.continuously_increasing_relative_offset);
    EXPECT_FALSE(common.continuously_increasing_seq_cnt);
    EXPECT_FALSE(common.e_d_tov_nanoseconds);
    EXPECT_EQ(common.sizes.receive_data_field_size, 2112);
    EXPECT_EQ(common.total_concurrent_sequences, 255);
    EXPECT_EQ(common.relative_offset_categories, 0x1F);
    EXPECT_EQ(common.e_d_tov, 2000U);
    EXPECT_EQ(name_text(login.names.port_name), "20:00:00:00:5e:00:53:14");
    EXPECT_EQ(name_text(login.names.node_name), "10:00:00:00:5e:00:53:14");
    EXPECT_FALSE(login.of_class(2).valid);
    EXPECT_TRUE(login.of_class(3).valid);
    EXPECT_TRUE(login.of_class(3).sequential_delivery);
    EXPECT_FALSE(login.of_class(3).preference);
    EXPECT_EQ(login.of_class(3).receive_data_field_size, 2112);
    EXPECT_EQ(login.of_class(3).concurrent_sequences, 255);
    EXPECT_EQ(login.of_class(3).open_sequences_per_exchange, 1);
}

TEST(FcEls, TheBitsThatFcViAsksFor) {
    Octets octets = plogi;
    octets[9] |= 0x02;   // word 1, bit 17
    octets[69] |= 0x40;  // class 3, word 0, bit 22
    EXPECT_TRUE(std::get<PortServiceParameters>(body_of<Login>(octets).common).continuously_increasing_seq_cnt);
    EXPECT_TRUE(body_of<Login>(octets).of_class(3).preference);
}

TEST(FcEls, FlogiAndItsAccept) {
    Octets octets = plogi;
    octets[0] = els_flogi;
    octets[12] = octets[13] = octets[15] = 0;
    EXPECT_TRUE(std::get<FabricServiceRequest>(body_of<Login>(octets).common).multiple_n_port_ids);
    octets[0] = els_ls_acc;
    octets[8] = 0x14;  // F_Port, E_D_TOV in nanoseconds
    octets[14] = 0x27, octets[15] = 0x10;
    const Login login = body_of<Login>(octets, els_flogi);
    const auto& common = std::get<FabricServiceAccept>(login.common);
    EXPECT_TRUE(common.f_port);
    EXPECT_TRUE(common.e_d_tov_nanoseconds);
    EXPECT_FALSE(common.clean_address);
    EXPECT_EQ(common.r_a_tov, 10000U);
    EXPECT_EQ(common.e_d_tov, 2000U);
    EXPECT_TRUE(std::holds_alternative<OtherEls>(parsed(octets).body)) << "what it answers must be known";
}

TEST(FcEls, LoginOf256OctetsKeepsItsExtension) {
    Octets octets = plogi;
    octets.resize(256, 0xEE);
    EXPECT_EQ(body_of<Login>(octets).extension.size(), 256 - login_size);
}

// Pages are views: the octets must live as long.
const Octets prli_request = from_hex("20 10 00 14 08 00 20 00 00 00 00 00 00 00 00 00 00 00 01 a2");  // frame 17
const Octets prli_accept = from_hex("02 10 00 14 08 00 21 00 00 00 00 00 00 00 00 00 00 00 01 a2");   // frame 19
const Octets prlo_request = from_hex("21 10 00 14 08 00 80 00 12 34 56 78 00 00 00 00 00 00 00 00");
const Octets prlo_accept = from_hex("02 10 00 14 08 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00");

TEST(FcEls, PrliAndItsAccept) {
    const Prli prli = body_of<Prli>(prli_request);
    ASSERT_EQ(prli.pages.size(), 1U);
    EXPECT_EQ(prli.pages[0].type, type_fcp);
    EXPECT_TRUE(prli.pages[0].establish_image_pair);
    EXPECT_EQ(prli.pages[0].service_parameters, 0x1A2U);
    const PrliAccept accept = body_of<PrliAccept>(prli_accept, els_prli);
    ASSERT_EQ(accept.pages.size(), 1U);
    EXPECT_TRUE(accept.pages[0].image_pair_established);
    EXPECT_STREQ(layout::name_of(prli_response_names, accept.pages[0].response), "request executed");
}

TEST(FcEls, PrliLengthsThatContradictThemselves) {
    Octets octets = prli_request;
    octets[1] = 12;
    EXPECT_EQ(parse_els(octets, octets.size()).error.fault, layout::Fault::wrong_length);
    octets[1] = 16, octets[3] = 0x24;
    EXPECT_EQ(parse_els(octets, octets.size()).error.fault, layout::Fault::wrong_length);
    octets[3] = 0x13;
    EXPECT_EQ(parse_els(octets, octets.size()).error.fault, layout::Fault::wrong_length);
}

TEST(FcEls, PrloAndItsAccept) {
    const Prlo prlo = body_of<Prlo>(prlo_request);
    EXPECT_EQ(prlo.pages[0].type, type_fcp);
    EXPECT_TRUE(prlo.pages[0].originator_process_valid);
    EXPECT_EQ(prlo.pages[0].originator_process, 0x12345678U);
    EXPECT_EQ(body_of<Prlo>(prlo_accept, els_prlo).pages[0].response, 1);
}

TEST(FcEls, LogoAdiscFanFarp) {
    const Logo logo = body_of<Logo>(counted(els_logo, 16));
    EXPECT_EQ(logo.port_id, 0x050607U);
    EXPECT_EQ(logo.port_name, 0x08090A0B0C0D0E0FU);
    const Adisc adisc = body_of<Adisc>(counted(els_adisc, 28));
    EXPECT_EQ(adisc.hard_address, 0x050607U);
    EXPECT_EQ(adisc.port_name, 0x08090A0B0C0D0E0FU);
    EXPECT_EQ(adisc.node_name, 0x1011121314151617U);
    EXPECT_EQ(adisc.port_id, 0x191A1BU);
    EXPECT_EQ(body_of<Adisc>(counted(els_ls_acc, 28), els_adisc).port_id, 0x191A1BU);
    const Fan fan = body_of<Fan>(counted(els_fan, 24));
    EXPECT_EQ(fan.loop_fabric_address, 0x050607U);
    EXPECT_EQ(fan.fabric_port_name, 0x08090A0B0C0D0E0FU);
    EXPECT_EQ(fan.fabric_name, 0x1011121314151617U);
    Octets octets = counted(els_farp_request, 76);
    octets[4] = farp_match_ip, octets[8] = farp_reply;
    const Farp farp = body_of<Farp>(octets);
    EXPECT_STREQ(layout::name_of(farp_match_names, farp.match), "IP address");
    EXPECT_EQ(farp.requesting_port_id, 0x050607U);
    EXPECT_STREQ(layout::name_of(farp_action_names, farp.action), "send FARP-REPLY");
    EXPECT_EQ(farp.responding_port_id, 0x090A0BU);
    EXPECT_EQ(farp.requesting_port_name, 0x0C0D0E0F10111213U);
    EXPECT_EQ(farp.requesting_node_name, 0x1415161718191A1BU);
    EXPECT_EQ(farp.responding_port_name, 0x1C1D1E1F20212223U);
    EXPECT_EQ(farp.responding_node_name, 0x2425262728292A2BU);
    EXPECT_EQ(farp.requesting_ip.octets[0], 0x2C);
    EXPECT_EQ(farp.responding_ip.octets[15], 0x4B);
}

TEST(FcEls, StatusAndTimeouts) {
    EXPECT_EQ(body_of<RlsRequest>(counted(els_rls, 8)).port_id, 0x050607U);
    const RlsAccept rls = body_of<RlsAccept>(counted(els_ls_acc, 28), els_rls);
    EXPECT_EQ(rls.link_failures, 0x04050607U);
    EXPECT_EQ(rls.losses_of_signal, 0x0C0D0E0FU);
    EXPECT_EQ(rls.invalid_crcs, 0x18191A1BU);
    // frame 23
    const RtvAccept rtv = body_of<RtvAccept>(from_hex("02 00 00 00 00 00 0f a0 00 00 07 d0 00 00 00 00"), els_rtv);
    EXPECT_EQ(rtv.r_a_tov, 4000U);
    EXPECT_EQ(rtv.e_d_tov, 2000U);
    EXPECT_FALSE(rtv.e_d_tov_nanoseconds);
    EXPECT_TRUE(body_of<RtvAccept>(from_hex("02 00 00 00 00 00 0f a0 00 00 07 d0 04 08 00 00"), els_rtv).short_r_t_tov);
    const Rrq rrq = body_of<Rrq>(counted(els_rrq, 12));
    EXPECT_EQ(rrq.originator_s_id, 0x050607U);
    EXPECT_EQ(rrq.ox_id, 0x0809);
    EXPECT_EQ(rrq.rx_id, 0x0A0B);
    EXPECT_EQ(body_of<Csu>(counted(els_csu, 12)).clock_count, 0x0405060708090A0BU);
    EXPECT_EQ(body_of<OtherEls>(counted(els_csr, 12)).content.size(), 8U);
}

TEST(FcEls, LsRjt) {
    const LsRjt reject = body_of<LsRjt>(from_hex("01 00 00 00 00 05 1e 07"));
    EXPECT_STREQ(layout::name_of(ls_rjt_reason_names, reject.reason), "logical busy");
    EXPECT_STREQ(layout::name_of(ls_rjt_explanation_names, reject.explanation), "N_Port Login required");
    EXPECT_EQ(reject.vendor, 7);
}

TEST(FcEls, CutAnywhereItKeepsWhatIsThere) {
    const std::pair<Octets, std::optional<std::uint8_t>> messages[] = {
        {plogi, {}},
        {prli_request, {}},
        {counted(els_farp_request, 76), {}},
        {counted(els_ls_acc, 28), els_rls},
        {counted(els_logo, 16), {}}};
    for (const auto& [octets, request] : messages)
        for (std::size_t size = 0; size < octets.size(); ++size) {
            const ElsMessage message = parse_els(ByteView(octets).first(size), octets.size(), request);
            EXPECT_EQ(message.error.fault, layout::Fault::truncated) << size;
            EXPECT_LE(message.error.offset, size);
        }
}

// ---- Common Transport ----

const Octets gid_ipp = from_hex(
    "01 00 00 00 fc 02 00 00 01 b1 00 00 00 00 00 00"
    "00 00 00 00 00 00 00 00 00 00 00 00 c0 00 02 14");

TEST(FcCt, GidIppRequest) {
    const CtMessage message = parse_ct(gid_ipp, gid_ipp.size());
    EXPECT_FALSE(message.error) << to_string(message.error);
    EXPECT_TRUE(message.is_name_server());
    EXPECT_STREQ(layout::name_of(ct_command_names, message.header.command), "GID_IPP");
    EXPECT_EQ(std::get<GidIppRequest>(message.body).ip.octets[12], 192);
    EXPECT_EQ(build(message), gid_ipp);
}

TEST(FcCt, GidIppAcceptWithSeveralPorts) {
    const Octets octets = from_hex(
        "01 00 00 00 fc 02 00 00 80 02 00 00 00 00 00 00  00 01 02 03 00 01 02 04 80 01 02 05  ff ff ff ff");
    const CtMessage message = parse_ct(octets, octets.size(), ct_gid_ipp);
    EXPECT_FALSE(message.error) << to_string(message.error);
    const auto& ports = std::get<GidIppAccept>(message.body).ports;
    ASSERT_EQ(ports.size(), 3U);
    EXPECT_EQ(ports[0].port_id, 0x010203U);
    EXPECT_FALSE(ports[1].last);
    EXPECT_TRUE(ports[2].last);
    EXPECT_EQ(message.padding.size(), 4U);
    EXPECT_EQ(build(message), octets);
    EXPECT_TRUE(std::holds_alternative<UnknownCt>(parse_ct(octets, octets.size()).body))
        << "what it answers must be known";
}

TEST(FcCt, Reject) {
    const Octets octets = from_hex("01 00 00 00 fc 02 00 00 80 01 00 00 00 09 0b 00");
    const CtMessage message = parse_ct(octets, octets.size(), ct_gid_ipp);
    EXPECT_STREQ(layout::name_of(ct_reason_names, message.header.reason), "unable to perform command request");
    EXPECT_STREQ(layout::name_of(ct_explanation_names, message.header.explanation), "IP Address (Port) not registered");
    EXPECT_EQ(build(message), octets);
}

TEST(FcCt, CutAnywhereItKeepsWhatIsThere) {
    for (std::size_t size = 0; size < gid_ipp.size(); ++size) {
        const CtMessage message = parse_ct(ByteView(gid_ipp).first(size), gid_ipp.size());
        EXPECT_EQ(message.error.fault, layout::Fault::truncated) << size;
    }
}

}  // namespace
}  // namespace fabricscope::fc
