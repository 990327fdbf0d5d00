// SPDX-License-Identifier: GPL-2.0-or-later
// A host of the emulated stack whose application does what the recorded one did: the CM agent and the queue pair have
// names and protocol machines of their own.
#include <algorithm>

#include "protocols/ib/mad.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/rdma_cm/recorded_endpoint.h"
#include "replay/stack/ib/rdma_host.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace wire = fabricscope::rdma_cm;
using stack::CmEvent;
using stack::CmState;
using stack::never;

constexpr std::uint64_t seed = 4711;
constexpr std::uint64_t own_guid = 0x0202'C9FF'FE00'0001;
/// Recorded queue pairs have other numbers, so that nothing works by accident.
constexpr std::uint32_t queue_pairs_behind = 0x300;

template <class Body> const Body* body_of(const wire::Message& message) { return std::get_if<Body>(&message.body); }

/// Versions and addresses that the recorded server accepted, or did not (A11.7).
void allow_as_recorded(stack::CmConfig& config, const Conversation& recorded) {
    for (const Message& message : recorded.messages) {
        if (message.channel != cm_channel) continue;
        const wire::Message parsed = wire::parse(message.octets);
        const auto* const rej = body_of<wire::Rej>(parsed);
        if (rej == nullptr || message.from != Side::server || !rej->information) continue;
        const std::uint8_t suggested = rej->additional.empty() ? 0 : rej->additional[0];
        switch (rej->information->code) {
            case 1: config.major_version = suggested; return;
            case 2: config.minor_version = suggested; return;
            case 3:
                config.ipv4 = suggested == 4;
                config.ipv6 = suggested == 6;
                return;
            case 6: config.own_ips.clear(); return;
            default: return;
        }
    }
}

/// The server's address, as the client calls it.
void own_what_is_asked_for(stack::CmConfig& config, const std::optional<wire::IpHeader>& ip) {
    if (!ip) return;
    if (const auto* v6 = std::get_if<wire::Ipv6Addresses>(&ip->addresses)) config.own_ips.push_back(v6->destination);
    if (const auto* v4 = std::get_if<wire::Ipv4Addresses>(&ip->addresses))
        config.own_ips.push_back(builders::gid_of(v4->destination));
}

stack::RdmaHostConfig host_config(const Recording& recording, Side side, const std::string& profile) {
    stack::RdmaHostConfig config;
    config.seed = seed;
    config.adapter.address = recording.addresses[side];
    config.adapter.carrier = recording.carrier;
    config.adapter.guid = own_guid;
    for (const End& end : recording.assembler.ends().values)
        if (end.qpn) config.adapter.first_qpn = std::max(config.adapter.first_qpn, *end.qpn + queue_pairs_behind);
    const wire::Message first = wire::parse(recording.conversation.messages.front().octets);
    if (const auto* req = body_of<wire::Req>(first)) {
        if (profile.empty()) {
            config.cm.response_timeout = req->body.remote_response_timeout;
            config.cm.max_cm_retries = req->body.max_cm_retries;
        }
        own_what_is_asked_for(config.cm, req->ip);
    } else if (const auto* sidr = body_of<wire::SidrReq>(first)) {
        own_what_is_asked_for(config.cm, sidr->ip);
    }
    config.cm.reject_on_timeout = std::ranges::any_of(recording.conversation.messages, [&](const Message& message) {
        return message.from == side && message.channel == cm_channel && message.name == "REJ";
    });
    if (!profile.empty()) config.cm.reject_on_timeout = profile != "linux";
    allow_as_recorded(config.cm, recording.conversation);
    return config;
}

class EmulatedSide final : public stack::RdmaHost {
public:
    EmulatedSide(const Recording& recording, Side side, const std::string& profile)
        : RdmaHost(host_config(recording, side, profile)),
          recording_(recording),
          own_values_(!profile.empty()),
          endpoint_(
              recording, side, Pace{}, adapter(), recording.addresses[engine::other(side)],
              RecordedEndpoint::Names::fresh) {
        const wire::Message first = wire::parse(recording.conversation.messages.front().octets);
        if (const auto* req = body_of<wire::Req>(first)) cm().listen(req->body.service_id);
        if (const auto* sidr = body_of<wire::SidrReq>(first)) cm().listen(sidr->body.service_id);
    }

    void on_frame(Time now, std::size_t port, ByteView frame) override {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        for (const auto& [message, retransmitted] : endpoint_.receive(packet))
            if (!retransmitted) endpoint_.script().received(now, message.channel, message.name, message.octets);
        endpoint_.connect_if_known(now);
        RdmaHost::on_frame(now, port, frame);
        run_script(now);
    }

    void on_timer(Time now) override {
        RdmaHost::on_timer(now);
        run_script(now);
    }

    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        endpoint_.record_sent(RdmaHost::frames());
        endpoint_.frames_taken();
        RdmaHost::take_frames(frames);
    }

protected:
    Time consumer_wakeup() const override { return held_ ? never : endpoint_.script().wakeup(); }

    void on_cm_event(Time now, const CmEvent& event) override {
        if (event.kind == CmEvent::Kind::request || event.kind == CmEvent::Kind::sidr_request) id_ = event.id;
        // The agent tells the peer, and needs no word from its consumer.
        if (event.kind == CmEvent::Kind::timed_out) held_ = false;
        if (event.kind == CmEvent::Kind::disconnecting) {
            run_script(now);
            if (!answer_is_recorded()) agree(now);
        }
    }

    void on_completion(Time /*now*/, stack::Completion completion) override { endpoint_.on_completion(completion); }

