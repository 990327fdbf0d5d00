// SPDX-License-Identifier: GPL-2.0-or-later
// Packets in, RDMA CM connections out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/engine/rdma_cm/observer.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::rdma {
struct Model;
}

namespace fabricscope::engine::rdma_cm {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t connections = 100'000;  ///< 2 kB each
    std::size_t messages = 64;          ///< kept for each connection
    std::size_t findings = 10'000;
    std::uint32_t findings_of_a_kind = 10;  ///< kept for each rule and connection
};

struct Options {
    Profile profile = Profile::linux_;
    Limits limits{};
};

/// Whether the packet holds a message of Communication Management, of whatever length.
bool claims_message(const capture::Packet& packet);
/// Whether the capture lacks the ids of such a message, or all of it: it may be any one between its ports.
bool is_unread(const capture::Packet& mad);
/// The queue pair of its own that the sender of a REQ or REP names; nullopt: the packet is neither, or of a length that
/// its receiver does not take.
std::optional<std::uint32_t> queue_pair_named_by(const capture::Packet& packet);

/// What came of a connection, as far as the packets up to the time `now` tell.
Outcome outcome_so_far(const Connection& connection);

class Tracker final : public engine::Tracker {
public:
    explicit Tracker(Options options = {}, Observer* observer = nullptr);
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    void on_packet(const capture::Packet& packet) override;
    void on_copy(const capture::Packet& packet, std::uint64_t original) override;
    void on_damaged(const capture::Packet& packet) override;
    void finish() override;

    RuleOutcomes outcomes() const override;
    const Model& model() const;
    /// What each side of the connections retransmitted, as the account of their queue pairs has it.
    void take_retransmissions(const rdma::Model& account);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::rdma_cm
