// SPDX-License-Identifier: GPL-2.0-or-later
// The VI Architecture's calls and what they return (VI-DG 5; states: VI-DG 2.2).
#include "replay/stack/fc/vi/provider.h"

#include <gtest/gtest.h>

namespace fabricscope::stack::vi::fc_vi_provider_test {
namespace {

/// A Provider on a port that nobody answers.
struct Alone : testing::Test {
    std::vector<OutgoingFrame> frames;
    Exchanges exchanges{{}, 0, frames, Random(1)};
    fibre_channel::NPort port{config(), exchanges};
    Provider provider{{}, exchanges, port};
    Ptag ptag = provider.create_ptag();

    static fibre_channel::NPortConfig config() {
        fibre_channel::NPortConfig config;
        config.ip.octets[15] = 1;
        return config;
    }
    static NetAddress address(std::uint8_t host) {
        NetAddress address;
        address.host.octets[15] = host;
        address.discriminator_length = 16;
        return address;
    }
    Attributes attributes() const {
        Attributes attributes;
        attributes.ptag = ptag;
        return attributes;
    }
    ViHandle vi(CqHandle send_cq = 0, CqHandle receive_cq = 0) {
        ViHandle vi = 0;
        EXPECT_EQ(provider.create_vi(attributes(), send_cq, receive_cq, vi), Return::success);
        return vi;
    }
    State state_of(ViHandle vi) const {
        ViQuery query;
        EXPECT_EQ(provider.query_vi(vi, query), Return::success);
        return query.state;
    }
};

TEST_F(Alone, AttributesAreChecked) {
    ViHandle vi = 0;
    Attributes wrong = attributes();
    wrong.ptag = ptag + 1;
    EXPECT_EQ(provider.create_vi(wrong, 0, 0, vi), Return::invalid_ptag);
    wrong = attributes();
    wrong.max_transfer_size = 0;
    EXPECT_EQ(provider.create_vi(wrong, 0, 0, vi), Return::invalid_mtu);
    wrong = attributes();
    wrong.level = Reliability::unreliable_delivery;
    wrong.enable_rdma_read = true;
    EXPECT_EQ(provider.create_vi(wrong, 0, 0, vi), Return::invalid_rdmaread);
    EXPECT_EQ(provider.create_vi(attributes(), 7, 0, vi), Return::invalid_parameter);
}

TEST_F(Alone, MemoryBelongsToItsTag) {
    Memory& memory = provider.memory();
    MemHandle handle = 0;
    EXPECT_EQ(memory.register_mem(0x1000, 0, {ptag}, handle), Return::invalid_parameter);
    EXPECT_EQ(memory.register_mem(0x1000, 100, {ptag + 1}, handle), Return::invalid_ptag);
    ASSERT_EQ(memory.register_mem(0x1000, 100, {ptag, true, false}, handle), Return::success);
    EXPECT_TRUE(memory.allows(Access::local_write, ptag, 0x1000, handle, 100));
    EXPECT_TRUE(memory.allows(Access::remote_write, ptag, 0x1063, handle, 1));
    EXPECT_FALSE(memory.allows(Access::remote_write, ptag, 0x1063, handle, 2));
    EXPECT_FALSE(memory.allows(Access::remote_read, ptag, 0x1000, handle, 1));
    EXPECT_FALSE(memory.allows(Access::local_write, ptag + 1, 0x1000, handle, 1));
    EXPECT_FALSE(memory.allows(Access::local_write, ptag, 0xFFF, handle, 1));
    EXPECT_EQ(memory.set_attributes(0x1000, handle, {ptag, false, true}), Return::success);
    EXPECT_TRUE(memory.allows(Access::remote_read, ptag, 0x1000, handle, 1));
    EXPECT_EQ(provider.destroy_ptag(ptag), Return::error_resource);
    EXPECT_EQ(memory.deregister_mem(0x1001, handle), Return::invalid_parameter);
    EXPECT_EQ(memory.deregister_mem(0x1000, handle), Return::success);
    EXPECT_FALSE(memory.allows(Access::local_write, ptag, 0x1000, handle, 1));
    EXPECT_EQ(provider.destroy_ptag(ptag), Return::success);
    EXPECT_EQ(provider.destroy_ptag(ptag), Return::invalid_parameter);
}

TEST_F(Alone, CallsDependOnTheState) {
    const ViHandle one = vi();
    EXPECT_EQ(state_of(one), State::idle);
    EXPECT_EQ(provider.connect_request(0, one, address(9), address(2), second), Return::invalid_parameter);
    EXPECT_EQ(provider.connect_request(0, one, address(1), address(2), 0), Return::invalid_parameter);
    EXPECT_EQ(provider.connect_request(0, one, address(1), address(2), second), Return::success);
    EXPECT_EQ(state_of(one), State::connect_pending);
    EXPECT_EQ(provider.connect_request(0, one, address(1), address(2), second), Return::invalid_state);
    EXPECT_EQ(provider.connect_peer_request(0, one, address(1), address(2), second), Return::invalid_state);
    EXPECT_EQ(provider.set_vi_attributes(one, attributes()), Return::invalid_state);
    EXPECT_EQ(provider.destroy_vi(one), Return::invalid_state);
    EXPECT_EQ(provider.connect_done(one), Return::not_done);
    provider.on_timer(second);  // T1
    EXPECT_EQ(provider.connect_done(one), Return::timeout);
    EXPECT_EQ(provider.connect_done(one), Return::not_done);
    EXPECT_EQ(state_of(one), State::idle);
    EXPECT_EQ(provider.destroy_vi(one), Return::success);
    EXPECT_EQ(provider.destroy_vi(one), Return::invalid_parameter);
}

TEST_F(Alone, WhatIsPostedComesBack) {
    const CqHandle cq = provider.create_cq();
    const ViHandle one = vi(cq, cq);
    Descriptor descriptor;
    EXPECT_EQ(provider.send_done(one, descriptor), Return::descriptor_error);
    EXPECT_EQ(descriptor.status, 0);
    descriptor.cookie = 5;
    EXPECT_EQ(provider.post_send(0, one, descriptor), Return::success);
    EXPECT_EQ(provider.send_done(one, descriptor), Return::descriptor_error);
    EXPECT_EQ(descriptor.status, status::done | status::desc_flushed_error | status::op_send);
    EXPECT_EQ(descriptor.cookie, 5);
    EXPECT_EQ(provider.post_receive(one, descriptor), Return::success);
    EXPECT_EQ(provider.receive_done(one, descriptor), Return::not_done);
    EXPECT_EQ(provider.disconnect(0, one), Return::success);
    EXPECT_EQ(provider.disconnect_done(one), Return::success);
    EXPECT_EQ(provider.receive_done(one, descriptor), Return::descriptor_error);
    EXPECT_EQ(descriptor.status, status::done | status::desc_flushed_error | status::op_receive);
    CqEntry entry;
    EXPECT_EQ(provider.cq_done(cq, entry), Return::success);
    EXPECT_FALSE(entry.receive);
    EXPECT_EQ(provider.cq_done(cq, entry), Return::success);
    EXPECT_TRUE(entry.receive);
    EXPECT_EQ(entry.vi, one);
    EXPECT_EQ(provider.cq_done(cq, entry), Return::not_done);
    EXPECT_EQ(provider.destroy_cq(cq), Return::error_resource);
    EXPECT_EQ(provider.destroy_vi(one), Return::success);
    EXPECT_EQ(provider.destroy_cq(cq), Return::success);
}

TEST_F(Alone, HandlersAreCalledOnceForADescriptorEach) {
    const ViHandle one = vi();
    EXPECT_EQ(provider.receive_notify(one, 1), Return::descriptor_error) << "nothing is posted";
    EXPECT_EQ(provider.receive_notify(one + 1, 1), Return::invalid_parameter);
    Descriptor descriptor;
    for (const std::uint64_t cookie : {5U, 6U}) {
        descriptor.cookie = cookie;
        provider.post_receive(one, descriptor);
    }
    for (const std::uint64_t context : {11U, 12U, 13U})
        EXPECT_EQ(provider.receive_notify(one, context), Return::success);
    EXPECT_FALSE(provider.next_notification());
    provider.disconnect(0, one);
    for (const auto& [context, cookie] : {std::pair{11U, 5U}, std::pair{12U, 6U}}) {
        const auto told = provider.next_notification();
        ASSERT_TRUE(told && told->has_descriptor);
        EXPECT_EQ(told->context, context);
        EXPECT_TRUE(told->receive);
        EXPECT_EQ(told->descriptor.cookie, cookie) << "in order of descriptors";
    }
    const auto last = provider.next_notification();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->context, 13U);
    EXPECT_FALSE(last->has_descriptor) << "the queue is empty";
    EXPECT_FALSE(provider.next_notification());
    EXPECT_EQ(provider.receive_done(one, descriptor), Return::descriptor_error) << "handlers have got them";
    // What is done already is told at once.
    provider.post_send(0, one, descriptor);
    EXPECT_EQ(provider.send_notify(one, 14), Return::success);
    EXPECT_EQ(provider.next_notification()->context, 14U);
}

TEST_F(Alone, HandlersOfACompletionQueue) {
    const CqHandle cq = provider.create_cq();
    const ViHandle one = vi(cq, cq);
    EXPECT_EQ(provider.cq_notify(cq + 1, 1), Return::invalid_parameter);
    EXPECT_EQ(provider.cq_notify(cq, 1), Return::success);
    Descriptor descriptor;
    provider.post_send(0, one, descriptor);
    EXPECT_EQ(provider.send_notify(one, 2), Return::error_resource) << "the completion queue has to be asked";
    const auto told = provider.next_notification();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->context, 1U);
    EXPECT_EQ(told->vi, one);
    EXPECT_FALSE(told->receive);
    CqEntry entry;
    EXPECT_EQ(provider.cq_done(cq, entry), Return::not_done) << "the handler has had it";
    EXPECT_EQ(provider.send_done(one, descriptor), Return::descriptor_error) << "the descriptor itself is still there";
    EXPECT_NE(descriptor.status, 0U);
}

