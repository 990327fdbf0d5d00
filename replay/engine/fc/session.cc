// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "replay/engine/fc/collector.h"
#include "replay/engine/fc/emulated.h"
#include "replay/engine/fc/fc_player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace fcvi_model = engine::fcvi;
namespace rdma_model = engine::fc_ae_rdma;

/// Two N_Ports; the client is who began the first Exchange.
struct PortPair {
    std::uint16_t fabric = 0;
    std::uint32_t client = 0, server = 0;
    bool operator==(const PortPair&) const = default;

    bool has(const ExchangeSeen& exchange) const {
        return exchange.fabric == fabric && ((exchange.originator == client && exchange.responder == server) ||
                                             (exchange.originator == server && exchange.responder == client));
    }
};

/// Which Exchanges make a session, and who is who in it.
struct Choice {
    Kind kind{};
    std::string id;
    PortPair ports;
    std::set<std::uint32_t> exchanges;
};

bool is_port(std::uint32_t id) { return id != fc::unidentified && id < fc::multicast_server; }

bool belongs(Kind kind, const ExchangeSeen& exchange) {
    if (!is_port(exchange.originator) || !is_port(exchange.responder)) return false;
    const bool is_fcvi = exchange.type == fcvi::fc_type;
    switch (kind) {
        case Kind::fcvi: return is_fcvi;
        case Kind::fc_ae_rdma: return exchange.rdma_message != 0;
        case Kind::pair: break;
    }
    // Resolving an address is no message between the two.
    const bool is_farp = exchange.els == fc::els_farp_request || exchange.els == fc::els_farp_reply;
    return is_fcvi || exchange.rdma_message != 0 || (exchange.type == fc::type_els && !is_farp);
}

const char* prefix_of(Kind kind) {
    switch (kind) {
        case Kind::fcvi: return "fcvi-";
        case Kind::fc_ae_rdma: return "fc-ae-rdma-";
        case Kind::pair: break;
    }
    return "fc-pair-";
}

// ---- what a capture lacks --------------------------------------------------------------------------

/// Whether a side has told, as it disconnected, that it had completed the Message (6.12.2).
bool was_completed(const fcvi_model::Connection& connection, const fcvi_model::Message& message) {
    return std::ranges::any_of(connection.disconnects, [&](const fcvi_model::Disconnect& disconnect) {
        return disconnect.from == message.from && disconnect.msg_id >= message.msg_id;
    });
}

bool is_in_error(const fcvi_model::Connection& connection) {
    return std::ranges::any_of(
        connection.end.values, [](const fcvi_model::End& end) { return end.state == fcvi_model::State::error; });
}

/// What was not captured of a connection, although its sides went on as if it had been there; empty: nothing.
std::string lack_of(const fcvi_model::Connection& connection) {
    if (!connection.from_start || connection.setups.empty()) return "";
    const fcvi_model::Setup& setup = connection.setups.back();
    const bool unconfirmed = connection.is_iso() && setup.resp2 && !setup.resp3;
    if (setup.has_gaps() || (unconfirmed && connection.from[setup.from].messages != 0))
        return fmt::format("an answer to the Connect Request in frame {} was not captured", connection.first_frame);
    const auto level = connection.reliability();
    const bool reliable = level && *level != fcvi::Reliability::unreliable_delivery;
    for (const Side side : {Side::client, Side::server})
        if (reliable && !is_in_error(connection) && connection.from[side].at_peer.missing_messages != 0)
            return fmt::format(
                "a Message of the {} is not in the capture: its MSG_ID is skipped", engine::name_of(side));
    return "";
}

/// Of each connection, by position.
std::vector<std::string> lacks_of(const fcvi_model::Model& model) {
    std::vector<std::string> lacks;
    for (const fcvi_model::Connection& connection : model.connections) lacks.push_back(lack_of(connection));
    for (const fcvi_model::Message& message : model.messages) {
        if (message.connection == 0 || message.state != fcvi_model::MessageState::open) continue;
        const fcvi_model::Connection& connection = model.connections[message.connection - 1];
        std::string& lack = lacks[message.connection - 1];
        if (lack.empty() && connection.from_start && !is_in_error(connection) && was_completed(connection, message))
            lack = fmt::format("the answer to the Message in frame {} was not captured", message.first.frame);
    }
    return lacks;
}

