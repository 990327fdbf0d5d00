// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/packet.h"
#include "tests/traffic/edit.h"
#include "tests/traffic/pcap_writer.h"

namespace fabricscope::traffic {
namespace {

constexpr std::size_t frame_size = 2048, message_size = 4 * frame_size;

/// Sends and Writes, each of several frames. What names connections and counts Messages follows from the seed.
Recording vi_messages(std::uint64_t count, std::uint64_t seed) {
    constexpr const char* text =
        "protocol fcvi\nseed {2}\ntopology resolve=name-server\nlisten level=reliable-reception\n"
        "connect level=reliable-reception messages={0} octets={1}\n"
        "listen level=reliable-reception discriminator=writes\n"
        "connect level=reliable-reception discriminator=writes messages={0} octets={1} transfer=write\n";
    return play_text(fmt::format(text, count, message_size, seed));
}

/// Reads and writes, each of several frames.
Recording memory_messages(std::uint64_t count) {
    constexpr const char* text =
        "protocol fc-ae-rdma\nunit lun=3\nread lun=3 count={0} octets={1}\nwrite lun=3 count={0} octets={1}\n";
    return play_text(fmt::format(text, count, message_size));
}

class Generator {
public:
    Generator(const FcTrafficOptions& options, const std::function<void(capture::Time, const FcFrame&)>& sink)
        : options_(options), sink_(sink), data_(message_size) {
        for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8));
    }

    void run() {
        class_2();
        aborted();
        for (const std::size_t octets : {16U, 32U, 64U}) several_frames(octets);
        // Each round is short, so that it fits into memory however much is wanted.
        const std::uint64_t count = std::clamp<std::uint64_t>(options_.frames / 20, 1, 1000);
        Recording memory = memory_messages(count);
        for (const char* line : {"FARP-REQ begin", "PLOGI drop", "LS_ACC drop"}) edit(memory, line);
        // The ports log in once. Connections are others in each round: MSG_IDs go on, in each connection.
        for (std::uint64_t round = 1; frames_ < options_.frames; ++round) {
            Recording vi = vi_messages(count, round);
            if (round != 1) edit(vi, "FCVI_CONNECT_RQST begin");
            emit(vi), emit(memory);
            if (round == 1) edit(memory, "FCP_CMND begin");
        }
    }

private:
    void emit(const FcFrame& frame) {
        ++frames_;
        sink_(now_ += 10 * capture::microsecond, frame);
    }
    void emit(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) emit(frame);
    }

    void emit(const Recording& recording) {
        for_each_frame(recording, [&](const capture::Frame& frame) {
            const capture::Packet packet = decode(frame);
            const ByteView octets = packet.fc->octets;
            emit(FcFrame{{octets.begin(), octets.end()}, packet.fc->sof, packet.fc->eof});
        });
    }

    void class_2() {
        FcExchange exchange(a_, b_, vendor_type, 2);
        for (const FcFrame& frame : exchange.send(
                 {.r_ctl = 0x01, .data = data_, .last = true, .relative_offset = true, .frame_size = frame_size})) {
            emit(frame);
            emit(ack_1(frame));
        }
    }

    void aborted() {
        FcExchange exchange(b_, a_, vendor_type);
        emit(exchange.send({.r_ctl = 0x06, .data = ByteView(data_).first(32), .passes_initiative = true}));
        emit(exchange.abts(false));
        emit(exchange.ba_acc(true));
    }

    /// A request of several frames and its answer.
    void several_frames(std::size_t device_header) {
        FcExchange exchange(a_, b_, vendor_type, 3, true);
        const ByteView header = ByteView(data_).first(device_header);
        emit(exchange.send(
            {.r_ctl = 0x01,
             .data = ByteView(data_).first(data_.size() - 3),
             .device_header = header,
             .passes_initiative = true,
             .relative_offset = true,
             .frame_size = frame_size}));
        emit(exchange.send({.r_ctl = 0x07, .device_header = header, .from_responder = true, .last = true}));
    }

    static constexpr std::uint8_t vendor_type = 0xE0;

    const FcTrafficOptions& options_;
    const std::function<void(capture::Time, const FcFrame&)>& sink_;
    Octets data_;
    std::uint64_t frames_ = 0;
    capture::Time now_ = 1'700'000'000 * capture::second;
    FcPort a_{0x01'0203}, b_{0x04'0506};
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
