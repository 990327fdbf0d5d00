// SPDX-License-Identifier: GPL-2.0-or-later
// The calls of vipl.h against the emulated stack, on the real clock: blocking waits, handlers, what each call returns.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>

#include "replay/vipl/vipl.h"

namespace {

constexpr VIP_ULONG patience = 30'000;  ///< ms
constexpr std::size_t region_size = 65'536, buffers_at = 4096;
constexpr char server_discriminator[] = "fabricscope/echo";
constexpr std::array<VIP_UINT8, 4> server_ip{192, 0, 2, 20};

/// A network address with room for its octets.
struct Address {
    alignas(VIP_NET_ADDRESS) std::array<VIP_UINT8, sizeof(VIP_NET_ADDRESS) + 256> octets{};
    VIP_NET_ADDRESS* get() { return reinterpret_cast<VIP_NET_ADDRESS*>(octets.data()); }
    VIP_UINT8* host() { return octets.data() + offsetof(VIP_NET_ADDRESS, HostAddress); }
    void set(const std::array<VIP_UINT8, 4>& ip, const char* discriminator) {
        get()->HostAddressLen = 16;
        std::fill_n(host(), 16, VIP_UINT8{0});
        std::copy(ip.begin(), ip.end(), host() + 12);
        get()->DiscriminatorLen = static_cast<VIP_UINT16>(std::strlen(discriminator));
        std::memcpy(host() + 16, discriminator, get()->DiscriminatorLen);
    }
};

/// What a handler was called with, once it was.
template <class What> class Told {
public:
    void tell(What what) {
        const std::scoped_lock lock(mutex_);
        what_.push_back(what);
        changed_.notify_all();
    }
    What await() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return !what_.empty(); }))
            throw std::runtime_error("nothing was told");
        const What first = what_.front();
        what_.erase(what_.begin());
        return first;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<What> what_;
};

void on_error(VIP_PVOID context, VIP_ERROR_DESCRIPTOR* error) {
    static_cast<Told<VIP_ERROR_DESCRIPTOR>*>(context)->tell(*error);
}
void on_descriptor(VIP_PVOID context, VIP_NIC_HANDLE /*nic*/, VIP_VI_HANDLE /*vi*/, VIP_DESCRIPTOR* descriptor) {
    static_cast<Told<VIP_DESCRIPTOR*>*>(context)->tell(descriptor);
}
void on_entry(VIP_PVOID context, VIP_NIC_HANDLE /*nic*/, VIP_VI_HANDLE vi, VIP_BOOLEAN receive) {
    static_cast<Told<std::pair<VIP_VI_HANDLE, bool>>*>(context)->tell({vi, receive != VIP_FALSE});
}

