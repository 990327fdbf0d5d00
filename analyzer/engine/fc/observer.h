// SPDX-License-Identifier: GPL-2.0-or-later
// What the Fibre Channel tracker says about single frames while it works. What is built on Fibre Channel (FC-VI,
// FC-AE-RDMA) listens here: it gets each frame with its Exchange and its place in its Sequence.
#pragma once

#include "analyzer/engine/fc/model.h"
#include "capture/fc_sequence.h"

namespace fabricscope::engine::fibre_channel {

/// What one frame means. References are valid during the call only.
struct FrameFacts {
    const capture::Packet& packet;  ///< of Transport::fc
    const Exchange& exchange;       ///< after the frame
    Party from{};
    const capture::FcSequenceEvent& sequence;
    bool opens = false;   ///< the first frame of the Exchange that was seen
    bool closes = false;  ///< with it the Exchange is closed
    /// An ELS or CT answer: the first frame of its request; 0 otherwise.
    std::uint64_t request_frame = 0;
    Time request_time = 0;
};

/// All calls happen while a packet is being taken, or in finish().
class Observer {
public:
    virtual ~Observer() = default;
    /// Whether the data of this frame's Sequence is to be put together for FrameFacts::sequence. Asked for each of
    /// its frames, before on_frame(); the answer no ends it.
    virtual bool wants_data(const capture::Packet&) { return false; }
    /// The packet is a copy of an earlier one: nothing more is said of it.
    virtual void on_copy([[maybe_unused]] std::uint64_t frame, [[maybe_unused]] std::uint64_t original) {}
    /// After what the other calls say of the same frame.
    virtual void on_frame(const FrameFacts&) {}
    /// What one party says of itself in a login: in its request, or in the LS_ACC.
    virtual void on_login(const Login&, [[maybe_unused]] Party said_by) {}
    /// LOGO, or another login that was accepted instead.
    virtual void on_logout(const Login&) {}
    /// RTV has told timeouts between the login's ports.
    virtual void on_timeouts(const Login&) {}
    /// A PRLI was asked for, answered or rejected, or undone by PRLO.
    virtual void on_process_login(const Login&, const ProcessLogin&) {}
    /// The Exchange is over, or was replaced by another one, or the capture has ended.
    virtual void on_exchange_over(const Exchange&) {}
};

}  // namespace fabricscope::engine::fibre_channel
