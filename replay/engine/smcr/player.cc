// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/frame_builder.h"
#include "protocols/smcr/tcp_option.h"
#include "replay/engine/smcr/dialects.h"
#include "replay/engine/smcr/links.h"
#include "replay/engine/smcr/profiles.h"
#include "replay/stack/net/tcp.h"
#include "replay/stack/smcr/data_path.h"

namespace fabricscope::replay::smcr {

namespace {

using engine::other;
using stack::never;
using stack::TcpConnection;
using stack::smcr::Application;
using stack::smcr::AppPlan;
using stack::smcr::CloseState;
using stack::smcr::DataPath;
using wire::ClcType;

constexpr std::uint8_t smc_hosts_ttl = 64;

/// One connection of the played side.
struct PlayedConnection final : stack::smcr::ByteStream, stack::smcr::DataSink {
    PlayedConnection(const RecordedConnection& what, PlayedLinks& over, stack::TcpConfig config, const AppPlan& plan)
        : recorded(what), links(over), tcp(std::move(config)), application(plan, 0) {}

    // ByteStream
    std::size_t write(ByteView octets) override {
        if (data) return data->write(octets);
        tcp.write(now, octets);
        return octets.size();
    }
    bool write_urgent(std::uint8_t octet) override {
        return data ? data->write_urgent(octet) : write(ByteView(&octet, 1)) == 1;
    }
    std::uint64_t readable() const override { return data ? data->readable() : received.size(); }
    Octets read(std::uint64_t most) override {
        if (data) return data->read(most);
        const auto end = received.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, received.size()));
        Octets octets(received.begin(), end);
        received.erase(received.begin(), end);
        return octets;
    }
    bool at_end() const override { return data ? data->at_end() : tcp.peer_closed() && received.empty(); }
    void shutdown_write() override { data ? data->shutdown_write() : tcp.close(now); }
    void close() override { data ? data->close() : tcp.close(now); }
    void abort() override { data ? data->abort() : tcp.abort(now); }

    // DataSink
    void write(std::uint64_t offset, Octets octets) override {
        links.write(now, link, peer_rmb, peer_offset + offset, std::move(octets));
    }
    void send(const wire::Cdc& message, const char* note) override {
        Octets octets = layout::octets_of(message);
        const std::string name = cdc_name(octets, told);
        told = cdc_state(octets);
        if (!name.empty()) milestones.push_back(name);
        links.send(now, link, std::move(octets), note);
    }

    /// Everything that was recorded has come and gone, or nothing can any more.
    bool finished(Side played) const {
        if (phase == Phase::over) return true;
        const bool ended = data && data->state() == CloseState::closed;
        if (recorded.script[played]->steps.empty() && recorded.arrives(played) == 0) return true;
        return ended || (application.script_done() &&
                         (application.ended() || application.received().octets >= recorded.arrives(played)));
    }

    enum class Phase : std::uint8_t {
        waiting,      ///< it has not begun
        negotiating,  ///< from the SYN to the end of CLC, and of the first link's set-up
        active,       ///< data over RDMA
        plain,        ///< data over TCP
        over,
    };

    const RecordedConnection& recorded;
    PlayedLinks& links;
    TcpConnection tcp;
    Application application;
    Phase phase = Phase::waiting;
    bool established = false, proposed = false;
    Time now = 0;  ///< of the input that is being handled
    IbAddress peer_port;
    std::uint16_t peer_tcp_port = 0;
    Octets received;  ///< TCP octets that are no CLC

    std::optional<wire::SmcrAcceptConfirmBody> own, peer;  ///< ACCEPT and CONFIRM
    std::size_t link = 0;
    std::size_t peer_rmb = 0;
    std::uint64_t peer_offset = 0;
    std::optional<DataPath> data;
    std::vector<wire::Cdc> early;  ///< came before data may flow
    CdcState told, heard;
    std::vector<std::string> milestones;  ///< sent, and not yet noted
};

class SmcrPlayer final : public Player {
public:
    using Phase = PlayedConnection::Phase;

