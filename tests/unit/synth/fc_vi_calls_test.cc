// SPDX-License-Identifier: GPL-2.0-or-later
// VIPL calls of VI-DG 3 and what VI-DG 4 and 5 say of attributes, errors and descriptors in memory.
#include "tests/unit/synth/vi_pair.h"

namespace fabricscope::stack::vi::test::fc_vi_calls_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto ud = Reliability::unreliable_delivery;
constexpr auto rd = Reliability::reliable_delivery;
constexpr auto rr = Reliability::reliable_reception;
constexpr std::uint32_t received_well = status::done | status::op_receive;
constexpr std::uint32_t flushed_receive = received_well | status::desc_flushed_error;

using ViCalls = Pair;

ProviderConfig with(const std::function<void(NicAttributes&)>& change) {
    ProviderConfig config;
    change(config.nic);
    return config;
}

// ---- the NIC and its limits (VI-DG 4.5) --------------------------------------------------------------

TEST_F(ViCalls, QueryNicTellsWhatHolds) {
    start();
    const NicAttributes nic = a().provider.query_nic();
    EXPECT_EQ(nic.name, "VINIC") << "VI-DG 6.5";
    EXPECT_EQ(nic.address, a().ip);
    EXPECT_GE(nic.max_discriminator, 16) << "VI-DG 4.5";
    EXPECT_GE(nic.max_segments, 252U) << "VI-DG 5.4";
    EXPECT_GE(nic.max_cq_entries, 1024U) << "VI Architecture 3.4";
    EXPECT_GE(nic.max_transfer_size, 32U * 1024) << "VI Architecture 6.1.1";
    EXPECT_GE(nic.max_ptags, nic.max_vi) << "VI-DG 4.5";
    EXPECT_THAT(nic.levels, testing::Contains(ud)) << "VI Architecture 2.5";
}

TEST_F(ViCalls, LimitsOfTheNicHold) {
    start(with([](NicAttributes& nic) {
        nic.max_vi = 1;
        nic.max_cq = 1;
        nic.max_cq_entries = 4;
        nic.max_ptags = 2;
        nic.max_transfer_size = 1000;
        nic.levels = {ud, rd};
        nic.rdma_read_levels = {rr};
        nic.max_register_regions = 2;
        nic.max_register_block = 0x8000;
        nic.max_register_bytes = 0x9000;
    }));
    Provider& provider = a().provider;
    EXPECT_NE(provider.create_ptag(), 0U);
    EXPECT_EQ(provider.create_ptag(), 0U);
    MemHandle handle = 0;
    EXPECT_EQ(provider.memory().register_mem(0x90000, 0x8001, {a().ptag}, handle), Return::error_resource);
    EXPECT_EQ(provider.memory().register_mem(0x90000, 0x1001, {a().ptag}, handle), Return::error_resource);
    EXPECT_EQ(provider.memory().register_mem(0x90000, 0x1000, {a().ptag}, handle), Return::success);
    EXPECT_EQ(provider.memory().deregister_mem(0x90000, handle), Return::success);
    EXPECT_EQ(provider.memory().register_mem(0x90000, 16, {a().ptag}, handle), Return::success);
    EXPECT_EQ(provider.memory().register_mem(0x91000, 16, {a().ptag}, handle), Return::error_resource);
    EXPECT_EQ(provider.create_cq(5), 0U);
    const CqHandle cq = provider.create_cq(4);
    EXPECT_NE(cq, 0U);
    EXPECT_EQ(provider.create_cq(1), 0U);
    Attributes attributes{.level = rr, .max_transfer_size = 1000, .ptag = a().ptag};
    EXPECT_EQ(provider.create_vi(attributes, 0, 0, a().vi), Return::invalid_reliability_level);
    attributes.level = rd;
    attributes.max_transfer_size = 1001;
    EXPECT_EQ(provider.create_vi(attributes, 0, 0, a().vi), Return::invalid_mtu);
    attributes.max_transfer_size = 1000;
    attributes.enable_rdma_read = true;
    EXPECT_EQ(provider.create_vi(attributes, 0, 0, a().vi), Return::invalid_rdmaread);
    attributes.enable_rdma_read = false;
    EXPECT_EQ(provider.create_vi(attributes, 0, 0, a().vi), Return::success);
    ViHandle second = 0;
    EXPECT_EQ(provider.create_vi(attributes, 0, 0, second), Return::error_resource);
}

