// SPDX-License-Identifier: GPL-2.0-or-later
// A frame decoded into the fields of its headers and messages, as their layouts name them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "capture/frame.h"

namespace fabricscope::report {

struct FrameField {
    std::string text;        ///< "Sequence number: 17", or what the fields below it make up
    std::size_t offset = 0;  ///< in the frame
    std::size_t length = 0;  ///< 0: it has no octets of its own there
    std::vector<FrameField> fields{};
};

/// `session` is the one that the frame belongs to ("" if that is not known): what a SEND carries, and how old an FC-VI
/// header is, only the session tells. Of tunnels, the innermost packet. Messages that continue in other frames are
/// octets.
std::vector<FrameField> fields_of(
    const capture::Frame& frame, const engine::Engine& engine, const std::string& session);

}  // namespace fabricscope::report
