// SPDX-License-Identifier: GPL-2.0-or-later
// The application's octets, for following and exporting them.
//
// Keeping streams would double a capture in memory, so nothing is kept. When somebody wants them,
// Wireshark dissects all frames once more; an engine of its own then goes along and rebuilds them.
#pragma once

#include <map>
#include <vector>

#include "analyzer/engine/engine.h"
#include "plugins/shell/capture_file.h"

namespace fabricscope::plugin::smcr {

class StreamReader final : public engine::smcr::Observer {
public:
    struct Piece {
        engine::smcr::Side from{};
        std::vector<std::uint8_t> octets;
    };
    using Pieces = std::vector<Piece>;

    /// A file that is to be read in order of time, if it is no nullptr, is read at once, and all its streams are kept.
    StreamReader(engine::Options options, const CaptureFile* file);

    void on_packet(const capture::Packet& packet);
    /// True: the packet cannot follow those that were seen, so that another pass begins with it.
    bool is_past(std::uint64_t frame) const { return frame <= latest_; }

    /// What has become known of both streams since it was last asked for, in order.
    Pieces take(std::uint32_t connection);
    /// The same, when the capture holds nothing more of the connection.
    Pieces take_last(std::uint32_t connection);

private:
    bool wants_stream(const engine::smcr::Connection&, engine::smcr::Side) override { return true; }
    void on_stream(const engine::smcr::StreamPiece& piece) override;

    engine::Engine engine_;
    std::uint64_t ahead_ = 0;  ///< the last frame of a file that was read at once
    std::uint64_t latest_ = 0;
    std::map<std::uint32_t, Pieces> pieces_;  ///< by connection
};

}  // namespace fabricscope::plugin::smcr
