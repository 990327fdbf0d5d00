// SPDX-License-Identifier: GPL-2.0-or-later
// What a VI Provider does in courses that go wrong, from the documents' clauses.
#include "tests/unit/synth/vi_pair.h"

namespace fabricscope::stack::vi::test::fc_vi_faults_test {
namespace {

using fcvi::IuType;
using fcvi::Reason;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto ud = Reliability::unreliable_delivery;
constexpr auto rd = Reliability::reliable_delivery;
constexpr auto rr = Reliability::reliable_reception;

using ViFaults = Pair;

// ---- connections that come late ----------------------------------------------------------------------

/// VI-DG 3.2.2: an Idle VI may be destroyed; FC-VI C.5.2: RESP1 is answered all the same.
TEST_F(ViFaults, ALateAnswerFindsNoVi) {
    start();
    make_vis(rr);
    ask(5 * millisecond);
    run(10 * millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::timeout);
    EXPECT_EQ(a().provider.destroy_vi(a().vi), Return::success);
    EXPECT_EQ(accept(), Return::success);
    run(millisecond);
    EXPECT_EQ(b().provider.connect_done(b().vi), Return::timeout);
    EXPECT_EQ(b().state(), State::idle);
    ASSERT_EQ(of(IuType::connect_resp2).size(), 1U);
    EXPECT_EQ(reason_of(of(IuType::connect_resp2)[0]), Reason::connect_timeout);
}

/// FC-VI C.5.2, C.5.6; VI Architecture 4.2: stale connections cannot be used.
TEST_F(ViFaults, ALateAnswerIsNotTheNextRequests) {
    start();
    make_vis(rr);
    ask(5 * millisecond);
    run(10 * millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::timeout);
    EXPECT_EQ(wait(), Return::success);
    EXPECT_EQ(request(), Return::success);
    run(millisecond);
    EXPECT_EQ(accept(), Return::success) << "of the first request";
    run(millisecond);
    EXPECT_EQ(a().state(), State::connect_pending);
    ASSERT_EQ(of(IuType::connect_resp2).size(), 1U);
    EXPECT_EQ(reason_of(of(IuType::connect_resp2)[0]), Reason::connect_timeout);
    EXPECT_EQ(b().provider.connect_done(b().vi), Return::timeout);
    b().conn = b().provider.next_request()->conn;
    EXPECT_EQ(accept(), Return::success);
    run(millisecond);
    EXPECT_EQ(a().state(), State::connected);
    EXPECT_EQ(b().state(), State::connected);
}

/// VI-DG 3.3.4, 3.3.6: VIP_INFINITE.
TEST_F(ViFaults, WhoWaitsForEverHasNoTimeout) {
    start();
    make_vis(rr);
    ask(never);
    run(millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::not_done);
    EXPECT_EQ(a().state(), State::connect_pending);
    EXPECT_EQ(accept(), Return::success);
    run(millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::success);
}

/// VI Architecture 5.2: a Disconnect of a pending VI ends in Idle, whatever comes then.
TEST_F(ViFaults, DisconnectWhilePending) {
    start();
    make_vis(rr);
    ask();
    EXPECT_EQ(accept(), Return::success);
    EXPECT_EQ(disconnect(b()), Return::success);
    run(second);
    EXPECT_EQ(b().state(), State::idle);
    EXPECT_EQ(a().state(), State::error) << "the connection is ended as soon as it is there";
    ASSERT_EQ(of(IuType::disconnect_rqst).size(), 1U);
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::conn_lost));
}

/// VI-DG 6.3.1: the error comes before the answer, and the end of T1 after the VI has gone.
TEST_F(ViFaults, AnErrorOfAPendingVi) {
    start();
    make_vis(rd);
    EXPECT_EQ(request(), Return::success);
    call([&](Time) { EXPECT_EQ(a().provider.post_receive_at(a().vi, {a().base + 8, a().memory}), Return::success); });
    EXPECT_EQ(a().state(), State::error);
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::post_desc));
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_EQ(a().provider.destroy_vi(a().vi), Return::success);
    run(60 * second);
}

