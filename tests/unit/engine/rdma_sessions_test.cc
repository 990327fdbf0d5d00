// SPDX-License-Identifier: GPL-2.0-or-later
// Who set a stream up, while that is still being told.
#include "analyzer/engine/rdma/sessions.h"

#include <gtest/gtest.h>

namespace fabricscope::engine::rdma {
namespace {

Address host(std::uint8_t last) { return Address::of(Ipv4{{192, 0, 2, last}}); }

/// 192.0.2.10 sends to QP 18 of 192.0.2.20; nothing has come back.
Stream one_way() {
    Stream stream;
    stream.id = 1;
    stream.transport = Transport::rc;
    stream.end = {{{host(10), std::nullopt}, {host(20), 18}}};
    stream.last_frame = 9;
    return stream;
}

rdma_cm::Connection connection(std::uint32_t id) {
    rdma_cm::Connection made;
    made.id = id;
    made.first_frame = 1;
    made.end[engine::Side::client].address = host(10);
    made.end[engine::Side::client].qpn = 17;
    made.end[engine::Side::server].address = host(20);
    return made;
}

class SessionsTest : public testing::Test {
protected:
    std::optional<Session> found(const Stream& stream = one_way()) {
        sessions.update();
        return sessions.find(stream);
    }
    rdma_cm::Model cm;
    smcr::Model smcr;
    Sessions sessions{Announcements{cm, smcr}};
};

TEST_F(SessionsTest, IsFoundWhenTheReplyNamesTheQueuePair) {
    EXPECT_FALSE(found());
    cm.connections.push_back(connection(1));
    EXPECT_FALSE(found()) << "only the client's queue pair is known";
    cm.connections[0].end[engine::Side::server].qpn = 18;
    const std::optional<Session> session = found();
    ASSERT_TRUE(session);
    EXPECT_EQ(session->cm_connection, 1U);
    EXPECT_EQ(session->qpn[a], 17U);
    EXPECT_FALSE(session->swapped);
}

TEST_F(SessionsTest, TheClientMayBeTheOtherEnd) {
    cm.connections.push_back(connection(1));
    cm.connections[0].end[engine::Side::server].qpn = 18;
    Stream back = one_way();
    std::swap(back.end[a].address, back.end[b].address);
    back.end[b].qpn = 17;
    const std::optional<Session> session = found(back);
    ASSERT_TRUE(session);
    EXPECT_TRUE(session->swapped);
    EXPECT_EQ(session->qpn[a], 18U);
}

TEST_F(SessionsTest, TheYoungestCountsThatBeganBefore) {
    for (const std::uint32_t id : {1U, 2U, 3U}) {
        cm.connections.push_back(connection(id));
        cm.connections.back().end[engine::Side::server].qpn = 18;
    }
    cm.connections[2].first_frame = 20;
    EXPECT_EQ(found()->cm_connection, 2U);
    cm.connections[1].outcome = rdma_cm::Outcome::rejected;
    EXPECT_EQ(found()->cm_connection, 1U) << "what was rejected has set nothing up";
}

TEST_F(SessionsTest, LinksAreFoundByTheirGids) {
    smcr.link_groups.emplace_back().id = 4;
    EXPECT_FALSE(found());
    smcr::Link& link = smcr.link_groups[0].links.emplace_back();
    link.end[engine::Side::client].gid = Gid{host(10).bytes};
    link.end[engine::Side::client].qpn = 17;
    EXPECT_FALSE(found());
    link.end[engine::Side::server].gid = Gid{host(20).bytes};
    link.end[engine::Side::server].qpn = 18;
    EXPECT_EQ(found()->link_group, 4U);
}

}  // namespace
}  // namespace fabricscope::engine::rdma
