// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames in, FC-VI connections and Messages out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/engine/fcvi/model.h"
#include "analyzer/engine/fcvi/observer.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::fcvi {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t connections = 200'000;
    std::size_t messages = 200'000;
    std::size_t ius = 64;          ///< kept for each connection
    std::size_t setups = 16;       ///< and Disconnects, aborts and state changes, for each connection
    std::size_t waiting = 65'536;  ///< responses that are due
    std::size_t findings = 10'000;
    std::size_t findings_of_a_kind = 20;  ///< for each rule and connection
};

struct Options {
    Limits limits{};
    Profile profile = Profile::standard;
    std::optional<wire::Version> version;  ///< of all connections; nullopt: told from each setup
    std::optional<Time> r_a_tov;           ///< when no login tells it
};

/// Listens to the Fibre Channel tracker.
class Tracker final : public engine::Tracker, public fibre_channel::Observer {
public:
    explicit Tracker(Options options = {}, fcvi::Observer* observer = nullptr);
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    /// Frames of other TYPEs are looked at only as far as they concern FC-VI: ABTS, link services.
    void on_frame(const fibre_channel::FrameFacts& facts) override;
    void on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) override;
    void on_wrong_answer(const fibre_channel::Login& login) override;
    void on_forgotten(std::uint32_t kept) override;
    /// Outcomes are settled.
    void on_end(const fibre_channel::Logins& logins) override;

    RuleOutcomes outcomes() const override;
    const Model& model() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fcvi
