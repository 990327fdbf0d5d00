// SPDX-License-Identifier: GPL-2.0-or-later
// A packet that has found its link: what everything that looks at its content needs.
#pragma once

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"
#include "capture/packet.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::smcr {

/// How completely the packets of one side on a link have been captured.
struct Continuity {
    std::uint32_t gaps = 0;     ///< how often some were missing
    std::uint32_t missing = 0;  ///< how many are; they may still come late

    void note(const capture::RcEvent& event) {
        if (event.order == capture::PsnOrder::ahead_after_gap) ++gaps, missing += event.missing;
        if (event.order == capture::PsnOrder::late && missing != 0) --missing;
    }
};

struct Arrival {
    std::uint32_t group;
    std::uint32_t link;  ///< index in LinkGroup::links
    Side from;
    const capture::Packet* packet;
    FrameFacts* facts;
    const Continuity* continuity;  ///< of the sender's packets up to this one
};

/// An LLC request without a reply yet.
struct OpenRequest {
    wire::LlcType type;
    Side from;
    std::uint32_t link;
    std::uint32_t subject;  ///< what it is about: a link number, an RKey
    std::size_t exchange;   ///< index in LinkGroup::exchanges; npos if that list is full
    Step step;
    Bytes<16> user_data;  ///< TEST LINK
};

}  // namespace fabricscope::engine::smcr
