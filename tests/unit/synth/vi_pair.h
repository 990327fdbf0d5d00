// SPDX-License-Identifier: GPL-2.0-or-later
// Two VI Providers and a Fabric on a virtual clock, whose calls the test makes itself.
#pragma once

#include <gmock/gmock.h>

#include <array>

#include "analyzer/engine/engine.h"
#include "protocols/fcvi/device_header.h"
#include "replay/stack/core/fabric.h"
#include "replay/stack/fc/fabric_services.h"
#include "replay/stack/fc/link.h"
#include "replay/stack/fc/vi/provider.h"
#include "tests/unit/synth/fc_ports.h"

namespace fabricscope::stack::vi::test {

namespace fc_test = fibre_channel::test;

/// A host whose application is the test.
class ViHost final : public fibre_channel::Host {
public:
    ViHost(std::uint8_t number, const ProviderConfig& config)
        : Host(fc_test::host_config(number)), provider(config, exchanges(), port()) {}

    Provider provider;

protected:
    void on_port_event(Time now, const fibre_channel::NPortEvent& event) override {
        provider.on_port_event(now, event);
    }
    void on_consumer_timer(Time now) override { provider.on_timer(now); }
    Time consumer_wakeup() const override { return provider.wakeup(); }
};

/// An application's things on one host.
struct End {
    ViHost host;
    Provider& provider = host.provider;
    Gid ip;
    Ptag ptag = provider.create_ptag();
    MemHandle memory = 0;
    std::uint64_t base;
    ViHandle vi = 0;
    ConnHandle conn = 0;

    End(std::uint8_t number, const ProviderConfig& config)
        : host(number, config), ip(fc_test::ip_of(number)), base(0x10000U * number) {
        EXPECT_EQ(provider.memory().register_mem(base, 0x8000, {ptag, true, true}, memory), Return::success);
    }
    NetAddress address(std::uint8_t discriminator = 7) const {
        NetAddress address;
        address.host = ip;
        address.discriminator_length = 16;
        address.discriminator.octets[0] = discriminator;
        return address;
    }
    State state() const {
        ViQuery query;
        EXPECT_EQ(provider.query_vi(vi, query), Return::success);
        return query.state;
    }
    DataSegment segment(std::uint32_t length = 100, std::uint32_t offset = 0) const {
        return {base + offset, memory, length};
    }
    std::vector<AsyncError> errors() {
        std::vector<AsyncError> codes;
        while (const auto error = provider.next_error()) codes.push_back(error->code);
        return codes;
    }
    /// Status of what is done, in order.
    std::vector<std::uint32_t> sent() {
        std::vector<std::uint32_t> all;
        for (Descriptor one; provider.send_done(vi, one) != Return::not_done && one.status != 0; one = {})
            all.push_back(one.status);
        return all;
    }
    std::vector<std::uint32_t> received() {
        std::vector<std::uint32_t> all;
        for (Descriptor one; provider.receive_done(vi, one) != Return::not_done && one.status != 0; one = {})
            all.push_back(one.status);
        return all;
    }
};

/// A is the client, and the one with the lower Port_Name; B the server. All calls have the Fabric's time.
class Pair : public testing::Test {
protected:
    /// Both are online and know each other.
    void start(const ProviderConfig& of_a = {}, const ProviderConfig& of_b = {}) {
        a_.emplace(1, of_a);
        b_.emplace(2, of_b);
        const PortId port_a = fabric_.attach(a().host, 0), port_b = fabric_.attach(b().host, 0),
                     port_services = fabric_.attach(services_, 0);
        fabric_.set_routing([=, this](PortId from, ByteView frame) -> std::optional<PortId> {
            const capture::Packet packet = fibre_channel::decode(frame, fibre_channel::Link::fibre);
            const fc::Frame& inside = packet.fc->frame;
            if (const auto header = fcvi::parse_device_header(
                    inside.device_header(), inside.device_header().size(), fcvi::Version::iso);
                inside.header.type == fcvi::fc_type && !header.error && header.iu() != nullptr) {
                if (lost && lost(header, inside.header)) return std::nullopt;
                seen.push_back(header);
            }
            const std::uint32_t to = inside.header.d_id;
            if (from != port_services && cut) return std::nullopt;
            return to == fc_test::id_of_a ? port_a : to == fc_test::id_of_b ? port_b : port_services;
        });
        fabric_.set_tap([this](const TappedFrame& frame) {
            if (tap && frame.moment == TappedFrame::Moment::sent) tap(frame);
        });
        call([&](Time now) { a().host.port().start(now), b().host.port().start(now); });
        run(second);
        call([&](Time now) { a().host.port().reach(now, b().ip), b().host.port().reach(now, a().ip); });
        run(second);
    }
    End& a() { return *a_; }
    End& b() { return *b_; }
    Time now() const { return fabric_.now(); }
    void run(Time time) { fabric_.run(fabric_.now() + time); }
    void call(const std::function<void(Time)>& action) {
        fabric_.at(fabric_.now(), [this, action] { action(fabric_.now()); });
        run(0);
    }

