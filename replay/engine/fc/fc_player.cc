// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/fc_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "protocols/fc/els.h"
#include "replay/engine/fc/attached.h"
#include "replay/engine/fc/emulated_parts.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;
using stack_fc::ExchangeHandle;
using stack_fc::IncomingIu;

class FcPlayer final : public Player, private stack_fc::ExchangeUser {
public:
    FcPlayer(
        const Recording& recording, Side played, const PlayOptions& options, const stack_fc::ExchangeConfig& config)
        : recording_(recording),
          script_(recording.conversation, played, options.pace),
          patience_(stack::later(options.patience, 2 * longest_gap(recording.conversation))),
          exchanges_(config, 0, frames_, stack::Random(recording.ports[played] + 1)) {
        exchanges_.set_port_id(recording.ports[played]);
        for (const RecordedExchange& exchange : recording.exchanges) {
            exchanges_.set_user(exchange.type, *this);
            contexts_.emplace(exchange.name, exchange.context);
        }
    }

    // ---- as an endpoint ----

    void start(Time now) override {
        script_.start(now);
        started_ = true;
        moved_ = now;
        play_on(now);
    }
    void on_frame(Time now, std::size_t /*port*/, ByteView frame) override {
        exchanges_.on_frame(now, frame);
        play_on(now);
    }
    void on_timer(Time now) override {
        exchanges_.on_timer(now);
        play_on(now);
        if (now >= patience_ends()) give_up();
    }
    Time wakeup() const override {
        const Time next = started_ && !given_up_ ? script_.wakeup() : stack::never;
        return std::min({exchanges_.wakeup(), next, patience_ends()});
    }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        frames.clear();
        std::swap(frames, frames_);
    }

    bool over() const override { return script_.over(); }
    std::string waiting_for() const override { return script_.waiting_for(); }
    std::vector<std::string> notes() const override { return notes_; }

    bool peer_leaves() const override { return peer_leaves_; }
    /// Whoever is logged in logs out.
    void leave(Time now) override {
        given_up_ = true;
        bool logged_in = false;
        for (std::size_t i = 0; i < recording_.conversation.messages.size(); ++i) {
            const std::string& name = script_.message(i).name;
            if (script_.done(i) && (name == "PLOGI" || name == "LOGO")) logged_in = name == "PLOGI";
        }
        if (logged_in) log_out(now);
    }