TEST_F(Alone, ACompletionQueueThatOverrunsLosesEntries) {
    const CqHandle cq = provider.create_cq(2);
    const ViHandle one = vi(cq);
    for (int i = 0; i < 3; ++i) provider.post_send(0, one, {});
    CqEntry entry;
    EXPECT_EQ(provider.cq_done(cq, entry), Return::success);
    EXPECT_EQ(provider.cq_done(cq, entry), Return::success);
    EXPECT_EQ(provider.cq_done(cq, entry), Return::not_done);
    EXPECT_EQ(provider.cq_lost(cq), 1U);
    EXPECT_FALSE(provider.next_error()) << "nobody has to report it (VI-DG 6.3.2)";
}

TEST(ViNameService, KnowsWhatItWasTold) {
    NameService names(
        {{"Alpha", Alone::address(1).host}, {"beta", Alone::address(2).host}, {"alpha", Alone::address(3).host}});
    NetAddress address;
    std::string name;
    EXPECT_EQ(names.host_by_name("alpha", 0, address), Return::error_nameservice) << "it is not initialised";
    EXPECT_EQ(names.shutdown(), Return::error_nameservice);
    EXPECT_EQ(names.init(), Return::success);
    EXPECT_EQ(names.init(), Return::error_nameservice);
    EXPECT_EQ(names.host_by_name("ALPHA", 0, address), Return::success);
    EXPECT_EQ(address.host, Alone::address(1).host);
    EXPECT_EQ(names.host_by_name("alpha", 1, address), Return::success);
    EXPECT_EQ(address.host, Alone::address(3).host);
    EXPECT_EQ(names.host_by_name("alpha", 2, address), Return::error_nameservice);
    EXPECT_EQ(names.host_by_name("gamma", 0, address), Return::error_nameservice);
    EXPECT_EQ(names.host_by_address(Alone::address(2), name), Return::success);
    EXPECT_EQ(name, "beta");
    EXPECT_EQ(names.host_by_address(Alone::address(9), name), Return::error_nameservice);
    EXPECT_EQ(names.shutdown(), Return::success);
    EXPECT_EQ(names.host_by_address(Alone::address(2), name), Return::error_nameservice);
}

}  // namespace
}  // namespace fabricscope::stack::vi::fc_vi_provider_test