private:
    void run_script(Time now) {
        held_ = false;
        endpoint_.record_sent(RdmaHost::frames());
        endpoint_.connect_if_known(now);
        while (const std::optional<std::size_t> next = endpoint_.script().ready(now)) {
            const Message& message = recording_.conversation.messages[*next];
            if (!send(now, message)) {
                held_ = true;
                return;
            }
            endpoint_.script().sent(now, *next);
            endpoint_.record_sent(RdmaHost::frames());
            endpoint_.connect_if_known(now);
        }
    }

    /// False: not yet.
    bool send(Time now, const Message& message) {
        if (message.channel != cm_channel) {
            endpoint_.send(now, message);
            return true;
        }
        const Octets octets = endpoint_.script().bindings().translated(message);
        const wire::Message parsed = wire::parse(octets);
        const Octets data(parsed.private_data.begin(), parsed.private_data.end());
        if (const auto* req = body_of<wire::Req>(parsed)) connect(now, *req, data);
        else if (const auto* rep = body_of<ib::CmRep>(parsed)) accept(now, *rep, data);
        else if (const auto* rej = body_of<wire::Rej>(parsed)) return reject(now, *rej, data);
        else if (const auto* mra = body_of<ib::CmMra>(parsed)) delay(now, *mra);
        else if (body_of<ib::CmRtu>(parsed) != nullptr) confirm(now);
        else if (body_of<ib::CmDreq>(parsed) != nullptr) return disconnect(now);
        else if (body_of<ib::CmDrep>(parsed) != nullptr) agree(now);
        else if (const auto* request = body_of<wire::SidrReq>(parsed)) resolve(now, *request, data);
        else if (const auto* reply = body_of<wire::SidrRep>(parsed)) answer(now, *reply);
        return true;
    }

    void connect(Time now, const wire::Req& req, const Octets& data) {
        stack::CmRequest request = own_values_ ? stack::CmRequest{} : stack::request_of(req, endpoint_.peer(), data);
        if (own_values_) {
            request.peer = endpoint_.peer();
            request.service_id = req.body.service_id;
            request.service = stack::service_of(req.body);
            request.ip = req.ip;
            request.private_data = data;
        }
        request.qpn = endpoint_.qpn();
        request.starting_psn = random().bits(24);
        id_ = cm().connect(now, std::move(request));
    }

    void accept(Time now, const ib::CmRep& rep, const Octets& data) {
        if (!id_) return;  // the agent has rejected it of itself
        if (own_values_) {
            const stack::CmConnection* const connection = cm().find(*id_);
            if (connection == nullptr) return;
            // Each side can do with as much as the other one offers.
            return cm().accept(
                now, *id_,
                {.qpn = endpoint_.qpn(),
                 .starting_psn = random().bits(24),
                 .responder_resources = connection->request.initiator_depth,
                 .initiator_depth = connection->request.responder_resources,
                 .private_data = data});
        }
        cm().accept(
            now, *id_,
            {.qpn = endpoint_.qpn(),
             .starting_psn = random().bits(24),
             .responder_resources = rep.responder_resources,
             .initiator_depth = rep.initiator_depth,
             .rnr_retry_count = rep.rnr_retry_count,
             .private_data = data,
             .like = rep});
    }

    /// A client that has got no answer is left to its agent.
    bool reject(Time now, const wire::Rej& rej, const Octets& data) {
        const stack::CmConnection* const connection = id_ ? cm().find(*id_) : nullptr;
        if (connection == nullptr || connection->state == CmState::over) return true;
        if (rej.body.reason == ib::reject_timeout) return false;
        stack::CmRejection rejection{
            .reason = rej.body.reason, .additional = wire::additional_information(rej), .private_data = data};
        rejection.additional.resize(rej.body.ari_length);
        cm().reject(now, *id_, std::move(rejection));
        return true;
    }

    void delay(Time now, const ib::CmMra& mra) {
        if (id_) cm().delay(now, *id_, mra.service_timeout);
    }

    void confirm(Time now) {
        if (id_) cm().confirm(now, *id_);
    }

    /// Data are acknowledged before their connection goes.
    bool disconnect(Time now) {
        if (!endpoint_.all_acknowledged()) return false;
        if (id_) cm().disconnect(now, *id_);
        return true;
    }

    void agree(Time now) {
        if (id_) cm().agree(now, *id_);
    }

    /// Of a disconnection that was not recorded, no answer was.
    bool answer_is_recorded() const {
        return std::ranges::any_of(recording_.conversation.messages, [&](const Message& message) {
            return message.from == endpoint_.side() && message.name == "DREP";
        });
    }

    void resolve(Time now, const wire::SidrReq& request, const Octets& data) {
        stack::CmRequest resolution;
        resolution.peer = endpoint_.peer();
        resolution.service_id = request.body.service_id;
        resolution.ip = request.ip;
        resolution.private_data = data;
        id_ = cm().resolve(now, std::move(resolution));
    }

    void answer(Time now, const wire::SidrRep& reply) {
        if (id_) cm().answer_sidr(now, *id_, reply.body.status, endpoint_.qpn(), reply.body.q_key);
    }

    const Recording& recording_;
    bool own_values_;  ///< of a profile, not those of the recording
    RecordedEndpoint endpoint_;
    std::optional<stack::CmId> id_;
    bool held_ = false;  ///< what is ready waits for something to happen
};

}  // namespace

AttachedEndpoint make_emulated(const Recording& recording, Side side, const std::string& profile) {
    for (const Message& message : recording.conversation.messages)
        if (message.from == side && message.name == "LAP")
            throw NotPlayable("the emulated stack does not ask for alternate paths (LAP)");
    AttachedEndpoint attached;
    attached.addresses = {recording.addresses[side].mac};
    attached.endpoint = std::make_unique<EmulatedSide>(recording, side, profile);
    return attached;
}

}  // namespace fabricscope::replay::rdma_cm