    SmcrPlayer(const Recorded& recorded, Side played, const PlayOptions& options)
        : recorded_(recorded),
          played_(played),
          options_(options),
          script_(recorded.conversation, played, options.pace),
          profile_(profile_of(recorded, played)),
          links_(recorded, played, frames_) {
        create_adapters();
        for (const RecordedConnection& connection : recorded.connections) create(connection);
    }

    std::vector<Mac> ports() const { return ports_; }

    // ---- Player ----
    void start(Time now) override {
        script_.start(now);
        moved_ = now;
        started_ = true;
        work(now);
    }
    bool over() const override {
        return script_.over() &&
               std::ranges::all_of(connections_, [&](const auto& one) { return one->finished(played_); });
    }
    std::string waiting_for() const override {
        if (std::string message = script_.waiting_for(); !message.empty()) return message;
        for (const auto& connection : connections_)
            if (!connection->finished(played_)) return waiting_for(*connection);
        return {};
    }
    std::vector<std::string> notes() const override { return notes_; }

    // ---- Endpoint ----
    void on_frame(Time now, std::size_t port, ByteView frame) override {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        if (packet.transport == capture::Transport::tcp) on_tcp(now, packet);
        else if (packet.transport == capture::Transport::ib)
            for (std::size_t i = 0; i < links_.adapters().size(); ++i)
                if (adapter_port_[i] == port) links_.adapters()[i]->on_packet(now, packet);
        work(now);
    }
    void on_timer(Time now) override {
        for (const auto& adapter : links_.adapters())
            if (adapter->wakeup() <= now) adapter->on_timer(now);
        for (const auto& connection : connections_)
            if (connection->tcp.wakeup() <= now) connection->tcp.on_timer(now);
        if (now >= patience_ends()) give_up(now);
        work(now);
    }
    Time wakeup() const override {
        Time earliest = std::min(own_wakeup(), patience_ends());
        for (const auto& adapter : links_.adapters()) earliest = std::min(earliest, adapter->wakeup());
        for (const auto& connection : connections_) earliest = std::min(earliest, connection->tcp.wakeup());
        return earliest;
    }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        frames.clear();
        frames.swap(frames_);
        for (stack::OutgoingFrame& frame : frames) frame.port = frame.port < tcp_port ? adapter_port_[frame.port] : 0;
    }

