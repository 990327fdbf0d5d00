// SPDX-License-Identifier: GPL-2.0-or-later
// What one side of a session sent, as a stream of octets that is rebuilt while the engine runs.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/engine/protocols.h"
#include "protocols/layout/layout.h"

namespace fabricscope::report {

/// Where the octets go.
class OctetSink {
public:
    virtual ~OctetSink() = default;

    virtual void write(ByteView octets) = 0;
    virtual void write_zeros(std::uint64_t count) = 0;
    /// Of octets that were not captured: `position` is where they begin, `consequence` what follows for the stream.
    virtual void tell_hole(std::uint64_t position, std::uint64_t octets, const char* consequence) = 0;
    virtual void tell(const std::string& trouble) = 0;
};

/// Which stream.
struct StreamChoice {
    std::uint32_t id = 0;  ///< of the session
    engine::Side from{};
    bool skip_urgent = false;
    bool read_once = false;  ///< the captures cannot be read again
};

class Stream {
public:
    virtual ~Stream() = default;

    /// The captures have been read. Whether they must be read once more, as only now it is known which octets these
    /// are; then a stream that the captures are read once for has others.
    virtual bool learn(const engine::Engine& /*engine*/) { return false; }
    /// Has itself told what it needs; lives as long as the engine.
    virtual void listen(engine::Observers& observers) = 0;
    /// Writes what is left, while the engine is still there.
    virtual void finish() {}
};

}  // namespace fabricscope::report
