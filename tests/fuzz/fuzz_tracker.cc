// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as a script of what two hosts send each other: set-ups, LLC, CDC, WRITEs, in any order. Few ports, tokens
// and keys, so that they meet.
#include <algorithm>

#include "tests/fuzz/pipeline.h"
#include "tests/fuzz/script.h"
#include "tests/unit/engine/conversation.h"

namespace {

using namespace fabricscope;
using engine::smcr::Side;
using engine::smcr::test::Octets;
using engine::smcr::test::World;

engine::smcr::Options options_of(fuzz::Script& script) {
    engine::smcr::Options options;
    options.timelines = true;
    options.limits.connections = 1 + script.below(32);
    options.limits.link_groups = 1 + script.below(8);
    options.limits.links = 1 + script.below(16);
    options.limits.rmbs = 1 + script.below(32);
    options.limits.rtokens = 1 + script.below(32);
    options.limits.exchanges = script.below(64);
    options.limits.open_requests = 1 + script.below(8);
    options.limits.findings = script.below(16);
    options.limits.waiting = 1 + script.below(64);
    return options;
}

/// Absurd cursors announce more octets than a test can hold.
class WorldWithoutStreams : public World {
public:
    using World::World;
    void on_stream(const engine::smcr::StreamPiece&) override {}
};

class Player {
public:
    explicit Player(ByteView octets) : script_(octets), world_(options_of(script_)) {}

    void play() {
        while (script_.more()) step();
        world_.tracker.finish();
        fuzz::check_model(world_.tracker.model());
    }

private:
    Side side() { return script_.flag() ? Side::client : Side::server; }
    std::uint32_t token() { return (script_.flag() ? 0x100 : 0x200) + script_.below(4); }
    std::uint32_t rkey() { return (script_.flag() ? 0x5000 : 0xC000) + script_.below(4); }
    engine::smcr::wire::Cursor cursor() { return {static_cast<std::uint16_t>(script_.below(4)), script_.number()}; }

    void step() {
        switch (script_.below(14)) {
            case 0: return world_.connect(script_.below(4), script_.flag());
            case 1: return world_.handshake(script_.flag(), script_.flag());
            case 2: return world_.send(Side::client, World::proposal(), 1 + script_.below(200));
            case 3: return send_clc();
            case 4: return world_.send(side(), World::decline(script_.number()));
            case 5: return world_.segment(side(), script_.octet(), some_octets());
            case 6: return world_.confirm_link(script_.flag());
            case 7:
            case 8: return send_cdc();
            case 9:
            case 10: return send_write();
            case 11: return send_llc();
            case 12: return jump();
            case 13: return send_any();
        }
    }

    Octets some_octets() {
        const ByteView octets = script_.octets(script_.below(64));
        return {octets.begin(), octets.end()};
    }

    void send_clc() {
        const Side from = side();
        const auto type = script_.flag() ? engine::smcr::wire::ClcType::accept : engine::smcr::wire::ClcType::confirm;
        world_.send(from, World::accept_or_confirm(type, world_.port[from], token(), rkey(), script_.flag()));
    }

    void send_cdc() {
        engine::smcr::wire::CdcStateFlags state;
        state.connection_closed = script_.below(16) == 0;
        state.abnormal_close = script_.below(32) == 0;
        const Side from = side();
        const std::uint32_t to = token();
        const auto sequence = static_cast<std::uint16_t>(script_.number());
        const auto producer = cursor();
        world_.cdc(from, to, sequence, producer, cursor(), state);
    }

    void send_write() {
        const Side from = side();
        const std::uint32_t key = rkey();
        const std::uint64_t offset = script_.number();
        world_.write(from, key, offset, some_octets());
    }

    /// An LLC message of any type, most often of the right length.
    void send_llc() {
        Octets octets = some_octets();
        if (script_.below(8) != 0) octets.resize(44);
        if (octets.size() < 3) return;
        octets[0] = static_cast<std::uint8_t>(script_.flag() ? script_.below(10) : 0x20 | script_.below(10));
        octets[1] = static_cast<std::uint8_t>(octets.size());
        octets[2] = 0;
        world_.request(side(), World::send_only, octets);
    }

    /// Time passes, packets are lost, or a queue pair is another one.
    void jump() {
        switch (script_.below(4)) {
            case 0: world_.now += script_.number() % 100'000 * 10 * capture::millisecond; return;
            case 1: world_.port[side()].psn = script_.number() & 0xFF'FFFF; return;
            case 2: world_.port[side()].qpn = 0x11 + script_.below(4); return;
            case 3: world_.port[side()].host = static_cast<std::uint8_t>(10 + script_.below(4)); return;
        }
    }

    void send_any() {
        const Side from = side();
        const auto opcode = static_cast<std::uint8_t>(script_.below(0x18));
        std::optional<ib::Reth> reth;
        if (script_.flag()) reth = ib::Reth{World::address_of(rkey()) + script_.number(), rkey(), script_.number()};
        std::optional<std::uint32_t> immediate;
        if (script_.below(16) == 0) immediate = 1;
        world_.request(from, opcode, some_octets(), reth, immediate);
    }

    fuzz::Script script_;
    WorldWithoutStreams world_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Player({data, std::min<std::size_t>(size, 4096)}).play();
    return 0;
}