TEST_F(ViFaults, DisconnectOfAPendingClient) {
    start();
    make_vis(rr);
    ask();
    call([&](Time now) { EXPECT_EQ(a().provider.disconnect(now, a().vi), Return::success); });
    EXPECT_EQ(a().provider.disconnect_done(a().vi), Return::success);
    EXPECT_EQ(a().state(), State::idle);
    EXPECT_EQ(accept(), Return::success);
    run(second);
    EXPECT_EQ(b().provider.connect_done(b().vi), Return::timeout);
    EXPECT_EQ(b().state(), State::idle);
}

/// VI-DG 3.3.1; T0.
TEST_F(ViFaults, AWaitEndsInATimeout) {
    start();
    EXPECT_EQ(wait(0), Return::timeout) << "returns at once";
    EXPECT_EQ(wait(3 * second), Return::success);
    run(2 * second);
    EXPECT_FALSE(b().provider.next_request());
    run(2 * second);
    const auto told = b().provider.next_request();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->result, Return::timeout);
    make_vis(rr);
    request();
    run(second);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::no_match);
    EXPECT_EQ(reason_of(of(IuType::connect_resp1).at(0)), Reason::no_waiting_connectionpoint) << "C.5.2";
}

/// VI-DG 3.3.4: at once, and a reliable VI goes to Error; what is posted comes back flushed.
TEST_F(ViFaults, AHostThatCannotBeReached) {
    start();
    for (const Reliability both : {ud, rr}) {
        make_vis(both);
        receive(a(), send_of(a()));
        NetAddress nowhere = b().address();
        nowhere.host = fc_test::ip_of(99);
        call([&](Time now) { a().provider.connect_request(now, a().vi, a().address(1), nowhere, 60 * second); });
        run(50 * second);
        EXPECT_EQ(a().provider.connect_done(a().vi), Return::not_reachable);
        EXPECT_EQ(a().state(), both == ud ? State::idle : State::error);
        const std::size_t flushed = both == ud ? 0 : 1;
        EXPECT_EQ(a().received().size(), flushed);
    }
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_EQ(a().state(), State::idle);
}

// ---- peers -------------------------------------------------------------------------------------------

struct Peers : AnalysedPair {
    void ask(End& from, End& to) {
        call([&](Time now) {
            EXPECT_EQ(
                from.provider.connect_peer_request(now, from.vi, from.address(), to.address(), 60 * second),
                Return::success);
        });
    }
};

/// FC-VI 5.3.4 b: the lower one waits for the other's answer; VI-DG 3.3.7 has no VIP_REJECT.
TEST_F(Peers, ConcurrentPeersWhoseAttributesDiffer) {
    start();
    Attributes larger = level(rr);
    larger.max_transfer_size *= 2;
    make_vis(level(rr), larger);
    ask(a(), b());
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::invalid_mtu);
    EXPECT_EQ(b().provider.connect_peer_done(b().vi), Return::invalid_mtu);
    EXPECT_EQ(a().state(), State::idle);
    EXPECT_EQ(b().state(), State::idle);
    const auto answers = of(IuType::connect_resp1);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(reason_of(answers[0]), Reason::connect_reject);
    EXPECT_EQ(reason_of(answers[1]), Reason::connect_reject) << "table 2: any other response";
}

TEST_F(Peers, OneAfterTheOtherWhoseAttributesDiffer) {
    start();
    Attributes deeper = level(rr);
    deeper.pipeline_depth = 1;
    make_vis(level(rr), deeper);
    ask(a(), b());
    run(second);
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::invalid_qos);
    EXPECT_EQ(b().provider.connect_peer_done(b().vi), Return::invalid_qos) << "RESP1 has the other one's attributes";
}

/// The lower one, which waits for the answer to its own request, hears that nobody waits any more. Then it treats the
/// request that it holds like any other: it refuses, or accepts (table 2), and is told that it is too late.
struct PeersOneOfWhichGivesUp : Peers, testing::WithParamInterface<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(MaxTransferSizes, PeersOneOfWhichGivesUp, testing::Values(1000, 2000));

