// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames in, FC-AE-RDMA messages out. Sans-I/O: no files, no clock, no threads.
//
// An Exchange of FCP is one of FC-AE-RDMA if its FCP_CMND says so in the frame header; without that command
// captured nothing of it is claimed.
#pragma once

#include <memory>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/engine/fc_ae_rdma/model.h"
#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::fc_ae_rdma {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t messages = 200'000;
    std::size_t regions = 65'536;
    std::size_t ports = 65'536;  ///< pairs that log in
    std::size_t findings = 10'000;
    std::size_t findings_of_a_kind = 20;  ///< for each rule and message
};

/// How large a Logical Unit's memory region is, as the user says.
struct RegionSize {
    std::uint32_t target = 0;  ///< N_Port_ID, in whatever Virtual Fabric
    std::uint8_t lun = 0;
    std::uint64_t octets = 0;
};

struct Options {
    Limits limits{};
    Profile profile = Profile::standard;
    std::vector<RegionSize> region_sizes{};
};

/// Listens to the Fibre Channel tracker.
class Tracker final : public engine::Tracker, public fibre_channel::Observer {
public:
    explicit Tracker(Options options = {}, fc_ae_rdma::Observer* observer = nullptr);
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    void on_frame(const fibre_channel::FrameFacts& facts) override;
    void on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) override;
    void on_forgotten(std::uint32_t kept) override;
    void on_end(const fibre_channel::Logins& logins) override;

    RuleOutcomes outcomes() const override;
    const Model& model() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fc_ae_rdma
