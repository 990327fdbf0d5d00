// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/rc_queue_pair.h"

#include <gtest/gtest.h>

#include <list>

#include "replay/stack/core/random.h"

namespace fabricscope::stack::rc_queue_pair_test {
namespace {

/// With its payload.
struct Sent : IbPacketOut {
    explicit Sent(const IbPacketOut& packet)
        : IbPacketOut(packet), octets(packet.payload.begin(), packet.payload.end()) {
        payload = octets;
    }
    Sent(const Sent&) = delete;
    Sent& operator=(const Sent&) = delete;

    Octets octets;
};

/// One end: keeps what the queue pair sends until the test carries it over.
struct End : PacketSink {
    explicit End(std::uint32_t qpn) : queue_pair(qpn, *this, completions, memory) {}
    void send(const IbPacketOut& packet) override { out.emplace_back(packet); }

    std::list<Sent> out;
    std::deque<Completion> completions;
    MemoryTable memory{Random(7)};
    RcQueuePair queue_pair;
};

/// What the other end gets: the headers as they were built.
capture::IbPacket arrived(const IbPacketOut& out) {
    capture::IbPacket packet;
    packet.bth = out.bth;
    const ib::OpcodeInfo& opcode = ib::opcode_info(out.bth.opcode);
    ByteView headers = out.extended;
    const auto take = [&](ib::ExtendedHeader header, auto& part, bool& has) {
        has = opcode.has(header);
        if (!has) return;
        layout::parse_into(part, headers);
        headers = headers.subspan(layout::size_of<std::remove_cvref_t<decltype(part)>>);
    };
    take(ib::reth, packet.reth, packet.has_reth);
    take(ib::aeth, packet.aeth, packet.has_aeth);
    take(ib::immdt, packet.immdt, packet.has_immdt);
    packet.extended = out.extended;
    packet.payload = out.payload;
    packet.payload_length = static_cast<std::uint32_t>(out.payload.size());
    return packet;
}

struct Faults {
    std::uint32_t loss = 0, duplication = 0, reordering = 0;  ///< per million
};

class Pair {
public:
    explicit Pair(RcConfig config = {}, std::uint64_t seed = 1, Faults faults = {}) : random(seed), faults_(faults) {
        config.remote_qpn = 2, config.send_psn = 0xFF'FFF0, config.receive_psn = 5;
        a.queue_pair.make_ready_to_receive(config);
        config.remote_qpn = 1, config.send_psn = 5, config.receive_psn = 0xFF'FFF0;
        b.queue_pair.make_ready_to_receive(config);
        a.queue_pair.make_ready_to_send(0), b.queue_pair.make_ready_to_send(0);
    }

    /// Carries packets, in an order that faults may change, until nothing is left to do.
    void run() {
        for (unsigned rounds = 0; rounds < 1'000'000; ++rounds) {
            now += 1 * microsecond;
            const bool forth = carry(a, b), back = carry(b, a);
            if (forth || back) continue;
            const Time next = std::min(a.queue_pair.wakeup(), b.queue_pair.wakeup());
            if (next == never) return;
            now = std::max(now, next);
            a.queue_pair.on_timer(now), b.queue_pair.on_timer(now);
        }
        FAIL() << "they never come to an end";
    }

    Random random;
    Time now = 0;
    End a{1}, b{2};

private:
    bool carry(End& from, End& to) {
        if (from.out.empty()) return false;
        auto next = from.out.begin();
        if (from.out.size() > 1 && random.chance(faults_.reordering)) ++next;
        const bool comes_again = random.chance(faults_.duplication);
        if (!random.chance(faults_.loss)) to.queue_pair.on_packet(now, arrived(*next));
        if (!comes_again) from.out.erase(next);
        return true;
    }
    Faults faults_;
};

Octets counting(std::size_t size, unsigned from) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8) + from);
    return octets;
}

const Completion* work_done(const End& end, std::uint64_t id) {
    const auto found = std::ranges::find_if(end.completions, [&](const Completion& completion) {
        return completion.kind == Completion::Kind::work && completion.id == id;
    });
    return found == end.completions.end() ? nullptr : &*found;
}

