// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/tracker.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine/fcvi/disconnects.h"
#include "analyzer/engine/fcvi/farp_rules.h"
#include "analyzer/engine/fcvi/logouts.h"
#include "analyzer/engine/fcvi/messages.h"
#include "analyzer/engine/fcvi/setups.h"

namespace fabricscope::engine::fcvi {
namespace {

using wire::Category;
using wire::IuType;

constexpr std::size_t least_header = 16;  // words 0 to 3: enough to know what an IU is, and its status

bool begins_exchange(const wire::IuInfo& iu) {
    return iu.category == Category::message_request || iu.category == Category::connect_request;
}

bool is_setup(const wire::IuInfo& iu) {
    return iu.type == IuType::connect_rqst || iu.type == IuType::connect_resp1 || iu.type == IuType::connect_resp2 ||
           iu.type == IuType::connect_resp3;
}

/// RDMA, whose Device_Header has 32 octets in both versions.
bool is_rdma_of_both(ByteView header) {
    constexpr std::uint8_t write_rqst = 0x01, read_rqst = 0x02;
    return header.size() == wire::long_device_header && (header[4] == write_rqst || header[4] == read_rqst);
}

/// Each version has IMM_DATA where the other one has a reserved bit.
std::optional<wire::Version> version_of_flags(ByteView header) {
    constexpr std::uint8_t imm_data_iso = 0x01, imm_data_rev_1_0 = 0x80;
    if (!is_rdma_of_both(header)) return std::nullopt;
    if ((header[5] & imm_data_rev_1_0) != 0) return wire::Version::rev_1_0;
    return (header[5] & imm_data_iso) != 0 ? std::optional(wire::Version::iso) : std::nullopt;
}

/// Of an IU that both versions have: revision 1.0 leaves TOT_LEN zero.
wire::Version likely_version(ByteView header) {
    if (const auto told = version_of_flags(header)) return *told;
    const bool unsaid = is_rdma_of_both(header) && header[5] == 0 &&
                        std::ranges::all_of(header.last(4), [](std::uint8_t octet) { return octet == 0; });
    return unsaid ? wire::Version::rev_1_0 : wire::Version::iso;
}

}  // namespace

class Tracker::State {
public:
    State(Options options, fcvi::Observer* observer)
        : options_(options), observer_(observer != nullptr ? *observer : nobody_) {}

    void on_frame(const fibre_channel::FrameFacts& facts);
    void forget(std::uint32_t kept);
    void finish(const fibre_channel::Logins& logins);

    Logouts& logouts() { return logouts_; }
    const Model& model() const { return model_; }

private:
    void note_login(const fibre_channel::FrameFacts& facts);
    void on_abts(const FrameSeen& seen, Exchange* exchange);
    void on_iu_frame(const FrameSeen& seen, const fibre_channel::FrameFacts& below);
    wire::Version version_of(const FrameSeen& seen, const Exchange* exchange);
    bool goes_elsewhere(const FrameSeen& seen, std::uint32_t handle, const Exchange& exchange) const;
    bool is_of_another(
        const fibre_channel::FrameFacts& below, const wire::DeviceHeader& header, const wire::IuInfo& iu,
        const Exchange& exchange);
    bool is_lacking(const Exchange& exchange, const wire::DeviceHeader& header, const wire::IuInfo& iu);
    Connection* connection_of(const FrameSeen& seen, const Exchange* exchange);
    Exchange& exchange_for(
        const fibre_channel::FrameFacts& below, const wire::DeviceHeader& header, const wire::IuInfo& iu);
    void dispatch(const Arrival& a);
    void note(const Arrival& a);
    void list_iu(const Arrival& a, Connection& connection) const;
    std::optional<std::size_t> begin_iu(const Arrival& a, Connection& connection) const;
    void judge_after_logout(const Arrival& a);