/// The same of a message of FC-AE-RDMA.
std::string lack_of(const rdma_model::Message& message) {
    if (message.state != rdma_model::MessageState::complete || message.missing_bytes == 0) return "";
    return fmt::format("data of the command in frame {} were not captured", message.command.frame);
}

// ---- a conversation from units -------------------------------------------------------------------

class Builder {
public:
    Builder(const Collector& collector, const Choice& choice, const engine::Engine& engine)
        : collector_(collector), choice_(choice), engine_(engine) {}

    Recording build() {
        recording_.kind = choice_.kind;
        recording_.conversation.session = choice_.id;
        recording_.conversation.complete = !collector_.too_much();
        recording_.ports[Side::client] = choice_.ports.client;
        recording_.ports[Side::server] = choice_.ports.server;
        for (const std::size_t index : units()) add(collector_.units()[index]);
        finish_data();
        for (const std::uint32_t id : choice_.exchanges)
            if (collector_.exchanges().at(id).damaged) recording_.conversation.complete = false;
        add_streams();
        add_states();
        add_findings();
        tell_missing_answers();
        return std::move(recording_);
    }

private:
    /// An Exchange whose IUs are being read.
    struct ExchangeState {
        std::size_t exchange = 0;
        std::optional<std::size_t> last_message;
        std::optional<SequenceSeen> data;  ///< that goes on
        std::vector<Piece> pieces;
    };

    /// In the order in which they were complete.
    std::vector<std::size_t> units() const {
        std::vector<std::size_t> units;
        for (const std::uint32_t id : choice_.exchanges) {
            const std::vector<std::size_t>& more = collector_.exchanges().at(id).units;
            units.insert(units.end(), more.begin(), more.end());
        }
        std::ranges::sort(units);
        return units;
    }

    Side side_of(std::uint32_t port) const { return port == choice_.ports.client ? Side::client : Side::server; }

    IuContext context_of(const ExchangeSeen& exchange) const {
        IuContext context{.request = exchange.els};
        const auto& connections = engine_.fcvi().connections;
        if (exchange.connection != 0) context.version = connections[exchange.connection - 1].version;
        else if (!connections.empty()) context.version = connections.front().version;
        return context;
    }

    ExchangeState* state_of(const Unit& unit) {
        if (const auto known = states_.find(unit.exchange); known != states_.end()) return &known->second;
        const ExchangeSeen& exchange = collector_.exchanges().at(unit.exchange);
        if (!exchange.beginning_seen) {
            recording_.conversation.complete = false;
            return nullptr;
        }
        const Side originator = side_of(exchange.originator);
        recording_.exchanges.push_back(
            {exchange_name(++numbers_[originator], originator), originator, exchange.type,
             exchange.service_class == 2 ? 2 : 3, context_of(exchange)});
        recording_.link = exchange.link;
        recording_.addresses[originator] = exchange.originator_mac;
        recording_.addresses[other(originator)] = exchange.responder_mac;
        return &states_.emplace(unit.exchange, ExchangeState{recording_.exchanges.size() - 1, {}, {}, {}})
                    .first->second;
    }

    void add(const Unit& unit) {
        ExchangeState* state = state_of(unit);
        if (state == nullptr) return;
        const ExchangeSeen& exchange = collector_.exchanges().at(unit.exchange);
        recording_.data_field_size = std::max(recording_.data_field_size, exchange.data_field_size);
        const Piece piece{unit.sequence.first, unit.sequence.last, unit.sequence.payload.size()};
        if (state->data) {
            const bool more = is_data(unit.sequence.first) && unit.sequence.first.f_ctl.exchange_responder ==
                                                                  state->data->first.f_ctl.exchange_responder;
            if (more) append(*state->data, unit.sequence);
            else finish_data(*state, unit);
            if (more) state->pieces.push_back(piece);
            if (more && !goes_on(unit.sequence.last)) finish_data(*state, unit);
            if (more) return;
        }
        state->pieces = {piece};
        if (is_data(unit.sequence.first) && goes_on(unit.sequence.last)) state->data = unit.sequence;
        else add_message(*state, unit.sequence, unit.time, unit.frame);
        last_units_[state->exchange] = &unit;
    }

    /// The data of an Exchange are whole: `by` ends them, or comes behind them.
    void finish_data(ExchangeState& state, const Unit& by) {
        const SequenceSeen data = std::move(*state.data);
        state.data.reset();
        add_message(state, data, by.time, by.frame);
    }

