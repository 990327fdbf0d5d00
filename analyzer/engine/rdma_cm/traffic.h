// SPDX-License-Identifier: GPL-2.0-or-later
// Which packets belong to a connection once it is set up: by the queue pair they go to.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/engine/queue_pair_key.h"
#include "analyzer/engine/rdma_cm/observer.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::rdma_cm {

class TrafficCounter {
public:
    TrafficCounter(Observer& observer, Model& model) : observer_(observer), model_(model) {}

    /// `side` of the connection receives on its queue pair from now on.
    void register_end(const Connection& connection, Side side);
    /// The connection is gone. Packets that come later than clocks of interfaces differ are counted, but no longer told
    /// from repeated ones.
    void leave(const Connection& connection, Time now);

    void on_packet(const capture::Packet& packet);

private:
    /// Who receives there. Many may have resolved the same datagram queue pair; the youngest stands last.
    struct Receiver {
        std::uint32_t connection;
        Side side;
        std::unique_ptr<capture::RcReceiver> stream;  ///< once it was sent something on a reliable connection
        /// PSNs of packets that were counted although their message's beginning is missing: they may come again.
        std::unordered_set<std::uint32_t> unplaced;
    };

    void register_at(const QueuePairKey& queue_pair, const Connection& connection, Side side);
    void release(const Connection& connection);
    void release_at(const QueuePairKey& queue_pair, const Connection& connection);
    Receiver* find(const capture::Packet& packet);
    int fit(const Receiver& receiver, const capture::Packet& packet) const;
    void learn_client(Connection& connection, const capture::Packet& packet);
    static bool is_repeated(Receiver& receiver, const capture::Packet& packet);
    static void count(Traffic& traffic, const capture::Packet& packet, bool repeated);

    Observer& observer_;
    Model& model_;
    std::unordered_map<QueuePairKey, std::vector<Receiver>, QueuePairHash> receivers_;
    std::deque<std::pair<Time, std::uint32_t>> leaving_;  ///< connections, by id, and when they ended
};

}  // namespace fabricscope::engine::rdma_cm