/// VI-DG 5.2, bit 3: more segments than the NIC can do.
TEST_F(ViCalls, SegmentsHaveALimit) {
    start(
        with([](NicAttributes& nic) { nic.max_segments = 2; }), with([](NicAttributes& nic) { nic.max_segments = 2; }));
    connect(ud);
    post(a(), {.data = {a().segment(1), a().segment(1)}, .length = 2});
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_send)) << "no more than it can do";
    post(a(), {.data = {a().segment(1), a().segment(1), a().segment(1)}, .length = 3});
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_send | status::length_error));
    Descriptor write = rdma(a(), b(), Operation::rdma_write, 1);
    write.data.push_back(a().segment(1));
    write.length = 2;
    post(a(), write);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_write | status::length_error))
        << "the address segment counts";
    receive(b(), {.data = {b().segment(50), b().segment(50), b().segment(50)}});
    post(a(), send_of(a(), 10));
    run(millisecond);
    EXPECT_THAT(b().received(), ElementsAre(received_well | status::length_error));
}

/// VI-DG 3.7.5
TEST_F(ViCalls, QueryMem) {
    start();
    MemoryAttributes attributes;
    EXPECT_EQ(a().provider.memory().query(a().base, a().memory, attributes), Return::success);
    EXPECT_EQ(attributes.ptag, a().ptag);
    EXPECT_TRUE(attributes.enable_rdma_write && attributes.enable_rdma_read);
    EXPECT_EQ(a().provider.memory().query(a().base + 1, a().memory, attributes), Return::invalid_parameter);
    EXPECT_EQ(a().provider.memory().query(a().base, a().memory + 1, attributes), Return::invalid_parameter);
}

/// VI-DG 3.6.3
TEST_F(ViCalls, ResizeCq) {
    start();
    Provider& provider = a().provider;
    const CqHandle cq = provider.create_cq(1);
    EXPECT_EQ(provider.create_vi({.ptag = a().ptag}, cq, 0, a().vi), Return::success);
    EXPECT_EQ(provider.resize_cq(cq + 1, 4), Return::invalid_parameter);
    EXPECT_EQ(provider.resize_cq(cq, UINT32_MAX), Return::error_resource);
    EXPECT_EQ(provider.resize_cq(cq, 2), Return::success);
    for (int i = 0; i < 3; ++i) post(a(), {});
    EXPECT_EQ(provider.cq_lost(cq), 1U) << "two have found room";
    EXPECT_EQ(provider.resize_cq(cq, 1), Return::error_resource) << "entries are not thrown away";
}

/// VI-DG 3.7.6
TEST_F(ViCalls, SystemManagementInfo) {
    start();
    connect(rr);
    AutodiscoveryList list{.hops = 1, .count = 4};
    EXPECT_EQ(a().provider.query_system_management_info(list), Return::success);
    EXPECT_THAT(list.addresses, IsEmpty()) << "the Fabric is between all hosts";
    list = {.hops = 2, .count = 0};
    EXPECT_EQ(a().provider.query_system_management_info(list), Return::error_resource);
    EXPECT_EQ(list.count, 1U) << "is told how many there are";
    EXPECT_EQ(a().provider.query_system_management_info(list), Return::success);
    ASSERT_EQ(list.addresses.size(), 1U);
    EXPECT_EQ(list.addresses[0].host, b().ip);
}

/// VI-DG 3.1.2; FC-VI 5.9.4.6: the Provider itself disconnects.
TEST_F(ViCalls, CloseNicEndsConnections) {
    start();
    connect(rr);
    call([&](Time now) { EXPECT_EQ(a().provider.close_nic(now), Return::success); });
    run(millisecond);
    EXPECT_EQ(b().state(), State::error);
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::conn_lost));
    ASSERT_EQ(of(fcvi::IuType::disconnect_rqst).size(), 1U);
}

