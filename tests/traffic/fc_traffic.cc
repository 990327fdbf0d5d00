// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_traffic.h"

#include "tests/traffic/pcap_writer.h"

namespace fabricscope::traffic {
namespace {

constexpr capture::Time step = 10 * capture::microsecond;

class Generator {
public:
    Generator(const FcTrafficOptions& options, const std::function<void(capture::Time, const FcFrame&)>& sink)
        : options_(options), sink_(sink), data_(4 * options.payload) {
        for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8));
    }

    void run() {
        logins();
        addresses();
        class_2();
        aborted();
        for (std::size_t octets : {16, 32, 64}) several_frames(octets);
        while (frames_ < options_.frames) several_frames(frames_ % 3 == 0 ? 32 : 16);
    }

private:
    void send(const FcFrame& frame) {
        ++frames_;
        sink_(now_ += step, frame);
    }
    void send(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) send(frame);
    }

    void ask(FcPort& from, FcPort& to, std::uint8_t type, const Octets& request, const Octets& answer) {
        FcExchange exchange(from, to, type);
        const bool els = type == fc::type_els;
        send(exchange.send(
            {.r_ctl = static_cast<std::uint8_t>(els ? fc::r_ctl_els_request : 0x02),
             .data = request,
             .last = answer.empty(),
             .passes_initiative = !answer.empty()}));
        if (answer.empty()) return;
        send(exchange.send(
            {.r_ctl = static_cast<std::uint8_t>(els ? fc::r_ctl_els_reply : 0x03),
             .data = answer,
             .from_responder = true,
             .last = true}));
    }

    void logins() {
        FcPort newcomer = a_;
        newcomer.id = fc::unidentified;
        FcExchange flogi(newcomer, fabric_, fc::type_els);
        const Octets request = login_payload(a_, fc::els_flogi), answer = flogi_accept_payload(fabric_, 10'000, 2'000);
        send(flogi.send({.r_ctl = fc::r_ctl_els_request, .data = request, .passes_initiative = true}));
        flogi.set_originator(a_);
        send(flogi.send({.r_ctl = fc::r_ctl_els_reply, .data = answer, .from_responder = true, .last = true}));
        Octets accept = login_payload(b_, fc::els_plogi);
        accept[0] = fc::els_ls_acc;
        ask(a_, b_, fc::type_els, login_payload(a_, fc::els_plogi), accept);
        ask(a_, b_, fc::type_els, prli_payload(fc::type_fcp, 0x32), prli_accept_payload(fc::type_fcp, 0x12));
    }

    void addresses() {
        const Gid ip = fc_ip({{192, 0, 2, 20}});
        ask(a_, everybody_, fc::type_els, farp_payload(fc::els_farp_request, a_, b_, ip), {});
        ask(b_, a_, fc::type_els, farp_payload(fc::els_farp_reply, a_, b_, ip), {});
        ask(a_, name_server_, fc::type_ct, gid_ipp_payload(ip), gid_ipp_accept_payload({b_.id}));
    }

    void class_2() {
        FcExchange exchange(a_, b_, fc::type_fcvi, 2);
        for (const FcFrame& frame : exchange.send(
                 {.r_ctl = 0x01,
   .data = data_,
   .last = true,
   .relative_offset = true,
   .frame_size = options_.payload})) {
            send(frame);
            send(ack_1(frame));
        }
    }

    void aborted() {
        FcExchange exchange(b_, a_, fc::type_fcvi);
        send(exchange.send({.r_ctl = 0x06, .data = ByteView(data_).first(32), .passes_initiative = true}));
        send(exchange.abts(false));
        send(exchange.ba_acc(true));
    }

    /// A request of several frames and its answer.
    void several_frames(std::size_t device_header) {
        FcExchange exchange(a_, b_, fc::type_fcvi, 3, true);
        const ByteView header = ByteView(data_).first(device_header);
        send(exchange.send(
            {.r_ctl = 0x01,
             .data = ByteView(data_).first(data_.size() - 3),
             .device_header = header,
             .passes_initiative = true,
             .relative_offset = true,
             .frame_size = options_.payload}));
        send(exchange.send({.r_ctl = 0x07, .device_header = header, .from_responder = true, .last = true}));
    }

    const FcTrafficOptions& options_;
    const std::function<void(capture::Time, const FcFrame&)>& sink_;
    Octets data_;
    std::uint64_t frames_ = 0;
    capture::Time now_ = 1'700'000'000 * capture::second;
    FcPort a_{0x010101, 0x2000'0000'5E00'530A, 0x1000'0000'5E00'530A};
    FcPort b_{0x010202, 0x2000'0000'5E00'5314, 0x1000'0000'5E00'5314};
    FcPort fabric_{fc::f_port_server, 0x2000'0000'5E00'5301, 0x1000'0000'5E00'5301};
    FcPort name_server_{fc::directory_server};
    FcPort everybody_{fc::broadcast};
};

constexpr std::array carriers{
    FcCarrierName{"fc2", pcap_fc2, [](const FcFrame& frame) { return as_fc2(frame); }},
    FcCarrierName{"fc2-vft", pcap_fc2, [](const FcFrame& frame) { return as_fc2(frame, 5); }},
    FcCarrierName{"fc2-delimited", pcap_fc2_with_delimiters, as_fc2_with_delimiters},
    FcCarrierName{"fcoe", pcap_ethernet, [](const FcFrame& frame) { return as_fcoe(frame); }},
    FcCarrierName{"fcoe-vlan", pcap_ethernet, [](const FcFrame& frame) { return as_fcoe(frame, 1002); }},
    FcCarrierName{"mds", pcap_ethernet, [](const FcFrame& frame) { return as_mds(frame, 20); }},
    FcCarrierName{"boardwalk", pcap_ethernet, [](const FcFrame& frame) { return as_boardwalk(frame, 30); }},
    FcCarrierName{"fcip", pcap_ethernet, nullptr}};

}  // namespace

void generate_fc(
    const FcTrafficOptions& options, const std::function<void(capture::Time time, const FcFrame& frame)>& sink) {
    Generator(options, sink).run();
}

std::span<const FcCarrierName> fc_carriers() { return carriers; }

}  // namespace fabricscope::traffic
