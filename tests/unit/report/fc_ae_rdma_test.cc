// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/json.h"

namespace fabricscope::report::fc_ae_rdma_test {
namespace {

using namespace engine::fc_ae_rdma;
using nlohmann::json;

json reported(const Model& model) { return json::parse(line_of(fc_ae_rdma_columns, model, {})); }

TEST(FcAeRdmaRecords, AMessage) {
    Model model;
    Message& message = model.messages.open();
    message.id = 7;
    message.initiator = {0, 0x010203};
    message.target = {5, 0x040506};
    message.is_read = false;
    message.base_address = 0x1000;
    message.status = 0x5D;
    message.state = MessageState::failed;
    message.command = {capture::second, 3, 0};
    message.response = FrameStamp{2 * capture::second, 9, 0};
    const json record = reported(model)["messages"][0];
    EXPECT_EQ(record["id"], "fc-ae-rdma-7");
    EXPECT_EQ(record["target"], "04.05.06 in fabric 5");
    EXPECT_EQ(record["operation"], "write");
    EXPECT_EQ(record["status_name"], "BUFFER OVERRUN");
    EXPECT_EQ(record["latency"], 1.0);
    EXPECT_EQ(record["residual"], nullptr);
}

TEST(FcAeRdmaRecords, ARegion) {
    Model model;
    Region& region = model.regions.emplace_back();
    region.lun = 3;
    region.written.add(16, 32);
    region.read.add(0, 8);
    const json record = reported(model)["regions"][0];
    EXPECT_EQ(record["end"], 32);
    EXPECT_EQ(record["written"], json::parse("[[16, 32]]"));
    EXPECT_EQ(record["read"], json::parse("[[0, 8]]"));
}

Message failed_write() {
    Message message;
    message.id = 1;
    message.initiator = {0, 0x010203};
    message.target = {0, 0x040506};
    message.is_read = false;
    message.lun = 3;
    message.base_address = 0x1000;
    message.data_length = 512;
    message.status = 0x5B;
    message.state = MessageState::failed;
    message.command = {capture::second, 3, 0};
    message.response = FrameStamp{2 * capture::second, 9, 0};
    return message;
}

TEST(FcAeRdmaSummary, WhoMovedWhatAndWhatBroke) {
    Model model;
    model.messages.push_back(failed_write());
    Region& region = model.regions.emplace_back();
    region.id = 1;
    region.lun = 3;
    region.written.add(0x1000, 0x1200);
    std::ostringstream out;
    write_fc_ae_rdma(out, model, {});
    using testing::HasSubstr;
    EXPECT_THAT(out.str(), HasSubstr("FC-AE-RDMA: 1 message (1 failed), 1 memory region"));
    EXPECT_THAT(out.str(), HasSubstr("001000h-0011FFh"));
    const auto observed = observations::observe({.models = {.fc_ae_rdma = &model}, .capture = {}});
    ASSERT_EQ(observed.size(), 1U);
    EXPECT_EQ(observed[0].text, "the write of 512 bytes to LUN 3 ended with WRITE PROTECT ERROR");
    EXPECT_EQ(observed[0].cause, "The Target does not allow writes at 001000h to 0011FFh.");
}

TEST(FcAeRdmaSummary, LadderOfAMessage) {
    using engine::fibre_channel::Party;
    engine::fibre_channel::Exchange exchange;
    exchange.id = 7;
    exchange.type = 0x08;
    exchange.first_frame = 3;
    const auto add = [&](Party from, std::uint8_t r_ctl, std::uint64_t frame, std::uint64_t octets) {
        exchange.sequences.push_back(
            {.from = from, .r_ctl = r_ctl, .first_frame = frame, .frames = 1, .octets = octets});
    };
    add(Party::originator, 0x06, 3, 32);
    add(Party::originator, 0x01, 5, 512);
    add(Party::responder, 0x07, 9, 24);
    engine::fibre_channel::Model fc;
    fc.exchanges = {exchange};
    const Ladder ladder = ladder_of(failed_write(), fc, 0);
    ASSERT_EQ(ladder.rungs.size(), 3U);
    EXPECT_EQ(ladder.rungs[0].text, "FCP_CMND: write of 512 bytes at 001000h in LUN 3");
    EXPECT_EQ(ladder.rungs[1].text, "FCP_DATA: 512 bytes");
    EXPECT_EQ(ladder.rungs[2].text, "FCP_RSP: WRITE PROTECT ERROR");
    EXPECT_EQ(ladder.rungs[2].kind, Rung::Kind::refusal);
    EXPECT_EQ(ladder.rungs[2].latency, capture::second);
}

}  // namespace
}  // namespace fabricscope::report::fc_ae_rdma_test
