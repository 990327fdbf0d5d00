// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/llc.h"

#include <gtest/gtest.h>

#include "protocols/smcr/cdc.h"

namespace fabricscope::smcr {
namespace {

using layout::Fault;
using Octets = std::vector<std::uint8_t>;

Octets v1(std::uint8_t type, std::uint8_t flags = 0) {
    Octets m(llc_size);
    m[0] = type;
    m[1] = llc_size;
    m[3] = flags;
    return m;
}

/// Linux on x86 sends the length in little-endian order, on s390x in big-endian order.
Octets v2(std::uint8_t type, std::size_t length, bool little) {
    Octets m(length);
    m[0] = type;
    m[little ? 1 : 2] = static_cast<std::uint8_t>(length);
    m[little ? 2 : 1] = static_cast<std::uint8_t>(length >> 8);
    return m;
}

template <class Body> Body parsed(const Octets& octets) {
    const LlcMessage m = parse_llc(octets, octets.size());
    EXPECT_FALSE(m.error) << to_string(m.error);
    EXPECT_EQ(build(m), octets);
    return std::get<Body>(m.body);
}

TEST(Llc, EveryKnownTypeOfBothVersionsBuildsBack) {
    for (const auto& [type, name] : llc_type_names) {
        if (type == cdc_type) continue;
        for (int fill : {0x00, 0x5A, 0xFF}) {
            Octets octets = type < 0x20 ? v1(static_cast<std::uint8_t>(type))
                                        : v2(static_cast<std::uint8_t>(type), llc_size, true);
            std::fill(octets.begin() + 3, octets.end(), static_cast<std::uint8_t>(fill));
            // Counts that fit: lists are checked below.
            if (type == 0x25) octets[24] = 1;
            if (type == 0x29) octets[4] = 9;
            const LlcMessage m = parse_llc(octets, octets.size());
            EXPECT_FALSE(m.error) << name << ": " << to_string(m.error);
            EXPECT_EQ(build(m), octets) << name;
            EXPECT_EQ(m.version(), type < 0x20 ? 1 : 2) << name;
            EXPECT_EQ(m.is_reply(), fill != 0 && (fill & 0x80) != 0) << name;
        }
    }
}

TEST(Llc, ConfirmLink) {
    Octets octets = v1(1, 0x83);
    octets[26] = 0x12, octets[27] = 0x34, octets[28] = 0x56;
    octets[29] = 9;
    octets[34] = 2;
    const auto body = parsed<ConfirmLink>(octets);
    EXPECT_TRUE(body.reply);
    EXPECT_EQ(body.no_rmbe_eye_catcher, 3);
    EXPECT_EQ(body.qpn, 0x123456U);
    EXPECT_EQ(body.link, 9);
    EXPECT_EQ(body.max_links, 2);
}

TEST(Llc, AddLinkAsItIsSentAndAsTheRfcDrawsIt) {
    Octets sent = v1(2);
    sent[22] = sent[23] = 0xFF;  // ::ffff:... at 12
    sent[30] = 0x42;             // QPN
    sent[31] = 3;                // link
    sent[32] = 4;                // MTU
    sent[35] = 0x77;             // PSN
    const AddLink a = parsed<AddLinkMessage>(sent).common();
    EXPECT_EQ(a.qpn, 0x42U);
    EXPECT_EQ(a.link, 3);
    EXPECT_EQ(a.mtu, 4);
    EXPECT_EQ(a.initial_psn, 0x77U);

    Octets drawn = v1(2);
    drawn[10] = 0xFE, drawn[11] = 0x80;  // a GID where others have two reserved octets
    drawn[28] = 0x42;
    drawn[29] = 3;
    drawn[30] = 4;
    drawn[33] = 0x77;
    const auto message = parsed<AddLinkMessage>(drawn);
    EXPECT_TRUE(std::holds_alternative<AddLinkRfc>(message.body));
    const AddLink b = message.common();
    EXPECT_EQ(b.qpn, 0x42U);
    EXPECT_EQ(b.link, 3);
    EXPECT_EQ(b.mtu, 4);
    EXPECT_EQ(b.initial_psn, 0x77U);

    drawn[10] = drawn[11] = 0;  // an IPv4-mapped GID begins with zeros: the MTU's place decides
    EXPECT_EQ(parsed<AddLinkMessage>(drawn).common().qpn, 0x42U);
}

TEST(Llc, AddLinkRejectedInVersion1) {
    Octets octets = v1(2, 0xC0);
    octets[2] = 1;
    const LlcMessage m = parse_llc(octets, octets.size());
    EXPECT_EQ(std::get<AddLinkHeaderV1>(m.header).reject_reason, 1);
    EXPECT_TRUE(std::get<AddLinkMessage>(m.body).common().reject);
}

TEST(Llc, AddLinkVersion2CarriesRkeysInTheSendersByteOrder) {
    for (const bool little : {true, false}) {
        Octets octets = v2(0x22, 72 + 2 * 16, little);
        octets[little ? 70 : 71] = 2;
        octets[72 + 3] = 0x11;
        octets[72 + 7] = 0x22;
        octets[72 + 16 + 15] = 0x99;
        const auto message = parsed<AddLinkMessage>(octets);
        ASSERT_EQ(message.rkeys.size(), 2U) << little;
        EXPECT_EQ(message.rkeys[0].reference_rkey, 0x11U);
        EXPECT_EQ(message.rkeys[0].rkey, 0x22U);
        EXPECT_EQ(message.rkeys[1].address, 0x99U);
    }
}

TEST(Llc, RkeyCountBeyondTheMessage) {
    Octets octets = v2(0x22, 88, true);
    octets[70] = 9;
    const LlcMessage m = parse_llc(octets, octets.size());
    EXPECT_EQ(m.error.fault, Fault::wrong_length);
    EXPECT_STREQ(m.error.field, "smcr.llc.rtoken.reference_rkey");
    EXPECT_EQ(m.error.offset, 72U);
}

TEST(Llc, ConfirmRkeyAndItsContinuation) {
    Octets octets = v1(6);
    octets[4] = 1;
    octets[8] = 0xAA;
    octets[17] = 2;
    octets[21] = 0xBB;
    const auto message = parsed<ConfirmRkeyMessage>(octets);
    EXPECT_EQ(message.body.rkey, 0xAAU);
    EXPECT_EQ(message.used, 1U);
    EXPECT_EQ(message.slots[0].link, 2);
    EXPECT_EQ(message.slots[0].rkey, 0xBBU);

    Octets more = v1(8);
    more[4] = 7;  // three here, the rest in further messages
    EXPECT_EQ(parsed<ConfirmRkeyContinuationMessage>(more).used, 3U);
}

TEST(Llc, DeleteRkey) {
    Octets octets = v1(9, 0x80);
    octets[4] = 200;  // RFC 7609 allows 8: no more are there
    octets[5] = 0x80;
    const auto first = parsed<DeleteRkeyMessage>(octets);
    EXPECT_EQ(first.used, 8U);
    EXPECT_EQ(first.body.error_mask, 0x80);
    Octets second = v2(0x29, 8 + 4 * 12, true);
    second[4] = 12;
    EXPECT_EQ(parsed<DeleteRkeyMessage>(second).used, 12U);
}

TEST(Llc, TestLinkUserData) {
    Octets octets = v1(7);
    for (std::size_t i = 0; i < 16; ++i) octets[4 + i] = static_cast<std::uint8_t>(i);
    EXPECT_EQ(parsed<TestLink>(octets).user_data.octets[15], 15);
}

TEST(Llc, LengthInEitherOrderMustBeThePayloads) {
    Octets octets = v2(0x27, 44, true);
    EXPECT_FALSE(parse_llc(octets, octets.size()).error);
    octets[1] = 45;
    const LlcMessage m = parse_llc(octets, octets.size());
    EXPECT_EQ(m.error.fault, Fault::wrong_length);
    EXPECT_STREQ(m.error.field, "smcr.llc.length");
    EXPECT_EQ(m.error.expected, 44U);
    EXPECT_EQ(m.error.actual, 45U);
}

TEST(Llc, UnknownTypeIsKept) {
    const Octets octets = v1(0x0B);
    const LlcMessage m = parse_llc(octets, octets.size());
    EXPECT_EQ(m.error.fault, Fault::wrong_value);
    EXPECT_STREQ(m.error.field, "smcr.llc.type");
    EXPECT_EQ(build(m), octets);
}

TEST(Llc, CutMessagesNameTheFirstMissingField) {
    const Octets octets = v1(6);
    for (std::size_t length = 0; length < octets.size(); ++length) {
        const LlcMessage m = parse_llc(ByteView(octets).first(length), octets.size());
        EXPECT_EQ(m.error.fault, Fault::truncated) << length;
        EXPECT_LE(m.error.offset, length);
    }
}

TEST(LooksLike, OnlyWhatIsCertain) {
    EXPECT_TRUE(looks_like_llc(v1(7), llc_size));
    EXPECT_TRUE(looks_like_llc(v2(0x27, llc_size, true), llc_size));
    EXPECT_TRUE(looks_like_llc(v2(0x27, llc_size, false), llc_size));
    Octets dirty = v1(7);
    dirty[43] = 1;
    EXPECT_FALSE(looks_like_llc(dirty, llc_size)) << "reserved octets are zero in real messages";
    EXPECT_FALSE(looks_like_llc(v1(0x0B), llc_size));
    EXPECT_FALSE(looks_like_llc(Octets(llc_size), llc_size));

    Octets cdc(cdc_size);
    cdc[0] = cdc_type;
    cdc[1] = cdc_size;
    EXPECT_FALSE(looks_like_cdc(cdc, cdc.size())) << "token 0 is never assigned";
    cdc[7] = 1;
    EXPECT_TRUE(looks_like_cdc(cdc, cdc.size()));
    cdc[40] = 1;
    EXPECT_FALSE(looks_like_cdc(cdc, cdc.size()));
}

TEST(Cdc, EveryFieldInItsPlace) {
    Octets octets(cdc_size);
    for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(i + 1);
    octets[24] = 0xA8;
    octets[25] = 0x60;
    Cdc cdc;
    ASSERT_FALSE(layout::parse_into(cdc, octets));
    EXPECT_EQ(cdc.sequence, 0x0304);
    EXPECT_EQ(cdc.alert_token, 0x05060708U);
    EXPECT_EQ(cdc.producer, (Cursor{0x0B0C, 0x0D0E0F10}));
    EXPECT_EQ(cdc.consumer, (Cursor{0x1314, 0x15161718}));
    EXPECT_TRUE(cdc.flags.writer_blocked && cdc.flags.urgent_present && cdc.flags.failover_validation);
    EXPECT_FALSE(cdc.flags.urgent_pending || cdc.flags.consumer_update_requested);
    EXPECT_TRUE(cdc.state.connection_closed && cdc.state.abnormal_close);
    EXPECT_FALSE(cdc.state.sending_done);
    Octets built(cdc_size);
    layout::build_into(cdc, built);
    EXPECT_EQ(built, octets);
}

}  // namespace
}  // namespace fabricscope::smcr
