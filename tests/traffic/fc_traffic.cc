// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_traffic.h"

#include "tests/traffic/fc_ae_rdma_dialogue.h"
#include "tests/traffic/fc_talk.h"
#include "tests/traffic/fcvi_dialogue.h"
#include "tests/traffic/pcap_writer.h"

namespace fabricscope::traffic {
namespace {

class Generator : FcTalk {
public:
    Generator(const FcTrafficOptions& options, const std::function<void(capture::Time, const FcFrame&)>& sink)
        : options_(options), sink_(sink), data_(message_data(0, static_cast<std::uint32_t>(4 * options.payload))) {
        now = 1'700'000'000 * capture::second;
        step = 10 * capture::microsecond;
    }

    void run() {
        logins();
        addresses();
        class_2();
        aborted();
        for (std::size_t octets : {16, 32, 64}) several_frames(octets);
        vi_.connect();
        while (frames_ < options_.frames) messages();
        for (const Side side : {Side::client, Side::server}) vi_.disconnect(side);
    }

private:
    void on_frame(const FcFrame& frame) override {
        ++frames_;
        sink_(now, frame);
    }

    void logins() {
        fabric_login(*this, fabric_, fabric_.a);
        port_login(*this, fabric_.a, fabric_.b);
        process_login(*this, fabric_.a, fabric_.b, fc_ae_rdma_prli, fc_ae_rdma_prli_accept);
    }

    void addresses() {
        resolve_by_farp(*this, fabric_);
        resolve_by_name_server(*this, fabric_);
    }

    void class_2() {
        FcExchange exchange(fabric_.a, fabric_.b, vendor_type, 2);
        for (const FcFrame& frame : exchange.send(
                 {.r_ctl = 0x01,
   .data = data_,
   .last = true,
   .relative_offset = true,
   .frame_size = options_.payload})) {
            emit(frame);
            emit(ack_1(frame));
        }
    }

    void aborted() {
        FcExchange exchange(fabric_.b, fabric_.a, vendor_type);
        emit(exchange.send({.r_ctl = 0x06, .data = ByteView(data_).first(32), .passes_initiative = true}));
        emit(exchange.abts(false));
        emit(exchange.ba_acc(true));
    }

    /// A request of several frames and its answer.
    void several_frames(std::size_t device_header) {
        FcExchange exchange(fabric_.a, fabric_.b, vendor_type, 3, true);
        const ByteView header = ByteView(data_).first(device_header);
        emit(exchange.send(
            {.r_ctl = 0x01,
             .data = ByteView(data_).first(data_.size() - 3),
             .device_header = header,
             .passes_initiative = true,
             .relative_offset = true,
             .frame_size = options_.payload}));
        emit(exchange.send({.r_ctl = 0x07, .device_header = header, .from_responder = true, .last = true}));
    }

    /// A Send and an RDMA Write of several frames, an FC-AE-RDMA read and a write.
    void messages() {
        using enum fcvi::IuType;
        const auto octets = static_cast<std::uint32_t>(data_.size());
        const auto frame = static_cast<std::uint32_t>(options_.payload);
        for (const auto& [request, response] : {std::pair{send_rqst, send_resp}, std::pair{write_rqst, write_resp}}) {
            vi_.data_frames(Side::client, request, octets, 0, octets, frame);
            vi_.respond(Side::server, response);
        }
        for (const bool read : {true, false}) {
            memory_.command(read, octets);
            memory_.data_frames(octets, frame);
            memory_.response();
        }
    }

    /// Passes its frames on, at the generator's pace.
    template <class Dialogue> class Voice final : public Dialogue {
    public:
        template <class... Arguments>
        explicit Voice(Generator& generator, Arguments... arguments) : Dialogue(arguments...), generator_(generator) {}

    private:
        void on_frame(const FcFrame& frame) override { generator_.emit(frame); }
        Generator& generator_;
    };

    static constexpr std::uint8_t vendor_type = 0xE0;

    const FcTrafficOptions& options_;
    const std::function<void(capture::Time, const FcFrame&)>& sink_;
    Octets data_;
    std::uint64_t frames_ = 0;
    FcFabric fabric_;
    Voice<FcviDialogue> vi_{*this, fcvi::Version::iso, fcvi::Reliability::reliable_reception};
    Voice<FcAeRdmaDialogue> memory_{*this};
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
