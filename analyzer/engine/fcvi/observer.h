// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-VI tracker says about single frames while it works.
#pragma once

#include "analyzer/engine/fcvi/model.h"

namespace fabricscope::engine::fcvi {

/// What one frame means.
struct FrameFacts {
    std::uint64_t frame = 0;
    Time time = 0;
    wire::Version version{};       ///< that its Device_Header is read with
    std::uint32_t connection = 0;  ///< id; 0 = of none that is known
    Side from{};
    std::uint64_t message = 0;  ///< id; 0 = not a Message's
    bool repeated = false;      ///< seen before
    /// A response: the first frame of what it answers, and when that was sent.
    std::uint64_t request_frame = 0;
    Time request_time = 0;
};

/// Data of a Message. `octets` live only during the call.
struct DataPiece {
    const Message& message;
    Side from{};                          ///< who sent the octets
    std::uint64_t offset = 0;             ///< in the Message
    ByteView octets;                      ///< as far as captured
    const PackedList<Message>& messages;  ///< of the model: what became of a Message by then
};

/// All calls happen while a frame is being taken.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_facts(const FrameFacts&) {}
    /// Frames may come in any order, and more than once.
    virtual void on_data(const DataPiece&) {}
    virtual void on_finding(const Finding&) {}
};

}  // namespace fabricscope::engine::fcvi