TEST_P(PeersOneOfWhichGivesUp, BeforeItAnswers) {
    start();
    Attributes own = level(rr), other = own;
    own.max_transfer_size = 1000;
    other.max_transfer_size = GetParam();
    make_vis(own, other);
    run(millisecond);
    ask(a(), b());
    ask(b(), a());
    run(5 * microsecond);  // the requests are on their way
    EXPECT_EQ(disconnect(b()), Return::success);
    const auto answers = of(IuType::connect_resp1);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(reason_of(answers[0]), Reason::no_waiting_connectionpoint);
    EXPECT_EQ(reason_of(answers[1]), GetParam() == 1000 ? std::nullopt : std::optional(Reason::connect_reject));
    const engine::fcvi::Model& model = analysed();
    EXPECT_THAT(model.findings, IsEmpty());
    EXPECT_EQ(model.of(engine::fcvi::rules::arbitration).satisfied, 2U);
}

/// VI-DG 6.7: requests match in order. The lower one's first VI answers at once, for it has its answer; that its second
/// one has just asked, too, is no reason to wait.
TEST_F(Peers, TwoVisWaitForOnePeer) {
    start();
    make_vis(rr);
    ask(b(), a());
    run(millisecond);
    EXPECT_EQ(disconnect(b()), Return::success);
    ask(a(), b());
    run(millisecond);
    const ViHandle first = a().vi;
    make_vis(ud);
    ask(a(), b());
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(first), Return::invalid_reliability_level);
    const engine::fcvi::Model& model = analysed();
    EXPECT_THAT(model.findings, IsEmpty());
    EXPECT_EQ(model.of(engine::fcvi::rules::arbitration).undecided, 1U) << "a refusal does not tell whose it is";
}

TEST_F(Peers, TwoVisAskOnePeerAtOnce) {
    start();
    make_vis(rr);
    ask(a(), b());
    run(millisecond);
    const ViHandle waiting = a().vi, first = b().vi;
    ask(b(), a());
    make_vis(rr);
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(waiting), Return::success);
    EXPECT_EQ(b().provider.connect_peer_done(first), Return::success);
    EXPECT_EQ(b().provider.connect_peer_done(b().vi), Return::not_done);
    const engine::fcvi::Model& model = analysed();
    EXPECT_THAT(model.findings, IsEmpty());
    EXPECT_EQ(model.connections.size(), 2U);
}

/// A's first VI waits, its second one and B's ask at once: B's answers that one, and its own request finds the first.
TEST_F(Peers, TwoRequestsOfWhichOneIsAnswered) {
    start();
    make_vis(rr);
    const ViHandle waiting = a().vi, theirs = b().vi;
    ask(a(), b());
    run(millisecond);
    make_vis(rr);
    ask(a(), b());
    b().vi = theirs;
    ask(b(), a());
    run(second);
    EXPECT_EQ(b().provider.connect_peer_done(theirs), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(waiting), Return::not_done) << "another peer may come";
    EXPECT_THAT(analysed().findings, IsEmpty());
    run(60 * second);
    EXPECT_EQ(a().provider.connect_peer_done(waiting), Return::timeout);
}

/// The same, and B's request is the first that the capture has. The connection is that of the setup that completes,
/// with what its ends have said; the first VI gets another one later.
TEST_F(Peers, OfTwoThatAskTheConnectionIsThatOfOne) {
    start();
    Attributes without_rdma = level(rr);
    without_rdma.enable_rdma_write = without_rdma.enable_rdma_read = false;
    make_vis(without_rdma, level(rr));
    const ViHandle waiting = a().vi, theirs = b().vi;
    ask(a(), b());
    run(millisecond);
    make_vis(rr);
    const ViHandle further = std::exchange(b().vi, theirs);
    ask(b(), a());
    ask(a(), b());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(waiting), Return::not_done);
    receive(b(), {.data = {b().segment()}});
    post(a(), send_of(a()));
    post(b(), rdma(b(), a(), Operation::rdma_write));
    run(second);
    EXPECT_THAT(b().sent(), ElementsAre(status::done | status::op_write));
    EXPECT_THAT(b().received(), ElementsAre(status::done | status::op_receive));
    EXPECT_EQ(disconnect(b()), Return::success);
    b().vi = further;
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(waiting), Return::success);
    const engine::fcvi::Model& model = analysed();
    EXPECT_THAT(model.findings, IsEmpty());
    ASSERT_EQ(model.connections.size(), 2U);
    const auto& ends = model.connections.front().end;
    EXPECT_EQ(ends[engine::Side::client].attributes->en_rdma_wr, true);
    EXPECT_NE(ends[engine::Side::client].handle, model.connections.back().end[engine::Side::server].handle);
}