TEST(RcQueuePair, ASendInPieces) {
    Pair pair;
    pair.b.queue_pair.post_receive();
    pair.a.queue_pair.post_send(0, {.id = 9, .octets = counting(2500, 1)});
    ASSERT_EQ(pair.a.out.size(), 3U);
    EXPECT_EQ(pair.a.out.front().bth.opcode, 0x00);
    EXPECT_EQ(pair.a.out.front().bth.psn, 0xFF'FFF0U);
    EXPECT_FALSE(pair.a.out.front().bth.ack_request);
    EXPECT_EQ(pair.a.out.back().bth.opcode, 0x02);
    EXPECT_EQ(pair.a.out.back().payload.size(), 2500U - 2048U);
    EXPECT_TRUE(pair.a.out.back().bth.ack_request);
    pair.run();
    ASSERT_EQ(pair.b.completions.size(), 1U);
    EXPECT_EQ(pair.b.completions.front().octets, counting(2500, 1));
    ASSERT_NE(work_done(pair.a, 9), nullptr);
    EXPECT_EQ(work_done(pair.a, 9)->status, CompletionStatus::success);
}

TEST(RcQueuePair, WritesAndReadsAcrossTheEndOfThePsns) {
    Pair pair;
    Octets remote(40'000), read(40'000);
    const std::uint32_t key = pair.b.memory.add({0x1000, remote, remote_read | remote_write});
    pair.a.queue_pair.post_send(
        0,
        {.id = 1, .type = WorkType::rdma_write, .octets = counting(40'000, 3), .remote_address = 0x1000, .rkey = key});
    pair.a.queue_pair.post_send(
        0, {.id = 2, .type = WorkType::rdma_read, .remote_address = 0x1000, .rkey = key, .read_into = read});
    pair.run();
    EXPECT_EQ(remote, counting(40'000, 3));
    EXPECT_EQ(read, remote);
    EXPECT_EQ(work_done(pair.a, 2)->status, CompletionStatus::success);
    EXPECT_EQ(pair.a.queue_pair.retransmissions(), 0U);
}

TEST(RcQueuePair, MemoryIsProtected) {
    struct Case {
        std::uint64_t address;
        std::size_t size;
        std::uint8_t access;
        bool right_key;
    };
    for (const Case& c :
         {Case{0x1000, 101, remote_write, true}, Case{0xFFF, 1, remote_write, true},
          Case{0x1064, 1, remote_write, true}, Case{0x1000, 100, remote_read, true},
          Case{0x1000, 100, remote_write, false}}) {
        Pair pair;
        Octets remote(100);
        const std::uint32_t key = pair.b.memory.add({0x1000, remote, c.access});
        pair.a.queue_pair.post_send(
            0, {.id = 1,
                .type = WorkType::rdma_write,
                .octets = Octets(c.size, 1),
                .remote_address = c.address,
                .rkey = c.right_key ? key : key + 1});
        pair.a.queue_pair.post_send(0, {.id = 2, .octets = Octets(1)});
        pair.run();
        EXPECT_EQ(work_done(pair.a, 1)->status, CompletionStatus::remote_access_error);
        EXPECT_EQ(work_done(pair.a, 2)->status, CompletionStatus::flushed);
        EXPECT_EQ(remote, Octets(100));
        EXPECT_EQ(pair.b.queue_pair.state(), RcQueuePair::State::error);
    }
}

TEST(RcQueuePair, AtomicOperationsTellWhatTheyFound) {
    Pair pair;
    Octets remote(16);
    put_number(remote, 40);
    const std::uint32_t key = pair.b.memory.add({0x1000, remote, remote_atomic});
    const auto post = [&](std::uint64_t id, WorkType type, std::uint64_t number, std::uint64_t compare) {
        pair.a.queue_pair.post_send(
            0,
            {.id = id, .type = type, .remote_address = 0x1000, .rkey = key, .swap_or_add = number, .compare = compare});
    };
    post(1, WorkType::fetch_and_add, 2, 0);
    post(2, WorkType::compare_and_swap, 7, 41);  // something else stands there
    post(3, WorkType::compare_and_swap, 7, 42);
    post(4, WorkType::fetch_and_add, UINT64_MAX, 0);
    pair.run();
    for (const auto& [id, original] : {std::pair{1, 40U}, {2, 42U}, {3, 42U}, {4, 7U}}) {
        ASSERT_NE(work_done(pair.a, static_cast<std::uint64_t>(id)), nullptr);
        EXPECT_EQ(work_done(pair.a, static_cast<std::uint64_t>(id))->status, CompletionStatus::success);
        EXPECT_EQ(work_done(pair.a, static_cast<std::uint64_t>(id))->original, original) << id;
    }
    EXPECT_EQ(number_in(ByteView(remote).first(8)), 6U);
    EXPECT_EQ(number_in(ByteView(remote).subspan(8)), 0U);
}

TEST(RcQueuePair, AtomicOperationsNeedTheirRightAndTheirPlace) {
    struct Case {
        std::uint64_t address;
        std::uint8_t access;
        CompletionStatus status;
    };
    for (const Case& each :
         {Case{0x1004, remote_atomic, CompletionStatus::remote_invalid_request},
          {0x1010, remote_atomic, CompletionStatus::remote_access_error},
          {0x1000, remote_read | remote_write, CompletionStatus::remote_access_error}}) {
        Pair pair;
        Octets remote(16);
        const std::uint32_t key = pair.b.memory.add({0x1000, remote, each.access});
        pair.a.queue_pair.post_send(
            0,
            {.id = 1, .type = WorkType::fetch_and_add, .remote_address = each.address, .rkey = key, .swap_or_add = 1});
        pair.run();
        EXPECT_EQ(work_done(pair.a, 1)->status, each.status);
        EXPECT_EQ(remote, Octets(16));
    }
}

TEST(RcQueuePair, AnAtomicOperationIsExecutedOnceHoweverOftenItIsAskedFor) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Pair pair({.timeout = 8}, seed, {.loss = 200'000, .duplication = 200'000, .reordering = 100'000});
        Octets remote(8);
        const std::uint32_t key = pair.b.memory.add({0, remote, remote_atomic});
        constexpr std::uint64_t count = 20;
        for (std::uint64_t id = 0; id < count; ++id)
            pair.a.queue_pair.post_send(0, {.id = id, .type = WorkType::fetch_and_add, .rkey = key, .swap_or_add = 1});
        pair.run();
        std::uint64_t done = 0;
        for (const Completion& completion : pair.a.completions)
            if (completion.status == CompletionStatus::success) {
                EXPECT_EQ(completion.original, done++) << seed;
            }
        // What gave up may have been executed or not.
        EXPECT_GE(number_in(remote), done) << seed;
        if (done == count) {
            EXPECT_EQ(number_in(remote), count) << seed;
        }
    }
}

TEST(RcQueuePair, ASendTakesAKeyAway) {
    Pair pair;
    Octets memory(100);
    const std::uint32_t key = pair.b.memory.add({0x1000, memory, remote_write});
    pair.b.queue_pair.post_receive(2);
    pair.a.queue_pair.post_send(0, {.id = 1, .octets = counting(1500, 1), .invalidate = key});
    EXPECT_EQ(pair.a.out.front().bth.opcode, 0x00);
    EXPECT_EQ(pair.a.out.back().bth.opcode, 0x16);
    pair.run();
    ASSERT_EQ(pair.b.completions.size(), 1U);
    EXPECT_EQ(pair.b.completions.front().invalidated, key);
    EXPECT_FALSE(pair.b.memory.find(key, 0x1000, 1, remote_write));
    // It is gone: the peer fails, and nothing comes back.
    pair.a.queue_pair.post_send(pair.now, {.id = 2, .octets = counting(5, 1), .invalidate = key});
    EXPECT_EQ(pair.a.out.back().bth.opcode, 0x17);
    pair.run();
    EXPECT_EQ(pair.b.queue_pair.state(), RcQueuePair::State::error);
    EXPECT_EQ(work_done(pair.a, 2)->status, CompletionStatus::retry_exceeded);
}

TEST(RcQueuePair, AdaptiveTimeoutsBeginShort) {
    Pair pair({.timeout = 14, .retry_count = 7, .adaptive_retransmission = true}, 1, {.loss = 1'000'000});
    pair.a.queue_pair.post_send(0, {.id = 1, .octets = counting(5, 1)});
    std::vector<double> waits;  // of the coded timeout
    for (Time before = 0, next = 0; (next = pair.a.queue_pair.wakeup()) != never; before = next) {
        waits.push_back(static_cast<double>(next - before) / static_cast<double>(coded_timeout(14)));
        pair.a.queue_pair.on_timer(next);
    }
    ASSERT_EQ(waits.size(), 8U);
    EXPECT_LT(waits[0], 0.1);
    EXPECT_LT(waits[1], waits[0]);
    EXPECT_EQ(waits[6], 2);
    EXPECT_EQ(waits[7], 2);
}

TEST(RcQueuePair, WithoutAReceiveBuffer) {
    Pair pair({.rnr_retry_count = 2});
    pair.a.queue_pair.post_send(0, {.id = 1, .octets = Octets(10)});
    pair.run();
    EXPECT_EQ(work_done(pair.a, 1)->status, CompletionStatus::rnr_retry_exceeded);
    EXPECT_EQ(pair.a.queue_pair.retransmissions(), 2U);
    EXPECT_GE(pair.now, 2 * 640 * microsecond) << "RNR timer code 12";
}

TEST(RcQueuePair, NobodyAnswers) {
    Pair pair({.timeout = 10, .retry_count = 3}, 1, {.loss = 1'000'000});
    pair.a.queue_pair.post_send(0, {.id = 1, .octets = Octets(10)});
    pair.run();
    EXPECT_EQ(work_done(pair.a, 1)->status, CompletionStatus::retry_exceeded);
    EXPECT_EQ(pair.a.queue_pair.retransmissions(), 3U);
    EXPECT_GE(pair.now, 4 * coded_timeout(10));
}

TEST(RcQueuePair, APacketThatBreaksTheMessageIsRefused) {
    Pair pair;
    pair.b.queue_pair.post_receive();
    const Octets octets(1024);
    IbPacketOut middle;
    middle.bth.opcode = 0x01;
    middle.bth.psn = 0xFF'FFF0;
    middle.payload = octets;
    pair.b.queue_pair.on_packet(0, arrived(middle));
    ASSERT_EQ(pair.b.out.size(), 1U);
    EXPECT_EQ(arrived(pair.b.out.front()).aeth.syndrome, 0x61) << "NAK, invalid request";
}

/// Whatever the schedule and the network do: all arrives once, in order, or the error is told.
TEST(RcQueuePair, EverythingArrivesWhateverHappens) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random plan(seed * 1000);
        const Faults faults{
            static_cast<std::uint32_t>(plan.below(80'000)), static_cast<std::uint32_t>(plan.below(50'000)),
            static_cast<std::uint32_t>(plan.below(80'000))};
        const RcConfig config{
            .mtu = 256U << plan.below(5),
            .timeout = 10,
            .retry_count = 7,
            .window = static_cast<std::uint32_t>(plan.between(1, 200))};
        Pair pair(config, seed, faults);
        Octets remote(20'000), expected(20'000);
        const std::uint32_t key = pair.b.memory.add({0x1000, remote, remote_read | remote_write});
        std::vector<Octets> sent;
        std::list<Octets> reads;
        pair.b.queue_pair.post_receive(1000);
        for (std::uint64_t id = 0; id < 30; ++id) {
            const std::size_t size = plan.below(6'000), offset = plan.below(14'000);
            const Octets octets = counting(size, static_cast<unsigned>(id));
            switch (plan.below(3)) {
                case 0:
                    sent.push_back(octets);
                    pair.a.queue_pair.post_send(pair.now, {.id = id, .octets = octets});
                    break;
                case 1:
                    std::ranges::copy(octets, expected.begin() + static_cast<std::ptrdiff_t>(offset));
                    pair.a.queue_pair.post_send(
                        pair.now, {.id = id,
                                   .type = WorkType::rdma_write,
                                   .octets = octets,
                                   .remote_address = 0x1000 + offset,
                                   .rkey = key});
                    break;
                default:
                    pair.a.queue_pair.post_send(
                        pair.now, {.id = id,
                                   .type = WorkType::rdma_read,
                                   .remote_address = 0x1000 + offset,
                                   .rkey = key,
                                   .read_into = reads.emplace_back(size)});
            }
            if (plan.below(4) == 0) pair.run();
        }
        pair.run();
        std::vector<Octets> received;
        for (Completion& completion : pair.b.completions) received.push_back(std::move(completion.octets));
        std::uint64_t failed = 0;
        std::uint64_t next = 0;
        for (const Completion& completion : pair.a.completions) {
            EXPECT_EQ(completion.id, next++) << "completions are in order";
            failed += completion.status != CompletionStatus::success;
        }
        EXPECT_EQ(next, 30U);
        if (failed == 0) {
            EXPECT_EQ(received, sent) << "seed " << seed;
            EXPECT_EQ(remote, expected) << "seed " << seed;
        } else {
            EXPECT_EQ(pair.a.queue_pair.state(), RcQueuePair::State::error);
            ASSERT_LE(received.size(), sent.size());
            EXPECT_TRUE(std::equal(received.begin(), received.end(), sent.begin())) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace fabricscope::stack::rc_queue_pair_test