    /// The capture ends within data.
    void finish_data() {
        for (auto& [exchange, state] : states_)
            if (state.data) finish_data(state, *last_units_.at(state.exchange));
    }

    void add_message(ExchangeState& state, const SequenceSeen& sequence, Time time, std::uint64_t frame) {
        const RecordedExchange& exchange = recording_.exchanges[state.exchange];
        Message message;
        message.name = name_of(sequence, exchange.context);
        if (message.name.empty()) {
            recording_.conversation.complete = false;
            return;
        }
        message.format = &format_of(sequence, exchange.context);
        message.from = sequence.first.f_ctl.exchange_responder ? other(exchange.originator) : exchange.originator;
        message.channel = exchange.name;
        message.time = time;
        message.frame = frame;
        message.octets = message_octets(sequence);
        message.answers = answered_by(state, message);
        state.last_message = recording_.conversation.messages.size();
        recording_.conversation.messages.push_back(std::move(message));
        recording_.cuts.push_back({state.exchange, std::move(state.pieces)});
        state.pieces.clear();
    }

    /// The other side's latest in the same Exchange. Whoever goes on within its own turn answers what began the turn.
    /// A peer whose own request is under way answers the other one's when it has its own answer.
    std::optional<std::size_t> answered_by(const ExchangeState& state, const Message& message) const {
        if (!state.last_message || message.name == "ABTS") return std::nullopt;
        const Message& last = recording_.conversation.messages[*state.last_message];
        if (last.from == message.from) return last.answers;
        const auto crosses = [&](const Message& other) {
            return other.name == "FCVI_CONNECT_RQST" && other.from == message.from;
        };
        if (message.name == "FCVI_CONNECT_RESP1" && std::ranges::any_of(recording_.conversation.messages, crosses))
            return std::nullopt;
        return state.last_message;
    }

    // ---- data and states ----

    void add_streams() {
        PerSide<Octets> data;
        for (const std::vector<std::size_t>& exchange : recording_.messages_by_exchange())
            for (const std::size_t i : exchange) {
                const Message& message = recording_.conversation.messages[i];
                const fc::Frame frame = frame_of(message.octets);
                if (!is_data(frame.header)) continue;
                data[message.from].insert(data[message.from].end(), frame.payload.begin(), frame.payload.end());
            }
        for (const Side side : {Side::client, Side::server})
            recording_.conversation.streams.push_back({"data", side, std::move(data[side]), 0});
    }

    void add_fact(std::string about, std::string name, std::string value, bool policy = false) {
        recording_.conversation.facts.push_back({std::move(about), std::move(name), std::move(value), policy});
    }

    void add_states() {
        std::set<std::uint32_t> connections;
        std::set<std::uint64_t> messages;
        for (const std::uint32_t id : choice_.exchanges) {
            const ExchangeSeen& exchange = collector_.exchanges().at(id);
            if (exchange.connection != 0) connections.insert(exchange.connection);
            if (exchange.rdma_message != 0) messages.insert(exchange.rdma_message);
        }
        std::size_t number = 0;
        std::map<std::uint32_t, std::vector<fcvi_model::Message>> sent;  // on each connection
        for (const fcvi_model::Message& message : engine_.fcvi().messages) sent[message.connection].push_back(message);
        for (const std::uint32_t id : connections)
            add_connection(++number, engine_.fcvi().connections[id - 1], sent[id]);
        number = 0;
        for (const std::uint64_t id : messages) add_rdma_message(++number, engine_.fc_ae_rdma().messages[id - 1]);
    }

