// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "replay/engine/fc/emulated_parts.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;
namespace vi = stack::vi;
using fcvi::IuType;

/// An application that gives up does so before an answer can come.
constexpr Time at_once = 1;
constexpr Time patient = 3'600 * stack::second;

/// What uses one VI.
class Application {
public:
    Application(Plan& plan, const std::vector<FcviExchange>& exchanges)
        : plan_(plan),
          exchanges_(exchanges),
          end_(recorded_end(exchanges, plan.side)),
          port_(&plan.port),
          vi_(plan.port.make_vi(end_)),
          track_(plan.track++) {}

    void add_steps() {
        for (const FcviExchange& exchange : exchanges_) {
            if (exchange.originator == plan_.side) add_own(exchange);
            else if (exchange.request().is(IuType::connect_rqst)) add_answer(exchange);
        }
    }

private:
    std::size_t received_before(const FcviUnit& unit) const { return plan_.heard.before(unit.index); }

    /// How many Sequences the host had received when it sent its previous message, logins included: in the peer-to-peer
    /// model a side sends its Connect Request whether or not the other one has sent its own.
    std::size_t known_before(const FcviUnit& unit) const {
        std::size_t heard = 0;
        for (std::size_t i = 0; i < unit.index; ++i) {
            const bool is_login = plan_.recording.exchange_of(i).type == fc::type_els;
            if (is_login) heard = plan_.heard.before(i + 1);
            else if (plan_.recording.conversation.messages[i].from == plan_.side) heard = plan_.heard.before(i);
        }
        return heard;
    }

    void add(const FcviUnit& unit, std::size_t after, std::function<bool(Time)> act) {
        plan_.steps.push_back({unit.index, after, track_, std::move(act)});
    }

    void add_own(const FcviExchange& exchange) {
        const FcviUnit& request = exchange.request();
        const std::size_t after = received_before(request);
        if (request.is(IuType::connect_rqst)) {
            // A retried setup is the Provider's own doing.
            if (!request.device_header.retry()) add_request(request, end_.crossing ? known_before(request) : after);
        } else if (request.is(IuType::disconnect_rqst)) {
            // So is a Disconnect that is tried again.
            if (!std::exchange(disconnects_, true))
                add(request, after,
                    [port = port_, vi = vi_, why = request.reason(), closes = request.is_by_provider()](Time now) {
                        return port->disconnect(now, vi, why, closes);
                    });
        } else {
            const auto* target = std::get_if<fcvi::RdmaTarget>(&request.device_header.target);
            if (target != nullptr && request.is(IuType::read_rqst)) plan_.take_room(target->tot_len);
            add(request, after, [port = port_, vi = vi_, request](Time now) {
                port->send(now, vi, request);
                return true;
            });
        }
    }

    void add_request(const FcviUnit& unit, std::size_t after) {
        const Time timeout = end_.stops_waiting ? at_once : patient;
        add(unit, after, [port = port_, vi = vi_, timeout, end = end_](Time now) {
            vi::Provider& provider = port->provider();
            if (end.is_peer) provider.connect_peer_request(now, vi, end.local, end.remote, timeout);
            else provider.connect_request(now, vi, end.local, end.remote, timeout);
            return true;
        });
    }

    /// The server waits before it is asked, and answers when it did.
    void add_answer(const FcviExchange& exchange) {
        // The Provider answers a retried request as it did before.
        const bool heard = !plan_.heard.is_lost(exchange.request().index);
        const bool is_new = heard && !std::exchange(answers_, answers_ || heard);
        if (end_.is_peer || !is_new || end_.refusal == fcvi::Reason::no_waiting_connectionpoint) return;
        fcvi::NetAddress local = end_.local;
        if (end_.refusal == fcvi::Reason::no_discriminator_match) local.discriminator.octets[0] ^= 0x80;
        add(exchange.request(), received_before(exchange.request()), [port = port_, local](Time now) {
            port->provider().connect_wait(now, local, patient);
            return true;
        });
        const FcviUnit* response = exchange.find(IuType::connect_resp1);
        // Nothing is to be answered where nobody waits; else it would be what somebody else asks for.
        if (response == nullptr || end_.refusal == fcvi::Reason::no_discriminator_match) return;
        add(*response, received_before(*response), [port = port_, vi = vi_, accepts = end_.accepts](Time now) {
            const auto request = port->provider().next_request();
            if (!request || request->result != vi::Return::success) return false;
            if (accepts) port->provider().connect_accept(now, request->conn, vi);
            else port->provider().connect_reject(now, request->conn);
            return true;
        });
    }

    Plan& plan_;
    const std::vector<FcviExchange>& exchanges_;
    RecordedEnd end_;
    EmulatedPort* port_;
    vi::ViHandle vi_;
    std::size_t track_;
    bool disconnects_ = false, answers_ = false;
};

/// How peers that ask at once have got on with each other (5.3.4).
struct Crossing {
    bool is_higher = false, is_lower = false;    ///< by Port_Name
    std::optional<fcvi::Reason> wrong_answer{};  ///< that this side gave against the rules
};

Crossing crossing_of(const std::vector<FcviExchange>& exchanges, Side side, const RecordedEnd& end) {
    if (!end.crossing) return {};
    using fcvi::Reason;
    const RecordedEnd theirs = recorded_end(exchanges, other(side));
    // What the lower one answers follows from what it is told.
    const auto follows = [](const RecordedEnd& from, const RecordedEnd& it) {
        if (!from.refusal || !it.refusal) return false;
        if (*from.refusal == Reason::concurrent_peer_requests) return *it.refusal == Reason::reject_protocol_error;
        const bool errs = *from.refusal == Reason::reject_protocol_error ||
                          *from.refusal == Reason::reject_transport_error;
        return errs && *it.refusal == Reason::connect_reject;
    };
    Crossing crossing;
    crossing.is_higher = (end.accepts && theirs.refusal == Reason::concurrent_peer_requests) || follows(end, theirs);
    crossing.is_lower = (theirs.accepts && end.refusal == Reason::concurrent_peer_requests) || follows(theirs, end);
    if (follows(end, theirs)) crossing.wrong_answer = end.refusal;
    return crossing;
}

}  // namespace

void configure_vi(
    const Recording& recording, Side side, const std::vector<std::vector<FcviExchange>>& connections,
    EmulatedPortConfig& config, stack_fc::RemotePort& remote, Gid& remote_ip) {
    const std::vector<FcviExchange>& exchanges = connections.front();
    const RecordedEnd end = recorded_end(exchanges, side);
    const Crossing crossing = crossing_of(exchanges, side, end);
    stack_fc::NPortConfig& port = config.host.port;
    const bool own_is_higher = port.port_name > remote.port_name;
    // Of recorded logins the names are known.
    if (port.login.empty() && (own_is_higher ? crossing.is_lower : crossing.is_higher))
        std::swap(port.port_name, remote.port_name);
    if (end.refusal == fcvi::Reason::invalid_service_parameter) remote.increasing_seq_cnt = false;
    port.ip = end.local.host;
    remote_ip = end.remote.host;
    config.provider.version = end.version;
    config.provider.service_class = recording.exchange_of(exchanges.front().request().index).service_class;
    config.provider.connect_info = end.connect_info;
    config.provider.any_rdma_read = true;
    config.provider.wrong_answer = crossing.wrong_answer;
}

void add_vis(Plan& plan, const std::vector<std::vector<FcviExchange>>& connections) {
    for (const std::vector<FcviExchange>& exchanges : connections) Application(plan, exchanges).add_steps();
}

}  // namespace fabricscope::replay::fibre_channel