// ---- calls that block (VI-DG 3.5.3, 3.5.6, 3.5.8) -----------------------------------------------------

TEST_F(ViCalls, WaitsForDescriptors) {
    start();
    connect(rr);
    Provider& provider = b().provider;
    call([&](Time now) {
        EXPECT_EQ(provider.receive_wait(now, b().vi, second, 1), Return::descriptor_error) << "nothing is posted";
        EXPECT_EQ(provider.receive_wait(now, b().vi + 9, second, 1), Return::invalid_parameter);
    });
    receive(b(), {.data = {b().segment()}, .cookie = 5});
    receive(b(), {.data = {b().segment()}, .cookie = 6});
    call([&](Time now) {
        EXPECT_EQ(provider.receive_wait(now, b().vi, 0, 1), Return::timeout);
        EXPECT_EQ(provider.receive_wait(now, b().vi, second, 2), Return::success);
    });
    run(2 * second);
    auto told = provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->context, 2U);
    EXPECT_EQ(told->result, Return::timeout);
    call([&](Time now) { provider.receive_wait(now, b().vi, never, 3); });
    post(a(), send_of(a()));
    run(millisecond);
    told = provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->result, Return::success);
    EXPECT_EQ(told->descriptor.cookie, 5U);
    call([&](Time now) { provider.receive_wait(now, b().vi, never, 4); });
    disconnect(b());
    told = provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->result, Return::descriptor_error) << "it came back flushed";
    call([&](Time now) {
        EXPECT_EQ(a().provider.send_wait(now, a().vi, second, 7), Return::success) << "it is done already";
        EXPECT_EQ(a().provider.send_wait(now, a().vi, second, 8), Return::descriptor_error) << "and was the only one";
    });
    told = a().provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->result, Return::success);
    EXPECT_EQ(told->descriptor.status, status::done | status::op_send);
}

TEST_F(ViCalls, WaitsForCompletionQueues) {
    start();
    Provider& provider = a().provider;
    const CqHandle cq = provider.create_cq();
    EXPECT_EQ(provider.create_vi({.ptag = a().ptag}, cq, cq, a().vi), Return::success);
    call([&](Time now) {
        EXPECT_EQ(provider.send_wait(now, a().vi, second, 1), Return::error_resource) << "VI-DG 3.5.3";
        EXPECT_EQ(provider.receive_wait(now, a().vi, second, 1), Return::error_resource) << "VI-DG 3.5.6";
        EXPECT_EQ(provider.cq_wait(now, cq + 1, second, 1), Return::invalid_parameter);
        EXPECT_EQ(provider.cq_wait(now, cq, 0, 1), Return::timeout);
        EXPECT_EQ(provider.cq_wait(now, cq, second, 2), Return::success);
    });
    run(2 * second);
    EXPECT_EQ(provider.next_notification()->result, Return::timeout);
    call([&](Time now) { provider.cq_wait(now, cq, never, 3); });
    post(a(), {});
    const auto told = provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->result, Return::success);
    EXPECT_EQ(told->vi, a().vi);
    EXPECT_FALSE(told->receive);
    EXPECT_EQ(a().sent().size(), 1U) << "it is still to be taken from its queue";
}

// ---- descriptors as memory (VI-DG 5.1 to 5.4) --------------------------------------------------------

struct ViDescriptors : Pair {
    void put(End& end, std::uint32_t at, const Octets& octets) {
        end.provider.memory().write(end.base + at, end.memory, octets);
    }
    void put(End& end, std::uint32_t at, const Descriptor& descriptor) { put(end, at, octets_of(descriptor)); }
    std::uint32_t word(End& end, std::uint32_t at) {
        const Octets octets = end.provider.memory().read(end.base + at, end.memory, 4);
        return static_cast<std::uint32_t>(octets[0] | octets[1] << 8 | octets[2] << 16) |
               static_cast<std::uint32_t>(octets[3]) << 24;
    }
    void post_at(End& end, std::uint32_t at) {
        call([&](Time now) {
            EXPECT_EQ(end.provider.post_send_at(now, end.vi, {end.base + at, end.memory}), Return::success);
        });
    }
    void receive_at(End& end, std::uint32_t at) {
        call([&](Time) {
            EXPECT_EQ(end.provider.post_receive_at(end.vi, {end.base + at, end.memory}), Return::success);
        });
    }
};

