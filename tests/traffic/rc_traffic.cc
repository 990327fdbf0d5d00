// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/rc_traffic.h"

#include <array>
#include <utility>
#include <vector>

#include "protocols/ib/psn.h"
#include "tests/traffic/frame_builder.h"

namespace fabricscope::traffic {
namespace {

constexpr std::uint32_t mtu = 1'024;
constexpr capture::Time begin = 1'700'000'000 * capture::second, between_frames = 700;

using namespace ib::rc;

struct Stream {
    std::uint32_t qpn, psn;
    std::uint32_t messages = 0;
};

class Generator {
public:
    explicit Generator(const std::function<void(capture::Time, ByteView)>& sink) : sink_(sink) {}

    void write(Stream& stream) {
        constexpr std::uint32_t packets = 16;
        const Octets where = octets_of(ib::Reth{0x1000, stream.qpn, packets * mtu});
        for (std::uint32_t i = 0; i < packets; ++i) {
            const std::uint8_t opcode = i == 0 ? write_first : i + 1 == packets ? write_last : write_middle;
            ask(stream, opcode, i == 0 ? ByteView(where) : ByteView(), mtu, i + 1 == packets);
        }
        answer(stream, acknowledge, ib::psn_after(stream.psn, ib::psn_mask), 0);
        ++truth_.writes;
        truth_.bytes += packets * mtu;
    }

    void send(Stream& stream) {
        constexpr std::uint32_t size = 64;
        ask(stream, send_only, {}, size, true);
        answer(stream, acknowledge, ib::psn_after(stream.psn, ib::psn_mask), 0);
        ++truth_.sends;
        truth_.bytes += size;
    }

    void read(Stream& stream) {
        constexpr std::uint32_t packets = 4;
        const std::uint32_t psn = stream.psn;
        const Octets where = octets_of(ib::Reth{0x2000, stream.qpn, packets * mtu});
        ask(stream, read_request, where, 0, true);
        for (std::uint32_t i = 0; i < packets; ++i) {
            const std::uint8_t opcode = i == 0             ? read_response_first
                                        : i + 1 == packets ? read_response_last
                                                           : read_response_middle;
            answer(stream, opcode, ib::psn_after(psn, i), mtu);
        }
        stream.psn = ib::psn_after(psn, packets);
        ++truth_.reads;
        truth_.bytes += packets * mtu;
    }

    const RcTruth& truth() const { return truth_; }

private:
    void ask(Stream& stream, std::uint8_t opcode, ByteView extended, std::uint32_t size, bool last) {
        ib::Bth bth{};
        bth.opcode = opcode;
        bth.p_key = 0xFFFF;
        bth.destination_qpn = stream.qpn + 1;
        bth.psn = std::exchange(stream.psn, ib::psn_after(stream.psn));
        bth.ack_request = last;
        if (last) ++stream.messages;
        put(client_, server_, bth, extended, size);
    }

    void answer(const Stream& stream, std::uint8_t opcode, std::uint32_t psn, std::uint32_t size) {
        ib::Bth bth{};
        bth.opcode = opcode;
        bth.p_key = 0xFFFF;
        bth.destination_qpn = stream.qpn;
        bth.psn = psn;
        constexpr std::uint8_t no_credits = 0x1F;
        const Octets status = octets_of(ib::Aeth{no_credits, stream.messages & 0xFF'FFFF});
        put(server_, client_, bth, opcode == read_response_middle ? ByteView() : ByteView(status), size);
    }

    void put(Port& from, const Port& to, const ib::Bth& bth, ByteView extended, std::uint32_t size) {
        time_ += between_frames;
        ++truth_.frames;
        sink_(
            time_,
            frames_.roce(between(from, to), builders::RoceVersion::v2, bth, extended, ByteView(payload_).first(size)));
    }

    const std::function<void(capture::Time, ByteView)>& sink_;
    builders::FrameBuilder frames_;
    Port client_{{{0, 0, 0x5E, 0, 0x53, 0x0A}}, {{192, 0, 2, 10}}};
    Port server_{{{0, 0, 0x5E, 0, 0x53, 0x14}}, {{192, 0, 2, 20}}};
    Octets payload_ = Octets(mtu, 0xA5);
    capture::Time time_ = begin;
    RcTruth truth_;
};

}  // namespace

RcTruth generate_rc(const RcOptions& options, const std::function<void(capture::Time, ByteView)>& sink) {
    Generator generator(sink);
    std::vector<Stream> streams;
    // Far from each other, so that the numbers of answers tell whose they are.
    for (std::uint32_t i = 0; i < options.streams; ++i)
        streams.push_back({0x1000 + 2 * i, (i * 0x2'0000 + 17) & ib::psn_mask});
    while (generator.truth().frames < options.frames)
        for (Stream& stream : streams) {
            generator.write(stream);
            generator.send(stream);
            generator.read(stream);
        }
    return generator.truth();
}

}  // namespace fabricscope::traffic
