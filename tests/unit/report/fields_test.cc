// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fields.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "analyzer/engine/fc_ae_rdma/generated_fields.h"
#include "analyzer/engine/fcvi/generated_fields.h"
#include "analyzer/engine/rdma_cm/generated_fields.h"
#include "analyzer/engine/smcr/generated_fields.h"
#include "protocols/fc_ae_rdma/registry.h"
#include "protocols/fcvi/registry.h"
#include "protocols/rdma_ip_cm/registry.h"
#include "protocols/smcr/registry.h"

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
    for (const auto layouts : {smcr::layouts(), rdma_ip_cm::layouts(), fcvi::layouts(), fc_ae_rdma::layouts()})
        for (const layout::LayoutInfo& layout : layouts)
            for (const layout::FieldInfo& info : layout.fields) EXPECT_EQ(field(info.filter).name, info.filter);
    const auto has_generated = [](std::span<const engine::GeneratedField> generated) {
        for (const engine::GeneratedField& one : generated) EXPECT_EQ(field(one.filter).name, one.filter);
    };
    has_generated(engine::smcr::generated_fields);
    has_generated(engine::rdma_cm::generated_fields);
    has_generated(engine::fcvi::generated_fields);
    has_generated(engine::fc_ae_rdma::generated_fields);
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
