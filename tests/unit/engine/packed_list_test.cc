// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/packed_list.h"

#include <gmock/gmock.h>

#include <limits>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/engine/fcvi/model.h"

namespace fabricscope::engine {
namespace {

using fibre_channel::Exchange;
using fibre_channel::Party;
using fibre_channel::Refusal;
using fibre_channel::SequenceSeen;

constexpr Time moment = 1'700'000'000'123'456'789;

template <class T> std::vector<std::uint8_t> packed(T record) {
    std::vector<std::uint8_t> octets;
    octets.resize(pack(record, octets));
    return octets;
}

/// Nothing of a record is left out by its code(), or that would not compile; so it is the same if it packs the same.
template <class T> void expect_same(const T& a, const T& b) { EXPECT_EQ(packed(a), packed(b)); }

Exchange exchange_with_everything() {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    Exchange x;
    x.id = 0xFFFF'FFFF;
    x.fabric = 0;
    x.originator = 0x010203, x.responder = 0xFFFFFE;
    x.rx_id = 0xFFFF;
    x.service_class = -1;
    x.accepted = false;
    x.rejected = Refusal{.reason = 5, .step = {moment, most, 3}};
    x.abort = fibre_channel::AbortSeen{
        .by = Party::responder, .step = {-moment, 1, 0}, .accepted = FrameStamp{0, 7, 1}, .refused = Refusal{}};
    x.sent[Party::responder] = {.sequences = 1, .octets = most, .acks = 127};
    for (std::uint32_t i = 0; i < 300; ++i)
        x.sequences.push_back({.from = Party::responder, .seq_id = 255, .first_frame = i, .first_time = moment - i});
    x.first_time = moment, x.last_time = std::numeric_limits<Time>::min();
    return x;
}

TEST(PackedList, RecordsComeBackAsTheyWere) {
    const Exchange was = exchange_with_everything();
    PackedList<Exchange> list{was, Exchange{}};
    const Exchange is = list[0];
    expect_same(is, was);
    EXPECT_EQ(is.fabric, 0);
    EXPECT_EQ(is.service_class, -1);
    EXPECT_EQ(is.accepted, false);
    EXPECT_EQ(is.rejected->step.time, moment);
    EXPECT_EQ(is.rejected->step.frame, was.rejected->step.frame);
    EXPECT_EQ(is.abort->step.time, -moment);
    EXPECT_TRUE(is.abort->refused);
    EXPECT_EQ(is.sent[Party::responder].octets, was.sent[Party::responder].octets);
    EXPECT_EQ(is.last_time, was.last_time);
    ASSERT_EQ(is.sequences.size(), 300U);
    EXPECT_EQ(is.sequences[299].first_time, moment - 299);
    expect_same(list[1], Exchange{});
}

TEST(PackedList, NothingOfTheRecordBeforeIsLeftInTheNext) {
    const PackedList<Exchange> list{exchange_with_everything(), Exchange{}};
    for (const Exchange& exchange : list) {
        if (exchange.id == 0) expect_same(exchange, Exchange{});
    }
    for (const Exchange& exchange : list.without_details()) EXPECT_TRUE(exchange.sequences.empty());
}

TEST(PackedList, AnOpenRecordStaysWhereItIs) {
    PackedList<Exchange> list;
    Exchange& first = list.open();
    first = exchange_with_everything();
    for (std::uint32_t i = 1; i < 1000; ++i) {
        list.open().id = i;
        list.close(i);
    }
    EXPECT_EQ(&list.opened(0), &first);
    EXPECT_EQ(&*list.begin(), &first);
    list.close(0);
    expect_same(list.open(), Exchange{});
    EXPECT_EQ(list.size(), 1001U);
    for (std::uint32_t i = 1; i < 1000; ++i) EXPECT_EQ(list[i].id, i);
    expect_same(list[0], exchange_with_everything());
    EXPECT_THROW(list.at(1001), std::out_of_range);
}

TEST(PackedList, ARecordMayChangeAfterwards) {
    PackedList<Exchange> list{Exchange{}, Exchange{}};
    list.open().id = 3;
    const auto set_to = [](std::uint32_t id, bool says_so) {
        return [=](Exchange& exchange) {
            exchange.id = id;
            return says_so;
        };
    };
    list.change(0, set_to(77, true));
    list.change(1, set_to(78, false));
    list.change(2, set_to(79, true));
    EXPECT_EQ(list[0].id, 77U);
    EXPECT_EQ(list[1].id, 0U) << "nothing has changed, it was said";
    EXPECT_EQ(list.back().id, 79U);
}

TEST(PackedList, MessagesTakeAQuarter) {
    fcvi::Message send;
    send.id = 1000, send.connection = 3, send.msg_id = 1000, send.bytes = 8192, send.frames = 5;
    send.first = {moment, 5000, 0};
    send.request_begin = send.request_end = send.first;
    EXPECT_LT(packed(send).size(), sizeof send / 4);
    PackedList<fcvi::Message> sends{send};
    expect_same(sends[0], send);

    fc_ae_rdma::Message write;
    write.id = 7, write.initiator = {0, 0x010203}, write.is_read = false, write.residual = 0;
    write.command = {moment, 5000, 0};
    write.response = FrameStamp{moment + 1000, 5007, 1};
    EXPECT_LT(packed(write).size(), sizeof write / 4);
    PackedList<fc_ae_rdma::Message> writes{write};
    expect_same(writes[0], write);
    EXPECT_EQ(writes[0].is_read, false);
    EXPECT_EQ(writes[0].residual, 0U);
}

}  // namespace
}  // namespace fabricscope::engine
