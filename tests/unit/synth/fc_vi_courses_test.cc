// SPDX-License-Identifier: GPL-2.0-or-later
// Any course of calls and losses ends in states and codes of the documents: all calls return what VI-DG 3 has for them,
// all descriptors come back, and after a Disconnect every VI can be destroyed. The analyzer finds nothing wrong in it,
// and as many Messages and octets as the Providers have sent, unless frames are lost.
#include <cstdlib>
#include <set>

#include "replay/stack/fc/vi/descriptor_memory.h"
#include "tests/traffic/pcap_writer.h"
#include "tests/unit/synth/vi_pair.h"

namespace fabricscope::stack::vi::test::fc_vi_courses_test {
namespace {

using Codes = std::set<Return>;

constexpr auto good = Return::success;
constexpr auto ip = Return::invalid_parameter, er = Return::error_resource, is = Return::invalid_state;
const Codes connects{good, er, ip, is};
const Codes connect_results{
    good,
    Return::timeout,
    er,
    Return::reject,
    Return::no_match,
    is,
    Return::not_reachable,
    Return::not_done,
    Return::invalid_mtu,
    Return::invalid_qos,
    Return::invalid_reliability_level};
const Codes peer_results{
    good,
    ip,
    Return::invalid_reliability_level,
    Return::invalid_mtu,
    Return::invalid_qos,
    Return::timeout,
    er,
    is,
    Return::not_reachable,
    Return::not_done};
const Codes disconnect_results{good, ip, er, Return::not_reachable, Return::not_done};
const Codes dones{good, Return::descriptor_error, Return::not_done, ip};
const Codes waits{good, Return::descriptor_error, Return::timeout, er, ip};
const Codes of_vi_attributes{
    good,
    ip,
    is,
    er,
    Return::invalid_reliability_level,
    Return::invalid_mtu,
    Return::invalid_qos,
    Return::invalid_ptag,
    Return::invalid_rdmaread};
const Codes of_memory_attributes{good, ip, er, Return::invalid_ptag, Return::invalid_rdmaread};

// Of the memory that an End has from the beginning, data are in front, and descriptors behind them.
constexpr std::uint64_t descriptors_at = 0x6000;
constexpr std::uint64_t descriptor_slots = 64, slot_size = 128;
constexpr ViHandle no_vi = 999;
constexpr Ptag no_ptag = 999;

/// Rules that a server's application breaks that does not answer in time.
const std::set<std::string_view> slow{"FCVI-32"};

class Course : public AnalysedPair {
public:
    explicit Course(std::uint64_t seed) : random_(seed) {}
    void TestBody() override {}

    /// For a look at what has happened.
    void record(const char* path) {
        const auto writer = std::make_shared<traffic::PcapWriter>(path, traffic::pcap_fc2_with_delimiters);
        tap = [writer, analyse = tap](const TappedFrame& tapped) {
            analyse(tapped);
            writer->write(tapped.time, tapped.octets);
        };
    }
    void play(unsigned steps) {
        start(config(), config());
        lost = [this](const fcvi::DeviceHeader&, const fc::FrameHeader&) { return random_.below(100) < loss_; };
        loss_ = random_.below(4) == 0 ? 10 : 0;
        corruption_ = random_.below(4) == 0 ? 5 : 0;
        loses_ = loss_ != 0 || corruption_ != 0;
        corrupt_if([this] { return random_.below(100) < corruption_; });
        for (End* end : {&a(), &b()}) {
            things_[end].queues.push_back(end->provider.create_cq(8));
            things_[end].ptags.push_back(end->ptag);
            for (int i = 0; i < 2; ++i) make(*end);
        }
        for (unsigned i = 0; i < steps; ++i) step();
        loss_ = corruption_ = 0;
        for (End* end : {&a(), &b()}) {
            if (random_.below(4) == 0) finish_by_closing(*end);
            else finish(*end);
            errors(*end);
        }
        compare();
    }

private:
    struct Account {
        std::uint64_t sends = 0, receives = 0;  ///< posted and not back
    };
    struct Region {
        std::uint64_t address = 0;
        MemHandle handle = 0;
    };
    /// What an application has made.
    struct Things {
        std::vector<ViHandle> vis;
        std::vector<CqHandle> queues;
        std::vector<Ptag> ptags;
        std::vector<Region> regions;
        std::uint64_t next_address = 0x100'0000;
    };

