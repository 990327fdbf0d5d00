// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's Info column says of frames, for who reads captures without Wireshark.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "analyzer/engine/engine.h"

namespace fabricscope::info {

/// Told while an engine reads captures that another one has read before: what became of sessions is known.
class FrameLines {
public:
    /// A frame may be told of twice: what comes later counts.
    using Tell = std::function<void(std::uint64_t frame, std::string_view line)>;
    /// The frame shows `original` once more: the same line, marked as a copy.
    using TellCopy = std::function<void(std::uint64_t frame, std::uint64_t original)>;

    FrameLines(const engine::Engine& read_before, Tell tell, TellCopy tell_copy);
    ~FrameLines();

    /// To whom the engine is to tell what it finds.
    const engine::Observers& observers() const;
    /// The engine has taken the packet.
    void on_packet(const capture::Packet& packet);

private:
    class Listeners;
    std::unique_ptr<Listeners> listeners_;
};

/// "[Copy of frame 12] SEND 100 bytes"
std::string copy_of(std::uint64_t original, std::string_view line);

}  // namespace fabricscope::info