/// A client of the server that sends everything back.
class Vipl : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(VipOpenNic("emulated:fcvi_send_rd,r-a-tov=1000", &nic), VIP_SUCCESS);
        ASSERT_EQ(VipErrorCallback(nic, &errors, on_error), VIP_SUCCESS);
        ASSERT_EQ(VipQueryNic(nic, &limits), VIP_SUCCESS);
        ASSERT_EQ(VipCreatePtag(nic, &ptag), VIP_SUCCESS);
        VIP_MEM_ATTRIBUTES attributes{ptag, VIP_FALSE, VIP_FALSE};
        ASSERT_EQ(VipRegisterMem(nic, memory.data(), memory.size(), &attributes, &handle), VIP_SUCCESS);
    }
    void TearDown() override {
        const VIP_RETURN expected = nic == nullptr ? VIP_INVALID_PARAMETER : VIP_SUCCESS;
        EXPECT_EQ(VipCloseNic(nic), expected);
    }

    VIP_VI_ATTRIBUTES attributes() const {
        return {VIP_SERVICE_RELIABLE_DELIVERY, 65'536, nullptr, ptag, VIP_FALSE, VIP_FALSE};
    }
    void make_vi(VIP_CQ_HANDLE cq = nullptr) {
        VIP_VI_ATTRIBUTES of_vi = attributes();
        ASSERT_EQ(VipCreateVi(nic, &of_vi, cq, cq, &vi), VIP_SUCCESS);
    }
    VIP_RETURN connect(const char* discriminator = server_discriminator) {
        Address local, remote;
        std::array<VIP_UINT8, 4> own{};
        std::copy_n(limits.LocalNicAddress + 12, 4, own.begin());
        local.set(own, "fabricscope/test");
        remote.set(server_ip, discriminator);
        return VipConnectRequest(vi, local.get(), remote.get(), patience, &remote_attributes);
    }
    VIP_DESCRIPTOR* describe(unsigned slot, VIP_UINT32 length) {
        auto* descriptor = reinterpret_cast<VIP_DESCRIPTOR*>(memory.data() + slot * sizeof(VIP_DESCRIPTOR));
        *descriptor = {};
        descriptor->CS.SegCount = 1;
        descriptor->CS.Length = length;
        descriptor->DS[0].Local.Data.Address = memory.data() + buffers_at * (slot + 1);
        descriptor->DS[0].Local.Handle = handle;
        descriptor->DS[0].Local.Length = length;
        return descriptor;
    }
    VIP_DESCRIPTOR* post_receive(unsigned slot) {
        VIP_DESCRIPTOR* descriptor = describe(slot, buffers_at);
        EXPECT_EQ(VipPostRecv(vi, descriptor, handle), VIP_SUCCESS);
        return descriptor;
    }
    VIP_DESCRIPTOR* post_send(unsigned slot, const std::string& text) {
        VIP_DESCRIPTOR* descriptor = describe(slot, static_cast<VIP_UINT32>(text.size()));
        std::memcpy(descriptor->DS[0].Local.Data.Address, text.data(), text.size());
        EXPECT_EQ(VipPostSend(vi, descriptor, handle), VIP_SUCCESS);
        return descriptor;
    }
    static std::string text_of(const VIP_DESCRIPTOR* descriptor) {
        return {static_cast<const char*>(descriptor->DS[0].Local.Data.Address), descriptor->CS.Length};
    }
    VIP_VI_STATE state() {
        VIP_VI_STATE is{};
        VIP_VI_ATTRIBUTES ignored;
        VIP_BOOLEAN sends{}, receives{};
        EXPECT_EQ(VipQueryVi(vi, &is, &ignored, &sends, &receives), VIP_SUCCESS);
        return is;
    }

    alignas(VIP_DESCRIPTOR_ALIGNMENT) std::array<VIP_UINT8, region_size> memory{};
    VIP_NIC_HANDLE nic = nullptr;
    VIP_NIC_ATTRIBUTES limits{};
    VIP_PROTECTION_HANDLE ptag = nullptr;
    VIP_MEM_HANDLE handle = 0;
    VIP_VI_HANDLE vi = nullptr;
    VIP_VI_ATTRIBUTES remote_attributes{};
    Told<VIP_ERROR_DESCRIPTOR> errors;
};