/// VI-DG 6.3.1: it is in Error, and its application does not know yet.
TEST_F(Peers, OneInErrorIsNotConnected) {
    start();
    make_vis(rr);
    ask(a(), b());
    run(millisecond);
    call([&](Time) { EXPECT_EQ(a().provider.post_receive_at(a().vi, {a().base + 8, a().memory}), Return::success); });
    EXPECT_EQ(a().state(), State::error);
    ask(b(), a());
    run(second);
    EXPECT_EQ(b().provider.connect_peer_done(b().vi), Return::not_done);
    EXPECT_EQ(reason_of(of(IuType::connect_resp1).back()), Reason::no_waiting_connectionpoint);
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_THAT(analysed().findings, IsEmpty());
}

/// VI-DG 3.3.7
TEST_F(Peers, NobodyHasAskedForAnything) {
    start();
    make_vis(rr);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::invalid_state);
    ask(a(), b());
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::not_done);
    ask(b(), a());
    run(second);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::success);
    EXPECT_EQ(a().provider.connect_peer_done(a().vi), Return::invalid_state) << "it has been told";
}

// ---- servers -----------------------------------------------------------------------------------------

/// VI-DG 3.3.2, 3.3.3
TEST_F(ViFaults, HandlesThatNobodyHasGiven) {
    start();
    make_vis(rr);
    b().conn = 77;
    EXPECT_EQ(accept(), Return::invalid_parameter);
    call([&](Time now) { EXPECT_EQ(b().provider.connect_reject(now, 77), Return::invalid_parameter); });
    ask();
    call([&](Time now) { EXPECT_EQ(b().provider.connect_reject(now, b().conn), Return::success); });
    EXPECT_EQ(accept(), Return::invalid_parameter) << "it has been used";
}

/// VI Architecture 5.2: receives stay where they are.
TEST_F(ViFaults, ARefusalLeavesReceivesAlone) {
    start();
    make_vis(rr);
    receive(a(), send_of(a()));
    request();
    run(millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::no_match);
    ask();
    call([&](Time now) { b().provider.connect_reject(now, b().conn); });
    run(millisecond);
    EXPECT_EQ(a().provider.connect_done(a().vi), Return::reject);
    EXPECT_THAT(a().received(), IsEmpty());
    connect();
    post(b(), send_of(b()));
    run(millisecond);
    EXPECT_THAT(a().received(), ElementsAre(status::done | status::op_receive));
}

/// FC-VI 7.2; VI-DG 4.5
TEST_F(ViFaults, DiscriminatorsHaveALimit) {
    start();
    make_vis(rr);
    NetAddress address = b().address();
    address.discriminator_length = 129;
    call([&](Time now) {
        EXPECT_EQ(b().provider.connect_wait(now, address, second), Return::invalid_parameter);
        EXPECT_EQ(a().provider.connect_request(now, a().vi, a().address(), address, second), Return::invalid_parameter);
    });
}

// ---- Messages ----------------------------------------------------------------------------------------

/// VI Architecture 3.2.1: memory that is no longer registered is a protection violation.
TEST_F(ViFaults, TheBufferOfAnOpenReadIsTakenAway) {
    start();
    connect(rr);
    post(a(), rdma(a(), b(), Operation::rdma_read));
    EXPECT_EQ(a().provider.memory().deregister_mem(a().base, a().memory), Return::success);
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_read | status::protection_error));
    EXPECT_EQ(a().state(), State::error);
}

/// VI-DG 5.2, bit 8, and FC-VI 5.9.7.3: Remote Descriptor Error.
TEST_F(ViFaults, AWriteWithImmediateDataFindsNoReceive) {
    start();
    connect(rr);
    Descriptor write = rdma(a(), b(), Operation::rdma_write);
    write.immediate = 5;
    post(a(), write);
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_write | status::remote_desc_error));
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::recvq_empty, AsyncError::conn_lost));
    disconnect(b());
    EXPECT_EQ(reason_of(of(IuType::disconnect_rqst).at(0)), Reason::remote_descriptor_error);
}

