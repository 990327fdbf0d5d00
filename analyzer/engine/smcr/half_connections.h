// SPDX-License-Identifier: GPL-2.0-or-later
// Connections that were seen midway, and so far in one direction only. The other direction has another alert token;
// which one, the cursors tell.
#pragma once

#include <span>
#include <vector>

#include "analyzer/engine/smcr/sessions.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

/// HalfConnections remembers the latest such connections of a link group.
class HalfConnections {
public:
    static constexpr std::size_t most = 256;

    void add(std::uint32_t connection) { keep_youngest(ids_, most, connection); }
    void remove(std::uint32_t connection) { std::erase(ids_, connection); }

    /// match() returns the one connection of which only the other direction is known, and of whose data this message
    /// of `from` consumes exactly what was announced; nullptr if there is none, or more than one. The message is of
    /// the half `of`, or of one that is new. A connection is none if it sent before its RMB was announced:
    /// `rmbs` are the link group's, if its frames were captured in order.
    Session* match(
        Sessions& sessions, Side from, const wire::Cdc& cdc, const Session* of, std::span<const Rmb> rmbs) const;

private:
    std::vector<std::uint32_t> ids_;
};

}  // namespace fabricscope::engine::smcr