    void add_connection(
        std::size_t number, const fcvi_model::Connection& connection,
        const std::vector<fcvi_model::Message>& messages) {
        const std::string about = fmt::format("connection {}", number);
        add_fact(about, "outcome", name_of(connection.outcome));
        const bool answered = std::ranges::all_of(connection.disconnects, [](const fcvi_model::Disconnect& disconnect) {
            return disconnect.resp.has_value();
        });
        // Logouts are the ports' matter, not the session's.
        const bool logged_out = std::ranges::any_of(std::array{Side::client, Side::server}, [&](Side side) {
            return connection.end[side].state == fcvi_model::State::idle &&
                   !fcvi_model::has_disconnected(connection, side);
        });
        if (const char* close = fcvi_model::close_of(connection))
            add_fact(about, "close", answered && !logged_out ? close : Fact::unknown);
        const bool connected = connection.outcome == fcvi_model::Outcome::connected;
        if (const auto level = connection.reliability(); connected && level)
            add_fact(
                about, "reliability",
                layout::name_of(fcvi::iso_reliability_names, fcvi::reliability_code(fcvi::Version::iso, *level)));
        if (connection.reject)
            add_fact(about, "refused for", fcvi::reason_name(connection.version, connection.reject->reason));
        for (const Side side : {Side::client, Side::server}) {
            const fcvi_model::End& end = connection.end[side];
            // It may end by a logout, which is no part of it.
            const bool by_logout = connected &&
                                   std::ranges::find(connection.disconnects, side, &fcvi_model::Disconnect::from) ==
                                       connection.disconnects.end();
            add_fact(
                about, fmt::format("state of the {}", name_of(side_of(end.port.id))),
                answered ? name_of(end.state) : Fact::unknown, by_logout);
        }
        PerSide<std::size_t> counts;
        for (const fcvi_model::Message& message : messages) {
            const Side from = side_of(connection.end[message.from].port.id);
            const std::string which = fmt::format("{}, Message {} of the {}", about, ++counts[from], name_of(from));
            add_fact(which, "operation", name_of(message.operation));
            add_fact(which, "state", name_of(message.state));
            add_fact(which, "Sequences", fmt::format("{}", message.sequences), true);
        }
    }

    void add_rdma_message(std::size_t number, const rdma_model::Message& message) {
        const std::string about = fmt::format("message {}", number);
        const bool open = message.state == rdma_model::MessageState::open;
        add_fact(about, "state", open ? Fact::unknown : name_of(message.state));
        if (message.status) {
            const char* name = layout::name_of(fc_ae_rdma::status_names, *message.status);
            add_fact(about, "status", name != nullptr ? name : fmt::format("0x{:02x}", *message.status));
        }
        add_fact(about, "bytes moved", open ? Fact::unknown : fmt::format("{}", message.bytes));
        if (message.residual)
            add_fact(
                about, "residual",
                fmt::format("{} {}", *message.residual, message.resid_over == true ? "over" : "under"));
    }

    /// These are always answered.
    static bool wants_answer(const RecordedExchange& exchange, const Message& last) {
        if (last.from != exchange.originator || last.name == "ABTS") return false;
        return exchange.type != fcvi::fc_type || last.name == "FCVI_DISCONNECT_RQST";
    }

    void tell_missing_answers() {
        const auto by_exchange = recording_.messages_by_exchange();
        for (std::size_t i = 0; i < by_exchange.size(); ++i) {
            if (by_exchange[i].empty()) continue;
            const RecordedExchange& exchange = recording_.exchanges[i];
            if (wants_answer(exchange, recording_.conversation.messages[by_exchange[i].back()]))
                recording_.conversation.causes.push_back(
                    {.about = exchange.name,
                     .frame = 0,
                     .text = "it was not answered when it was recorded, or its answer was not captured",
                     .not_captured = true});
        }
    }

    void add_findings() {
        const auto add = [&](const std::vector<engine::Finding>& findings) {
            for (const engine::Finding& finding : findings)
                if (choice_.kind == Kind::pair || finding.session.empty() || finding.session == choice_.id)
                    recording_.conversation.findings.push_back(finding);
        };
        add(engine_.fcvi().findings);
        add(engine_.fc_ae_rdma().findings);
    }

    const Collector& collector_;
    const Choice& choice_;
    const engine::Engine& engine_;
    Recording recording_;
    std::map<std::uint32_t, ExchangeState> states_;
    std::map<std::size_t, const Unit*> last_units_;  ///< of exchanges
    PerSide<std::size_t> numbers_;
};

// ---- the session ---------------------------------------------------------------------------------

class FcSession final : public Session {
public:
    explicit FcSession(Recording recording) : recording_(std::move(recording)) {}

    const Conversation& conversation() const override { return recording_.conversation; }
    void edit(const std::function<void(Conversation&)>& change) override { change(recording_.conversation); }
    AttachedPlayer player(Side played, const PlayOptions& options) const override {
        return play(recording_, played, options);
    }
    AttachedEndpoint emulated(Side side, const std::string& profile) const override {
        if (profile == "linux")
            throw NotPlayable("Linux has neither FC-VI nor FC-AE-RDMA: --profile strict is what the documents say");
        return emulate(recording_, side, profile.empty() ? Parameters::recorded : Parameters::documents);
    }

private:
    Recording recording_;
};

