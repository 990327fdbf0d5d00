// SPDX-License-Identifier: GPL-2.0-or-later
// Packets in, streams of queue pairs out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/rdma/observer.h"
#include "analyzer/engine/rdma_cm/model.h"
#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::rdma {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t streams = 50'000;      ///< nearly 3 kB each
    std::size_t operations = 100'000;  ///< kept in the model
    std::size_t events = 100'000;      ///< kept in the model
    std::uint32_t events_of_a_stream = 1'000;
    std::size_t outstanding = 4'096;  ///< operations of a queue pair that wait for their answers
    std::size_t unpaired = 256;       ///< the same while the other queue pair is not known
    std::size_t gaps = 64;            ///< of a queue pair: stretches of PSNs that have not been seen
    std::size_t candidates = 1'024;   ///< queue pairs between two addresses that may be the other half of a stream
    std::size_t hosts = 10'000;       ///< whose management packets are counted
    std::size_t findings = 10'000;
    std::uint32_t findings_of_a_kind = 10;  ///< kept for each rule and stream
};

struct Options {
    Profile profile = Profile::linux_;
    Limits limits{};
};

/// What others know of who talks to whom.
struct Announcements {
    const rdma_cm::Model& cm;
    const smcr::Model& smcr;
};

class Tracker final : public engine::Tracker {
public:
    Tracker(Options options, Announcements announcements, Observer* observer = nullptr);
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    void on_packet(const capture::Packet& packet) override;
    void on_copy(const capture::Packet& packet, std::uint64_t original) override;
    void on_damaged(const capture::Packet& packet) override;
    void finish() override;

    RuleOutcomes outcomes() const override;
    const Model& model() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::rdma
