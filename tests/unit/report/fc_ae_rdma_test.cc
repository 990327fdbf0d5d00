// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "analyzer/report/fc_ae_rdma_records.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

TEST(FcAeRdmaRecords, AMessage) {
    Message message;
    message.id = 7;
    message.initiator = {0, 0x010203};
    message.target = {5, 0x040506};
    message.base_address = 0x1000;
    message.status = 0x5D;
    message.state = MessageState::failed;
    message.command = {capture::second, 3, 0};
    message.response = Step{2 * capture::second, 9, 0};
    const Json record = record_of(message, Clock(0));
    EXPECT_EQ(record["id"], "fc-ae-rdma-7");
    EXPECT_EQ(record["target"], "04.05.06 in fabric 5");
    EXPECT_EQ(record["operation"], "write");
    EXPECT_EQ(record["status_name"], "BUFFER OVERRUN");
    EXPECT_EQ(record["latency"], 1.0);
    EXPECT_EQ(record["residual"], nullptr);
}

TEST(FcAeRdmaRecords, ARegion) {
    Region region;
    region.lun = 3;
    region.written.add(16, 32);
    region.read.add(0, 8);
    const Json record = record_of(region);
    EXPECT_EQ(record["end"], 32);
    EXPECT_EQ(record["written"], Json::parse("[[16, 32]]"));
    EXPECT_EQ(record["read"], Json::parse("[[0, 8]]"));
}

}  // namespace
}  // namespace fabricscope::report
