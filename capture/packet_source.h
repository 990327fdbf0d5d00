// SPDX-License-Identifier: GPL-2.0-or-later
// Frames together with what they decode to.
#pragma once

#include <memory>

#include "capture/packet.h"
#include "capture/source.h"

namespace fabricscope::capture {

struct DecodedFrame {
    Frame frame;
    Packet packet;

    explicit DecodedFrame(const Frame& of) : frame(of), packet(decode(of)) { check_fc_crc(packet); }
};

/// A stream of decoded frames. Not thread-safe.
class PacketSource {
public:
    PacketSource() = default;
    PacketSource(const PacketSource&) = delete;
    PacketSource& operator=(const PacketSource&) = delete;
    virtual ~PacketSource() = default;

    /// The next frame, which lives until the following call. nullptr where Source::next() says false.
    virtual const DecodedFrame* next() = 0;
    // As Source has them.
    virtual std::vector<Error> errors() const = 0;
    virtual std::uint32_t interface_count() const = 0;
};

/// Each frame is read and decoded when it is asked for: for pipes and interfaces, whose frames would be late
/// otherwise.
std::unique_ptr<PacketSource> decoded(std::unique_ptr<Source> source);

/// Frames are read by a thread of its own while those before are dealt with, and those of Fibre Channel decoded by it,
/// too: for files. Where there is only one processor, both happens when they are asked for.
std::unique_ptr<PacketSource> read_ahead(std::unique_ptr<Source> source);

}  // namespace fabricscope::capture