constexpr std::uint32_t immediate_at = 20, length_at = 24, status_at = 28;

TEST_F(ViDescriptors, AreReadAndCompletedWhereTheyLie) {
    start();
    connect(rr);
    put(b(), 0x1000, {.data = {b().segment(200, 0x2000)}});
    receive_at(b(), 0x1000);
    put(a(), 0x2000, Octets(100, 0x5A));
    put(a(), 0x1000, {.immediate = 0x1234, .data = {a().segment(60, 0x2000), a().segment(40, 0x203C)}, .length = 100});
    post_at(a(), 0x1000);
    run(millisecond);
    EXPECT_EQ(word(a(), 0x1000 + status_at), status::done | status::op_send);
    EXPECT_EQ(word(a(), 0x1000 + length_at), 100U);
    EXPECT_EQ(word(b(), 0x1000 + status_at), received_well | status::immediate);
    EXPECT_EQ(word(b(), 0x1000 + length_at), 100U);
    EXPECT_EQ(word(b(), 0x1000 + immediate_at), 0x1234U);
    EXPECT_EQ(word(b(), 0x2000 + 96), 0x5A5A5A5AU);
    Descriptor done;
    EXPECT_EQ(b().provider.receive_done(b().vi, done), Return::success);
    EXPECT_EQ(done.cookie, b().base + 0x1000);
}

TEST_F(ViDescriptors, RdmaHasAnAddressSegment) {
    start();
    connect(rr);
    put(b(), 0, Octets(100, 0x77));
    put(a(), 0x1000,
        {.operation = Operation::rdma_read,
         .remote = AddressSegment{b().base, b().memory},
         .data = {a().segment(100, 0x2000)},
         .length = 100});
    post_at(a(), 0x1000);
    run(millisecond);
    EXPECT_EQ(word(a(), 0x1000 + status_at), status::done | status::op_read);
    EXPECT_EQ(word(a(), 0x2000), 0x77777777U);
}

/// VI-DG 5.2, 5.3: what is reserved is zero, and so is the rest of the Control Field; operation 3 is undefined.
TEST_F(ViDescriptors, FormatErrors) {
    start();
    connect(ud);
    struct Change {
        std::uint32_t at;
        std::uint8_t octet;
    };
    for (const auto& [at, octet] :
         {Change{14, 0x11}, Change{15, 0x80}, Change{16, 1}, Change{19, 1}, Change{14, 0x03}, Change{44, 1}}) {
        Octets octets = octets_of(rdma(a(), b(), Operation::rdma_write));
        octets[at] = octet;
        put(a(), 0x1000, octets);
        post_at(a(), 0x1000);
        EXPECT_EQ(word(a(), 0x1000 + status_at) & status::error_mask, status::format_error) << at;
    }
    Octets lacks_address = octets_of({.operation = Operation::rdma_write});
    put(a(), 0x1000, lacks_address);
    post_at(a(), 0x1000);
    EXPECT_EQ(word(a(), 0x1000 + status_at) & status::error_mask, status::format_error);
    EXPECT_EQ(a().state(), State::connected) << "on Unreliable Delivery that ends nothing";
}

/// VI-DG 5.2: of receives, Immediate Data and Queue Fence are ignored, an operation is not.
TEST_F(ViDescriptors, ControlFieldOfReceives) {
    start();
    connect(ud);
    put(b(), 0x1000, {.immediate = 1, .fence = true, .data = {b().segment(100, 0x2000)}});
    receive_at(b(), 0x1000);
    put(b(), 0x1040, {.operation = Operation::rdma_read, .data = {b().segment(100, 0x2000)}});
    receive_at(b(), 0x1040);
    post(a(), send_of(a()));
    post(a(), send_of(a()));
    run(millisecond);
    EXPECT_THAT(b().received(), ElementsAre(received_well, received_well | status::format_error));
}

