// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the order of messages, and of answers that do not come (IBA 12.9).
#pragma once

#include <unordered_map>

#include "analyzer/engine/rdma_cm/arrival.h"
#include "analyzer/engine/rdma_cm/verdicts.h"

namespace fabricscope::engine::rdma_cm {

class CourseRules {
public:
    explicit CourseRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// Every MAD to a general service, also of other classes: their packet sequence numbers tell
    /// whether something is missing.
    void on_mad(const capture::Packet& packet);
    /// A message whose connection and sender are known, before the model takes it in.
    void on_message(const Arrival& a, const Connection& connection);
    /// The first of its kind, before the model takes it in.
    void on_rep(const Arrival& a, const Connection& connection);
    void on_rtu(const Arrival& a, const Connection& connection);

    /// `now` is the time of the last packet.
    void finish(const Connection& connection, Time now);
    void finish();

private:
    struct Sender {
        std::uint32_t psn = 0;
        std::uint64_t gap =
            0;  ///< frame that showed the latest gap: MADs were not captured, or came out of order; 0: none
        std::uint32_t interface = 0;
    };
    /// An RTU without a REP.
    struct Early {
        std::uint64_t frame;
        std::uint32_t interface;
    };
    const Sender* find(const Address& address) const;
    void broken(const Arrival& a, const Connection& connection, std::string text);

    Verdicts& verdicts_;
    std::unordered_map<Address, Sender> senders_;
    std::unordered_map<std::uint32_t, Early> early_;  ///< by connection
};

}  // namespace fabricscope::engine::rdma_cm
