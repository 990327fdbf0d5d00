// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_counters.h"

#include <gmock/gmock.h>

namespace fabricscope::report::rdma_counters_test {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Counters, AsTheToolsPrintThem) {
    EXPECT_THAT(
        counters_in("link rxe0/1 sent_pkts 344 rcvd_pkts 42 duplicate_request 0"),
        UnorderedElementsAre(Pair("sent_pkts", 344), Pair("rcvd_pkts", 42), Pair("duplicate_request", 0)));
    EXPECT_THAT(
        counters_in(R"([{"ifname":"mlx5_0","port":1,"out_of_sequence":18446744073709551615}])"),
        UnorderedElementsAre(Pair("port", 1), Pair("out_of_sequence", 18446744073709551615U)));
    EXPECT_THAT(counters_in("NIC statistics:\n     np_cnp_sent: 7\n"), UnorderedElementsAre(Pair("np_cnp_sent", 7)));
    EXPECT_THAT(
        counters_in("/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts:344\n"),
        UnorderedElementsAre(Pair("sent_pkts", 344)));
}

TEST(Counters, NumbersThatAreNone) {
    EXPECT_TRUE(counters_in("").empty());
    EXPECT_TRUE(counters_in("sent_pkts").empty());
    EXPECT_TRUE(counters_in("sent_pkts: ").empty());
    EXPECT_TRUE(counters_in("sent_pkts -1").empty());
    EXPECT_TRUE(counters_in("sent_pkts 18446744073709551616").empty()) << "more than 64 bits";
}

TEST(Counters, HowMuchTheyWentUp) {
    const Counters before{{"sent_pkts", 5}, {"rcvd_pkts", 3}};
    EXPECT_THAT(
        *increase(before, {{"sent_pkts", 12}, {"rcvd_pkts", 3}, {"rdma_sends", 1}}),
        UnorderedElementsAre(Pair("sent_pkts", 7), Pair("rcvd_pkts", 0)));
    EXPECT_FALSE(increase(before, {{"sent_pkts", 4}})) << "went down";
}

TEST(Counters, AdapterByItsNames) {
    engine::rdma::Model model;
    engine::rdma::Stream& stream = model.streams.emplace_back();
    stream.end[0].address = capture::Address::of(Ipv4{{192, 0, 2, 10}});
    stream.end[1].address = capture::Address::of(Ipv4{{192, 0, 2, 20}});
    stream.from[0].packets = 10;
    stream.from[0].duplicate_requests = 2;
    const auto of = [&](const Counters& read) {
        std::vector<std::string> names;
        for (const AdapterCounter& counter : counters_of(model, std::vector{HostCounters{"192.0.2.20", read}}))
            if (counter.read) names.push_back(std::string(counter.adapter) + " " + counter.name);
        return names;
    };
    EXPECT_THAT(
        of({{"duplicate_request", 2}, {"rcvd_pkts", 10}}),
        UnorderedElementsAre("rxe rcvd_pkts", "rxe duplicate_request"));
    EXPECT_THAT(
        of({{"duplicate_request", 2}, {"out_of_sequence", 0}}),
        UnorderedElementsAre("mlx5 duplicate_request", "mlx5 out_of_sequence"));
    EXPECT_TRUE(of({{"duplicate_request", 2}}).empty()) << "both have it";
}

TEST(Counters, Relations) {
    AdapterCounter counter{.host = {}, .adapter = "rxe", .name = "sent_pkts", .expected = 5, .read = {}};
    EXPECT_EQ(counter.agrees(), std::nullopt);
    const auto agrees = [&](Relation relation, std::uint64_t read) {
        counter.relation = relation;
        counter.read = read;
        return *counter.agrees();
    };
    EXPECT_TRUE(agrees(Relation::equal, 5) && agrees(Relation::at_least, 6) && agrees(Relation::at_most, 4));
    EXPECT_FALSE(agrees(Relation::equal, 4) || agrees(Relation::at_least, 4) || agrees(Relation::at_most, 6));
}

}  // namespace
}  // namespace fabricscope::report::rdma_counters_test
