// SPDX-License-Identifier: GPL-2.0-or-later
// Class 2 of emulated ports: ACK_1 and ACK_0, frames that are busy or rejected (FC-PH 20.3; FC-FS, Link_Control).
#include <gmock/gmock.h>

#include "tests/unit/synth/fc_ports.h"

namespace fabricscope::stack::fibre_channel::fc_class_2_test {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr ExchangeConfig small_frames{.data_field_size = 256};

/// The reason of the only P_RJT.
std::uint32_t reason_of_reject(const Ports& ports) {
    const auto reject = std::ranges::find(ports.sent, std::uint8_t{fc::r_ctl_p_rjt}, &fc::FrameHeader::r_ctl);
    return reject == ports.sent.end() ? 0 : reject->parameter >> 16 & 0xFF;
}

TEST(FcClass2, EachFrameHasItsAck1) {
    TestHost a(host_config(1, small_frames)), b(host_config(2, small_frames));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(1000);
    EXPECT_EQ(ports.count(fc::r_ctl_ack_1), 4U);
    EXPECT_THAT(b.user.received, ElementsAre(Octets(1000, 0x5A)));
    EXPECT_EQ(a.user.acknowledged, 1U);
}

TEST(FcClass2, Ack0IsForTheWholeSequence) {
    ExchangeConfig config = small_frames;
    config.ack_0 = true;
    config.end_to_end_credit = 1;  // there is none then
    TestHost a(host_config(1, config)), b(host_config(2, config));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(1000);
    EXPECT_EQ(ports.count(fc::r_ctl_ack_0), 1U);
    EXPECT_EQ(ports.count(fc::r_ctl_ack_1), 0U);
    EXPECT_THAT(b.user.received, SizeIs(1));
    EXPECT_EQ(a.user.acknowledged, 1U);
    EXPECT_EQ(ports.sent.front().f_ctl.ack_form, fc::AckForm::ack_0);
}

TEST(FcClass2, Ack0NeedsBothPorts) {
    ExchangeConfig config = small_frames;
    config.ack_0 = true;
    TestHost a(host_config(1, config)), b(host_config(2, small_frames));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(1000);
    EXPECT_EQ(ports.count(fc::r_ctl_ack_1), 4U);
}

TEST(FcClass2, ABusyFrameIsSentAgain) {
    ExchangeConfig busy = small_frames;
    busy.busy_every = 3;
    TestHost a(host_config(1, small_frames)), b(host_config(2, busy));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(1000);
    EXPECT_EQ(ports.count(fc::r_ctl_p_bsy), 1U);
    EXPECT_EQ(ports.count(0x01), 5U);
    EXPECT_THAT(b.user.received, ElementsAre(Octets(1000, 0x5A)));
    EXPECT_THAT(a.user.failures, IsEmpty());
    EXPECT_EQ(a.user.acknowledged, 1U);
}

TEST(FcClass2, BusyForEverIsAFailure) {
    ExchangeConfig busy = small_frames;
    busy.busy_every = 1;
    TestHost a(host_config(1, small_frames)), b(host_config(2, busy));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(100);
    EXPECT_THAT(a.user.failures, ElementsAre(Failure::busy));
    EXPECT_EQ(ports.count(0x01), 9U);
    EXPECT_THAT(b.user.received, IsEmpty());
}

TEST(FcClass2, WhoNeedsOrderDoesNotSendAgain) {  // ISO/IEC 14165-331, B.2.6.1, rule 8a
    ExchangeConfig busy = small_frames;
    busy.busy_every = 2;
    TestHost a(host_config(1, small_frames)), b(host_config(2, busy));
    a.user.repeats = false;
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(300);
    EXPECT_THAT(a.user.failures, ElementsAre(Failure::busy));
    EXPECT_EQ(ports.count(0x01), 2U);
}

TEST(FcClass2, TheFabricIsBusy) {
    TestHost a(host_config(1, small_frames)), b(host_config(2, small_frames));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.stuck = [times = 0](const fc::FrameHeader& header) mutable { return header.is_data() && ++times == 2; };
    ports.send(1000);
    EXPECT_EQ(ports.count(fc::r_ctl_f_bsy_data), 1U);
    EXPECT_THAT(b.user.received, ElementsAre(Octets(1000, 0x5A)));
    EXPECT_EQ(a.user.acknowledged, 1U);
}

TEST(FcClass2, AnUnknownTypeIsRejected) {
    TestHost a(host_config(1, small_frames)), b(host_config(2, small_frames), false);
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    ports.send(100);
    EXPECT_EQ(reason_of_reject(ports), 0x07U) << "TYPE not supported";
    EXPECT_THAT(a.user.failures, ElementsAre(Failure::rejected));
}

TEST(FcClass2, WithoutALoginFramesAreRejected) {
    TestHost a(host_config(1, small_frames)), b(host_config(2, small_frames));
    FabricServices services = make_services();
    Ports ports(a, b, services);
    ports.log_in();
    b.port().forget_login(id_of_a);
    ports.send(100);
    EXPECT_EQ(reason_of_reject(ports), 0x16U) << "login required";
    EXPECT_THAT(a.user.failures, ElementsAre(Failure::rejected));
    EXPECT_THAT(b.user.received, IsEmpty());
    EXPECT_EQ(a.count(NPortEvent::What::logged_out), 1U) << "A knows now";
    ports.at_once([&](Time now) { a.port().reach(now, ip_of(2)); });
    ports.send(100);
    EXPECT_THAT(b.user.received, SizeIs(1)) << "after another PLOGI";
}

}  // namespace
}  // namespace fabricscope::stack::fibre_channel::fc_class_2_test
