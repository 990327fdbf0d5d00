// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-AE-RDMA tracker says about single frames while it works.
#pragma once

#include <algorithm>

#include "analyzer/engine/fc_ae_rdma/model.h"

namespace fabricscope::engine::fc_ae_rdma {

/// What one frame means.
struct FrameFacts {
    std::uint64_t frame = 0;
    Time time = 0;
    std::uint64_t message = 0;  ///< id
    bool repeated = false;      ///< seen before
    /// FCP_RSP: the command that it answers.
    std::uint64_t request_frame = 0;
    Time request_time = 0;
};

/// Data of a message. `octets` live only during the call.
struct DataPiece {
    const Message& message;
    std::uint64_t address = 0;  ///< in the Logical Unit's memory region
    ByteView octets;            ///< as far as captured

    /// What FCP_DL speaks of: what is beyond is thrown away (4.2.4.7).
    ByteView octets_within_length() const {
        const std::uint64_t end = std::uint64_t{message.base_address} + message.data_length.value_or(0);
        return octets.first(std::min<std::uint64_t>(octets.size(), end - std::min(end, address)));
    }
};

/// All calls happen while a frame is being taken.
class Observer {
public:
    virtual ~Observer() = default;
    /// Only of frames that belong to an FC-AE-RDMA message: other FCP is never claimed.
    virtual void on_facts(const FrameFacts&) {}
    /// In order of capture.
    virtual void on_data(const DataPiece&) {}
    /// The data of a write are in the Target's memory: those that were told, and those that will be.
    virtual void on_stored(const Message&) {}
    virtual void on_finding(const Finding&) {}
};

}  // namespace fabricscope::engine::fc_ae_rdma
