// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated_vi.h"

#include <algorithm>

#include "replay/engine/fc/emulated_port.h"
#include "replay/engine/fc/emulated_rdma.h"
#include "replay/engine/fc/recorded_vi.h"
#include "replay/engine/player.h"
#include "replay/stack/fc/vi/provider.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;
namespace vi = stack::vi;
using fcvi::IuType;

constexpr std::uint64_t first_buffer = 0x7F00'0000'0000;
/// An application that gives up does so before an answer can come.
constexpr Time at_once = 1;
constexpr Time patient = 3'600 * stack::second;

/// A VI of the emulated host.
class ViPort final : public EmulatedPort {
public:
    ViPort(const stack_fc::HostConfig& config, const vi::ProviderConfig& provider)
        : EmulatedPort(config), provider_(provider, exchanges(), port()) {
        watch(fcvi::fc_type, provider_, {.version = provider.version});
    }

    /// Throws NotPlayable.
    void make_vi(const RecordedEnd& end) {
        ptag_ = provider_.create_ptag();
        vi::Attributes attributes;
        attributes.level = end.reliability;
        attributes.max_transfer_size = end.attributes.max_trans_size;
        attributes.ptag = ptag_;
        attributes.enable_rdma_write = end.attributes.en_rdma_wr;
        attributes.enable_rdma_read = end.attributes.en_rdma_rd;
        attributes.pipeline_depth = end.attributes.qos.pipeline_depth;
        attributes.preference = fcvi::wants_preference(end.version, end.attributes.qos).value_or(false);
        if (provider_.create_vi(attributes, 0, 0, vi_) != vi::Return::success)
            throw NotPlayable("no VI can have the recorded attributes");
        for (const RecordedMemory& region : end.memory) register_region(region);
        for (std::size_t i = 0; i < end.receives; ++i) post_receive(end.receive_size);
    }

    vi::Provider& provider() { return provider_; }
    vi::ViHandle vi() const { return vi_; }

    bool send(Time now, const FcviUnit& request) {
        vi::Descriptor descriptor;
        descriptor.immediate = request.device_header.immediate_data();
        Octets data(request.payload.begin(), request.payload.end());
        if (const auto* target = std::get_if<fcvi::RdmaTarget>(&request.device_header.target)) {
            descriptor.operation = request.is(IuType::read_rqst) ? vi::Operation::rdma_read : vi::Operation::rdma_write;
            descriptor.remote = vi::AddressSegment{target->rmt_va, target->rmt_va_handle};
            if (descriptor.operation == vi::Operation::rdma_read) data.resize(target->tot_len);
        }
        descriptor.length = static_cast<std::uint32_t>(data.size());
        if (!data.empty()) descriptor.data = {segment(data)};
        provider_.post_send(now, vi_, std::move(descriptor));
        return true;
    }

    /// `why`: what its endpoint is in Error for, if it tells.
    bool disconnect(Time now, std::optional<fcvi::Reason> why) {
        vi::ViQuery query;
        provider_.query_vi(vi_, query);
        if (query.state != vi::State::error && (query.state != vi::State::connected || !query.send_queue_empty))
            return false;
        if (why) provider_.fail(vi_, *why);
        provider_.disconnect(now, vi_);
        return true;
    }

protected:
    void on_port_event(Time now, const stack_fc::NPortEvent& event) override { provider_.on_port_event(now, event); }
    bool consume(Time now) override {
        vi::Descriptor done;
        while (provider_.send_done(vi_, done) != vi::Return::not_done && done.status != 0) done = {};
        done = {};
        while (provider_.receive_done(vi_, done) != vi::Return::not_done && done.status != 0) done = {};
        while (provider_.next_error()) {
        }
        return EmulatedPort::consume(now);
    }
    void on_consumer_timer(Time now) override {
        EmulatedPort::on_consumer_timer(now);
        provider_.on_timer(now);
    }
    Time consumer_wakeup() const override { return std::min(EmulatedPort::consumer_wakeup(), provider_.wakeup()); }

private:
    void register_region(const RecordedMemory& region) {
        const vi::MemoryAttributes attributes{ptag_, region.written, region.read};
        const auto size = static_cast<std::uint32_t>(region.octets.size());
        if (provider_.memory().register_as(region.handle, region.address, size, attributes) != vi::Return::success)
            throw NotPlayable("memory cannot be registered where the recording has it");
        provider_.memory().write(region.address, region.handle, region.octets);
    }

    vi::DataSegment segment(ByteView octets) {
        vi::DataSegment segment{next_buffer_, 0, static_cast<std::uint32_t>(octets.size())};
        next_buffer_ += octets.size();
        provider_.memory().register_mem(segment.address, segment.length, {ptag_, false, false}, segment.handle);
        provider_.memory().write(segment.address, segment.handle, octets);
        return segment;
    }

    void post_receive(std::size_t size) {
        vi::Descriptor descriptor;
        if (size != 0) descriptor.data = {segment(Octets(size))};
        descriptor.length = static_cast<std::uint32_t>(size);
        provider_.post_receive(vi_, std::move(descriptor));
    }

    vi::Provider provider_;
    vi::Ptag ptag_ = 0;
    vi::ViHandle vi_ = 0;
    std::uint64_t next_buffer_ = first_buffer;
};

// ---- what the application does -------------------------------------------------------------------

