// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fields.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "analyzer/engine/protocols.h"

namespace fabricscope::report {
namespace {

const FieldEntry& field(const std::string& name) {
    static const std::vector<FieldEntry> fields = all_fields();
    return *std::ranges::find(fields, name, &FieldEntry::name);
}

TEST(Fields, EveryFieldOnceByName) {
    const std::vector<FieldEntry> fields = all_fields();
    EXPECT_TRUE(std::ranges::is_sorted(fields, std::less(), &FieldEntry::name));
    EXPECT_EQ(std::ranges::adjacent_find(fields, {}, &FieldEntry::name), fields.end());
    for (const engine::Protocol& protocol : engine::protocols) {
        if (protocol.layouts == nullptr) continue;
        for (const layout::LayoutInfo& layout : protocol.layouts())
            for (const layout::FieldInfo& info : layout.fields) EXPECT_EQ(field(info.filter).name, info.filter);
        for (const engine::GeneratedField& one : protocol.generated_fields)
            EXPECT_EQ(field(one.filter).name, one.filter);
    }
}

TEST(Fields, TypesAreNamedAsWiresharkDoes) {
    EXPECT_EQ(field("smcr.cdc.sequence").type, "uint16");
    EXPECT_EQ(field("smcr.clc.initial_psn").type, "uint24");
    EXPECT_EQ(field("smcr.llc.reply").type, "boolean");
    EXPECT_EQ(field("smcr.llc.gid").type, "ipv6");
    EXPECT_EQ(field("smcr.request_in").type, "framenum");
    EXPECT_EQ(field("rdma_ip_cm.private_data").type, "bytes");
    EXPECT_EQ(field("rdma_ip_cm.rej.reason").type, "uint16");
    EXPECT_EQ(field("fcvi.rmt_va").type, "uint64");
    EXPECT_EQ(field("fcvi.address").type, "uint64");
    EXPECT_EQ(field("fcvi.message_data").type, "bytes");
    EXPECT_EQ(field("fcaerdma.base_address").type, "uint24");
}

TEST(Fields, AFieldOfSeveralMessagesNamesEveryClause) {
    EXPECT_EQ(field("smcr.clc.gid").clause, "RFC 7609, A.2.2; RFC 7609, A.2.3 and A.2.4");
    EXPECT_EQ(field("smcr.connection").clause, "");
}

}  // namespace
}  // namespace fabricscope::report