/// VI-DG 3.8.1: in the descriptor, and not by an asynchronous error.
TEST_F(ViFaults, AForbiddenWriteIsToldInTheReceive) {
    start();
    for (const bool immediate : {false, true}) {
        connect(ud);
        b().provider.memory().set_attributes(b().base, b().memory, {b().ptag, false, false});
        receive(b(), {});
        Descriptor write = rdma(a(), b(), Operation::rdma_write);
        if (immediate) write.immediate = 5;
        post(a(), write);
        run(millisecond);
        EXPECT_EQ(b().errors().empty(), immediate);
        const std::uint32_t told = immediate ? status::op_remote_write | status::protection_error
                                             : status::op_receive | status::desc_flushed_error;
        disconnect(b());
        EXPECT_THAT(b().received(), ElementsAre(status::done | told));
    }
}

/// VI-DG 5.2, 6.2: a Message of which something came is told in its descriptor, and the connection is lost.
TEST_F(ViFaults, ASendOfWhichAFrameIsMissing) {
    start();
    for (const Reliability both : {rd, rr}) {
        connect(both);
        receive(b(), {.data = {b().segment(8000)}});
        lost = [](const fcvi::DeviceHeader& header, const fc::FrameHeader& frame) {
            return header.iu()->type == IuType::send_rqst && frame.seq_cnt == 1;
        };
        post(a(), send_of(a(), 8000));
        run(millisecond);
        EXPECT_THAT(
            b().received(),
            ElementsAre(status::done | status::op_receive | status::transport_error | status::partial_error));
        EXPECT_THAT(b().errors(), ElementsAre(AsyncError::conn_lost));
        EXPECT_EQ(b().state(), State::error);
        lost = nullptr;
    }
}

TEST_F(ViFaults, AWriteOfWhichAFrameIsMissing) {
    start();
    connect(rd);
    lost = [](const fcvi::DeviceHeader& header, const fc::FrameHeader& frame) {
        return header.iu()->type == IuType::write_rqst && frame.seq_cnt == 1;
    };
    post(a(), rdma(a(), b(), Operation::rdma_write, 8000));
    run(millisecond);
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::rdmaw_abort, AsyncError::conn_lost));
}

/// VI-DG 3.8.1: data corruption. Where a descriptor is taken, it says so, and no error does.
TEST_F(ViFaults, AWriteOfWhichAFrameIsCorrupt) {
    start();
    connect(rd);
    corrupt(IuType::write_rqst, 2);
    post(a(), rdma(a(), b(), Operation::rdma_write, 8000));
    run(millisecond);
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::rdmaw_data, AsyncError::conn_lost));
    EXPECT_EQ(b().state(), State::error);
    disconnect(b());
    EXPECT_EQ(reason_of(of(IuType::disconnect_rqst).at(0)), Reason::remote_write_data_error);
}

TEST_F(ViFaults, AWriteWithImmediateDataIsCorrupt) {
    start();
    connect(rd);
    receive(b(), {.data = {b().segment()}});
    corrupt(IuType::write_rqst, 0);
    Descriptor write = rdma(a(), b(), Operation::rdma_write, 100);
    write.immediate = 7;
    post(a(), write);
    run(millisecond);
    EXPECT_THAT(b().received(), ElementsAre(status::done | status::op_remote_write | status::transport_error));
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::conn_lost));
}

TEST_F(ViFaults, ASendIsCorrupt) {
    start();
    connect(ud);
    receive(b(), {.data = {b().segment()}});
    receive(b(), {.data = {b().segment()}});
    corrupt(IuType::send_rqst, 0);
    post(a(), send_of(a()));
    post(a(), send_of(a()));
    run(millisecond);
    EXPECT_THAT(
        b().received(),
        ElementsAre(status::done | status::op_receive | status::transport_error, status::done | status::op_receive));
    EXPECT_EQ(b().state(), State::connected);
}