class Application {
public:
    Application(
        const Recording& recording, Side side, const std::vector<FcviExchange>& exchanges, const RecordedEnd& end,
        ViPort& port)
        : recording_(recording), side_(side), exchanges_(exchanges), end_(end), port_(port) {}

    /// In the recording's order.
    void add_steps() {
        for (const FcviExchange& exchange : exchanges_) {
            if (exchange.originator == side_) add_own(exchange);
            else if (exchange.request().is(IuType::connect_rqst)) add_answer(exchange);
        }
        std::ranges::stable_sort(steps_, {}, &Step::after);
        for (Step& step : steps_) port_.add(std::move(step));
    }

private:
    std::size_t heard_before_unit(const FcviUnit& unit) const { return heard_before(recording_, side_, unit.index); }

    /// What the host had heard when it sent what came before this: a peer asks whether or not the other one has asked.
    std::size_t known_before(const FcviUnit& unit) const {
        std::size_t heard = 0;
        for (std::size_t i = 0; i < unit.index; ++i)
            if (recording_.conversation.messages[i].from == side_) heard = heard_before(recording_, side_, i);
        return heard;
    }

    void add_own(const FcviExchange& exchange) {
        const FcviUnit& request = exchange.request();
        ViPort* port = &port_;
        const std::size_t after = heard_before_unit(request);
        if (request.is(IuType::connect_rqst)) {
            // A retried setup is the Provider's own doing.
            if (!request.device_header.retry()) add_request(end_.crossing ? known_before(request) : after);
        } else if (request.is(IuType::disconnect_rqst)) {
            // So is a Disconnect that is tried again.
            if (!std::exchange(disconnects_, true))
                steps_.push_back(
                    {after, [port, why = request.reason()](Time now) { return port->disconnect(now, why); }});
        } else {
            steps_.push_back({after, [port, request](Time now) { return port->send(now, request); }});
        }
    }

    void add_request(std::size_t after) {
        ViPort* port = &port_;
        steps_.push_back({after, [port, end = end_](Time now) {
                              const Time timeout = end.stops_waiting ? at_once : patient;
                              vi::Provider& provider = port->provider();
                              if (end.is_peer)
                                  provider.connect_peer_request(now, port->vi(), end.local, end.remote, timeout);
                              else provider.connect_request(now, port->vi(), end.local, end.remote, timeout);
                              return true;
                          }});
    }

    /// The server waits before it is asked, and answers when it did.
    void add_answer(const FcviExchange& exchange) {
        // The Provider answers a retried request as it did before.
        const bool heard = !is_lost(recording_, side_, exchange.request().index);
        const bool is_new = heard && !std::exchange(answers_, answers_ || heard);
        if (end_.is_peer || !is_new || end_.refusal == fcvi::Reason::no_waiting_connectionpoint) return;
        ViPort* port = &port_;
        fcvi::NetAddress local = end_.local;
        if (end_.refusal == fcvi::Reason::no_discriminator_match) local.discriminator.octets[0] ^= 0x80;
        steps_.push_back({heard_before_unit(exchange.request()), [port, local](Time now) {
                              port->provider().connect_wait(now, local, patient);
                              return true;
                          }});
        const FcviUnit* response = exchange.find(IuType::connect_resp1);
        if (response == nullptr) return;
        steps_.push_back({heard_before_unit(*response), [port, accepts = end_.accepts](Time now) {
                              const auto request = port->provider().next_request();
                              if (!request) return false;
                              if (accepts) port->provider().connect_accept(now, request->conn, port->vi());
                              else port->provider().connect_reject(now, request->conn);
                              return true;
                          }});
    }

    const Recording& recording_;
    Side side_;
    const std::vector<FcviExchange>& exchanges_;
    const RecordedEnd& end_;
    ViPort& port_;
    std::vector<Step> steps_;
    bool disconnects_ = false, answers_ = false;
};

// ---- the host ------------------------------------------------------------------------------------

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

vi::ProviderConfig provider_config_of(const Recording& recording, const RecordedEnd& end, const Crossing& crossing) {
    vi::ProviderConfig config;
    config.version = end.version;
    config.service_class = recording.lanes.front().service_class;
    config.connect_info = end.connect_info;
    config.any_rdma_read = true;
    config.wrong_answer = crossing.wrong_answer;
    return config;
}

}  // namespace

std::unique_ptr<stack::Endpoint> emulated_vi(const Recording& recording, Side side, stack_fc::HostConfig config) {
    const std::vector<FcviExchange> exchanges = fcvi_exchanges(recording);
    const RecordedEnd end = recorded_end(exchanges, side);
    stack_fc::RemotePort remote = remote_of(recording, other(side));
    const Crossing crossing = crossing_of(exchanges, side, end);
    const bool own_is_higher = config.port.port_name > remote.port_name;
    if (own_is_higher ? crossing.is_lower : crossing.is_higher) std::swap(config.port.port_name, remote.port_name);
    if (end.refusal == fcvi::Reason::invalid_service_parameter) remote.increasing_seq_cnt = false;
    config.port.ip = end.local.host;
    auto endpoint = std::make_unique<ViPort>(config, provider_config_of(recording, end, crossing));
    endpoint->port().take_for_granted(recording.ports[side], end.remote.host, remote.id);
    endpoint->port().take_for_granted(remote);
    endpoint->lose(lost_on_the_way(recording, side));
    endpoint->make_vi(end);
    Application(recording, side, exchanges, end, *endpoint).add_steps();
    return endpoint;
}

}  // namespace fabricscope::replay::fibre_channel