private:
    /// An Exchange of this run.
    struct ExchangeState {
        std::string exchange;
        IuContext context;
        std::optional<SequenceSeen> data;  ///< of the other side, that goes on
    };

    // ---- receiving ----

    void on_iu(Time now, const IncomingIu& iu) override {
        ExchangeState& state = state_of(iu);
        SequenceSeen sequence{iu.first, iu.last, iu.device_header, iu.payload};
        if (state.data) {
            if (is_data(sequence.first)) {
                append(*state.data, std::move(sequence));
                if (goes_on(state.data->last)) return;
                return received(now, state, *std::exchange(state.data, std::nullopt));
            }
            received(now, state, *std::exchange(state.data, std::nullopt));
        }
        if (is_data(sequence.first) && goes_on(sequence.last)) state.data = std::move(sequence);
        else received(now, state, sequence);
    }

    void received(Time now, const ExchangeState& state, const SequenceSeen& sequence) {
        moved_ = now;
        const std::string name = name_of(sequence, state.context);
        const bool all_played = script_.over();
        if (script_.received(now, state.exchange, name, message_octets(sequence))) return;
        if (all_played && name == "LOGO") peer_leaves_ = true;
        else notes_.push_back(fmt::format("{}: {} was not recorded", state.exchange, name.empty() ? "an IU" : name));
    }

    void on_abts(Time now, ExchangeHandle exchange) override {
        moved_ = now;
        const auto state = states_.find(exchange);
        if (state == states_.end()) return;
        if (const auto index = script_.expected(state->second.exchange, "ABTS")) script_.sent(now, *index);
        else notes_.push_back(fmt::format("{}: ABTS was not recorded", state->second.exchange));
    }

    void on_failure(Time /*now*/, ExchangeHandle exchange, stack_fc::Failure failure) override {
        const auto state = states_.find(exchange);
        if (state != states_.end() && failure != stack_fc::Failure::aborted)
            notes_.push_back(fmt::format("{}: frames were not acknowledged, or refused", state->second.exchange));
    }

    ExchangeState& state_of(const IncomingIu& iu) {
        const auto known = states_.find(iu.exchange);
        if (known != states_.end()) return known->second;
        ExchangeState state;
        const Side originator = other(script_.played());
        state.exchange = exchange_name(++begun_by_other_, originator);
        if (const auto recorded = contexts_.find(state.exchange); recorded != contexts_.end())
            state.context = recorded->second;
        handles_[state.exchange] = iu.exchange;
        return states_.emplace(iu.exchange, std::move(state)).first->second;
    }

    // ---- sending ----

    void play_on(Time now) {
        if (!started_ || given_up_) return;
        while (const auto index = script_.ready(now)) {
            moved_ = now;
            send(now, *index);
            script_.sent(now, *index);
        }
    }

    // ---- patience ----

    static Time longest_gap(const Conversation& recorded) {
        constexpr Time most = 3'600 * capture::second;
        Time longest = 0;
        for (std::size_t i = 1; i < recorded.messages.size(); ++i)
            longest = std::max(longest, recorded.messages[i].time - recorded.messages[i - 1].time);
        return std::min(longest, most);
    }

    Time patience_ends() const {
        if (!started_ || given_up_ || script_.over()) return stack::never;
        const Time planned = script_.wakeup();
        return stack::later(planned == stack::never ? moved_ : std::max(moved_, planned), patience_);
    }

    /// What is open stays so: an ABTS would be one more difference.
    void give_up() {
        given_up_ = true;
        notes_.push_back(fmt::format(
            "nothing happened for {:.3g} s while waiting for {}",
            static_cast<double>(patience_) / static_cast<double>(capture::second), waiting_for()));
    }

    void log_out(Time now) {
        stack_fc::NPortConfig port;
        stack_fc::RemotePort remote;
        configure_logins(recording_, script_.played(), port, remote);
        fc::Logo logo;
        logo.port_id = recording_.ports[script_.played()];
        logo.port_name = port.port_name;
        stack_fc::OutgoingIu iu;
        iu.r_ctl = fc::r_ctl_els_request;
        iu.payload = layout::octets_of(logo);
        iu.passes_initiative = true;
        iu.note = "logs out";
        exchanges_.send(now, exchanges_.open(fc::type_els, peer()), std::move(iu));
    }

    /// 0 if the other side has not begun the Exchange.
    ExchangeHandle handle_of(std::size_t index) {
        const RecordedExchange& exchange = recording_.exchange_of(index);
        if (const auto known = handles_.find(exchange.name); known != handles_.end()) return known->second;
        if (exchange.originator != script_.played()) return 0;
        const ExchangeHandle handle = exchanges_.open(exchange.type, peer(), exchange.service_class);
        handles_[exchange.name] = handle;
        states_[handle] = {exchange.name, exchange.context, {}};
        return handle;
    }

    std::uint32_t peer() const { return recording_.ports[other(script_.played())]; }

    void send(Time now, std::size_t index) {
        const Message& message = script_.message(index);
        const ExchangeHandle handle = handle_of(index);
        if (handle == 0) {
            notes_.push_back(fmt::format("{}: {} had nothing to go to", message.channel, message.name));
            return;
        }
        if (message.name == "ABTS") return exchanges_.abort(now, handle, note_of(message));
        const Octets octets = script_.bindings().translated(message);
        const fc::Frame frame = frame_of(octets);
        std::size_t at = 0;
        for (const Piece& piece : recording_.cuts[index].pieces) {
            // Translated, a damaged header may leave less than the pieces had.
            const std::size_t size = std::min<std::size_t>(piece.octets, frame.payload.size() - at);
            send_piece(now, handle, piece, frame, frame.payload.subspan(at, size), at == 0 ? note_of(message) : "");
            at += size;
        }
    }

    void send_piece(
        Time now, ExchangeHandle handle, const Piece& piece, const fc::Frame& message, ByteView payload,
        std::string note) {
        stack_fc::OutgoingIu iu;
        const ByteView device_header = message.device_header();
        iu.r_ctl = piece.first.r_ctl;
        iu.device_header.assign(device_header.begin(), device_header.end());
        iu.payload.assign(payload.begin(), payload.end());
        iu.last_sequence = piece.last.f_ctl.last_sequence;
        iu.passes_initiative = piece.last.f_ctl.sequence_initiative;
        if (piece.first.f_ctl.relative_offset_present) iu.relative_offset = piece.first.parameter;
        iu.parameter = piece.first.parameter;
        if (piece.first.rx_id == 0) iu.rx_id = std::uint16_t{0};  // FC-AE-RDMA, 4.2.4.6
        iu.like = piece.first;
        iu.note = std::move(note);
        exchanges_.send(now, handle, std::move(iu));
    }

    static std::string note_of(const Message& message) {
        return fmt::format("plays {} of frame {}", message.name, message.frame);
    }

    const Recording& recording_;
    Script script_;
    Time patience_;  ///< what took its time in the recording may take it here
    std::vector<stack::OutgoingFrame> frames_;
    stack_fc::Exchanges exchanges_;
    std::map<ExchangeHandle, ExchangeState> states_;
    std::map<std::string, ExchangeHandle> handles_;  ///< by exchange
    std::map<std::string, IuContext> contexts_;      ///< of recorded Exchanges
    std::size_t begun_by_other_ = 0;
    std::vector<std::string> notes_;
    Time moved_ = 0;  ///< when a message came or went last
    bool started_ = false, given_up_ = false, peer_leaves_ = false;
};

}  // namespace

AttachedPlayer play(const Recording& recording, Side played, const PlayOptions& options) {
    if (options.addresses) throw NotPlayable("an N_Port is played against emulated ones only");
    return attached<AttachedPlayer>(
        recording, played,
        std::make_unique<FcPlayer>(recording, played, options, exchange_config_of(recording, played)));
}

}  // namespace fabricscope::replay::fibre_channel