TEST_F(Vipl, WhatTheNicTells) {
    EXPECT_STREQ(limits.Name, "emulated:fcvi_send_rd,r-a-tov=1000");
    EXPECT_EQ(limits.NicAddressLen, 16);
    EXPECT_EQ(limits.ThreadSafe, VIP_TRUE);
    EXPECT_EQ(limits.HardwareVersion, 1U);
    EXPECT_EQ(limits.ProviderVersion, 1U);
    EXPECT_EQ(limits.NativeMTU, 2048U);
    EXPECT_GE(limits.MaxDiscriminatorLen, 16);
    EXPECT_GE(limits.MaxSegmentsPerDesc, 252U);
    EXPECT_GE(limits.MaxCQEntries, 1024U);
    EXPECT_GE(limits.MaxTransferSize, 32'768U);
    EXPECT_GE(limits.MaxPtags, limits.MaxVI);
    EXPECT_EQ(
        limits.ReliabilityLevelSupport,
        VIP_SERVICE_UNRELIABLE | VIP_SERVICE_RELIABLE_DELIVERY | VIP_SERVICE_RELIABLE_RECEPTION);
    EXPECT_EQ(limits.RDMAReadSupport, VIP_SERVICE_RELIABLE_DELIVERY | VIP_SERVICE_RELIABLE_RECEPTION);
}

TEST_F(Vipl, ANicIsOpenedSeveralTimes) {
    VIP_NIC_HANDLE again = nullptr;
    ASSERT_EQ(VipOpenNic("emulated:fcvi_send_rd", &again), VIP_SUCCESS);
    EXPECT_NE(again, nic);
    make_vi();
    EXPECT_EQ(VipCloseNic(again), VIP_SUCCESS);
    EXPECT_EQ(VipCloseNic(again), VIP_INVALID_PARAMETER);
    EXPECT_EQ(state(), VIP_STATE_IDLE);  // is still there
}

TEST_F(Vipl, NamesThatAreNoDevice) {
    VIP_NIC_HANDLE none = nullptr;
    for (const char* name :
         {"", "emulated:no_such_scenario", "emulated:fcvi_send_rd,speed=9", "no-such-interface", "eth0,class=4",
          "eth0,id=1", "VINIC77", "eth0,address=somewhere", "eth0,r-a-tov=0", "eth0,vlan=5000"})
        EXPECT_EQ(VipOpenNic(name, &none), VIP_INVALID_PARAMETER) << name;
    EXPECT_EQ(VipOpenNic(nullptr, &none), VIP_INVALID_PARAMETER);
}

TEST_F(Vipl, HandlesThatNobodyHasGiven) {
    const VIP_PVOID wrong = &memory;
    VIP_DESCRIPTOR* descriptor = nullptr;
    VIP_BOOLEAN receive{};
    EXPECT_EQ(VipDestroyVi(wrong), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipSendDone(wrong, &descriptor), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipSendWait(wrong, 0, &descriptor), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipCQDone(wrong, &vi, &receive), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipCQWait(wrong, 0, &vi, &receive), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipConnectReject(wrong), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipConnectAccept(wrong, wrong), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipDestroyPtag(nic, wrong), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipDeregisterMem(nic, memory.data(), handle + 1), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipQueryNic(wrong, &limits), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipErrorCallback(wrong, nullptr, nullptr), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipResizeCQ(wrong, 1), VIP_INVALID_PARAMETER);
}

TEST_F(Vipl, AttributesAreChecked) {
    VIP_VI_ATTRIBUTES wrong = attributes();
    wrong.ReliabilityLevel = 3;
    EXPECT_EQ(VipCreateVi(nic, &wrong, nullptr, nullptr, &vi), VIP_INVALID_RELIABILITY_LEVEL);
    wrong = attributes();
    wrong.MaxTransferSize = limits.MaxTransferSize + 1;
    EXPECT_EQ(VipCreateVi(nic, &wrong, nullptr, nullptr, &vi), VIP_INVALID_MTU);
    wrong = attributes();
    wrong.QoS = VIP_FCVI_PIPELINE(0x8000'0001);
    EXPECT_EQ(VipCreateVi(nic, &wrong, nullptr, nullptr, &vi), VIP_INVALID_QOS);
    wrong = attributes();
    wrong.Ptag = nullptr;
    EXPECT_EQ(VipCreateVi(nic, &wrong, nullptr, nullptr, &vi), VIP_INVALID_PTAG);
    wrong = attributes();
    wrong.ReliabilityLevel = VIP_SERVICE_UNRELIABLE;
    wrong.EnableRdmaRead = VIP_TRUE;
    EXPECT_EQ(VipCreateVi(nic, &wrong, nullptr, nullptr, &vi), VIP_INVALID_RDMAREAD);
    make_vi();
    wrong = attributes();
    wrong.QoS = VIP_FCVI_PIPELINE(7);
    EXPECT_EQ(VipSetViAttributes(vi, &wrong), VIP_SUCCESS);
    VIP_VI_STATE is{};
    VIP_VI_ATTRIBUTES told{};
    VIP_BOOLEAN sends{}, receives{};
    EXPECT_EQ(VipQueryVi(vi, &is, &told, &sends, &receives), VIP_SUCCESS);
    EXPECT_EQ(told.QoS, VIP_FCVI_PIPELINE(7));
    EXPECT_EQ(told.Ptag, ptag);
    EXPECT_EQ(sends, VIP_TRUE);
    EXPECT_EQ(VipDestroyPtag(nic, ptag), VIP_ERROR_RESOURCE);
}

TEST_F(Vipl, MemoryIsTheApplications) {
    VIP_MEM_ATTRIBUTES told{};
    EXPECT_EQ(VipQueryMem(nic, memory.data(), handle, &told), VIP_SUCCESS);
    EXPECT_EQ(told.Ptag, ptag);
    EXPECT_EQ(told.EnableRdmaWrite, VIP_FALSE);
    told.EnableRdmaWrite = VIP_TRUE;
    EXPECT_EQ(VipSetMemAttributes(nic, memory.data(), handle, &told), VIP_SUCCESS);
    told.Ptag = nullptr;
    EXPECT_EQ(VipSetMemAttributes(nic, memory.data(), handle, &told), VIP_INVALID_PTAG);
    told.Ptag = ptag;
    VIP_MEM_HANDLE none = 1;
    EXPECT_EQ(VipRegisterMem(nic, memory.data(), 0, &told, &none), VIP_INVALID_PARAMETER);
    EXPECT_EQ(none, 0U);
    EXPECT_EQ(VipRegisterMem(nic, memory.data(), limits.MaxRegisterBlockBytes + 1, &told, &none), VIP_ERROR_RESOURCE);
    EXPECT_EQ(VipDeregisterMem(nic, memory.data(), handle), VIP_SUCCESS);
    EXPECT_EQ(VipQueryMem(nic, memory.data(), handle, &told), VIP_INVALID_PARAMETER);
}

/// VI-DG 3.4.3: pages that are read-only are not written to.
TEST_F(Vipl, ReadOnlyMemory) {
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const page = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    VIP_MEM_ATTRIBUTES of_page{ptag, VIP_TRUE, VIP_TRUE};
    VIP_MEM_HANDLE read_only = 0;
    ASSERT_EQ(VipRegisterMem(nic, page, size, &of_page, &read_only), VIP_SUCCESS);
    make_vi();
    VIP_DESCRIPTOR* const receive = describe(0, 100);
    receive->DS[0].Local.Data.Address = page;
    receive->DS[0].Local.Handle = read_only;
    EXPECT_EQ(VipPostRecv(vi, receive, handle), VIP_SUCCESS);
    ASSERT_EQ(connect(), VIP_SUCCESS);
    VIP_DESCRIPTOR* const send = describe(1, 100);  // reading it is allowed
    send->DS[0].Local.Data.Address = page;
    send->DS[0].Local.Handle = read_only;
    EXPECT_EQ(VipPostSend(vi, send, handle), VIP_SUCCESS);
    VIP_DESCRIPTOR* done = nullptr;
    EXPECT_EQ(VipSendWait(vi, patience, &done), VIP_SUCCESS);
    EXPECT_EQ(VipRecvWait(vi, patience, &done), VIP_DESCRIPTOR_ERROR);
    EXPECT_EQ(done->CS.Status, VIP_STATUS_DONE | VIP_STATUS_OP_RECEIVE | VIP_STATUS_PROTECTION_ERROR);
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
    EXPECT_EQ(VipDeregisterMem(nic, page, read_only), VIP_SUCCESS);
    munmap(page, size);
    read_only = 1;
    EXPECT_EQ(VipRegisterMem(nic, page, size, &of_page, &read_only), VIP_INVALID_PARAMETER) << "nobody has it";
    EXPECT_EQ(read_only, 0U);
}

/// VI Architecture 4.1: both ends may be of one node.
TEST_F(Vipl, TwoVisOfOneNode) {
    VIP_VI_ATTRIBUTES of_vi = attributes();
    VIP_VI_HANDLE server = nullptr;
    make_vi();
    ASSERT_EQ(VipCreateVi(nic, &of_vi, nullptr, nullptr, &server), VIP_SUCCESS);
    std::array<VIP_UINT8, 4> own{};
    std::copy_n(limits.LocalNicAddress + 12, 4, own.begin());
    Address local, remote;
    local.set(own, "fabricscope/here");
    auto accepted = std::async(std::launch::async, [&] {
        Address from;
        VIP_VI_ATTRIBUTES theirs{};
        VIP_CONN_HANDLE connection = nullptr;
        const VIP_RETURN asked = VipConnectWait(nic, local.get(), patience, from.get(), &theirs, &connection);
        return asked == VIP_SUCCESS ? VipConnectAccept(connection, server) : asked;
    });
    remote.set(own, "fabricscope/here");
    const auto ask = [&] { return VipConnectRequest(vi, local.get(), remote.get(), patience, &remote_attributes); };
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
    VIP_RETURN connected = ask();
    while (connected == VIP_NO_MATCH && std::chrono::steady_clock::now() < give_up) {  // until the other thread waits
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        connected = ask();
    }
    ASSERT_EQ(connected, VIP_SUCCESS);
    ASSERT_EQ(accepted.get(), VIP_SUCCESS);
    VIP_DESCRIPTOR* const receive = describe(0, buffers_at);
    EXPECT_EQ(VipPostRecv(server, receive, handle), VIP_SUCCESS);
    post_send(1, "to the neighbour");
    VIP_DESCRIPTOR* done = nullptr;
    ASSERT_EQ(VipRecvWait(server, patience, &done), VIP_SUCCESS);
    EXPECT_EQ(text_of(done), "to the neighbour");
    EXPECT_EQ(VipSendWait(vi, patience, &done), VIP_SUCCESS);
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
    EXPECT_EQ(errors.await().ErrorCode, VIP_ERROR_CONN_LOST);
    EXPECT_EQ(VipDisconnect(server), VIP_SUCCESS);
    EXPECT_EQ(VipDestroyVi(server), VIP_SUCCESS);
}

TEST_F(Vipl, WhatIsSentComesBack) {
    make_vi();
    VIP_DESCRIPTOR* const receive = post_receive(0);
    ASSERT_EQ(connect(), VIP_SUCCESS);
    EXPECT_EQ(remote_attributes.ReliabilityLevel, VIP_SERVICE_RELIABLE_DELIVERY);
    EXPECT_EQ(remote_attributes.Ptag, nullptr);
    EXPECT_EQ(state(), VIP_STATE_CONNECTED);
    EXPECT_EQ(connect(), VIP_INVALID_STATE);
    VIP_DESCRIPTOR* const send = post_send(1, "there and back");
    VIP_DESCRIPTOR* done = nullptr;
    EXPECT_EQ(VipSendWait(vi, VIP_INFINITE, &done), VIP_SUCCESS);
    EXPECT_EQ(done, send);
    EXPECT_EQ(done->CS.Status, VIP_STATUS_DONE | VIP_STATUS_OP_SEND);
    EXPECT_EQ(VipRecvWait(vi, VIP_INFINITE, &done), VIP_SUCCESS);
    EXPECT_EQ(done, receive);
    EXPECT_EQ(done->CS.Status, VIP_STATUS_DONE | VIP_STATUS_OP_RECEIVE);
    EXPECT_EQ(text_of(done), "there and back");
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
    EXPECT_EQ(VipDestroyVi(vi), VIP_SUCCESS);
    EXPECT_EQ(VipDestroyVi(vi), VIP_INVALID_PARAMETER);
}

TEST_F(Vipl, WaitsEndInATimeout) {
    make_vi();
    VIP_DESCRIPTOR* done = nullptr;
    EXPECT_EQ(VipRecvWait(vi, 10, &done), VIP_DESCRIPTOR_ERROR);  // nothing is posted
    EXPECT_EQ(done, nullptr);
    post_receive(0);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(VipRecvWait(vi, 50, &done), VIP_TIMEOUT);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
    EXPECT_EQ(VipRecvDone(vi, &done), VIP_NOT_DONE);
    Address local, remote;
    std::copy_n(limits.LocalNicAddress, 16, local.host());
    local.get()->HostAddressLen = 16;
    VIP_CONN_HANDLE connection = nullptr;
    EXPECT_EQ(VipConnectWait(nic, local.get(), 0, remote.get(), nullptr, &connection), VIP_TIMEOUT);
    EXPECT_EQ(VipConnectWait(nic, local.get(), 20, remote.get(), nullptr, &connection), VIP_TIMEOUT);
    VIP_CQ_HANDLE cq = nullptr;
    VIP_BOOLEAN receive{};
    ASSERT_EQ(VipCreateCQ(nic, 4, &cq), VIP_SUCCESS);
    EXPECT_EQ(VipCQWait(cq, 20, &vi, &receive), VIP_TIMEOUT);
    EXPECT_EQ(VipCQDone(cq, &vi, &receive), VIP_NOT_DONE);
}

TEST_F(Vipl, RefusalsAreTold) {
    make_vi();
    EXPECT_EQ(connect("nobody-waits-for"), VIP_NO_MATCH);
    EXPECT_EQ(state(), VIP_STATE_IDLE);
    Address local, remote;
    local.set(server_ip, server_discriminator);  // not this NIC's
    remote.set(server_ip, server_discriminator);
    EXPECT_EQ(VipConnectRequest(vi, local.get(), remote.get(), patience, nullptr), VIP_INVALID_PARAMETER);
    remote.get()->HostAddressLen = 4;
    EXPECT_EQ(VipConnectRequest(vi, local.get(), remote.get(), patience, nullptr), VIP_INVALID_PARAMETER);
}

TEST_F(Vipl, APeerThatNobodyWantsTimesOut) {
    make_vi();
    Address local, remote;
    std::array<VIP_UINT8, 4> own{};
    std::copy_n(limits.LocalNicAddress + 12, 4, own.begin());
    local.set(own, "fabricscope/peer");
    remote.set(server_ip, "fabricscope/peer");
    EXPECT_EQ(VipConnectPeerDone(vi, nullptr), VIP_INVALID_STATE);
    EXPECT_EQ(VipConnectPeerRequest(vi, local.get(), remote.get(), 100), VIP_SUCCESS);
    EXPECT_EQ(VipConnectPeerDone(vi, nullptr), VIP_NOT_DONE);
    EXPECT_EQ(VipConnectPeerWait(vi, nullptr), VIP_TIMEOUT);
}

TEST_F(Vipl, CompletionQueues) {
    VIP_CQ_HANDLE cq = nullptr;
    ASSERT_EQ(VipCreateCQ(nic, 16, &cq), VIP_SUCCESS);
    EXPECT_EQ(VipResizeCQ(cq, 32), VIP_SUCCESS);
    make_vi(cq);
    EXPECT_EQ(VipDestroyCQ(cq), VIP_ERROR_RESOURCE);
    post_receive(0);
    ASSERT_EQ(connect(), VIP_SUCCESS);
    VIP_DESCRIPTOR* done = nullptr;
    EXPECT_EQ(VipRecvWait(vi, 10, &done), VIP_ERROR_RESOURCE);
    post_send(1, "to a queue");
    bool receives[2] = {false, false};
    for (bool& one : receives) {
        VIP_VI_HANDLE of = nullptr;
        VIP_BOOLEAN receive{};
        EXPECT_EQ(VipCQWait(cq, patience, &of, &receive), VIP_SUCCESS);
        EXPECT_EQ(of, vi);
        one = receive != VIP_FALSE;
        EXPECT_EQ(receive ? VipRecvDone(vi, &done) : VipSendDone(vi, &done), VIP_SUCCESS);
    }
    EXPECT_FALSE(receives[0]);
    EXPECT_TRUE(receives[1]);
    Told<std::pair<VIP_VI_HANDLE, bool>> told;
    EXPECT_EQ(VipCQNotify(cq, &told, nullptr), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipCQNotify(cq, &told, on_entry), VIP_SUCCESS);
    post_send(1, "to a handler");
    EXPECT_EQ(told.await(), std::pair(vi, false));
    EXPECT_EQ(VipSendDone(vi, &done), VIP_SUCCESS);
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
}

TEST_F(Vipl, HandlersAreCalled) {
    make_vi();
    VIP_DESCRIPTOR* const receive = post_receive(0);
    Told<VIP_DESCRIPTOR*> sent, received;
    EXPECT_EQ(VipSendNotify(vi, &sent, on_descriptor), VIP_DESCRIPTOR_ERROR);  // nothing is posted
    ASSERT_EQ(connect(), VIP_SUCCESS);
    EXPECT_EQ(VipRecvNotify(vi, &received, on_descriptor), VIP_SUCCESS);
    VIP_DESCRIPTOR* const send = post_send(1, "to be told of");
    const VIP_RETURN asked = VipSendNotify(vi, &sent, on_descriptor);
    EXPECT_EQ(asked, VIP_SUCCESS);
    EXPECT_EQ(sent.await(), send);
    EXPECT_EQ(received.await(), receive);
    EXPECT_EQ(text_of(receive), "to be told of");
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
}

TEST_F(Vipl, AsynchronousErrorsAreTold) {
    make_vi();
    ASSERT_EQ(connect(), VIP_SUCCESS);
    auto* const misaligned = reinterpret_cast<VIP_DESCRIPTOR*>(memory.data() + 8);
    EXPECT_EQ(VipPostSend(vi, misaligned, handle), VIP_SUCCESS);
    const VIP_ERROR_DESCRIPTOR error = errors.await();
    EXPECT_EQ(error.NicHandle, nic);
    EXPECT_EQ(error.ViHandle, vi);
    EXPECT_EQ(error.CQHandle, nullptr);
    EXPECT_EQ(error.DescriptorPtr, misaligned);
    EXPECT_EQ(error.OpCode, VIP_ULONG{VIP_STATUS_OP_SEND >> 16});
    EXPECT_EQ(error.ResourceCode, VIP_RESOURCE_DESCRIPTOR);
    EXPECT_EQ(error.ErrorCode, VIP_ERROR_POST_DESC);
    EXPECT_EQ(state(), VIP_STATE_ERROR);
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
    EXPECT_EQ(state(), VIP_STATE_IDLE);
}

TEST_F(Vipl, ClosingEndsWhatBlocks) {
    make_vi();
    post_receive(0);
    ASSERT_EQ(connect(), VIP_SUCCESS);
    auto waits = std::async(std::launch::async, [&] {
        VIP_DESCRIPTOR* done = nullptr;
        return VipRecvWait(vi, VIP_INFINITE, &done);
    });
    EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    EXPECT_EQ(VipCloseNic(nic), VIP_SUCCESS);
    EXPECT_NE(waits.get(), VIP_SUCCESS);
    EXPECT_EQ(VipCloseNic(nic), VIP_INVALID_PARAMETER);
    nic = nullptr;
}

TEST_F(Vipl, NamesAndAddresses) {
    const std::string file = testing::TempDir() + "vipl-hosts";
    std::ofstream(file) << "192.0.2.20 server server.example  # and another one\n192.0.2.21 Server\n2001:db8::1 six\n";
    Address address;
    address.get()->HostAddressLen = 16;
    char name[] = "SERVER", numeric[] = "2001:db8::7", unknown[] = "nobody";
    EXPECT_EQ(VipNSGetHostByName(nic, name, address.get(), 0), VIP_ERROR_NAMESERVICE);
    EXPECT_EQ(VipNSShutdown(nic), VIP_ERROR_NAMESERVICE);
    char missing[] = "/nowhere/hosts";
    EXPECT_EQ(VipNSInit(nic, missing), VIP_INVALID_PARAMETER);
    ASSERT_EQ(VipNSInit(nic, const_cast<char*>(file.c_str())), VIP_SUCCESS);
    EXPECT_EQ(VipNSInit(nic, nullptr), VIP_ERROR_NAMESERVICE);
    ASSERT_EQ(VipNSGetHostByName(nic, name, address.get(), 1), VIP_SUCCESS);
    EXPECT_EQ(address.host()[15], 21);
    EXPECT_EQ(VipNSGetHostByName(nic, name, address.get(), 2), VIP_ERROR_NAMESERVICE);
    EXPECT_EQ(VipNSGetHostByName(nic, unknown, address.get(), 0), VIP_ERROR_NAMESERVICE);
    EXPECT_EQ(VipNSGetHostByName(nic, numeric, address.get(), 0), VIP_SUCCESS);
    EXPECT_EQ(address.host()[0], 0x20);
    ASSERT_EQ(VipNSGetHostByName(nic, name, address.get(), 0), VIP_SUCCESS);
    char text[64];
    VIP_ULONG length = 3;
    EXPECT_EQ(VipNSGetHostByAddr(nic, address.get(), text, &length), VIP_INVALID_PARAMETER);
    EXPECT_EQ(length, 7U);
    EXPECT_EQ(VipNSGetHostByAddr(nic, address.get(), text, &length), VIP_SUCCESS);
    EXPECT_EQ(length, 6U);
    EXPECT_STREQ(text, "server");
    EXPECT_EQ(VipNSShutdown(nic), VIP_SUCCESS);
}

TEST_F(Vipl, OtherHosts) {
    make_vi();
    ASSERT_EQ(connect(), VIP_SUCCESS);
    Address room;
    room.get()->HostAddressLen = 16;
    VIP_NET_ADDRESS* rooms[] = {room.get()};
    VIP_AUTODISCOVERY_LIST list{2, rooms, 0};
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, VIP_SMI_AUTODISCOVERY, &list), VIP_ERROR_RESOURCE);
    EXPECT_EQ(list.NumAdAddrs, 1U);
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, VIP_SMI_AUTODISCOVERY, &list), VIP_SUCCESS);
    EXPECT_TRUE(std::equal(server_ip.begin(), server_ip.end(), room.host() + 12));
    list.NumberOfHops = 1;
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, VIP_SMI_AUTODISCOVERY, &list), VIP_SUCCESS);
    EXPECT_EQ(list.NumAdAddrs, 1U) << "it is at the other end of the link";
    list.NumberOfHops = 0;
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, VIP_SMI_AUTODISCOVERY, &list), VIP_SUCCESS);
    EXPECT_EQ(list.NumAdAddrs, 0U);
    list = {2, nullptr, 1};
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, VIP_SMI_AUTODISCOVERY, &list), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipQuerySystemManagementInfo(nic, 99, &list), VIP_INVALID_PARAMETER);
    EXPECT_EQ(VipDisconnect(vi), VIP_SUCCESS);
}

}  // namespace