private:
    /// Marks frames of TCP until they get their port's number; adapters number theirs as they are.
    static constexpr std::size_t tcp_port = 1'000;

    // ---- what there is ----

    void create_adapters() {
        std::vector<IbAddress> addresses = links_.recorded_addresses();
        const Mac tcp_mac = options_.addresses ? options_.addresses->own_mac : recorded_.connections[0].mac[played_];
        ports_.push_back(tcp_mac);
        if (options_.addresses && !addresses.empty()) move(addresses[0]);
        for (const IbAddress& address : addresses) {
            const auto known = std::ranges::find(ports_, address.mac);
            adapter_port_.push_back(static_cast<std::size_t>(known - ports_.begin()));
            if (known == ports_.end()) ports_.push_back(address.mac);
        }
        links_.create_adapters(addresses);
    }

    /// The first adapter is where this run is.
    void move(IbAddress& address) {
        const LiveAddresses& live = *options_.addresses;
        const Gid gid = recorded_.carrier == capture::IbCarrier::roce_v1 ? stack::smcr::link_local(live.own_mac)
                                                                         : live.own_ip;
        const auto value = [](const auto& name) { return Value(name.octets.begin(), name.octets.end()); };
        Bindings& names = script_.bindings();
        names.bind("gid", played_, value(address.gid), value(gid));
        names.bind("mac", played_, value(address.mac), value(live.own_mac));
        // A PROPOSAL has an IPv4 address without the prefix that makes it a GID.
        const auto bare = [&](const Gid& of) {
            Value octets = value(of);
            std::fill_n(octets.begin(), 12, std::uint8_t{0});
            return octets;
        };
        if (capture::is_ipv4(address.gid)) names.bind("gid", played_, bare(address.gid), bare(gid));
        address = {live.own_mac, gid};
    }

    void create(const RecordedConnection& recorded) {
        const auto& live = options_.addresses;
        const bool client = played_ == Side::client;
        stack::TcpConfig config;
        config.local_port = port_of(recorded, played_);
        config.remote_port = port_of(recorded, other(played_));
        if (live && live->own_port) config.local_port = *live->own_port;
        if (live && live->peer_port) config.remote_port = *live->peer_port;
        config.initial_sequence = static_cast<std::uint32_t>(0x1000'0000 * (connections_.size() + 1));
        if (recorded.option[played_]) config.syn_option = layout::octets_of(wire::TcpOption{});
        AppPlan plan{.script = recorded.script[played_], .pace = options_.pace.factor};
        plan.may_end = [this, &lane = recorded.lane] { return may_end(lane); };
        auto connection = std::make_unique<PlayedConnection>(recorded, links_, config, plan);
        connection->peer_port = {
            live ? live->peer_mac : recorded.mac[other(played_)],
            live ? live->peer_ip : address_of(recorded, other(played_))};
        connection->peer_tcp_port = config.remote_port;
        if (client) by_port_[config.local_port] = connection.get();
        connections_.push_back(std::move(connection));
    }

    Gid own_ip(const PlayedConnection& connection) const {
        return options_.addresses ? options_.addresses->own_ip : address_of(connection.recorded, played_);
    }

    // ---- TCP ----

    void on_tcp(Time now, const capture::Packet& packet) {
        const capture::TcpSegment& segment = packet.tcp;
        PlayedConnection* connection = connection_of(packet);
        if (connection == nullptr) return;
        connection->now = now;
        if (connection->phase != Phase::waiting) return connection->tcp.on_segment(now, segment);
        begin(now, *connection);
        connection->peer_port = {packet.source_mac, Gid{packet.source.bytes}};
        connection->peer_tcp_port = segment.source_port;
        Octets option;
        if (const auto found = wire::find_tcp_option(segment.options)) option = layout::octets_of(*found);
        script_.received(now, connection->recorded.lane, "TCP SYN", option);
        connection->tcp.accept(now, segment);
        script_.sent(now, connection->recorded.lane, "TCP SYN-ACK");
    }

    /// Of a server: the connection that the peer's port was first seen with; a new port gets the recorded connection
    /// from that port, else the next one.
    PlayedConnection* connection_of(const capture::Packet& packet) {
        const capture::TcpSegment& segment = packet.tcp;
        const bool client = played_ == Side::client;
        const std::uint16_t port = client ? segment.destination_port : segment.source_port;
        if (const auto known = by_port_.find(port); known != by_port_.end()) return known->second;
        if (client || !segment.has(capture::syn) || segment.has(capture::ack)) return nullptr;
        const auto fits = [&](const auto& one) {
            return one->phase == Phase::waiting && port_of(one->recorded, Side::client) == port;
        };
        auto found = std::ranges::find_if(connections_, fits);
        if (found == connections_.end())
            found = std::ranges::find(connections_, Phase::waiting, [](const auto& one) { return one->phase; });
        if (found == connections_.end()) return nullptr;
        (*found)->tcp = TcpConnection(tcp_config(**found, segment));
        return by_port_[port] = found->get();
    }

    stack::TcpConfig tcp_config(const PlayedConnection& connection, const capture::TcpSegment& request) const {
        stack::TcpConfig config;
        config.local_port = request.destination_port;
        config.remote_port = request.source_port;
        config.initial_sequence = request.sequence ^ 0x5A5A'0000;
        if (connection.recorded.option[played_]) config.syn_option = layout::octets_of(wire::TcpOption{});
        return config;
    }

    void flush(PlayedConnection& connection) {
        for (const stack::TcpSegmentOut& segment : connection.tcp.take_segments()) {
            const capture::FrameEnds ends{ports_[0],          connection.peer_port.mac,
                                          own_ip(connection), connection.peer_port.gid,
                                          ++identification_,  smc_hosts_ttl};
            const ByteView frame = builder_.tcp(ends, segment.fields, segment.options, segment.payload);
            frames_.push_back({tcp_port, {frame.begin(), frame.end()}, {}});
        }
    }

    // ---- what is to be done ----

    void work(Time now) {
        now_ = now;
        if (!started_ || given_up_) {
            for (const auto& connection : connections_) flush(*connection);
            return;
        }
        for (bool more = true; more;) {
            more = take_completions(now);
            for (const auto& connection : connections_) more = step(now, *connection) || more;
            more = play(now) || more;
        }
        for (const auto& connection : connections_) flush(*connection);
        if (const std::uint64_t count = progress(); count != progress_) progress_ = count, moved_ = now;
        planned_ = script_.wakeup();
        over_ = over();
    }

    std::uint64_t progress() const {
        std::uint64_t count = played_messages_;
        for (const auto& connection : connections_)
            count += connection->application.sent().octets + connection->application.received().octets +
                     connection->application.steps_done() + (connection->data ? connection->data->produced() : 0);
        return count;
    }

    bool step(Time now, PlayedConnection& connection) {
        connection.now = now;
        const Phase before = connection.phase;
        if (before == Phase::waiting || before == Phase::over) return false;
        if (!connection.established && connection.tcp.established()) on_established(now, connection);
        if (connection.phase == Phase::negotiating && connection.established) on_clc(now, connection);
        if (connection.phase == Phase::negotiating && may_have_data(connection)) become_active(connection);
        if (connection.phase == Phase::active || connection.phase == Phase::plain) run_application(now, connection);
        if (connection.tcp.over() && connection.phase != Phase::active) connection.phase = Phase::over;
        return note_milestones(now, connection) || connection.phase != before;
    }

    bool note_milestones(Time now, PlayedConnection& connection) {
        for (const std::string& name : connection.milestones)
            if (script_.sent(now, connection.recorded.lane, name)) ++played_messages_;
        return !std::exchange(connection.milestones, {}).empty();
    }

    void on_established(Time now, PlayedConnection& connection) {
        connection.established = true;
        const bool wanted = connection.recorded.option[Side::client] && connection.recorded.option[Side::server];
        if (played_ == Side::client) {
            const Octets option = connection.tcp.peer_has_option() ? layout::octets_of(wire::TcpOption{}) : Octets{};
            script_.received(now, connection.recorded.lane, "TCP SYN-ACK", option);
        }
        if (!wanted || !connection.tcp.peer_has_option()) connection.phase = Phase::plain;
        if (wanted && connection.phase == Phase::plain)
            note(connection.recorded.lane + ": the peer does not offer SMC; the data goes over TCP");
    }

    /// Sends what the recording has next.
    bool play(Time now) {
        bool sent = false;
        const auto may_send = [&](std::size_t index) { return can_send(index); };
        while (const auto index = script_.ready(now, may_send)) {
            play(now, *index);
            script_.sent(now, *index);
            ++played_messages_;
            sent = true;
        }
        return sent;
    }

    bool can_send(std::size_t index) {
        const Message& message = script_.message(index);
        const auto is_before = [&](Time at) { return at < message.time; };
        const auto data_is_as_far = [&](const auto& one) {
            const auto& times = one->recorded.step_time[played_];
            const auto steps = std::ranges::count_if(times, is_before);
            return one->phase == Phase::over || one->application.steps_done() >= static_cast<std::size_t>(steps);
        };
        if (message.name.starts_with("CDC") || message.name == "TCP SYN-ACK") return false;
        if (message.name.starts_with("LLC")) {
            if (!links_.link_for(message.lane)) return false;
            return !message.name.starts_with("LLC DELETE LINK") || std::ranges::all_of(connections_, data_is_as_far);
        }
        if (message.name == "TCP SYN") return std::ranges::all_of(connections_, data_is_as_far);
        PlayedConnection& connection = connection_in(message.lane);
        return connection.established && (message.name != "CLC PROPOSAL" || is_next(connection));
    }

    /// Proposals go out in the order in which they were accepted: the first one sets up the link group.
    bool is_next(const PlayedConnection& connection) const {
        for (const auto& earlier : connections_) {
            if (earlier.get() == &connection) return true;
            if (!earlier->proposed) return false;
        }
        return true;
    }

    PlayedConnection& connection_in(const std::string& lane) {
        return **std::ranges::find(connections_, lane, [](const auto& one) { return one->recorded.lane; });
    }

    void play(Time now, std::size_t index) {
        const Message& message = script_.message(index);
        const Octets octets = script_.bindings().translated(message);
        const std::string comment = fmt::format("{}, recorded in frame {}", message.name, message.frame);
        if (message.name.starts_with("LLC")) {
            const std::size_t link = *links_.link_for(message.lane);
            links_.lane_of(link);
            links_.send(now, link, octets, comment);
            on_llc(now, link, octets, true);
            return;
        }
        PlayedConnection& connection = connection_in(message.lane);
        connection.now = now;
        if (message.name == "TCP SYN") {
            begin(now, connection);
            connection.tcp.connect(now);
        } else {
            connection.tcp.write(now, octets);
            flush(connection);  // what follows over RDMA must not overtake it
            connection.proposed = true;
            on_clc(now, connection, wire::parse_clc(octets), true);
        }
    }

    static void begin(Time now, PlayedConnection& connection) {
        connection.now = now;
        connection.phase = Phase::negotiating;
    }

    // ---- CLC ----

    void on_clc(Time now, PlayedConnection& connection) {
        Octets& arrived = connection.tcp.received();
        const std::size_t length = wire::clc_length(arrived);
        if (arrived.empty() || (length != 0 && arrived.size() < std::max(length, wire::kClcHeaderSize + 1))) return;
        if (length == 0) {
            note(connection.recorded.lane + ": the peer sent something else than CLC");
            connection.phase = Phase::plain;
            return;
        }
        const Octets octets(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
        arrived.erase(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
        const std::string name = clc_name(octets);
        ++played_messages_;
        if (!script_.received(now, connection.recorded.lane, name, octets))
            note(fmt::format("{}: {} of the peer was not recorded", connection.recorded.lane, name));
        on_clc(now, connection, wire::parse_clc(octets), false);
        on_clc(now, connection);
    }

    /// What follows from a message, sent or received.
    void on_clc(Time now, PlayedConnection& connection, const wire::ClcMessage& message, bool own) {
        if (std::holds_alternative<wire::Decline>(message.body)) {
            connection.phase = Phase::plain;
            return;
        }
        const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
        if (body == nullptr) return;
        const bool first = body->body.first_contact ||
                           (message.header.type == ClcType::confirm && connection.recorded.model.first_contact == true);
        if (first) links_.on_first_contact(now, body->body, own);
        (own ? connection.own : connection.peer) = body->body;
        if (own) connection.link = links_.link_named(body->body, true);
    }

    // ---- LLC ----

    bool take_completions(Time now) {
        bool any = false;
        for (std::size_t i = 0; i < links_.adapters().size(); ++i)
            for (auto& completions = links_.adapters()[i]->completions(); !completions.empty(); any = true) {
                const stack::Completion completion = std::move(completions.front());
                completions.pop_front();
                on_completion(now, i, completion);
            }
        return any;
    }

    void on_completion(Time now, std::size_t adapter, const stack::Completion& completion) {
        if (completion.kind == stack::Completion::Kind::work) {
            if (completion.status != stack::CompletionStatus::success)
                note(fmt::format("a link failed: {}", stack::name_of(completion.status)));
            return;
        }
        if (stack::RcQueuePair* qp = links_.adapters()[adapter]->rc(completion.qpn)) qp->post_receive();
        const auto link = links_.link_of(adapter, completion.qpn);
        if (!link || completion.octets.empty()) return;
        if (completion.octets[0] == wire::kCdcType) on_cdc(now, completion.octets);
        else on_llc_of_peer(now, *link, completion.octets);
    }

    void on_llc_of_peer(Time now, std::size_t link, const Octets& octets) {
        const std::string lane = links_.lane_of(link), name = llc_name(octets);
        ++played_messages_;
        const bool known = script_.received(now, lane, name, octets).has_value();
        on_llc(now, link, octets, false);
        if (!known) answer_unrecorded(now, link, lane + ": " + name, octets);
    }

    void on_llc(Time now, std::size_t link, ByteView octets, bool own) {
        const wire::LlcMessage message = wire::parse_llc(octets, octets.size());
        links_.on_llc(now, link, message, own);
        if (!links_.all_deleted()) return;
        // The end of the link group is the end of its connections (RFC 7609, 3.5.4).
        for (const auto& connection : connections_)
            if (connection->phase == Phase::active && !connection->data->closed_sent()) {
                connection->now = now;
                connection->tcp.abort(now);
                connection->phase = Phase::over;
            }
    }

    /// So that the peer can go on: what can be echoed is, and a link that was not recorded is rejected.
    void answer_unrecorded(Time now, std::size_t link, const std::string& what, const Octets& octets) {
        wire::LlcMessage message = wire::parse_llc(octets, octets.size());
        if (message.is_reply()) return note(what + " was not recorded");
        const bool answered = std::visit([](auto& body) { return make_answer(body); }, message.body);
        if (!answered) return note(what + " was not recorded; it is not answered");
        note(what + " was not recorded; it is answered");
        Octets answer = wire::build(message);
        answer.resize(octets.size());
        links_.send(now, link, answer, "not in the recording");
        on_llc(now, link, answer, true);
    }

    static bool make_answer(wire::TestLink& body) { return body.reply = true; }
    static bool make_answer(wire::ConfirmRkeyMessage& message) { return message.body.reply = true; }
    static bool make_answer(wire::ConfirmRkeyContinuationMessage& message) { return message.body.reply = true; }
    static bool make_answer(wire::DeleteRkeyMessage& message) { return message.body.reply = true; }
    static bool make_answer(wire::DeleteLink& body) { return body.reply = !body.all; }
    static bool make_answer(wire::AddLinkMessage& message) {
        return std::visit([](auto& body) { return body.reply = body.reject = true; }, message.body);
    }
    template <class Other> static bool make_answer(Other&) { return false; }

    // ---- data ----

    void on_cdc(Time now, const Octets& octets) {
        wire::Cdc message;
        if (layout::parse_into(message, octets)) return;
        const auto found = std::ranges::find_if(connections_, [&](const auto& one) {
            return one->own && one->own->alert_token == message.alert_token && one->phase != Phase::over;
        });
        if (found == connections_.end()) return note("a CDC message has an alert token that is not known");
        PlayedConnection& connection = **found;
        connection.now = now;
        const std::string name = cdc_name(octets, connection.heard);
        connection.heard = cdc_state(octets);
        ++played_messages_;
        if (!name.empty()) script_.received(now, connection.recorded.lane, name, octets);
        if (connection.phase == Phase::negotiating && connection.own && connection.peer) become_active(connection);
        if (connection.data) connection.data->on_message(message);
        else connection.early.push_back(message);
    }

    /// The end of one connection may have come after something on another one.
    bool may_end(const std::string& lane) const {
        const auto& messages = recorded_.conversation.messages;
        const auto open = [&](std::size_t i) {
            return messages[i].lane == lane && messages[i].from == played_ && messages[i].name.starts_with("CDC") &&
                   messages[i].name != "CDC urgent";
        };
        for (std::size_t i = 0; i < messages.size(); ++i)
            if (open(i) && !script_.done(i)) return script_.ready(now_, open).has_value();
        return true;  // over TCP
    }

    bool may_have_data(const PlayedConnection& connection) const {
        return connection.own && connection.peer && !recorded_.no_roce &&
               std::ranges::all_of(connection.recorded.setup, [&](std::size_t i) { return script_.done(i); });
    }

    void become_active(PlayedConnection& connection) {
        connection.phase = Phase::active;
        const wire::SmcrAcceptConfirmBody& peer = *connection.peer;
        const std::uint64_t size = wire::buffer_size(peer.buffer_size);
        connection.peer_rmb = links_.peer_rmb(connection.link, {peer.rkey, peer.rmb_address});
        connection.peer_offset = (std::max<std::uint8_t>(peer.rmb_index, 1) - 1U) * size;
        stack::smcr::DataConfig config;
        config.profile = profile_;
        config.element = links_.element(connection.link, *connection.own);
        if (config.element.empty()) {
            note(connection.recorded.lane + ": its RMB element is not in its RMB");
            connection.phase = Phase::over;
            return;
        }
        config.own = {config.element.size(), profile_.cursor_base};
        config.peer = {size, profile_.cursor_base};
        config.peer_token = peer.alert_token;
        connection.data.emplace(config, connection);
        for (const wire::Cdc& message : std::exchange(connection.early, {})) connection.data->on_message(message);
    }

    void run_application(Time now, PlayedConnection& connection) {
        if (connection.phase == Phase::plain) {
            Octets& arrived = connection.tcp.received();
            connection.received.insert(connection.received.end(), arrived.begin(), arrived.end());
            arrived.clear();
        }
        if (connection.established) connection.application.work(now, connection);
        if (connection.phase == Phase::active) settle_end(now, connection);
    }

    /// TCP follows the end on RDMA (RFC 7609, 4.8).
    void settle_end(Time now, PlayedConnection& connection) const {
        DataPath& data = *connection.data;
        if (connection.tcp.was_reset()) data.abort();
        if (data.aborted()) connection.tcp.abort(now);
        else if (data.closed_sent() && (profile_.fin_with_closed || data.state() == CloseState::closed))
            connection.tcp.close(now);
        if (data.state() == CloseState::closed && connection.tcp.over()) connection.phase = Phase::over;
    }

    // ---- time ----

    /// When this side goes on of itself.
    Time own_wakeup() const {
        if (!started_ || given_up_) return never;
        Time earliest = planned_ > now_ ? planned_ : never;
        for (const auto& connection : connections_)
            if (connection->phase == Phase::active || connection->phase == Phase::plain)
                earliest = std::min(earliest, connection->application.wakeup());
        return earliest;
    }

    Time patience_ends() const {
        if (!started_ || given_up_ || over_) return never;
        const Time planned = own_wakeup();
        return (planned == never ? moved_ : std::max(moved_, planned)) + options_.patience;
    }

    void give_up(Time now) {
        given_up_ = true;
        note(fmt::format(
            "nothing happened for {} s while waiting for {}", options_.patience / capture::second, waiting_for()));
        for (const auto& connection : connections_)
            if (connection->phase != Phase::waiting) connection->tcp.abort(now);
    }

    static std::string waiting_for(const PlayedConnection& connection) {
        const Application& application = connection.application;
        return fmt::format(
            "data of {}: {} octets written and {} read; its application has done {} of {} steps",
            connection.recorded.lane, application.sent().octets, application.received().octets,
            application.steps_done(), application.steps());
    }

    void note(std::string text) {
        if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
    }

    const Recorded& recorded_;
    Side played_;
    PlayOptions options_;
    Script script_;
    stack::smcr::Profile profile_;
    std::vector<stack::OutgoingFrame> frames_;
    PlayedLinks links_;
    std::vector<Mac> ports_;
    std::vector<std::size_t> adapter_port_;
    std::vector<std::unique_ptr<PlayedConnection>> connections_;
    std::map<std::uint16_t, PlayedConnection*> by_port_;
    capture::FrameBuilder builder_;
    std::uint16_t identification_ = 0;
    std::vector<std::string> notes_;
    bool started_ = false, given_up_ = false;
    bool over_ = false;
    Time now_ = 0;
    Time planned_ = never;  ///< when the script goes on
    Time moved_ = 0;        ///< when something happened last
    std::uint64_t progress_ = 0, played_messages_ = 0;
};

}  // namespace

PlayedStation make_player(const Recorded& recorded, Side played, const PlayOptions& options) {
    if (!recorded.obstacle.empty()) throw NotPlayable(recorded.obstacle);
    PlayedStation station;
    auto player = std::make_unique<SmcrPlayer>(recorded, played, options);
    station.addresses = player->ports();
    station.endpoint = std::move(player);
    return station;
}

}  // namespace fabricscope::replay::smcr