class FcReader final : public Reader {
public:
    void prepare(engine::Options& options, engine::Observers& observers) override {
        options.fc = true;
        options.fc_protocols.fcvi = options.fc_protocols.fc_ae_rdma = true;
        observers.fc = &collector_;
        observers.fcvi = &collector_;
        observers.fc_ae_rdma = &collector_;
    }

    std::vector<SessionInfo> sessions(const engine::Engine& engine) const override {
        std::vector<SessionInfo> sessions;
        const std::vector<std::string> lacks = lacks_of(engine.fcvi());
        for (const Choice& choice : choices(engine)) sessions.push_back(info_of(choice, engine, lacks));
        return sessions;
    }

    std::unique_ptr<Session> session(const engine::Engine& engine, std::string_view id) const override {
        for (const Choice& choice : choices(engine))
            if (choice.id == id) return std::make_unique<FcSession>(Builder(collector_, choice, engine).build());
        return nullptr;
    }

    /// All that is of the session's kind: a run has nothing else in it.
    std::unique_ptr<Session> session_like(const engine::Engine& engine, const Conversation& recorded) const override {
        Choice choice;
        choice.id = recorded.session;
        for (const Kind kind : {Kind::fcvi, Kind::fc_ae_rdma, Kind::pair})
            if (recorded.session.starts_with(prefix_of(kind))) choice.kind = kind;
        const std::uint32_t client = port_of_client(recorded);
        for (const auto& [id, exchange] : collector_.exchanges()) {
            if (!belongs(choice.kind, exchange)) continue;
            if (choice.exchanges.empty()) choice.ports = ports_of(exchange, exchange.responder == client);
            if (choice.ports.has(exchange)) choice.exchanges.insert(id);
        }
        if (choice.exchanges.empty()) return nullptr;
        return std::make_unique<FcSession>(Builder(collector_, choice, engine).build());
    }

private:
    static PortPair ports_of(const ExchangeSeen& exchange, bool responder_is_client) {
        if (responder_is_client) return {exchange.fabric, exchange.responder, exchange.originator};
        return {exchange.fabric, exchange.originator, exchange.responder};
    }

    static std::uint32_t port_of_client(const Conversation& recorded) {
        if (recorded.messages.empty()) return 0;
        const Message& first = recorded.messages.front();
        const fc::FrameHeader header = frame_of(first.octets).header;
        return first.from == Side::client ? header.s_id : header.d_id;
    }

    std::vector<Choice> choices(const engine::Engine& engine) const {
        std::vector<Choice> connections(engine.fcvi().connections.size());
        std::vector<Choice> messages(engine.fc_ae_rdma().messages.size());
        std::vector<Choice> pairs;
        for (const auto& [id, exchange] : collector_.exchanges()) {
            if (exchange.connection != 0 && belongs(Kind::fcvi, exchange))
                choose(
                    connections[exchange.connection - 1], Kind::fcvi, id,
                    ports_of(exchange, exchange.originator_side == Side::server));
            if (belongs(Kind::fc_ae_rdma, exchange))
                choose(messages[exchange.rdma_message - 1], Kind::fc_ae_rdma, id, ports_of(exchange, false));
            if (belongs(Kind::pair, exchange)) choose_pair(pairs, id, exchange);
        }
        std::vector<Choice> all;
        for (std::vector<Choice>* choices : {&connections, &messages, &pairs})
            for (std::size_t i = 0; i < choices->size(); ++i) {
                Choice& choice = (*choices)[i];
                if (choice.exchanges.empty()) continue;
                choice.id = fmt::format("{}{}", prefix_of(choice.kind), i + 1);
                all.push_back(std::move(choice));
            }
        return all;
    }

    static void choose(Choice& choice, Kind kind, std::uint32_t exchange, const PortPair& ports) {
        if (choice.exchanges.empty()) choice.ports = ports;
        choice.kind = kind;
        choice.exchanges.insert(exchange);
    }

    static void choose_pair(std::vector<Choice>& pairs, std::uint32_t id, const ExchangeSeen& exchange) {
        auto pair = std::ranges::find_if(pairs, [&](const Choice& choice) { return choice.ports.has(exchange); });
        if (pair == pairs.end()) pair = pairs.emplace(pairs.end());
        choose(*pair, Kind::pair, id, ports_of(exchange, false));
    }

