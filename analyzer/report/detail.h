// SPDX-License-Identifier: GPL-2.0-or-later
// What single packets of one session tell and models do not keep, because it would be too much of all sessions: told
// while the captures are read once more. That of a protocol comes from its NAME_detail.cc.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/protocols.h"
#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/memory.h"

namespace fabricscope::report {

/// Octets on their way into memory, or out of it.
struct MovedOctets {
    engine::Time time = 0;
    std::uint64_t frame = 0;
    std::size_t memory = 0;  ///< in Detail::memories
    std::uint64_t address = 0;
    std::vector<std::uint8_t> octets;
    bool writes = false;
};

struct Detail {
    std::vector<CurvePanel> panels;     ///< in place of what models tell; none: they tell as much
    std::vector<std::string> memories;  ///< their titles
    std::vector<MovedOctets> moved;     ///< in order of capture
    std::uint64_t left_out = 0;         ///< octets that there was no room for

    /// The memory of that title, which is added if it is not there.
    std::size_t memory(const std::string& title);
    void move(MovedOctets&& octets);

private:
    std::uint64_t kept_ = 0;  ///< octets
};

/// What of a memory is known at a moment, from an address on.
struct KnownOctet {
    std::uint8_t value = 0;
    std::uint64_t frame = 0;  ///< 0: nothing is known
};
std::vector<KnownOctet> octets_at(
    const Detail& detail, const std::string& memory, engine::Time time, std::uint64_t address, std::size_t count);
/// Who moved what of a memory.
Memory accesses_of(const Detail& detail, const std::string& memory);

class DetailListener {
public:
    virtual ~DetailListener() = default;

    virtual void listen(engine::Observers& observers) = 0;
    /// The packet that observers have just been told of.
    virtual void on_packet(const capture::Packet&) {}
    /// When everything has been read.
    virtual Detail take() = 0;
};

}  // namespace fabricscope::report