/// VI-DG 3.8.1: Post Descriptor Error; 6.3.1: Error on all levels.
TEST_F(ViDescriptors, ThatCannotBePosted) {
    start();
    for (const std::uint32_t at : {0x1004U, 0x9000U, 0x7FF0U}) {
        connect(ud);
        receive(a(), send_of(a()));
        post_at(a(), at);
        const auto error = a().provider.next_error();
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code, AsyncError::post_desc);
        EXPECT_EQ(error->vi, a().vi);
        EXPECT_EQ(error->resource, Resource::descriptor);
        EXPECT_EQ(error->descriptor, a().base + at);
        EXPECT_EQ(a().state(), State::error);
        EXPECT_THAT(a().received(), ElementsAre(flushed_receive));
        disconnect(a());
        disconnect(b());
        (void)b().errors();
    }
}

TEST_F(ViDescriptors, WhoseLinkIsModified) {
    start();
    connect(rr);
    for (const std::uint32_t at : {0x1000U, 0x1040U}) {
        put(b(), at, {.data = {b().segment(100, 0x2000)}});
        receive_at(b(), at);
    }
    EXPECT_EQ(word(b(), 0x1000), b().base + 0x1040) << "VI-DG 5.2: the User Agent links them";
    put(b(), 0x1000, Octets{1});
    post(a(), send_of(a()));
    run(millisecond);
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::post_desc));
    EXPECT_EQ(b().state(), State::error);
}

/// VI-DG 3.8.1: Completion Protection Error.
TEST_F(ViDescriptors, WhoseMemoryIsGone) {
    start();
    connect(rr);
    MemHandle handle = 0;
    const std::uint64_t base = 0x90000;
    ASSERT_EQ(b().provider.memory().register_mem(base, 64, {b().ptag}, handle), Return::success);
    b().provider.memory().write(base, handle, octets_of({.data = {b().segment()}}));
    call([&](Time) { b().provider.post_receive_at(b().vi, {base, handle}); });
    b().provider.memory().deregister_mem(base, handle);
    post(a(), send_of(a()));
    run(millisecond);
    const auto error = b().provider.next_error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, AsyncError::comp_prot);
    EXPECT_EQ(error->descriptor, base);
    EXPECT_EQ(error->operation, 1U) << "a receive";
    EXPECT_EQ(b().state(), State::error);
}

/// VI-DG 5.2, VI Architecture 6.3.1.2: what is behind a fence begins when the Reads before it are done.
TEST_F(ViCalls, AFenceWaitsForReads) {
    start();
    for (const bool fence : {false, true}) {
        connect(rd);
        receive(b(), {.data = {b().segment()}});
        post(a(), rdma(a(), b(), Operation::rdma_read));
        Descriptor next = send_of(a());
        next.fence = fence;
        post(a(), next);
        run(millisecond);
        ASSERT_EQ(seen.size(), 3U);
        EXPECT_EQ(seen[fence ? 2 : 1].iu()->type, fcvi::IuType::send_rqst);
        EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_read, status::done | status::op_send));
        disconnect(a());
    }
}

// ---- asynchronous errors (VI-DG 3.8.1, 4.4) ----------------------------------------------------------

TEST_F(ViCalls, ACompletionQueueBecomesInaccessible) {
    start();
    const CqHandle cq = a().provider.create_cq();
    make_vis(rr);
    Attributes attributes = level(rr);
    attributes.ptag = a().ptag;
    EXPECT_EQ(a().provider.create_vi(attributes, cq, 0, a().vi), Return::success);
    connect();
    EXPECT_EQ(a().provider.lose_cq(cq + 1), Return::invalid_parameter);
    EXPECT_EQ(a().provider.lose_cq(cq), Return::success);
    const auto error = a().provider.next_error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, AsyncError::comp_prot);
    EXPECT_EQ(error->cq, cq);
    EXPECT_EQ(error->resource, Resource::cq);
    EXPECT_EQ(a().state(), State::error);
}