    /// `lacks`: of connections.
    SessionInfo info_of(
        const Choice& choice, const engine::Engine& engine, const std::vector<std::string>& lacks) const {
        SessionInfo info;
        info.id = choice.id;
        info.first_frame = collector_.exchanges().at(*choice.exchanges.begin()).first_frame;
        const std::string ports = fmt::format(
            "{} > {}", fc::port_id_text(choice.ports.client), fc::port_id_text(choice.ports.server));
        const ExchangeSeen& first = collector_.exchanges().at(*choice.exchanges.begin());
        switch (choice.kind) {
            case Kind::fcvi: {
                const fcvi_model::Connection& connection = engine.fcvi().connections[first.connection - 1];
                info.kind = "FC-VI connection";
                info.about = fmt::format(
                    "{}, {}, {}", ports, connection.is_iso() ? "ISO" : "revision 1.0", name_of(connection.outcome));
                break;
            }
            case Kind::fc_ae_rdma: {
                const rdma_model::Message message = engine.fc_ae_rdma().messages[first.rdma_message - 1];
                info.kind = "FC-AE-RDMA message";
                const char* operation = message.is_read ? message.operation() : "message";
                const std::string length = message.data_length ? fmt::format(" of {} bytes", *message.data_length) : "";
                info.about = fmt::format("{}, {}{}, {}", ports, operation, length, name_of(message.state));
                break;
            }
            case Kind::pair:
                info.kind = "pair of N_Ports";
                info.about = fmt::format("{}, {} Exchanges", ports, choice.exchanges.size());
                break;
        }
        const auto can_be_played = [&](std::uint32_t id) {
            const ExchangeSeen& exchange = collector_.exchanges().at(id);
            return exchange.beginning_seen && !exchange.units.empty();
        };
        if (std::ranges::none_of(choice.exchanges, can_be_played))
            info.obstacle = "no Information Unit of it was captured whole, or no beginning of an Exchange";
        else info.obstacle = lack_of(choice, engine, lacks);
        return info;
    }

    std::string lack_of(
        const Choice& choice, const engine::Engine& engine, const std::vector<std::string>& lacks) const {
        for (auto id = choice.exchanges.begin(); id != choice.exchanges.end(); ++id) {
            const ExchangeSeen& exchange = collector_.exchanges().at(*id);
            std::string lack;
            if (!exchange.beginning_seen && is_met_at_begin(exchange, engine))
                lack = fmt::format("the request of the Exchange in frame {} was not captured", exchange.first_frame);
            else if (exchange.connection != 0) lack = lacks[exchange.connection - 1];
            else if (exchange.rdma_message != 0)
                lack = fibre_channel::lack_of(engine.fc_ae_rdma().messages[exchange.rdma_message - 1]);
            else lack = lack_of_answer(choice, id);
            if (!lack.empty()) return lack;
        }
        return "";
    }

    /// A connection may have been met midway, and commands may have been under way.
    static bool is_met_at_begin(const ExchangeSeen& exchange, const engine::Engine& engine) {
        if (exchange.connection != 0) return engine.fcvi().connections[exchange.connection - 1].from_start;
        return exchange.rdma_message == 0;
    }

    /// Who was not answered asks once more, or gives up: if it goes on instead, the answer was not captured.
    std::string lack_of_answer(const Choice& choice, std::set<std::uint32_t>::const_iterator id) const {
        const ExchangeSeen& exchange = collector_.exchanges().at(*id);
        const auto from_responder = [&](std::size_t unit) { return collector_.units()[unit].from_responder; };
        const auto next = std::find_if(std::next(id), choice.exchanges.end(), [&](std::uint32_t other) {
            return collector_.exchanges().at(other).originator == exchange.originator;
        });
        const bool goes_on = next != choice.exchanges.end() && collector_.exchanges().at(*next).els != exchange.els;
        if (!goes_on || std::ranges::any_of(exchange.units, from_responder)) return "";
        return fmt::format("the answer to the request in frame {} was not captured", exchange.first_frame);
    }

    Collector collector_;
};

}  // namespace

std::string exchange_name(std::size_t number, Side originator) {
    return fmt::format("Exchange {} of the {}", number, name_of(originator));
}

std::unique_ptr<Reader> make_reader() { return std::make_unique<FcReader>(); }

}  // namespace fabricscope::replay::fibre_channel
