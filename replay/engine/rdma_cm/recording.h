// SPDX-License-Identifier: GPL-2.0-or-later
// A connection of a capture, with all that is needed to play either side of it.
#pragma once

#include "replay/engine/player.h"
#include "replay/engine/rdma_cm/conversation_assembler.h"
#include "replay/stack/ib/adapter.h"

namespace fabricscope::replay::rdma_cm {

struct Recording {
    Conversation conversation;
    PerSide<stack::IbAddress> addresses;
    capture::IbCarrier carrier = capture::IbCarrier::roce_v2;
    ConversationAssembler assembler;  ///< after all packets
    bool timed_out = false;           ///< the client got no answer
    std::string obstacle;             ///< why it cannot be played; empty if it can
};

class CmSession final : public Session {
public:
    explicit CmSession(Recording recording) : recording_(std::move(recording)) {}

    const Recording& recording() const { return recording_; }
    const Conversation& conversation() const override { return recording_.conversation; }
    void edit(const std::function<void(Conversation&)>& change) override { change(recording_.conversation); }
    AttachedPlayer player(Side played, const PlayOptions& options) const override;
    AttachedEndpoint emulated(Side side, const std::string& profile) const override;

private:
    void check() const;

    Recording recording_;
};

AttachedPlayer make_player(const Recording& recording, Side played, const PlayOptions& options);
AttachedEndpoint make_emulated(const Recording& recording, Side side, const std::string& profile);

}  // namespace fabricscope::replay::rdma_cm