    const Options options_;
    fcvi::Observer nobody_;
    fcvi::Observer& observer_;
    Model model_;
    Verdicts verdicts_{options_, observer_, model_};
    Judge judge_{verdicts_};
    Logins logins_{options_};
    Exchanges exchanges_;
    Connections connections_{options_, model_};
    Timeouts timeouts_{options_, judge_, model_, exchanges_, connections_, logins_};
    IuRules iu_rules_{judge_, connections_};
    FarpRules farp_rules_{judge_, logins_};
    SetupRules setup_rules_{judge_, connections_, logins_};
    MessageRules message_rules_{judge_, connections_, logins_};
    Setups setups_{options_, connections_, iu_rules_, setup_rules_, farp_rules_, timeouts_};
    Disconnects disconnects_{options_, connections_, judge_, timeouts_};
    Logouts logouts_{connections_};
    Messages messages_{options_, observer_, model_, connections_, message_rules_, timeouts_};
    bool finished_ = false;
};

void Tracker::State::on_frame(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    const fc::FrameHeader& header = seen.frame.header;
    logins_.look_at(facts);
    if (header.is_els()) logouts_.on_els(facts);
    note_login(facts);
    timeouts_.pass(seen.time);
    if (header.r_ctl == fc::r_ctl_abts) on_abts(seen, exchanges_.find(facts.kept));
    else if (header.is_els()) farp_rules_.on_els(seen);
    else if (header.type == wire::fc_type && header.is_data()) on_iu_frame(seen, facts);
}

void Tracker::State::note_login(const fibre_channel::FrameFacts& facts) {
    using fibre_channel::Party;
    if (facts.exchange.els != fc::els_plogi || !facts.closes || !facts.accepts()) return;
    const fibre_channel::Exchange& plogi = facts.exchange;
    connections_.note_login(plogi.port(Party::originator), plogi.ox_id, plogi.port(Party::responder), plogi.rx_id);
}

void Tracker::State::forget(std::uint32_t kept) {
    const Exchange& exchange = *exchanges_.find(kept);
    if (!exchange.closed) ++model_.dropped_exchanges;
    timeouts_.settle(exchange);
    disconnects_.settle(exchange);
    messages_.forget(exchange);
    exchanges_.forget(kept);
}

void Tracker::State::finish(const fibre_channel::Logins& logins) {
    if (finished_) return;
    messages_.finish();
    setup_rules_.finish();
    timeouts_.finish();
    exchanges_.for_each([&](const Exchange& exchange) {
        timeouts_.settle(exchange);
        disconnects_.settle(exchange);
    });
    for (Connection& connection : model_.connections)
        for (End& end : connection.end.values) end.port_name = logins.port_name(end.port);
    finished_ = true;
}

void Tracker::State::on_abts(const FrameSeen& seen, Exchange* exchange) {
    if (exchange == nullptr || exchange->connection == 0) return;
    const FrameStamp step = seen.step();
    const bool by_originator = !seen.frame.header.f_ctl.exchange_responder;
    exchange->aborted = true;
    (by_originator ? exchange->aborted_by_originator : exchange->aborted_by_responder) = true;
    if (by_originator && exchange->by_originator.any())
        exchange->aborted_behind_last = seen.frame.header.seq_id == exchange->by_originator.latest_seq_id();
    const Side by = by_originator ? exchange->originator : other(exchange->originator);
    Connection& connection = connections_.at(exchange->connection);
    if (connection.aborts.size() < options_.limits.setups)
        connection.aborts.push_back({step, by, seen.frame.header.ox_id});
    if (exchange->use == Exchange::Use::setup) setups_.on_abts(*exchange, by, step);
    if (exchange->use == Exchange::Use::message) messages_.on_abts(*exchange);
    if (exchange->use == Exchange::Use::disconnect && by_originator) disconnects_.on_abts(*exchange, step);
    timeouts_.look_at_overdue();
}

/// By its Exchange, or by the handle that it goes to.
Connection* Tracker::State::connection_of(const FrameSeen& seen, const Exchange* exchange) {
    if (exchange != nullptr && exchange->connection != 0) return &connections_.at(exchange->connection);
    const std::uint32_t handle = handle_of(seen.frame.device_header());
    const auto* party = connections_.owner_of(destination_of(seen), source_of(seen), handle);
    return party != nullptr ? &connections_.at(party->connection) : nullptr;
}

/// As the user says, as a setup says, as the connection or Exchange has it, as only one version has the IU.
wire::Version Tracker::State::version_of(const FrameSeen& seen, const Exchange* exchange) {
    if (options_.version) return *options_.version;
    const fc::Frame& frame = seen.frame;
    const ByteView header = frame.device_header();
    const std::size_t size = frame.header.df_ctl.device_header_octets();
    constexpr std::uint8_t connect_rqst = 0x10, connect_resp1 = 0x18;
    const bool continued = exchange != nullptr && !exchange->closed && frame.header.seq_cnt != 0;
    if (!continued && (header[4] == connect_rqst || (header[4] == connect_resp1 && exchange == nullptr)))
        return wire::version_of_connect(size, frame.payload_length, frame.payload).version;
    const std::optional<wire::Version> only = wire::version_of(header[4], size);
    if (Connection* connection = connection_of(seen, exchange)) {
        if (!connection->version_known && only) {
            connection->version = *only;
            connection->version_known = true;
        } else if (const auto told = version_of_flags(header); told && !connection->version_known) {
            connection->version = *told;
        }
        return connection->version;
    }
    if (exchange != nullptr) return exchange->version;
    return only.value_or(likely_version(header));
}

/// Whether an IU of a Message belongs to another connection than the Exchange: MSG_IDs begin at 1 on each (5.9.6).
bool Tracker::State::goes_elsewhere(const FrameSeen& seen, std::uint32_t handle, const Exchange& exchange) const {
    const auto* owner = connections_.owner_of(destination_of(seen), source_of(seen), handle);
    if (owner != nullptr && exchange.connection != 0) return owner->connection != exchange.connection;
    const std::optional<std::uint32_t> before = exchange.by(!seen.frame.header.f_ctl.exchange_responder).handle();
    return before && *before != handle;
}

/// Whether the frame belongs to another Exchange than the one that was kept under its OX_ID.
bool Tracker::State::is_of_another(
    const fibre_channel::FrameFacts& below, const wire::DeviceHeader& header, const wire::IuInfo& iu,
    const Exchange& exchange) {
    const FrameSeen seen = below.seen();
    const fc::FCtl& f_ctl = seen.frame.header.f_ctl;
    const bool of_message = exchange.use == Exchange::Use::message || exchange.use == Exchange::Use::stray;
    const auto is_same_message = [&] {
        return header.msg_id() == exchange.msg_id && !(of_message && goes_elsewhere(seen, header.handle(), exchange));
    };
    if (begins_exchange(iu) && !f_ctl.exchange_responder) {
        // A frame that goes on with an open Sequence belongs to it, whatever its Device_Header says.
        if (exchange.by_originator.goes_on_with(seen.frame)) return false;
        const bool begins = f_ctl.first_sequence || exchange.closed;
        if (!begins && (!of_message || is_identified(below))) return false;
        const bool is_disconnect = exchange.use == Exchange::Use::disconnect;
        const bool same = exchange.opcode == iu.opcode && exchange.connection_id == header.connection_id() &&
                          is_same_message() && !(is_disconnect && exchange.by_originator.handle() != header.handle());
        return !same || (exchange.closed && f_ctl.first_sequence && exchange.use != Exchange::Use::message &&
                         seen.frame.header.seq_cnt == 0);
    }
    // Of an Exchange whose beginning was not captured, if it does not fit the one that had the OX_ID before.
    const bool may_be_another = exchange.closed || !is_identified(below) || (below.opens && !f_ctl.first_sequence);
    if (!may_be_another || exchange.by(!f_ctl.exchange_responder).repeats(seen.frame)) return false;
    // As long as a Message waits for its response, handles need not be known well enough to tell.
    if (of_message && is_message(iu)) return exchange.closed ? !is_same_message() : header.msg_id() != exchange.msg_id;
    return !is_lacking(exchange, header, iu);
}

/// Whether a setup, or a Disconnect, still lacks the IU: one that has ended may have it captured late.
bool Tracker::State::is_lacking(const Exchange& exchange, const wire::DeviceHeader& header, const wire::IuInfo& iu) {
    if (exchange.connection == 0) return !exchange.closed;
    const Connection& connection = connections_.at(exchange.connection);
    if (exchange.use == Exchange::Use::setup) {
        const auto id = header.connection_id();
        const bool same_id = !id || !exchange.connection_id || *id == *exchange.connection_id;
        return is_setup(iu) && same_id && !connection.setups[exchange.index].step_of(iu.type);
    }
    const auto& handle = connection.end[exchange.originator].handle;
    const bool same_handle = !handle || header.handle() == *handle || header.handle() == wire::unassigned_handle;
    return !exchange.closed && iu.type == IuType::disconnect_resp && same_handle;
}

/// The Exchange that the frame belongs to, or a new one in its place: OX_IDs are used again at once (5.4).
Exchange& Tracker::State::exchange_for(
    const fibre_channel::FrameFacts& below, const wire::DeviceHeader& header, const wire::IuInfo& iu) {
    std::uint32_t& kept = below.kept;
    Exchange* found = exchanges_.find(kept);
    if (found != nullptr && !is_of_another(below, header, iu, *found)) return *found;
    if (found != nullptr) {
        disconnects_.settle(*found);
        messages_.forget(*found);
    }
    Exchange& exchange = exchanges_.renew(kept);
    exchange.number = kept;
    exchange.version = header.version;
    exchange.opcode = iu.opcode;
    exchange.msg_id = header.msg_id();
    exchange.connection_id = header.connection_id();
    const FrameSeen seen = below.seen();
    if (begins_exchange(iu) && !seen.frame.header.f_ctl.exchange_responder) exchange.request = seen.step();
    return exchange;
}

void Tracker::State::on_iu_frame(const FrameSeen& seen, const fibre_channel::FrameFacts& below) {
    const Exchange* found = exchanges_.find(below.kept);
    const std::uint32_t known = found != nullptr ? found->connection : 0;
    if (seen.frame.header.df_ctl.device_header_octets() == 0) return iu_rules_.on_unreadable(seen, known, nullptr);
    if (seen.frame.device_header().size() < least_header)
        return connections_.note_unread(
            source_of(seen), destination_of(seen),
            seen.frame.esp_header() ? UndecidedReason::encrypted : UndecidedReason::cut);
    const wire::DeviceHeader header = wire::parse_device_header(
        seen.frame.device_header(), seen.frame.header.df_ctl.device_header_octets(), version_of(seen, found));
    FrameFacts facts{.frame = seen.number, .time = seen.time, .version = header.version, .connection = known};
    const wire::IuInfo* iu = header.iu();
    if (iu == nullptr) {
        iu_rules_.on_unreadable(seen, known, &header);
        connections_.note_uncounted(source_of(seen), destination_of(seen));
        return observer_.on_facts(facts);
    }
    Exchange& exchange = exchange_for(below, header, *iu);
    const bool from_originator = !seen.frame.header.f_ctl.exchange_responder;
    const Continuation continuation = exchange.by(from_originator).take(seen.frame, header.version);
    const Arrival a{seen, header, *iu, exchange, continuation, facts, below};
    if (exchange.connection != 0) connections_.state(exchange.connection).hear(seen.step());
    facts.repeated = continuation.repeated;
    if (a.ends_exchange()) {
        exchange.closed = true;
        exchange.closed_by_request |= from_originator;
    }
    if (!continuation.repeated) dispatch(a);
    timeouts_.look_at_overdue();
    facts.connection = exchange.connection;
    if (exchange.connection != 0) note(a);
    if (!continuation.repeated) iu_rules_.on_frame(a);
    observer_.on_facts(facts);
}

void Tracker::State::dispatch(const Arrival& a) {
    switch (a.iu.category) {
        case Category::message_request: messages_.on_request(a); break;
        case Category::message_response: messages_.on_response(a); break;
        default:
            if (is_setup(a.iu)) setups_.on_frame(a);
            else if (a.iu.type == IuType::disconnect_rqst) disconnects_.on_request(a);
            else disconnects_.on_response(a);
    }
}

/// What every frame of a connection adds to its account.
void Tracker::State::note(const Arrival& a) {
    Connection& connection = connections_.at(a.exchange.connection);
    Traffic& traffic = connection.from[a.from()];
    a.facts.from = a.from();
    connections_.state(connection.id).hear(a.step());
    connection.last_time = a.seen.time;
    traffic.last = a.seen.time;
    if (!traffic.first) traffic.first = a.seen.time;
    if (a.continuation.repeated) {
        ++traffic.repeated_frames;
        if (a.exchange.use == Exchange::Use::message) {
            Message& message = model_.messages.opened(a.exchange.index - 1);
            a.facts.message = message.id;
            ++message.repeated_frames;
        }
        return;
    }
    ++traffic.frames;
    if (a.continuation.first_of_iu) {
        judge_after_logout(a);
        ++connection.iu_count;
    }
    list_iu(a, connection);
}

void Tracker::State::list_iu(const Arrival& a, Connection& connection) const {
    std::optional<std::size_t>& place = a.from_originator() ? a.exchange.iu_of_originator : a.exchange.iu_of_responder;
    if (a.continuation.first_of_iu) place = begin_iu(a, connection);
    if (!place || *place >= connection.ius.size() || connection.ius[*place].seq_id != a.frame().header.seq_id) return;
    IuSeen& iu = connection.ius[*place];
    ++iu.frames;
    iu.octets += a.continuation.new_bytes;
}

/// Its place in the list, if there is room.
std::optional<std::size_t> Tracker::State::begin_iu(const Arrival& a, Connection& connection) const {
    if (connection.ius.size() >= options_.limits.ius) return std::nullopt;
    const wire::Status* status = a.header.status();
    const auto* response = std::get_if<wire::MessageResponseHead>(&a.header.head);
    connection.ius.push_back(
        {.step = a.step(),
         .from = a.from(),
         .type = a.iu.type,
         .seq_id = a.frame().header.seq_id,
         .msg_id = a.header.msg_id(),
         .reason = status != nullptr ? std::optional(status->reason) : std::nullopt,
         .failed = response != nullptr && response->resp_err,
         .answers = a.facts.request_frame != 0 ? std::optional(a.facts.request_time) : std::nullopt});
    return connection.ius.size() - 1;
}

/// 7.7.1
void Tracker::State::judge_after_logout(const Arrival& a) {
    const ConnectionState& state = connections_.state(a.exchange.connection);
    const std::optional<FrameStamp>& logout = state.sender[a.from()].logout;
    if (!logout) return;
    if (state.reordered) return judge_.undecided(rules::silence_after_end, UndecidedReason::out_of_order);
    // Perhaps the connection began behind it, or this came before it.
    if (may_be_swapped(*state.first, *logout) || may_be_swapped(*logout, a.step()))
        return judge_.undecided(rules::silence_after_end, UndecidedReason::interface_order);
    judge_.unless(
        connections_.lack_of_exchanges(a, a.from()), rules::silence_after_end, false, a,
        [&] { return fmt::format("{} after a logout, or from a port that has lost its address", a.iu.name); },
        {logout->frame});
}

Tracker::Tracker(Options options, fcvi::Observer* observer) : state_(std::make_unique<State>(options, observer)) {}
Tracker::~Tracker() = default;

void Tracker::on_frame(const fibre_channel::FrameFacts& facts) { state_->on_frame(facts); }
void Tracker::on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) {
    const bool by_fabric = login.kind == fibre_channel::LoginKind::fabric && said_by == fibre_channel::Party::responder;
    if (by_fabric) state_->logouts().on_login(login);
}
void Tracker::on_wrong_answer(const fibre_channel::Login& login) { state_->logouts().on_wrong_answer(login); }
void Tracker::on_forgotten(std::uint32_t kept) { state_->forget(kept); }
void Tracker::on_end(const fibre_channel::Logins& logins) { state_->finish(logins); }
RuleOutcomes Tracker::outcomes() const { return state_->model().outcomes(); }
const Model& Tracker::model() const { return state_->model(); }

}  // namespace fabricscope::engine::fcvi
