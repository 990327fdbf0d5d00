// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as a script of Fibre Channel frames between three ports: FC-VI in both versions, FC-AE-RDMA, ABTS, logins.
// Nothing that they can say harms the trackers.
#include <array>
#include <vector>

#include "analyzer/engine/fc/tracker.h"
#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "analyzer/engine/fcvi/tracker.h"
#include "protocols/builders/fc_login_payloads.h"
#include "tests/fuzz/script.h"

namespace fc = fabricscope::fc;
namespace builders = fabricscope::builders;
namespace capture = fabricscope::capture;
namespace below = fabricscope::engine::fibre_channel;
namespace fcvi = fabricscope::engine::fcvi;
namespace rdma = fabricscope::engine::fc_ae_rdma;
using fabricscope::ByteView;
using fabricscope::fuzz::Script;

namespace {

constexpr std::uint32_t first_port = 0x010200;

class Scene {
public:
    explicit Scene(ByteView octets) : script_(octets) {
        fcvi::Options options;
        options.limits = {.connections = 8, .messages = 32, .ius = 4, .setups = 4, .waiting = 8};
        if (script_.flag()) options.r_a_tov = 1000;
        if (script_.flag()) options.version = static_cast<fcvi::wire::Version>(script_.below(2));
        fcvi_.emplace(options);
        rdma::Options rdma_options;
        rdma_options.limits = {.messages = 32, .regions = 2, .ports = 2};
        rdma_.emplace(rdma_options);
        below::Options below_options;
        below_options.limits = {.followed = 8, .over = 2, .exchanges = 16};
        below_.emplace(below_options, std::vector<below::Observer*>{&*fcvi_, &*rdma_});
    }

    void play() {
        while (script_.more()) step();
        below_->finish();
    }

private:
    void step() {
        now_ += script_.number();
        switch (script_.below(8)) {
            case 0: return send_rdma();
            case 1: return log_in_or_out();
            case 2: return send_abts();
            default: return send_iu();
        }
    }

    fc::FrameHeader header() {
        fc::FrameHeader header;
        header.s_id = first_port + script_.below(3);
        header.d_id = first_port + script_.below(3);
        header.ox_id = static_cast<std::uint16_t>(script_.below(4));
        const std::uint8_t flags = script_.octet();
        header.f_ctl.exchange_responder = (flags & 1) != 0;
        header.f_ctl.first_sequence = (flags & 2) != 0;
        header.f_ctl.last_sequence = (flags & 4) != 0;
        header.f_ctl.end_sequence = (flags & 8) == 0;
        header.f_ctl.sequence_initiative = (flags & 16) != 0;
        header.f_ctl.relative_offset_present = (flags & 32) != 0;
        header.preference = (flags & 64) != 0;
        header.seq_id = static_cast<std::uint8_t>(script_.below(3));
        header.seq_cnt = static_cast<std::uint16_t>(script_.number());
        header.parameter = script_.number();
        return header;
    }

    void send_iu() {
        fc::Frame frame;
        frame.header = header();
        frame.header.type = fcvi::wire::fc_type;
        const auto version = static_cast<fcvi::wire::Version>(script_.below(2));
        const auto ius = fcvi::wire::ius(version);
        const fcvi::wire::IuInfo& iu = ius[script_.below(static_cast<std::uint32_t>(ius.size()))];
        frame.header.r_ctl = iu.r_ctl;
        std::vector<std::uint8_t> device = fcvi::wire::build(fcvi::wire::make_device_header(version, iu.type));
        device[3] = static_cast<std::uint8_t>(script_.below(4));
        device[5] = script_.octet();
        device[11] = static_cast<std::uint8_t>(script_.number());
        if (script_.below(4) == 0) device[script_.below(16)] = script_.octet();
        if (script_.below(8) != 0) std::fill_n(device.begin(), 3, std::uint8_t{0});
        device.back() = script_.octet();
        frame.header.df_ctl.device_header = fc::DfCtl::device_header_code(device.size());
        frame.optional_headers = device;
        std::vector<std::uint8_t> payload = payload_of(iu, version);
        frame.payload = payload;
        frame.payload_length = static_cast<std::uint32_t>(payload.size() + script_.below(2) * script_.number());
        submit(frame);
    }

    std::vector<std::uint8_t> payload_of(const fcvi::wire::IuInfo& iu, fcvi::wire::Version version) {
        if (iu.payload != fcvi::wire::Content::connect_info) {
            const ByteView octets = script_.octets(script_.below(64));
            return {octets.begin(), octets.end()};
        }
        fcvi::wire::ConnectPayload payload;
        if (version == fcvi::wire::Version::rev_1_0) payload.body.emplace<fcvi::wire::ConnectRev10>();
        std::visit(
            [&](auto& body) {
                body.head.handle = script_.below(4);
                body.local.host.octets[15] = static_cast<std::uint8_t>(script_.below(2));
                body.remote.host.octets[15] = static_cast<std::uint8_t>(script_.below(2));
                body.attributes.reliability_level = static_cast<std::uint8_t>(script_.below(5));
            },
            payload.body);
        std::vector<std::uint8_t> octets = fcvi::wire::build(payload);
        if (script_.below(4) == 0) octets.resize(script_.number() % (octets.size() + 1));
        return octets;
    }

    void send_rdma() {
        fc::Frame frame;
        frame.header = header();
        frame.header.type = rdma::wire::fc_type;
        constexpr std::array<std::uint8_t, 4> r_ctls{0x01, 0x05, 0x06, 0x07};
        frame.header.r_ctl = r_ctls[script_.below(4)];
        if (frame.header.r_ctl == 0x06 && script_.below(4) != 0)
            frame.header.parameter = 0xA6000000U | (frame.header.parameter & 0x01FFFFFFU);
        frame.payload = script_.octets(script_.below(40));
        frame.payload_length = static_cast<std::uint32_t>(frame.payload.size());
        submit(frame);
    }

    void send_abts() {
        fc::Frame frame;
        frame.header = header();
        frame.header.r_ctl = fc::r_ctl_abts;
        submit(frame);
    }

    void log_in_or_out() {
        fc::Frame frame;
        frame.header = header();
        frame.header.type = fc::type_els;
        frame.header.r_ctl = frame.header.f_ctl.exchange_responder ? fc::r_ctl_els_reply : fc::r_ctl_els_request;
        constexpr std::array<std::uint8_t, 7> commands{fc::els_plogi, fc::els_flogi,  fc::els_prli,  fc::els_logo,
                                                       fc::els_adisc, fc::els_ls_acc, fc::els_ls_rjt};
        const std::uint8_t command = commands[script_.below(commands.size())];
        std::vector<std::uint8_t> payload = script_.flag() ? builders::payload_of(builders::login_of(
                                                                 command, {.port_name = script_.below(3)}))
                                                           : builders::process_payload(command, script_.octets(16));
        if (script_.below(4) == 0) payload.resize(script_.number() % (payload.size() + 1));
        frame.payload = payload;
        frame.payload_length = static_cast<std::uint32_t>(payload.size());
        submit(frame);
    }

    void submit(const fc::Frame& frame) {
        capture::Packet packet;
        packet.number = ++frames_;
        packet.time = static_cast<capture::Time>(now_);
        packet.transport = capture::Transport::fc;
        packet.fc.emplace().frame = frame;
        below_->on_packet(packet);
    }

    Script script_;
    std::uint64_t now_ = 0, frames_ = 0;
    std::optional<fcvi::Tracker> fcvi_;
    std::optional<rdma::Tracker> rdma_;
    std::optional<below::Tracker> below_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Scene(ByteView(data, size)).play();
    return 0;
}
