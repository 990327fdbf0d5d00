// SPDX-License-Identifier: GPL-2.0-or-later
// What a connection sends, kept until the peer's adapter has acknowledged it: it may have to go over another link
// (RFC 7609, 4.6).
#pragma once

#include <deque>
#include <optional>

#include "replay/stack/smcr/data_path.h"

namespace fabricscope::stack::smcr {

class DataSender : public DataSink {
public:
    void write(std::uint64_t offset, Octets octets) override;
    void send(const wire::Cdc& message, const char* note) override;
    /// The peer's adapter has the oldest WRITE or CDC message that is on its way.
    void acknowledge();
    /// Nothing more is sent over the link in use, which this side is to leave.
    void hold() { holding_ = true; }
    /// Whether it may be left now: all that was sent over it has arrived.
    bool ready_to_leave() const { return holding_ && on_their_way_ == 0; }
    bool all_arrived() const { return unacknowledged_.empty(); }
    /// After the link has changed: where this side goes on, then again what may not have arrived.
    void go_on(std::uint32_t peer_token);
    /// CDC messages; after a failover some of them twice.
    std::uint64_t messages() const { return messages_; }

protected:
    ~DataSender() = default;
    /// Over the link that is in use. `offset`: in the peer's element.
    virtual void transmit(std::uint64_t offset, const Octets& octets) = 0;
    /// `kept`: acknowledge() is to be called for it.
    virtual void transmit(const wire::Cdc& message, const char* note, bool kept) = 0;

private:
    struct Post {
        const char* note = nullptr;          ///< if it has not been sent yet
        std::optional<wire::Cdc> message{};  ///< else a WRITE
        std::uint64_t offset = 0;
        Octets octets{};
    };

    void post(Post post);
    void transmit(const Post& post, const char* note);
    void transmit_message(const wire::Cdc& message, const char* note, bool kept);

    std::deque<Post> unacknowledged_;  ///< those on their way, then those held back
    std::size_t on_their_way_ = 0;
    bool holding_ = false;
    std::uint16_t acknowledged_sequence_ = 0;  ///< of the last CDC message that the peer certainly has
    std::uint64_t messages_ = 0;
};

}  // namespace fabricscope::stack::smcr