    ProviderConfig config() {
        ProviderConfig config;
        config.service_class = random_.below(4) == 0 ? 2 : 3;
        config.overrun_is_harmful = random_.below(4) == 0;
        if (random_.below(4) == 0) config.nic.max_descriptors_per_queue = 3;
        if (random_.below(4) == 0) config.iu_size = 1000;
        return config;
    }
    template <class Thing> Thing any_of(const std::vector<Thing>& things, Thing none) {
        return things.empty() || random_.below(20) == 0 ? none : things[random_.below(things.size())];
    }

    void expect(const char* call, Return result, const Codes& codes) {
        EXPECT_TRUE(codes.contains(result)) << call << " returns " << name_of(result);
    }
    Attributes attributes(const End& end) {
        Attributes attributes = level(static_cast<Reliability>(random_.below(3)));
        attributes.ptag = end.ptag;
        attributes.max_transfer_size = random_.below(4) == 0 ? 1000 : 4000;
        if (random_.below(8) == 0) attributes.pipeline_depth = static_cast<std::uint32_t>(random_.below(3));
        return attributes;
    }
    void make(End& end) {
        const CqHandle queue = random_.below(3) == 0 ? any_of(things_[&end].queues, CqHandle{0}) : 0;
        ViHandle vi = 0;
        expect("VipCreateVi", end.provider.create_vi(attributes(end), queue, queue, vi), {good});
        things_[&end].vis.push_back(vi);
    }
    ViHandle any(End& end) { return things_[&end].vis[random_.below(things_[&end].vis.size())]; }
    Descriptor descriptor(End& end, End& other) {
        const auto octets = static_cast<std::uint32_t>(random_.below(5000));
        Descriptor one{.data = {end.segment(octets)}, .length = octets + (random_.below(20) == 0 ? 1U : 0U)};
        if (const Region region = any_of(things_[&end].regions, Region{}); random_.below(8) == 0)
            one.data = {{region.address, region.handle, octets}};
        one.operation = static_cast<Operation>(random_.below(3));
        if (one.operation != Operation::send_receive) one.remote = AddressSegment{other.base, other.memory};
        if (random_.below(3) == 0) one.immediate = 5;
        one.fence = random_.below(4) == 0;
        if (random_.below(20) == 0) one.data[0].handle += 77;
        return one;
    }
    void reap(End& end, ViHandle vi) {
        Descriptor one;
        for (Return result{}; expect("VipSendDone", result = end.provider.send_done(vi, one), dones), one.status != 0;
             one = {})
            check(one), --accounts_[{&end, vi}].sends;
        for (Return result{};
             expect("VipRecvDone", result = end.provider.receive_done(vi, one), dones), one.status != 0; one = {})
            check(one), --accounts_[{&end, vi}].receives;
    }
    static void check(const Descriptor& one) {
        EXPECT_NE(one.status & status::done, 0U);
        EXPECT_EQ(one.status & 0xFFF0'FE00, 0U) << "reserved bits (VI-DG 5.2)";
    }
    /// VI-DG 4.4
    void errors(End& end) {
        while (const auto error = end.provider.next_error()) {
            EXPECT_LE(error->code, AsyncError::catastrophic);
            EXPECT_LE(error->resource, Resource::descriptor);
            EXPECT_LE(error->operation, status::op_read >> status::op_shift);
            EXPECT_TRUE(error->vi != 0 || error->resource == Resource::nic);
            EXPECT_EQ(error->cq != 0, error->resource == Resource::cq);
            EXPECT_TRUE(error->descriptor || error->resource != Resource::descriptor);
        }
    }
    /// In memory (VI-DG 5), of which an octet may be wrong. Where it cannot be read at all, it never was in the queue.
    void post_in_memory(Time now, End& end, End& other, ViHandle vi, bool receives) {
        Octets octets = octets_of(descriptor(end, other));
        constexpr std::size_t first_of_control = 14;  // behind what says how long the descriptor is
        if (random_.below(8) == 0) octets[first_of_control + random_.below(octets.size() - first_of_control)] ^= 0x11;
        std::uint64_t address = end.base + descriptors_at + random_.below(descriptor_slots) * slot_size;
        const bool misplaced = random_.below(30) == 0;
        if (misplaced) address += 8;
        end.provider.memory().write(address, end.memory, octets);
        Account& account = accounts_[{&end, vi}];
        if (vi != no_vi && !misplaced) ++(receives ? account.receives : account.sends);
        const DescriptorAddress at{address, end.memory};
        if (receives) expect("VipPostRecv", end.provider.post_receive_at(vi, at), {good, ip});
        else expect("VipPostSend", end.provider.post_send_at(now, vi, at), {good, ip});
    }
    void told(End& end) {
        while (const auto one = end.provider.next_notification()) {
            if (!one->has_descriptor) continue;
            check(one->descriptor);
            Account& account = accounts_[{&end, one->vi}];
            --(one->receive ? account.receives : account.sends);
        }
    }

    void compare() {
        const engine::fcvi::Model& model = analysed();
        for (const engine::Finding& finding : model.findings)
            if (!loses_ && !slow.contains(finding.rule->id))
                ADD_FAILURE() << finding.rule->id << " in frame " << finding.frames.back() << ": " << finding.text;
        if (loses_ || loops_) return;  // what stays in a node, nobody sees
        std::uint64_t messages = 0, octets = 0;
        for (const engine::fcvi::Connection& connection : model.connections)
            for (const engine::Side side : {engine::Side::client, engine::Side::server}) {
                messages += connection.from[side].messages;
                octets += connection.from[side].bytes;
            }
        EXPECT_EQ(messages, messages_);
        EXPECT_EQ(octets, octets_);
    }
    void count(const ViCounters& counters) {
        messages_ += counters.messages_sent;
        octets_ += counters.octets_sent;
    }

    void step() {
        End& end = random_.below(2) == 0 ? a() : b();
        const bool itself = loops_ && random_.below(3) == 0;
        End& other = (&end == &a()) != itself ? b() : a();
        Provider& provider = end.provider;
        Things& things = things_[&end];
        const ViHandle vi = random_.below(50) == 0 ? no_vi : any(end);
        const Time timeout = random_.below(3) == 0 ? Time{never} : static_cast<Time>(random_.below(30)) * millisecond;
        const std::uint8_t number = static_cast<std::uint8_t>(random_.below(2));
        const std::uint64_t what = random_.below(50);
        const CqHandle queue = any_of(things.queues, CqHandle{99});
        call([&](Time now) {
            switch (what) {
                case 0:
                    return expect(
                        "VipConnectWait", provider.connect_wait(now, end.address(number), timeout),
                        {good, Return::timeout, er, ip});
                case 1:
                    return expect(
                        "VipConnectRequest",
                        provider.connect_request(now, vi, end.address(9), other.address(number), timeout), connects);
                case 2: {  // the own discriminator matters to nobody (VI-DG 6.7)
                    const auto own = static_cast<std::uint8_t>(random_.below(4));
                    return expect(
                        "VipConnectPeerRequest",
                        provider.connect_peer_request(now, vi, end.address(own), other.address(number), timeout),
                        connects);
                }
                case 3:
                case 4: return answer(now, end, vi);
                case 5:
                    return expect("VipDisconnect", provider.disconnect(now, vi), {good, ip, er, Return::not_reachable});
                case 6: return expect("VipConnectPeerDone", provider.connect_peer_done(vi), peer_results);
                case 7: {
                    const Return result = provider.connect_done(vi);
                    return expect("VipConnectRequest", vi == no_vi ? Return::timeout : result, connect_results);
                }
                case 8:
                case 9:
                case 10: {
                    if (vi != no_vi) ++accounts_[{&end, vi}].sends;
                    return expect("VipPostSend", provider.post_send(now, vi, descriptor(end, other)), {good, ip});
                }
                case 11:
                case 12: {
                    if (vi != no_vi) ++accounts_[{&end, vi}].receives;
                    Descriptor one = descriptor(end, other);
                    if (random_.below(10) != 0) one.operation = Operation::send_receive, one.remote.reset();
                    return expect("VipPostRecv", provider.post_receive(vi, one), {good, ip});
                }
                case 13: return expect("VipSendWait", provider.send_wait(now, vi, timeout, 0), waits);
                case 14: return expect("VipRecvWait", provider.receive_wait(now, vi, timeout, 0), waits);
                case 15: return expect("VipCQWait", provider.cq_wait(now, queue, timeout, 0), waits);
                case 16: {
                    CqEntry entry;
                    return expect("VipCQDone", provider.cq_done(queue, entry), {good, Return::not_done, ip});
                }
                case 17: return destroy(end, vi);
                case 18:
                    return expect(
                        "VipSendNotify", provider.send_notify(vi, 0), {good, ip, Return::descriptor_error, er});
                case 19:
                    return expect(
                        "VipRecvNotify", provider.receive_notify(vi, 0), {good, ip, Return::descriptor_error, er});
                case 20: return expect("VipCQNotify", provider.cq_notify(queue, 0), {good, ip, er});
                case 21: return set_attributes(end, vi);
                case 22: return query(end, vi);
                case 23:
                case 24: return on_ptags(end);
                case 25:
                case 26:
                case 27: return on_memory(end);
                case 28:
                case 29: return on_queues(end);
                case 30: return post_in_memory(now, end, other, vi, true);
                case 31:
                case 32: return post_in_memory(now, end, other, vi, false);
                case 33: return fail(end);
                case 34:
                case 35: return errors(end);
                case 36: return expect("VipDisconnect", provider.disconnect_done(vi), disconnect_results);
                case 37:
                case 38: return ask(now, end, other, vi, number);
                default: return transfer(now, end, other, vi);
            }
        });
        told(end);
        if (random_.below(3) == 0 && vi != no_vi) reap(end, any(end));
        if (random_.below(2) == 0) run(static_cast<Time>(random_.below(2000)) * microsecond);
        if (random_.below(30) == 0) run(15 * second);
    }
    void answer(Time now, End& end, ViHandle vi) {
        if (const auto request = end.provider.next_request(); request && request->result == good)
            end.conn = request->conn;
        if (random_.below(5) == 0)
            return expect(
                "VipConnectReject", end.provider.connect_reject(now, end.conn), {good, ip, er, Return::not_reachable});
        expect(
            "VipConnectAccept", end.provider.connect_accept(now, end.conn, vi),
            {good, ip, Return::invalid_reliability_level, Return::invalid_mtu, Return::invalid_qos, Return::timeout, er,
             is, Return::not_reachable});
    }
    void destroy(End& end, ViHandle vi) {
        const Return result = end.provider.destroy_vi(vi);
        expect("VipDestroyVi", result, {good, ip, is, er});
        if (result != good) return;
        count(end.provider.counters(vi));
        std::erase(things_[&end].vis, vi);
        make(end);
    }
    void set_attributes(End& end, ViHandle vi) {
        Attributes changed = attributes(end);
        if (random_.below(6) == 0) changed.ptag = no_ptag;
        if (random_.below(6) == 0) changed.max_bandwidth = 1;
        if (random_.below(6) == 0) changed.max_transfer_size = 0;
        expect("VipSetViAttributes", end.provider.set_vi_attributes(vi, changed), of_vi_attributes);
    }
    void query(End& end, ViHandle vi) {
        ViQuery query;
        expect("VipQueryVi", end.provider.query_vi(vi, query), {good, ip, er});
        EXPECT_LE(query.state, State::error);
        EXPECT_EQ(end.provider.query_nic().address, end.ip);
        AutodiscoveryList list{.hops = static_cast<std::uint32_t>(random_.below(3)), .count = random_.below(2)};
        expect("VipQuerySystemManagementInfo", end.provider.query_system_management_info(list), {good, ip, er});
    }
    void on_ptags(End& end) {
        std::vector<Ptag>& ptags = things_[&end].ptags;
        if (random_.below(2) == 0) return ptags.push_back(end.provider.create_ptag());
        const Ptag ptag = any_of(ptags, no_ptag);
        const Return result = end.provider.destroy_ptag(ptag);
        expect("VipDestroyPtag", result, {good, ip, er});
        if (result == good) std::erase(ptags, ptag);
    }
    void on_memory(End& end) {
        Things& things = things_[&end];
        Memory& memory = end.provider.memory();
        const MemoryAttributes attributes{any_of(things.ptags, no_ptag), random_.below(2) == 0, random_.below(2) == 0};
        const Region region = any_of(things.regions, Region{1, 1});
        MemoryAttributes told;
        switch (random_.below(4)) {
            case 0: {
                Region made{things.next_address, 0};
                const Return result = memory.register_mem(
                    made.address, static_cast<std::uint32_t>(random_.below(5000)), attributes, made.handle);
                expect("VipRegisterMem", result, of_memory_attributes);
                things.next_address += 0x1'0000;
                if (result == good) things.regions.push_back(made);
                return;
            }
            case 1: {
                const Return result = memory.deregister_mem(region.address, region.handle);
                std::erase_if(things.regions, [&](const Region& one) { return one.handle == region.handle; });
                return expect("VipDeregisterMem", result, {good, ip, er});
            }
            case 2:
                return expect(
                    "VipSetMemAttributes", memory.set_attributes(region.address, region.handle, attributes),
                    of_memory_attributes);
            default: return expect("VipQueryMem", memory.query(region.address, region.handle, told), {good, ip, er});
        }
    }
    void on_queues(End& end) {
        std::vector<CqHandle>& queues = things_[&end].queues;
        const CqHandle queue = any_of(queues, CqHandle{99});
        switch (random_.below(3)) {
            case 0: return queues.push_back(end.provider.create_cq(random_.below(8)));
            case 1: {
                const Return result = end.provider.destroy_cq(queue);
                expect("VipDestroyCQ", result, {good, ip, er});
                if (result == good) std::erase(queues, queue);
                return;
            }
            default: return expect("VipResizeCQ", end.provider.resize_cq(queue, random_.below(16)), {good, ip, er});
        }
    }
    /// Of the hardware.
    void fail(End& end) {
        if (random_.below(4) != 0) return;
        if (random_.below(2) == 0) return end.provider.fail_all();
        end.provider.lose_cq(any_of(things_[&end].queues, CqHandle{99}));
    }
    /// A client and a server that go together, so that some connections come about.
    void ask(Time now, End& end, End& other, ViHandle vi, std::uint8_t number) {
        other.provider.connect_wait(now, other.address(number), never);
        expect(
            "VipConnectRequest", end.provider.connect_request(now, vi, end.address(9), other.address(number), never),
            connects);
    }
    /// A receive at the other end, and a Send.
    void transfer(Time now, End& end, End& other, ViHandle vi) {
        const ViHandle theirs = any(other);
        ++accounts_[{&other, theirs}].receives;
        expect("VipPostRecv", other.provider.post_receive(theirs, {.data = {other.segment(5000)}}), {good});
        if (vi != no_vi) ++accounts_[{&end, vi}].sends;
        expect("VipPostSend", end.provider.post_send(now, vi, send_of(end, 100)), {good, ip});
    }
    /// VI-DG 3.1.2: nothing is left behind.
    void finish_by_closing(End& end) {
        call([&](Time now) { expect("VipCloseNic", end.provider.close_nic(now), {good}); });
        run(60 * second);
        for (const ViHandle vi : things_[&end].vis) {
            count(end.provider.counters(vi));
            EXPECT_EQ(end.provider.abandon(vi), good);
        }
    }
    void finish(End& end) {
        for (const ViHandle vi : things_[&end].vis) {
            end.vi = vi;
            for (int i = 0; i < 3; ++i) {
                call([&](Time now) { expect("VipDisconnect", end.provider.disconnect(now, vi), {good}); });
                run(60 * second);
                told(end);
            }
            EXPECT_EQ(end.state(), State::idle);
            reap(end, vi);
            EXPECT_EQ((accounts_[{&end, vi}].sends), 0U) << "sends have come back";
            EXPECT_EQ((accounts_[{&end, vi}].receives), 0U) << "receives have come back";
            count(end.provider.counters(vi));
            expect("VipDestroyVi", end.provider.destroy_vi(vi), {good});
        }
    }

    Random random_;
    std::uint64_t loss_ = 0, corruption_ = 0;  ///< in a hundred frames
    bool loses_ = false;                       ///< at some time
    bool loops_ = random_.below(5) == 0;       ///< VIs are connected with others of their node, too
    std::uint64_t messages_ = 0, octets_ = 0;  ///< sent
    std::map<End*, Things> things_;
    std::map<std::pair<End*, ViHandle>, Account> accounts_;
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// FABRICSCOPE_COURSES: how many, behind the seed FABRICSCOPE_FIRST_COURSE; for long runs (./dev courses).
/// FABRICSCOPE_COURSE_CAPTURE: a pcap file for the frames of the last one.
TEST(ViCourses, EndInStatesAndCodesOfTheDocuments) {
    const std::uint64_t before = from_environment("FABRICSCOPE_FIRST_COURSE", 0);
    const std::uint64_t courses = from_environment("FABRICSCOPE_COURSES", 200);
    for (std::uint64_t seed = before + 1; seed <= before + courses; ++seed) {
        SCOPED_TRACE(seed);
        Course course(seed);
        if (const char* const path = std::getenv("FABRICSCOPE_COURSE_CAPTURE")) course.record(path);
        course.play(160);
    }
}

}  // namespace
}  // namespace fabricscope::stack::vi::test::fc_vi_courses_test