TEST_F(ViCalls, TheHardwareFails) {
    start();
    a().provider.fail_all();
    auto error = a().provider.next_error();
    ASSERT_TRUE(error) << "although nothing is connected";
    EXPECT_EQ(error->vi, 0U);
    EXPECT_EQ(error->resource, Resource::nic);
    EXPECT_EQ(error->code, AsyncError::catastrophic);
    connect(ud);
    receive(a(), {.data = {a().segment()}});
    a().provider.fail_all();
    error = a().provider.next_error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->vi, a().vi);
    EXPECT_EQ(error->resource, Resource::nic);
    EXPECT_EQ(error->code, AsyncError::catastrophic);
    EXPECT_EQ(a().state(), State::error) << "on all levels (VI-DG 6.3.1)";
    EXPECT_THAT(a().received(), ElementsAre(flushed_receive));
}

/// VI-DG 6.3.3: for any other reason than a Disconnect of its own.
TEST_F(ViCalls, AnUnreliableConnectionIsLost) {
    start();
    connect(ud);
    EXPECT_EQ(disconnect(b()), Return::success);
    EXPECT_EQ(a().state(), State::error);
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::conn_lost));
    EXPECT_EQ(b().state(), State::idle);
    EXPECT_THAT(b().errors(), IsEmpty()) << "VI-DG 3.3.5: who has asked for it is not told";
}

/// VI-DG 6.1: a Send that overtakes an RDMA Read has its entry behind that of the Read.
TEST_F(ViCalls, EntriesOfACompletionQueueAreInOrder) {
    start();
    make_vis(rd);
    const CqHandle cq = a().provider.create_cq();
    Attributes attributes = level(rd);
    attributes.ptag = a().ptag;
    EXPECT_EQ(a().provider.create_vi(attributes, cq, 0, a().vi), Return::success);
    connect();
    receive(b(), {.data = {b().segment()}});
    post(a(), rdma(a(), b(), Operation::rdma_read, 0x4000));
    post(a(), send_of(a()));
    run(5 * microsecond);
    CqEntry entry;
    EXPECT_EQ(a().provider.cq_done(cq, entry), Return::not_done) << "the Send is on its way, the Read not done";
    run(millisecond);
    EXPECT_EQ(a().provider.cq_done(cq, entry), Return::success);
    EXPECT_EQ(a().provider.cq_done(cq, entry), Return::success);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_read, status::done | status::op_send));
}

TEST_F(ViCalls, TooManyDescriptors) {
    start({}, with([](NicAttributes& nic) { nic.max_descriptors_per_queue = 2; }));
    connect(ud);
    for (int i = 0; i < 3; ++i) receive(b(), {.data = {b().segment()}, .cookie = 10U + static_cast<unsigned>(i)});
    const auto error = b().provider.next_error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, AsyncError::vi_overrun);
    EXPECT_EQ(error->descriptor, 12U);
    EXPECT_EQ(b().state(), State::error) << "on all levels (VI-DG 6.3.1)";
    EXPECT_EQ(b().received().size(), 3U) << "all come back";
}

/// VI Architecture 5.1
TEST_F(ViCalls, ErrorsOfIdleAreToldWhenAConnectionIsAskedFor) {
    start(with([](NicAttributes& nic) { nic.max_descriptors_per_queue = 1; }));
    make_vis(rr);
    receive(a(), {});
    receive(a(), {});
    EXPECT_THAT(a().errors(), IsEmpty());
    EXPECT_EQ(a().state(), State::idle);
    EXPECT_EQ(a().received().size(), 1U) << "the one too many";
    request();
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::vi_overrun));
}

/// VI-DG 4.4: the whole descriptor.
TEST_F(ViCalls, AnErrorDescriptorTellsTheOperation) {
    start();
    connect(rd);
    b().provider.memory().set_attributes(b().base, b().memory, {b().ptag, false, false});
    post(a(), rdma(a(), b(), Operation::rdma_read));
    run(millisecond);
    const auto error = b().provider.next_error();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, AsyncError::rdmar_prot);
    EXPECT_EQ(error->operation, 4U);
    EXPECT_EQ(error->resource, Resource::vi);
    EXPECT_FALSE(error->descriptor);
    EXPECT_EQ(b().errors().size(), 1U) << "and the connection is lost";
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_read | status::rdma_prot_error));
}

}  // namespace
}  // namespace fabricscope::stack::vi::test::fc_vi_calls_test
