// SPDX-License-Identifier: GPL-2.0-or-later
// What connection managers told of the queue pairs of streams.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analyzer/engine/queue_pair_key.h"
#include "analyzer/engine/rdma/tracker.h"

namespace fabricscope::engine::rdma {

/// The CM connection or link that set a stream up.
struct Session {
    std::uint32_t cm_connection = 0;  ///< 0: it is a link
    std::uint32_t link_group = 0;     ///< 0: it is a CM connection
    std::size_t link = 0;             ///< its place in the group
    std::optional<std::uint32_t> mtu;
    std::array<std::optional<std::uint32_t>, 2> qpn;  ///< of the stream's ends, as it told them
    bool disconnected = false;
    Side of_a = a;         ///< the end that the stream's `a` is, as it was announced
    bool swapped = false;  ///< the stream's `b` is the client
};

/// Finds the session of a stream among those that were announced until now.
class Sessions {
public:
    explicit Sessions(const Announcements& announcements);
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;
    ~Sessions();

    /// Takes in what has been announced since the last time: to be called before find().
    void update();
    /// The youngest that began before the stream's last packet.
    std::optional<Session> find(const Stream& stream) const;
    /// The CM connection that was the latest to name the queue pair; 0: none.
    std::uint32_t latest_connection(const QueuePairKey& end) const;

private:
    class Index;
    std::unique_ptr<Index> index_;
};

/// Streams, by id, of which nothing but one direction was captured, two by two: connection managers tell that they are
/// the two directions of one connection. What they acknowledge of each other was not captured.
std::vector<std::pair<std::uint32_t, std::uint32_t>> halves_of_one(const Model& model, const Sessions& sessions);

/// Gives each stream the CM connection or link group that set it up, and what that tells of it.
void settle_sessions(Model& model, const Sessions& sessions);

}  // namespace fabricscope::engine::rdma