/// VI-DG 3.8.1: an incoming RDMA operation that takes no descriptor.
TEST_F(ViFaults, AReadRequestIsCorrupt) {
    start();
    connect(rd);
    corrupt(IuType::read_rqst, 0);
    post(a(), rdma(a(), b(), Operation::rdma_read, 100));
    run(millisecond);
    EXPECT_THAT(b().errors(), ElementsAre(AsyncError::rdma_transport, AsyncError::conn_lost));
    disconnect(b());
    EXPECT_EQ(reason_of(of(IuType::disconnect_rqst).at(0)), Reason::remote_rdma_transport_error);
}

/// VI-DG 4.6, FC-VI 7.3: all of QoS has to agree. Bandwidths and delays are not for those who keep to the document.
TEST_F(ViFaults, ARequestWithAnotherQualityOfService) {
    constexpr std::array members{
        &Attributes::pipeline_depth, &Attributes::max_bandwidth, &Attributes::min_bandwidth, &Attributes::max_delay};
    start({.any_qos = true});
    make_vis(rd);
    for (const auto member : members) {
        Attributes asked = level(rd);
        asked.*member = 99;
        asked.ptag = a().ptag;
        EXPECT_EQ(a().provider.set_vi_attributes(a().vi, asked), Return::success);
        ask();
        EXPECT_EQ(accept(), Return::invalid_qos);
        call([&](Time time) { EXPECT_EQ(b().provider.connect_reject(time, b().conn), Return::success); });
        run(millisecond);
        EXPECT_EQ(a().provider.connect_done(a().vi), Return::reject);
    }
    Attributes promises = level(rd);
    promises.ptag = b().ptag;
    promises.max_delay = 1;
    EXPECT_EQ(b().provider.set_vi_attributes(b().vi, promises), Return::invalid_qos);
}

/// VI Architecture 7.3: upon any error the handler is called, too.
TEST_F(ViFaults, ErrorsOfReliableConnectionsCallTheHandler) {
    start();
    connect(rr);
    Descriptor wrong = send_of(a());
    wrong.length += 1;
    post(a(), wrong);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_send | status::length_error));
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::conn_lost));
    disconnect(a());
    EXPECT_EQ(reason_of(of(IuType::disconnect_rqst).at(0)), std::nullopt) << "no code is for errors of one's own";
}

TEST_F(ViFaults, AnswersThatTellErrorsCallTheHandler) {
    start();
    connect(rr);
    post(a(), send_of(a()));
    run(millisecond);
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_send | status::remote_desc_error));
    EXPECT_THAT(a().errors(), ElementsAre(AsyncError::conn_lost));
}

/// VI-DG 5.2: Operation Type.
TEST_F(ViFaults, AReceiveCannotBeAWrite) {
    start();
    connect(rr);
    receive(b(), {.operation = Operation::rdma_write, .data = {b().segment()}});
    post(a(), send_of(a()));
    run(millisecond);
    EXPECT_THAT(b().received(), ElementsAre(status::done | status::op_receive | status::format_error));
    EXPECT_THAT(a().sent(), ElementsAre(status::done | status::op_send | status::remote_desc_error));
}

/// VI-DG 5.2, bit 4.
TEST_F(ViFaults, ATruncatedMessageOnUnreliableDelivery) {
    start();
    connect(ud);
    receive(b(), {.data = {b().segment(8000)}});
    lost = [](const fcvi::DeviceHeader& header, const fc::FrameHeader& frame) {
        return header.msg_id() == 1 && frame.seq_cnt == 2;
    };
    post(a(), send_of(a(), 8000));
    run(millisecond);
    EXPECT_THAT(
        b().received(),
        ElementsAre(status::done | status::op_receive | status::transport_error | status::partial_error));
    EXPECT_EQ(b().state(), State::connected);
    EXPECT_THAT(b().errors(), IsEmpty());
}

TEST_F(ViFaults, WhatCameBackIsCounted) {
    start();
    connect(rr);
    receive(a(), send_of(a()));
    EXPECT_EQ(disconnect(a()), Return::success);
    EXPECT_EQ(a().provider.counters(a().vi).flushed, 1U);
    EXPECT_EQ(a().provider.counters(a().vi).failed, 0U);
}

}  // namespace
}  // namespace fabricscope::stack::vi::test::fc_vi_faults_test
