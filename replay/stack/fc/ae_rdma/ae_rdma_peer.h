// SPDX-License-Identifier: GPL-2.0-or-later
// A host that is an FC-AE-RDMA Initiator, Target, or both.
#pragma once

#include "replay/stack/fc/ae_rdma/ae_rdma.h"
#include "replay/stack/fc/host.h"

namespace fabricscope::stack {

/// Messages of an Initiator, one after the other's outcome or at intervals.
struct RdmaPlan {
    Time at = 0;  ///< after the beginning
    fibre_channel::RdmaRequest request;
    std::uint32_t count = 1;
    Time interval = 0;         ///< 0: each waits for the outcome of the one before
    std::uint32_t step = 0;    ///< octets by which the Base Address grows
    std::int64_t actual = -1;  ///< octets that a write really sends; negative: as many as it says
};

struct AeRdmaPeerConfig {
    fibre_channel::HostConfig host;
    int service_class = 3;
    Gid target;            ///< IP address of the port that messages go to
    bool log_out = false;  ///< when all is done
};

struct RdmaAccount {
    std::uint32_t messages = 0, good = 0, unanswered = 0;
    std::uint64_t written = 0, read = 0;            ///< octets of messages with status GOOD
    std::map<std::uint8_t, std::uint32_t> refused;  ///< how often which status came
    std::uint64_t residuals = 0;                    ///< octets, over and under
    std::uint32_t notifications = 0;                ///< Target
    bool data_right = true;                         ///< what was read is what the memory should hold
};

class AeRdmaPeer final : public fibre_channel::Host {
public:
    AeRdmaPeer(const AeRdmaPeerConfig& config, std::vector<RdmaPlan> plans);

    void start(Time now, Time origin);
    fibre_channel::AeRdma& rdma() { return rdma_; }
    const RdmaAccount& account() const { return account_; }

protected:
    void on_port_event(Time now, const fibre_channel::NPortEvent& event) override;
    bool consume(Time now) override;
    void on_consumer_timer(Time now) override;
    Time consumer_wakeup() const override;

private:
    struct Timer {
        Time at = never;
        std::size_t plan = 0;
    };
    struct PlanProgress {
        RdmaPlan plan;
        std::uint32_t begun = 0, done = 0;
    };

    void next_message(Time now, std::size_t index);
    void record_outcome(Time now, const fibre_channel::RdmaOutcome& outcome);

    std::vector<PlanProgress> progress_;
    std::vector<Timer> timers_;
    std::map<std::uint64_t, std::pair<std::size_t, fibre_channel::RdmaRequest>> open_;
    /// What this Initiator has written, by Logical Unit and address.
    std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint8_t> written_;
    Gid target_;
    std::uint32_t target_id_ = 0;
    bool log_out_, logged_out_ = false;
    Time origin_ = 0;
    RdmaAccount account_;
    fibre_channel::AeRdma rdma_;
};

/// What a Logical Unit holds at an address before anybody has written to it.
std::uint8_t rdma_memory_octet(std::uint8_t lun, std::uint32_t address);

}  // namespace fabricscope::stack
