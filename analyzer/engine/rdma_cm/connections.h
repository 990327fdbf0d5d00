// SPDX-License-Identifier: GPL-2.0-or-later
// CM messages find their connection by communication ids, and each does its step (InfiniBand
// Architecture Specification Volume 1, 12.9).
#pragma once

#include <unordered_map>

#include "analyzer/engine/rdma_cm/answer_rules.h"
#include "analyzer/engine/rdma_cm/course_rules.h"
#include "analyzer/engine/rdma_cm/packet_rules.h"
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
          course_rules_(verdicts),
          packet_rules_(verdicts) {}

    /// A packet to queue pair 1.
    void on_mad(const capture::Packet& packet);
    void on_damaged(const capture::Packet& mad) { packet_rules_.judge_icrc(mad, 0); }
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
        std::uint64_t transaction_id;  ///< of the REQ or SIDR_REQ, or of what was captured first
    };
    struct Ids {
        std::uint32_t local, remote;  ///< as the message has them; 0 = not told
    };
    Connection& at(std::uint32_t id) { return model_.connections[id - 1]; }
    Connection* create(const Arrival& a);
    Connection* create_begun_before(const Arrival& a, std::optional<Side> from, Ids ids);
    std::vector<Party> parties(const Address& owner, std::uint32_t id, bool sidr = false) const;
    std::optional<Party> find(const Address& owner, std::uint32_t id, bool sidr = false) const;
    bool is_about(const Arrival& a, const Party& party) const;
    std::optional<Party> sender_of(const Arrival& a, Ids ids) const;
    Connection* known(const Arrival& a, Ids ids);
    Connection* known_or_before(const Arrival& a, std::optional<Side> from, Ids ids);
    void merge_peers(const Arrival& a, Ids ids);
    Connection* answered_before(const Arrival& a, std::uint32_t id);
    Connection* repeated(const Arrival& a, std::uint32_t id, bool sidr);
    void name_party(const Address& owner, std::uint32_t id, Party party, bool sidr = false);
    static void answer(const Arrival& a, const std::optional<FrameStamp>& request);
    bool first(const Arrival& a, std::optional<FrameStamp>& step);
    MessageOfMany* one_of_many(
        const Arrival& a, Connection& connection, std::optional<std::uint8_t> about = std::nullopt);
    static MessageOfMany* asked_by(const Arrival& a, Connection& connection, ib::CmAttribute attribute);
    static void keep_private_data(const Arrival& a, Endpoint& end);
    void begin(const Arrival& a, Connection& connection);
    void take_request(const Arrival& a, Connection& connection, const wire::Req& req);
    void take_reply(const Arrival& a, Connection& connection, const ib::CmRep& rep);
    void take_rejection(const Arrival& a, Connection& connection, const wire::Rej& rej);
    Connection* unknown_resolution(const Arrival& a, const wire::SidrRep& reply);
    std::uint32_t on_cm(const capture::Packet& packet, const wire::Message& message);

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
    PacketRules packet_rules_;
    std::unordered_map<IdKey, std::vector<Party>, IdHash> parties_;  ///< ids are used again; the youngest stands last
    std::unordered_map<IdKey, std::uint32_t, IdHash> resolutions_;   ///< by client and half of the transaction id
};

}  // namespace fabricscope::engine::rdma_cm
