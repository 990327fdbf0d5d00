// SPDX-License-Identifier: GPL-2.0-or-later
// Packets in, SMC-R connections and link groups out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::rdma {
struct Model;
}

namespace fabricscope::engine::smcr {

/// Bounds on what is remembered; a hostile capture must not grow the program without end. Where nothing else
/// is said they hold for the whole capture. All reached at once, they come to some 1.5 GB.
/// By default a capture that asks for ever more of one thing gets a quarter of a gigabyte: 3 kB a connection or link
/// group.
struct Limits {
    std::size_t connections = 60'000;
    std::size_t link_groups = 10'000;
    std::size_t links = 100'000;
    std::size_t links_per_group = 256;
    std::size_t rmbs = 1'000'000;
    std::size_t rmbs_per_group = 65'536;
    std::size_t rtokens = 2'000'000;
    std::size_t exchanges = 1'000'000;  ///< LLC requests that are kept
    std::size_t exchanges_per_group = 10'000;
    std::size_t open_requests = 64;          ///< unanswered LLC requests of a link group
    std::size_t cursor_samples = 2'000'000;  ///< of timelines
    std::size_t findings = 10'000;
    std::uint32_t findings_of_a_kind = 10;  ///< kept for each rule and session
    std::size_t midstream_groups = 10'000;  ///< link groups whose set-up was not captured
    std::size_t waiting = 1024;             ///< packets, and data, held until what announces them has come
};

struct Options {
    bool timelines = false;  ///< fill Direction::timeline
    Profile profile = Profile::linux_;
    std::optional<std::uint8_t> cursor_base;  ///< force 0 or 4 instead of finding out
    Limits limits{};
};

class Tracker final : public engine::Tracker {
public:
    explicit Tracker(Options options = {}, Observer* observer = nullptr);
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    void on_packet(const capture::Packet& packet) override;
    void on_copy(const capture::Packet& packet, std::uint64_t original) override;
    void finish() override;

    /// Hands out what is left of a connection's streams: the capture holds nothing more of it.
    void end_stream(std::uint32_t connection);

    RuleOutcomes outcomes() const override;
    const Model& model() const;
    /// What was retransmitted over each link, as the account of its queue pairs has it.
    void take_retransmissions(const rdma::Model& account);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::smcr
