// SPDX-License-Identifier: GPL-2.0-or-later
// CM messages find their connection by communication ids, and each does its step (InfiniBand
// Architecture Specification Volume 1, 12.9).
#pragma once

#include <unordered_map>

#include "analyzer/engine/rdma_cm/answer_rules.h"
#include "analyzer/engine/rdma_cm/course_rules.h"
#include "analyzer/engine/rdma_cm/request_rules.h"
#include "analyzer/engine/rdma_cm/traffic.h"

namespace fabricscope::engine::rdma_cm {

class Connections {
public:
    Connections(const Options& options, Observer& observer, Model& model, Verdicts& verdicts)
        : options_(options),
          observer_(observer),
          model_(model),
          traffic_(observer, model),
          request_rules_(verdicts),
          answer_rules_(verdicts),
          course_rules_(verdicts) {}

    /// A packet to queue pair 1.
    void on_mad(const capture::Packet& packet);
    /// Any other InfiniBand packet.
    void on_traffic(const capture::Packet& packet) { traffic_.on_packet(packet); }

    /// `now` is the time of the last packet.
    void finish(Time now);

private:
    /// A communication or request id, by who chose it.
    struct IdKey {
        Address owner;
        std::uint32_t id;
        bool sidr;
        bool operator==(const IdKey&) const = default;
    };
    struct IdHash {
        std::size_t operator()(const IdKey& key) const noexcept {
            return std::hash<Address>{}(key.owner) ^ (std::size_t{key.id} * 2 + key.sidr) * 0x9E3779B97F4A7C15u;
        }
    };
    struct Party {
        std::uint32_t connection;
        Side side;
        std::uint64_t transaction_id;  ///< of the REQ or SIDR_REQ
    };
    Connection& at(std::uint32_t id) { return model_.connections[id - 1]; }
    Connection* create(const Arrival& a);
    const Party* find(const Address& owner, std::uint32_t id, bool sidr = false) const;
    Connection* known(const Arrival& a, std::uint32_t local, std::uint32_t remote);
    Connection* of_receiver(const Arrival& a, std::uint32_t local, std::uint32_t remote);
    void merge_peers(const Arrival& a, std::uint32_t local, std::uint32_t remote);
    Connection* repeated(const Arrival& a, std::uint32_t id, bool sidr);
    void name_party(const Address& owner, std::uint32_t id, Party party, bool sidr = false);
    void note(const Arrival& a, Connection& connection, bool repeated);
    static void answer(const Arrival& a, const std::optional<FrameStamp>& request);
    bool first(const Arrival& a, std::optional<FrameStamp>& step);
    void begin(const Arrival& a, Connection& connection);
    void on_cm(const capture::Packet& packet, const wire::Message& message);

    Connection* on(const Arrival&, const wire::Unknown&) { return nullptr; }
    Connection* on(const Arrival&, const ib::ClassPortInfo&) { return nullptr; }
    Connection* on(const Arrival& a, const wire::Req& req);
    Connection* on(const Arrival& a, const ib::CmMra& mra);
    Connection* on(const Arrival& a, const wire::Rej& rej);
    Connection* on(const Arrival& a, const ib::CmRep& rep);
    Connection* on(const Arrival& a, const ib::CmRtu& rtu);
    Connection* on(const Arrival& a, const ib::CmDreq& dreq);
    Connection* on(const Arrival& a, const ib::CmDrep& drep);
    Connection* on(const Arrival& a, const wire::SidrReq& request);
    Connection* on(const Arrival& a, const wire::SidrRep& reply);
    Connection* on(const Arrival& a, const ib::CmLap& lap);
    Connection* on(const Arrival& a, const wire::Apr& apr);

    const Options& options_;
    Observer& observer_;
    Model& model_;
    TrafficCounter traffic_;
    RequestRules request_rules_;
    AnswerRules answer_rules_;
    CourseRules course_rules_;
    std::unordered_map<IdKey, Party, IdHash> parties_;
};

}  // namespace fabricscope::engine::rdma_cm
