// SPDX-License-Identifier: GPL-2.0-or-later
// Any course of calls and losses ends in states and codes of the documents: all calls return what VI-DG 3 has for them,
// all descriptors come back, and after a Disconnect every VI can be destroyed. The analyzer finds nothing wrong in it,
// and as many Messages as the Providers have sent, unless frames are lost.
#include <cstdlib>
#include <set>

#include "tests/unit/synth/vi_pair.h"

namespace fabricscope::stack::vi::test {
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
const Codes dones{good, Return::descriptor_error, Return::not_done, ip};
const Codes waits{good, Return::descriptor_error, Return::timeout, er, ip};

/// Rules that a server's application breaks that does not answer in time.
const std::set<std::string_view> slow{"FCVI-32"};

class Course : public AnalysedPair {
public:
    explicit Course(std::uint64_t seed) : random_(seed) {}
    void TestBody() override {}

    void play(unsigned steps) {
        start();
        lost = [this](const fcvi::DeviceHeader&, const fc::FrameHeader&) { return random_.below(100) < loss_; };
        loss_ = random_.below(4) == 0 ? 10 : 0;
        corruption_ = random_.below(4) == 0 ? 5 : 0;
        loses_ = loss_ != 0 || corruption_ != 0;
        corrupt_if([this] { return random_.below(100) < corruption_; });
        for (End* end : {&a(), &b()}) {
            queue_[end] = end->provider.create_cq(8);
            for (int i = 0; i < 2; ++i) make(*end);
        }
        for (unsigned i = 0; i < steps; ++i) step();
        loss_ = corruption_ = 0;
        for (End* end : {&a(), &b()}) finish(*end);
        compare();
    }

private:
    struct Account {
        std::uint64_t sends = 0, receives = 0;  ///< posted and not back
    };

    void expect(const char* call, Return result, const Codes& codes) {
        EXPECT_TRUE(codes.contains(result)) << call << " returns " << name_of(result);
    }
    void make(End& end) {
        Attributes attributes = level(static_cast<Reliability>(random_.below(3)));
        attributes.ptag = end.ptag;
        attributes.max_transfer_size = random_.below(4) == 0 ? 1000 : 4000;
        const CqHandle queue = random_.below(3) == 0 ? queue_[&end] : 0;
        ViHandle vi = 0;
        expect("VipCreateVi", end.provider.create_vi(attributes, queue, queue, vi), {good});
        vis_[&end].push_back(vi);
    }
    ViHandle any(End& end) { return vis_[&end][random_.below(vis_[&end].size())]; }
    Descriptor descriptor(End& end, End& other) {
        const auto octets = static_cast<std::uint32_t>(random_.below(5000));
        Descriptor one{.data = {end.segment(octets)}, .length = octets + (random_.below(20) == 0 ? 1U : 0U)};
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
        std::uint64_t seen_messages = 0;
        for (const engine::fcvi::Connection& connection : model.connections)
            for (const engine::Side side : {engine::Side::client, engine::Side::server})
                seen_messages += connection.from[side].messages;
        EXPECT_TRUE(loses_ || seen_messages == messages_) << seen_messages << " seen, " << messages_ << " sent";
    }

    void step() {
        End& end = random_.below(2) == 0 ? a() : b();
        End& other = &end == &a() ? b() : a();
        Provider& provider = end.provider;
        const ViHandle vi = random_.below(50) == 0 ? 999 : any(end);
        const Time timeout = random_.below(3) == 0 ? Time{never} : static_cast<Time>(random_.below(30)) * millisecond;
        const std::uint8_t number = static_cast<std::uint8_t>(random_.below(2));
        const std::uint64_t what = random_.below(20);
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
                case 2:
                    return expect(
                        "VipConnectPeerRequest",
                        provider.connect_peer_request(now, vi, end.address(number), other.address(number), timeout),
                        connects);
                case 3:
                case 4: return answer(now, end, vi);
                case 5:
                    return expect("VipDisconnect", provider.disconnect(now, vi), {good, ip, er, Return::not_reachable});
                case 6: return expect("VipConnectPeerDone", provider.connect_peer_done(vi), peer_results);
                case 7: {
                    const Return result = provider.connect_done(vi);
                    return expect("VipConnectRequest", vi == 999 ? Return::timeout : result, connect_results);
                }
                case 8:
                case 9:
                case 10: {
                    if (vi != 999) ++accounts_[{&end, vi}].sends;
                    return expect("VipPostSend", provider.post_send(now, vi, descriptor(end, other)), {good, ip});
                }
                case 11:
                case 12: {
                    if (vi != 999) ++accounts_[{&end, vi}].receives;
                    Descriptor one = descriptor(end, other);
                    if (random_.below(10) != 0) one.operation = Operation::send_receive, one.remote.reset();
                    return expect("VipPostRecv", provider.post_receive(vi, one), {good, ip});
                }
                case 13: return expect("VipSendWait", provider.send_wait(now, vi, timeout, 0), waits);
                case 14: return expect("VipRecvWait", provider.receive_wait(now, vi, timeout, 0), waits);
                case 15: return expect("VipCQWait", provider.cq_wait(now, queue_[&end], timeout, 0), waits);
                case 16: {
                    CqEntry entry;
                    return expect("VipCQDone", provider.cq_done(queue_[&end], entry), {good, Return::not_done, ip});
                }
                case 17: return destroy(end, vi);
                case 18:
                    return expect(
                        "VipSendNotify", provider.send_notify(vi, 0), {good, ip, Return::descriptor_error, er});
                default: (void)end.errors(); return;
            }
        });
        told(end);
        if (random_.below(3) == 0 && vi != 999) reap(end, any(end));
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
        messages_ += end.provider.counters(vi).messages_sent;
        std::erase(vis_[&end], vi);
        make(end);
    }
    void finish(End& end) {
        for (const ViHandle vi : vis_[&end]) {
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
            messages_ += end.provider.counters(vi).messages_sent;
            expect("VipDestroyVi", end.provider.destroy_vi(vi), {good});
        }
    }

    Random random_;
    std::uint64_t loss_ = 0, corruption_ = 0;  ///< in a hundred frames
    bool loses_ = false;                       ///< at some time
    std::uint64_t messages_ = 0;
    std::map<End*, CqHandle> queue_;
    std::map<End*, std::vector<ViHandle>> vis_;
    std::map<std::pair<End*, ViHandle>, Account> accounts_;
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// FABRICSCOPE_COURSES: how many, behind the seed FABRICSCOPE_FIRST_COURSE; for long runs (./dev courses).
TEST(ViCourses, EndInStatesAndCodesOfTheDocuments) {
    const std::uint64_t before = from_environment("FABRICSCOPE_FIRST_COURSE", 0);
    const std::uint64_t courses = from_environment("FABRICSCOPE_COURSES", 200);
    for (std::uint64_t seed = before + 1; seed <= before + courses; ++seed) {
        SCOPED_TRACE(seed);
        Course course(seed);
        course.play(120);
    }
}

}  // namespace
}  // namespace fabricscope::stack::vi::test