    void make_vis(const Attributes& of_a, const Attributes& of_b) {
        for (End* end : {&a(), &b()}) {
            Attributes attributes = end == &a() ? of_a : of_b;
            attributes.ptag = end->ptag;
            EXPECT_EQ(end->provider.create_vi(attributes, 0, 0, end->vi), Return::success);
        }
    }
    static Attributes level(Reliability level) {
        return {
            .level = level,
            .enable_rdma_write = true,
            .enable_rdma_read = level != Reliability::unreliable_delivery,
            .pipeline_depth = 3};
    }
    void make_vis(Reliability both) { make_vis(level(both), level(both)); }
    Return request(Time timeout = 60 * second) {
        Return result{};
        call([&](Time now) {
            result = a().provider.connect_request(now, a().vi, a().address(1), b().address(), timeout);
        });
        return result;
    }
    Return wait(Time timeout = never) {
        Return result{};
        call([&](Time now) { result = b().provider.connect_wait(now, b().address(), timeout); });
        return result;
    }
    Return accept() {
        Return result{};
        call([&](Time now) { result = b().provider.connect_accept(now, b().conn, b().vi); });
        return result;
    }
    /// Until the server's application knows of it.
    void ask(Time timeout = 60 * second) {
        EXPECT_EQ(wait(), Return::success);
        EXPECT_EQ(request(timeout), Return::success);
        run(millisecond);
        const auto request = b().provider.next_request();
        ASSERT_TRUE(request);
        b().conn = request->conn;
    }
    void connect(Reliability both) {
        make_vis(both);
        connect();
    }
    void connect() {
        ask();
        EXPECT_EQ(accept(), Return::success);
        run(millisecond);
        EXPECT_EQ(a().provider.connect_done(a().vi), Return::success);
        EXPECT_EQ(b().provider.connect_done(b().vi), Return::success);
        seen.clear();
    }
    void post(End& end, const Descriptor& descriptor) {
        call([&](Time now) { EXPECT_EQ(end.provider.post_send(now, end.vi, descriptor), Return::success); });
    }
    void receive(End& end, const Descriptor& descriptor) {
        call([&](Time) { EXPECT_EQ(end.provider.post_receive(end.vi, descriptor), Return::success); });
    }
    static Descriptor send_of(const End& end, std::uint32_t length = 100) {
        return {.data = {end.segment(length)}, .length = length};
    }
    static Descriptor rdma(const End& from, const End& to, Operation operation, std::uint32_t length = 100) {
        return {
            .operation = operation,
            .remote = AddressSegment{to.base, to.memory},
            .data = {from.segment(length)},
            .length = length};
    }
    Return disconnect(End& end) {
        call([&](Time now) { EXPECT_EQ(end.provider.disconnect(now, end.vi), Return::success); });
        run(10 * second);
        return end.provider.disconnect_done(end.vi);
    }
    std::vector<fcvi::DeviceHeader> of(fcvi::IuType type) const {
        std::vector<fcvi::DeviceHeader> all;
        for (const fcvi::DeviceHeader& header : seen)
            if (header.iu()->type == type) all.push_back(header);
        return all;
    }
    std::optional<fcvi::Reason> reason_of(const fcvi::DeviceHeader& header) const {
        const fcvi::Status* status = header.status();
        if (status == nullptr) return std::nullopt;
        return fcvi::reason_of(header.version, status->reason);
    }
    /// A frame of these IUs, behind so many others, gets a wrong CRC.
    void corrupt(fcvi::IuType type, unsigned skip) {
        fabric_.set_faults([type, left = skip + 1](const FrameInFlight& frame, Random&) mutable {
            const capture::Packet packet = fibre_channel::decode(frame.octets, fibre_channel::Link::fibre);
            const ByteView octets = packet.fc->frame.device_header();
            const auto header = fcvi::parse_device_header(octets, octets.size(), fcvi::Version::iso);
            const bool is_one = packet.fc->frame.header.type == fcvi::fc_type && !header.error &&
                                header.iu() != nullptr && header.iu()->type == type;
            Delivery delivery;
            delivery.corrupted_near_end = is_one && left != 0 && --left == 0;
            return delivery;
        });
    }
    /// Frames for which this holds get a wrong CRC.
    void corrupt_if(std::function<bool()> chance) {
        fabric_.set_faults([chance = std::move(chance)](const FrameInFlight&, Random&) {
            Delivery delivery;
            delivery.corrupted_near_end = chance();
            return delivery;
        });
    }
    /// Frames that the network loses.
    std::function<bool(const fcvi::DeviceHeader&, const fc::FrameHeader&)> lost;
    std::function<void(const TappedFrame&)> tap;  ///< is shown all that is sent and not lost
    bool cut = false;                             ///< nothing gets through any more
    std::vector<fcvi::DeviceHeader> seen;         ///< of frames that were not lost

private:
    std::optional<End> a_, b_;
    fibre_channel::FabricServices services_ = fc_test::make_services();
    Fabric fabric_{1, 0};
};

/// The analyzer sees all that is sent.
class AnalysedPair : public Pair {
protected:
    AnalysedPair() {
        tap = [this](const TappedFrame& tapped) {
            capture::Frame frame = ethernet_frame(tapped.octets);
            frame.link = fibre_channel::link_type(fibre_channel::Link::fibre);
            frame.number = ++frames_;
            frame.time = tapped.time;
            analysis_.on_frame(frame);
        };
    }
    const engine::fcvi::Model& analysed() {
        analysis_.finish();
        return analysis_.fcvi();
    }

private:
    static engine::Options options() {
        engine::Options options;
        options.smcr = false;
        options.fc_protocols.fcvi = true;
        return options;
    }
    engine::Engine analysis_{options()};
    std::uint64_t frames_ = 0;
};

}  // namespace fabricscope::stack::vi::test
