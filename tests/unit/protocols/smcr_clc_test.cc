// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/clc.h"

#include <gtest/gtest.h>

namespace fabricscope::smcr {
namespace {

using layout::Fault;
using Octets = std::vector<std::uint8_t>;

/// RFC 7609, A.2.2: an IPv4 PROPOSAL without any growth area has 52 octets.
Octets rfc_proposal() {
    Octets m{0xE2, 0xD4, 0xC3, 0xD9, 1, 0, 52, 0x10};
    const Octets peer{0x12, 0x34, 2, 0, 0, 0, 0, 1};
    m.insert(m.end(), peer.begin(), peer.end());
    m.resize(32, 0xAB);         // GID
    m.resize(38, 0xCD);         // MAC
    m.insert(m.end(), {0, 0});  // IP area offset
    m.insert(m.end(), {192, 0, 2, 0, 24, 0, 0, 0});
    m.insert(m.end(), {0xE2, 0xD4, 0xC3, 0xD9});
    return m;
}

/// The parts of an ACCEPT, CONFIRM or DECLINE put together, lengths and trailer filled in.
template <class Body> Octets message(ClcType type, Body body, std::uint32_t eye_catcher = eye_catcher_smc_r) {
    ClcMessage m;
    m.header = {eye_catcher, type, 0};
    m.body = std::move(body);
    m.trailer = ClcTrailer{eye_catcher};
    m.header.length = static_cast<std::uint16_t>(build(m).size());
    return build(m);
}

template <layout::WireFormat T> Octets list_of(std::initializer_list<T> elements) {
    Octets octets(elements.size() * layout::size_of<T>);
    std::size_t at = 0;
    for (const T& element : elements) {
        layout::build_into(element, std::span(octets).subspan(at));
        at += layout::size_of<T>;
    }
    return octets;
}

Octets accept_v1() {
    SmcrAcceptConfirm body;
    body.body.first_contact = true;
    body.body.qpn = 0x123456;
    body.body.rkey = 0xCAFE0001;
    body.body.rmb_index = 7;
    body.body.alert_token = 0x01020304;
    body.body.buffer_size = 2;
    body.body.mtu = 3;
    body.body.rmb_address = 0xFF00112233445566;
    body.body.initial_psn = 0xABCDEF;
    return message(ClcType::accept, body);
}

Octets confirm_v2(const Octets& gids) {
    SmcrAcceptConfirm body;
    body.body.version = 2;
    body.v2.emplace();
    body.first_contact.emplace();
    body.first_contact_v2x.emplace().max_links = 2;
    body.gid_list.emplace().count = static_cast<std::uint8_t>(gids.size() / layout::size_of<GidEntry>);
    body.gids = {gids};
    return message(ClcType::confirm, body);
}

Octets proposal_v2(const Octets& eids, const Octets& ism_gids) {
    Proposal body;
    auto& version = body.version.emplace<ProposalVersion2>();
    version.type_v1 = 2;  // nothing in version 1, so no IP area
    body.smcd.emplace().v2_extension_offset = 28;
    auto& extension = body.v2.emplace();
    extension.eid_count = static_cast<std::uint8_t>(eids.size() / layout::size_of<Eid>);
    extension.ism_gid_count = static_cast<std::uint8_t>(ism_gids.size() / layout::size_of<IsmGid>);
    extension.seid_present = true;
    extension.smcd_extension_offset = static_cast<std::uint16_t>(32 + eids.size());
    body.eids = {eids};
    body.smcd_v2.emplace();
    body.ism_gids = {ism_gids};
    return message(ClcType::proposal, body);
}

TEST(Clc, RfcProposalHasNoGrowthArea) {
    const Octets octets = rfc_proposal();
    const ClcMessage m = parse_clc(octets);
    ASSERT_FALSE(m.error) << to_string(m.error);
    const auto& proposal = std::get<Proposal>(m.body);
    EXPECT_EQ(m.version(), 1);
    EXPECT_FALSE(proposal.smcd);
    ASSERT_TRUE(proposal.ip);
    EXPECT_EQ(to_string(proposal.ip->subnet), "192.0.2.0");
    EXPECT_EQ(proposal.ip->mask_length, 24);
    EXPECT_EQ(proposal.body.peer_id.instance, 0x1234);
    EXPECT_EQ(build(m), octets);
}

TEST(Clc, ProposalSkipsAGrowthAreaOfAnySize) {
    for (const std::size_t growth : {1U, 12U, 40U, 57U}) {
        Octets octets = rfc_proposal();
        octets.insert(octets.begin() + 40, growth, 0x5A);
        octets[6] = static_cast<std::uint8_t>(52 + growth);
        octets[39] = static_cast<std::uint8_t>(growth);
        // Linux's area begins with what would be an offset to a version 2 extension: there is none.
        if (growth >= 40) octets[50] = octets[51] = 0;
        const ClcMessage m = parse_clc(octets);
        ASSERT_FALSE(m.error) << growth << ": " << to_string(m.error);
        EXPECT_EQ(std::get<Proposal>(m.body).ip->mask_length, 24) << growth;
        EXPECT_EQ(build(m), octets) << growth;
    }
}

TEST(Clc, ProposalCarriesIpv6Prefixes) {
    Octets octets = rfc_proposal();
    const Octets prefixes = list_of<Ipv6Prefix>({{{{0x20, 1, 0x0D, 0xB8}}, 64}, {{{0x20, 1, 0x0D, 0xB8, 1}}, 48}});
    octets.insert(octets.begin() + 48, prefixes.begin(), prefixes.end());
    octets[6] = static_cast<std::uint8_t>(octets.size());
    octets[47] = 2;
    const ClcMessage m = parse_clc(octets);
    ASSERT_FALSE(m.error) << to_string(m.error);
    const auto& proposal = std::get<Proposal>(m.body);
    ASSERT_EQ(proposal.prefixes.size(), 2U);
    EXPECT_EQ(to_string(proposal.prefixes[1].prefix), "2001:db8:100::");
    EXPECT_EQ(proposal.prefixes[1].length, 48);
    EXPECT_EQ(build(m), octets);
}

TEST(Clc, PrefixCountBeyondTheMessageNamesTheField) {
    Octets octets = rfc_proposal();
    octets[47] = 3;
    const ClcMessage m = parse_clc(octets);
    EXPECT_EQ(m.error.fault, Fault::wrong_length);
    EXPECT_STREQ(m.error.field, "smcr.clc.proposal.prefix");
    EXPECT_EQ(m.error.offset, 48U);
    EXPECT_TRUE(std::get<Proposal>(m.body).ip) << "what stands before the error is there";
}

TEST(Clc, ProposalV2WithEidsAndSmcdExtension) {
    const Octets eids = list_of<Eid>({{{{'L', 'A', 'B'}}}, {{{'X'}}}});
    const Octets isms = list_of<IsmGid>({{0x1122334455667788, 0x9900}});
    const Octets octets = proposal_v2(eids, isms);
    EXPECT_EQ(octets.size(), 80U + 40 + 64 + 48 + 10 + 4);
    const ClcMessage m = parse_clc(octets);
    ASSERT_FALSE(m.error) << to_string(m.error);
    const auto& proposal = std::get<Proposal>(m.body);
    EXPECT_FALSE(proposal.ip);
    ASSERT_EQ(proposal.eids.size(), 2U);
    EXPECT_EQ(printable_text(proposal.eids[0].text.octets), "LAB");
    ASSERT_EQ(proposal.ism_gids.size(), 1U);
    EXPECT_EQ(proposal.ism_gids[0].gid, 0x1122334455667788U);
    EXPECT_EQ(build(m), octets);
}

TEST(Clc, AcceptVersion1) {
    const Octets octets = accept_v1();
    ASSERT_EQ(octets.size(), 68U);
    EXPECT_EQ((Octets{octets.begin() + 38, octets.begin() + 41}), (Octets{0x12, 0x34, 0x56})) << "QPN";
    EXPECT_EQ((Octets{octets.begin() + 61, octets.begin() + 64}), (Octets{0xAB, 0xCD, 0xEF})) << "initial PSN";
    EXPECT_EQ(octets[50], 0x23) << "buffer size and MTU";
    const ClcMessage m = parse_clc(octets);
    ASSERT_FALSE(m.error) << to_string(m.error);
    const auto& body = std::get<SmcrAcceptConfirm>(m.body).body;
    EXPECT_TRUE(body.first_contact);
    EXPECT_EQ(body.qpn, 0x123456U);
    EXPECT_EQ(buffer_size(body.buffer_size), 65536U);
    EXPECT_EQ(mtu_octets(body.mtu), 1024U);
    EXPECT_EQ(body.rmb_address, 0xFF00112233445566U);
    EXPECT_EQ(build(m), octets);
}

TEST(Clc, ConfirmVersion2WithGidList) {
    const Octets gids = list_of<GidEntry>({{{{1}}}, {{{2}}}});
    const Octets octets = confirm_v2(gids);
    ASSERT_EQ(octets.size(), 196U);
    const ClcMessage m = parse_clc(octets);
    ASSERT_FALSE(m.error) << to_string(m.error);
    const auto& body = std::get<SmcrAcceptConfirm>(m.body);
    EXPECT_EQ(body.first_contact_v2x->max_links, 2);
    EXPECT_EQ(body.gids.size(), 2U);
    EXPECT_EQ(build(m), octets);
}

TEST(Clc, SmcdBothVersions) {
    SmcdAcceptConfirm v1;
    v1.body.gid = 0x1111;
    v1.body.link_id = 0x22;
    const Octets octets1 = message(ClcType::accept, v1, eye_catcher_smc_d);
    ASSERT_EQ(octets1.size(), 48U);
    SmcdAcceptConfirm v2;
    v2.body.version = 2;
    v2.tail.emplace<SmcdAcceptConfirmV2>().chid = 0x3333;
    const Octets octets2 = message(ClcType::confirm, v2, eye_catcher_smc_d);
    ASSERT_EQ(octets2.size(), 78U);
    v2.first_contact.emplace().release = 1;
    const Octets octets3 = message(ClcType::confirm, v2, eye_catcher_smc_d);
    ASSERT_EQ(octets3.size(), 114U);
    for (const Octets& octets : {octets1, octets2, octets3}) {
        const ClcMessage m = parse_clc(octets);
        ASSERT_FALSE(m.error) << to_string(m.error);
        EXPECT_TRUE(std::holds_alternative<SmcdAcceptConfirm>(m.body));
        EXPECT_EQ(build(m), octets);
    }
    EXPECT_EQ(std::get<SmcdAcceptConfirm>(parse_clc(octets3).body).first_contact->release, 1);
}

TEST(Clc, DeclineBothVersions) {
    Decline v1;
    v1.body.diagnosis = 0x03030000;
    const Octets octets1 = message(ClcType::decline, v1);
    ASSERT_EQ(octets1.size(), 28U);
    Decline v2 = v1;
    v2.body.version = 2;
    v2.body.os_type = 2;
    v2.v2.emplace().diagnosis4 = 4;
    const Octets octets2 = message(ClcType::decline, v2);
    ASSERT_EQ(octets2.size(), 44U);
    for (const Octets& octets : {octets1, octets2}) {
        const ClcMessage m = parse_clc(octets);
        ASSERT_FALSE(m.error) << to_string(m.error);
        EXPECT_EQ(std::get<Decline>(m.body).body.diagnosis, 0x03030000U);
        EXPECT_EQ(build(m), octets);
    }
    EXPECT_STREQ(layout::name_of(decline_names, 0x03030000), "no SMC device found");
}

TEST(Clc, CutMessagesNameTheFirstMissingField) {
    const Octets octets = accept_v1();
    for (std::size_t length = 0; length < octets.size(); ++length) {
        const ClcMessage m = parse_clc(ByteView(octets).first(length));
        ASSERT_EQ(m.error.fault, Fault::truncated) << length;
        EXPECT_LE(m.error.offset, length) << "the field begins before the cut, or right at it";
        EXPECT_NE(std::string(m.error.field), "") << length;
    }
    const ClcMessage m = parse_clc(ByteView(octets).first(43));
    EXPECT_STREQ(m.error.field, "smcr.clc.rkey");
    EXPECT_EQ(m.error.offset, 41U);
    EXPECT_EQ(std::get<SmcrAcceptConfirm>(m.body).body.qpn, 0x123456U) << "fields before the cut are used";
}

TEST(Clc, WrongTrailerIsAWrongValue) {
    Octets octets = accept_v1();
    octets.back() = 0;
    const ClcMessage m = parse_clc(octets);
    EXPECT_EQ(m.error.fault, Fault::wrong_value);
    EXPECT_STREQ(m.error.field, "smcr.clc.trailer");
    EXPECT_EQ(m.error.offset, 64U);
    EXPECT_EQ(build(m), octets) << "and still every octet is kept";
}

TEST(Clc, TooLongForVersion1) {
    Octets octets = accept_v1();
    octets.insert(octets.end() - 4, 2, 0);
    octets[6] = 70;
    const ClcMessage m = parse_clc(octets);
    EXPECT_EQ(m.error.fault, Fault::wrong_length);
    EXPECT_STREQ(m.error.field, "smcr.clc.length");
    EXPECT_EQ(m.error.expected, 68U);
    EXPECT_EQ(m.error.actual, 70U);
}

TEST(Clc, LengthTooSmallForAnyMessage) {
    Octets octets = accept_v1();
    octets[6] = 9;
    EXPECT_EQ(parse_clc(octets).error.fault, Fault::wrong_length);
}

TEST(ClcLength, NeedsTheHeaderAndNothingElse) {
    const Octets octets = accept_v1();
    for (std::size_t length = 1; length < clc_header_size; ++length)
        EXPECT_EQ(clc_length(ByteView(octets).first(length)), clc_header_size) << length;
    EXPECT_EQ(clc_length(ByteView(octets).first(7)), 68U);
    EXPECT_EQ(clc_length(octets), 68U);
}

TEST(ClcLength, RefusesWhatCannotBeClc) {
    Octets octets = accept_v1();
    octets[4] = 5;
    EXPECT_EQ(clc_length(octets), 0U) << "type";
    octets[4] = 2;
    octets[6] = 67;
    EXPECT_EQ(clc_length(octets), 0U) << "an ACCEPT has 68 octets at least";
    octets[6] = 69;
    EXPECT_EQ(clc_length(octets), 0U) << "and in version 1 no more (A.2.3)";
    octets[7] = 0x20 | (octets[7] & 0x0F);
    EXPECT_EQ(clc_length(octets), 69U);
    const Octets text{0xE2, 0xD4, 0xC3, 0xD9, ' ', 't', 'h', 'i', 's'};
    EXPECT_EQ(clc_length(text), 0U) << "application data may begin with the eye catcher";
    const Octets http{'G', 'E', 'T'};
    EXPECT_EQ(clc_length(http), 0U);
}

}  // namespace
}  // namespace fabricscope::smcr
