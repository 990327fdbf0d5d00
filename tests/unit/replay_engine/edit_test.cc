// SPDX-License-Identifier: GPL-2.0-or-later
// The editing library that tests make broken traffic with (tests/traffic/edit.h).
#include "tests/traffic/edit.h"

#include <gtest/gtest.h>

namespace fabricscope::traffic {
namespace {

constexpr std::array scenarios{"fcvi_both_ways_rr",         "fcvi_vlan",       "fc_ae_rdma_class_2_in_turn",
                               "rdma_cm_private_data_ipv6", "rdma_cm_roce_v1", "smcr_v2_echo",
                               "smcr_rfc7609_echo"};

capture::Packet decoded(const Recording& recording, std::size_t index) {
    return capture::decode(frame_at(recording, index));
}

/// Whatever protects the frame is right.
void expect_protected(const Recording& recording, std::size_t index) {
    const capture::Packet packet = decoded(recording, index);
    EXPECT_EQ(packet.state, capture::DecodeState::ok);
    EXPECT_TRUE(capture::icrc_is_good(packet).value_or(true));
    EXPECT_TRUE(capture::fc_crc_is_good(packet).value_or(true));
}

class EveryFrame : public testing::TestWithParam<const char*> {
protected:
    const Recording original = play(GetParam());
    Recording recording = original;
};
INSTANTIATE_TEST_SUITE_P(Edit, EveryFrame, testing::ValuesIn(scenarios));

TEST_P(EveryFrame, HasTheChecksumsThatItsSenderComputed) {
    for (std::size_t i = 0; i < recording.frames.size(); ++i) {
        repair_checksums(frame_to_edit(recording, i));
        EXPECT_EQ(recording.frames[i].octets, original.frames[i].octets) << "frame " << i + 1;
    }
}

TEST_P(EveryFrame, HasFieldsThatAreSet) {
    for (std::size_t i = 0; i < std::min<std::size_t>(recording.frames.size(), 60); ++i) {
        const FrameToEdit frame = frame_to_edit(recording, i);
        const auto fields = fields_of(frame);
        EXPECT_GT(fields.size(), 5U) << "frame " << i + 1;
        for (const replay::FieldAt& field : fields)
            replay::set_value(frame.octets, field, replay::value_of(frame.octets, field));
        EXPECT_EQ(frame.octets, original.frames[i].octets) << "frame " << i + 1;
    }
}

TEST_P(EveryFrame, StaysWholeWhenItsLengthChanges) {
    for (std::size_t i = 0; i < std::min<std::size_t>(recording.frames.size(), 60); ++i) {
        const std::size_t size = payload_of(frame_to_edit(recording, i)).size;
        if (size == 0) continue;
        resize_payload(frame_to_edit(recording, i), size);
        EXPECT_EQ(recording.frames[i].octets, original.frames[i].octets) << "frame " << i + 1;
        for (const std::size_t other : {size + 5, size - 1}) {
            resize_payload(frame_to_edit(recording, i), other);
            EXPECT_EQ(payload_of(frame_to_edit(recording, i)).size, other) << "frame " << i + 1;
            expect_protected(recording, i);
        }
    }
}

TEST(Edit, SetsFieldsByName) {
    Recording recording = play("smcr_v2_echo");
    edit(recording, "client:CLC_PROPOSAL set tcp.window_size_value=7 eth.src=x:0A0B0C0D0E0F");
    const std::size_t index = select(recording, "CLC_PROPOSAL").front();
    EXPECT_EQ(decoded(recording, index).tcp.window, 7);
    EXPECT_EQ(to_string(decoded(recording, index).source_mac), "0a:0b:0c:0d:0e:0f");
    expect_protected(recording, index);
}

TEST(Edit, DropsCopiesAndMovesFrames) {
    const Recording original = play("fcvi_both_ways_rr");
    const auto edited = [&](const char* line) {
        Recording recording = original;
        edit(recording, line);
        return recording;
    };
    const std::size_t place = select(original, "FCVI_CONNECT_RQST").front();
    EXPECT_EQ(edited("FCVI_CONNECT_RQST drop").frames.size(), original.frames.size() - 1);
    EXPECT_EQ(select(edited("FCVI_CONNECT_RQST copy"), "FCVI_CONNECT_RQST/all"), (std::vector{place, place + 1}));
    EXPECT_EQ(
        select(edited("FCVI_CONNECT_RQST move after FCVI_CONNECT_RESP1"), "FCVI_CONNECT_RQST").front(), place + 1);
    EXPECT_EQ(select(edited("FCVI_CONNECT_RESP1 move before FCVI_CONNECT_RQST"), "FCVI_CONNECT_RESP1").front(), place);
    EXPECT_EQ(edited("FCVI_CONNECT_RQST begin").frames.size(), original.frames.size() - place);
    EXPECT_EQ(edited("FCVI_CONNECT_RQST end").frames.size(), place + 1);
    EXPECT_EQ(
        edited("FCVI_CONNECT_RQST delay 3s").frames.back().time, original.frames.back().time + 3 * capture::second);
}

TEST(Edit, SaysWhatIsWrong) {
    Recording recording = play("fcvi_connect");
    for (const char* line :
         {"FCVI_NOTHING drop", "FCVI_CONNECT_RQST/9 drop", "FCVI_CONNECT_RQST set fcvi.nothing=1", "#1", "#1 eat",
          "#1 set fabricscope.fc.type", "#1 set fabricscope.fc.type=x:1", "#999 drop", "#1 delay 5"})
        EXPECT_THROW(edit(recording, line), EditError) << line;
}

}  // namespace
}  // namespace fabricscope::traffic
