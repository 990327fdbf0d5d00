// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "replay/engine/smcr/formats.h"
#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

/// Follows one connection; tells what each side's application must have done.
class ApplicationReader {
public:
    /// `over_tcp`: it fell back, so TCP has its data.
    ApplicationReader(const Collected& collected, bool over_tcp) : collected_(collected), over_tcp_(over_tcp) {}

    void on(const Seen& seen);
    /// Gives the connection its scripts. Only once.
    void finish(RecordedConnection& connection);

    /// Octets that a side wrote, as far as its positions are to be believed.
    std::uint64_t extent(Side side) const;
    /// These octets, as far as they were captured.
    Octets stream(Side side) const;

private:
    struct Progress {
        std::uint64_t written = 0, read = 0;
        CdcState state;
        bool fin = false;
        bool ended() const { return state.sending_done || state.closed || fin; }
    };

    void on_cdc(const Seen& seen);
    void on_tcp(const Seen& seen);
    void add(const Seen& seen, AppStep step);
    /// What the other side has read was written, whether or not the message that said so was captured.
    void add_unseen(Side writer, std::uint64_t written, Time until);

    const Collected& collected_;
    bool over_tcp_;
    Time last_ = 0;
    PerSide<Progress> progress_;
    PerSide<std::vector<AppStep>> steps_;
    PerSide<std::vector<Time>> times_;
};

}  // namespace fabricscope::replay::smcr
