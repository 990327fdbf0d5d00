// SPDX-License-Identifier: GPL-2.0-or-later
// SMC-R's sessions for replay: "smcr-1" is a connection, "lg-1" a link group with all its connections. To a connection
// belongs the set-up of its link group; if another one has set that up, this is played first and not compared. So is
// all of a link group that has several links, since they are shared out among all its connections. A link group that
// was set up before the capture began is there on both sides when the run begins.
#pragma once

#include "replay/engine/player.h"
#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

std::unique_ptr<Reader> make_reader();

class RecordedSession final : public Session {
public:
    explicit RecordedSession(Recorded recorded) : recorded_(std::move(recorded)) {}

    const Conversation& conversation() const override {
        return recorded_.compared ? *recorded_.compared : recorded_.conversation;
    }
    void edit(const std::function<void(Conversation&)>& change) override {
        change(recorded_.conversation);
        if (recorded_.compared) change(*recorded_.compared);
    }
    AttachedPlayer player(Side played, const PlayOptions& options) const override;
    AttachedEndpoint emulated(Side side, const std::string& profile) const override;
    /// For recordings that are altered on purpose. Not while a player plays it.
    Recorded& recorded() { return recorded_; }

private:
    Recorded recorded_;
};

}  // namespace fabricscope::replay::smcr
