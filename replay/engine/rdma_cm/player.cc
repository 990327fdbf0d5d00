// SPDX-License-Identifier: GPL-2.0-or-later
// Plays one side of a connection: its CM messages as recorded, under the names of this run, and its queue pair's part.
#include <fmt/format.h>

#include <algorithm>

#include "protocols/ib/mad.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/rdma_cm/recorded_endpoint.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace wire = fabricscope::rdma_cm;
using stack::never;

constexpr const char* service_id_filter = "rdma_ip_cm.service_id";
constexpr std::uint8_t usual_response_timeout = 20;  // 4 s
constexpr std::uint8_t usual_cm_retries = 15;
constexpr std::uint8_t rejects_nothing_known = 2;  // IBA 12.6.7

/// Of what copies of a session call themselves, the part above their number.
constexpr std::uint64_t copied_names = 0x02FA'0000'0000'0000;

/// The last octets of an address, as many as the field has.
Value address_value(const Gid& address, std::size_t width) {
    return {address.octets.end() - static_cast<std::ptrdiff_t>(width), address.octets.end()};
}

bool ends_connection(const Message& message) { return message.name == "DREQ" || message.name == "REJ"; }

bool wants_answer(const Message& message) {
    return message.name == "REQ" || message.name == "REP" || message.name == "DREQ" || message.name == "LAP" ||
           message.name == "SIDR_REQ";
}

class CmPlayer final : public Player {
public:
    CmPlayer(const Recording& recording, Side played, const PlayOptions& options)
        : recording_(recording),
          options_(options),
          adapter_(adapter_config(recording, played, options), 0, frames_, stack::Random(1)),
          endpoint_(
              recording, played, options.pace, adapter_, peer_address(recording, played, options),
              RecordedEndpoint::Names::recorded) {
        if (options.addresses) bind_addresses(*options.addresses);
        for (std::size_t i = 1; i < messages().size(); ++i)
            longest_gap_ = std::max(longest_gap_, messages()[i].time - messages()[i - 1].time);
    }

    void start(Time now) override {
        started_ = true;
        endpoint_.script().start(now);
        watches_ = recording_.timed_out && played() == Side::server;
        note_progress(now);
        play(now);
    }

    void on_frame(Time now, std::size_t /*port*/, ByteView frame) override {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        for (const ConversationMessage& received : endpoint_.receive(packet)) on_message(now, received);
        endpoint_.connect_if_known(now);
        adapter_.on_packet(now, packet);
        play(now);
    }

    void on_timer(Time now) override {
        adapter_.on_timer(now);
        if (repetition_ && repetition_->at <= now) repeat(now);
        if (gives_up_at() <= now) give_up();
        play(now);
    }

    Time wakeup() const override {
        if (!started_ || stopped_) return never;
        Time earliest = std::min(adapter_.wakeup(), gives_up_at());
        if (!held_) earliest = std::min(earliest, endpoint_.script().wakeup());
        if (repetition_) earliest = std::min(earliest, repetition_->at);
        return earliest;
    }

    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        endpoint_.record_sent(frames_);
        endpoint_.frames_taken();
        frames.clear();
        frames.swap(frames_);
    }

    bool over() const override { return !stopped_ && endpoint_.script().over() && !repetition_ && !watches_; }
    std::string waiting_for() const override {
        if (std::string message = endpoint_.script().waiting_for(); !message.empty()) return message;
        if (repetition_) return "the last repetition of " + endpoint_.script().message(repetition_->message).name;
        return watches_ ? "the client to give up" : "nothing: it made no sense to go on";
    }
    std::vector<std::string> notes() const override {
        std::vector<std::string> notes = notes_;
        notes.insert(notes.end(), endpoint_.notes().begin(), endpoint_.notes().end());
        return notes;
    }

    bool peer_leaves() const override { return peer_leaves_; }
    void leave(Time now) override {
        // The peer may not have got it.
        if (repetition_ && messages()[repetition_->message].name == "DREQ")
            send_mad(sent_mads_.at(repetition_->message));
        repetition_.reset();
        watches_ = false;
        stopped_ = true;
        if (ends_ || !started_) return;
        const ib::CmRep* const reply = endpoint_.assembler().reply();
        if (reply != nullptr && played() == Side::client && waits_for_confirmation()) reject(*reply);
        else if (reply != nullptr) disconnect(*reply);
        else if (endpoint_.assembler().request() != nullptr) reject(*endpoint_.assembler().request());
        ends_ = true;
        note_progress(now);
    }

private:
    /// A message that is repeated as long as no answer comes (IBA 12.9.8).
    struct Repetition {
        std::size_t message = 0;
        Time at = 0;
        unsigned left = 0;
    };

    static stack::AdapterConfig adapter_config(const Recording& recording, Side played, const PlayOptions& options) {
        stack::AdapterConfig config;
        config.address = recording.addresses[played];
        config.carrier = recording.carrier;
        if (options.addresses) config.address = {options.addresses->own_mac, options.addresses->own_ip};
        return config;
    }

    static stack::IbAddress peer_address(const Recording& recording, Side played, const PlayOptions& options) {
        if (!options.addresses) return recording.addresses[engine::other(played)];
        return {options.addresses->peer_mac, options.addresses->peer_ip};
    }

    const std::vector<Message>& messages() const { return recording_.conversation.messages; }
    Side played() const { return endpoint_.side(); }

    // ---- addresses of this run ----

    void bind_addresses(const LiveAddresses& live) {
        const auto ip_of = [&](Side side) { return side == played() ? live.own_ip : live.peer_ip; };
        for (const Side side : {Side::client, Side::server}) {
            const Gid& recorded = recording_.addresses[side].gid;
            if (recording_.carrier == capture::IbCarrier::roce_v2 && recorded.is_ipv4() != ip_of(side).is_ipv4())
                throw NotPlayable("the recording and this run have different versions of IP");
            bind(gid_kind, side, address_value(recorded, 16), address_value(ip_of(side), 16));
        }
        const Message& request = messages().front();
        for (const FieldAt& field : fields_of(request, request.octets)) {
            const FieldRule rule = rule_of(request, field);
            const Side owner = owner_of(rule, request.from);
            const Value recorded = value_of(request.octets, field);
            if (rule.kind == ip_kind) bind(ip_kind, owner, recorded, address_value(ip_of(owner), field.width));
        }
        Bindings& names = endpoint_.script().bindings();
        if (live.own_port) names.bind_number(port_kind, played(), request, *live.own_port);
        for (const std::string_view kind : {comm_id_kind, ca_guid_kind})
            if (live.copy) names.bind_number(kind, played(), request, copied_names | *live.copy);
    }

    void bind(std::string_view kind, Side owner, const Value& recorded, const Value& actual) {
        endpoint_.script().bindings().bind(kind, owner, recorded, actual);
    }

    /// The server's port is in the service id (A11.5).
    void set_port(Octets& octets, const Message& message) const {
        if (!options_.addresses || played() != Side::client || !options_.addresses->peer_port) return;
        for (const FieldAt& field : fields_of(message, octets)) {
            if (field.filter() != service_id_filter) continue;
            const std::uint64_t service_id = number_of(value_of(octets, field));
            if (!wire::has_ip_header(service_id)) continue;
            constexpr std::uint64_t port_mask = 0xFFFF;
            const std::uint64_t moved = (service_id & ~port_mask) | *options_.addresses->peer_port;
            set_value(octets, field, value_of_number(moved, field));
        }
    }

    // ---- playing ----

    void play(Time now) {
        if (!started_ || stopped_) return;
        held_ = false;
        process_completions(now);
        while (const std::optional<std::size_t> next = endpoint_.script().ready(now)) {
            if (is_held(messages()[*next])) {
                held_ = true;
                return;
            }
            send(now, *next);
            process_completions(now);
        }
    }

    void process_completions(Time now) {
        endpoint_.record_sent(frames_);
        endpoint_.connect_if_known(now);
        for (; !adapter_.completions().empty(); adapter_.completions().pop_front()) {
            const stack::Completion& completion = adapter_.completions().front();
            if (completion.qpn != ib::gsi_qpn) endpoint_.on_completion(completion);
        }
    }

    /// Data are acknowledged before their connection goes, and nobody gives up before having tried.
    bool is_held(const Message& message) {
        if (message.channel != cm_channel) return false;
        if (message.name == "REJ" && repetition_) {
            const wire::Message parsed = wire::parse(message.octets);
            return std::get<wire::Rej>(parsed.body).body.reason == ib::reject_timeout;
        }
        return message.name == "DREQ" && !endpoint_.all_acknowledged();
    }

    void send(Time now, std::size_t index) {
        const Message& message = messages()[index];
        if (message.channel == cm_channel) {
            Octets octets = endpoint_.script().bindings().translated(message);
            set_port(octets, message);
            send_mad(octets);
            sent_mads_[index] = std::move(octets);
            if (wants_answer(message)) repetition_ = Repetition{index, now + response_time(), cm_retries()};
        } else {
            endpoint_.send(now, message);
        }
        ends_ = ends_ || ends_connection(message);
        endpoint_.script().sent(now, index);
        note_progress(now);
    }

    void send_mad(const Octets& mad) {
        adapter_.send_datagram(ib::gsi_qpn, endpoint_.peer(), ib::gsi_qpn, ib::gsi_q_key, mad);
    }

    Time response_time() const {
        const wire::Req* const request = recording_.assembler.request();
        const std::uint8_t code = request != nullptr ? request->body.remote_response_timeout : usual_response_timeout;
        return stack::coded_timeout(std::max<std::uint8_t>(code, 1));
    }

    unsigned cm_retries() const {
        const wire::Req* const request = recording_.assembler.request();
        return request != nullptr ? request->body.max_cm_retries : usual_cm_retries;
    }

    void repeat(Time now) {
        if (repetition_->left == 0) {
            note_progress(now);
            return repetition_.reset();
        }
        --repetition_->left;
        repetition_->at = now + response_time();
        send_mad(sent_mads_.at(repetition_->message));
    }

    // ---- receiving ----

    void on_message(Time now, const ConversationMessage& received) {
        const Message& message = received.message;
        note_progress(now);
        ends_ = ends_ || ends_connection(message);
        if (received.retransmitted) return answer_again(message);
        const auto recorded = endpoint_.script().received(now, message.channel, message.name, message.octets);
        if (message.channel == cm_channel) {
            if (message.name == "MRA" && repetition_) {
                const wire::Message parsed = wire::parse(message.octets);
                repetition_->at = now + response_time() +
                                  stack::coded_timeout(std::get<ib::CmMra>(parsed.body).service_timeout);
            } else {
                repetition_.reset();
            }
        }
        if (recorded) received_mads_.push_back({message.octets, *recorded});
        else unexpected(message);
    }

    /// The peer has not got what it was answered (IBA 12.9.8.5).
    void answer_again(const Message& message) {
        const auto known = std::ranges::find(received_mads_, message.octets, &ReceivedMad::octets);
        if (known == received_mads_.end()) return;
        for (const auto& [index, octets] : sent_mads_)
            if (messages()[index].answers == known->recorded) send_mad(octets);
    }

    void unexpected(const Message& message) {
        peer_leaves_ = peer_leaves_ || (endpoint_.script().over() && message.name == "DREQ");
        notes_.push_back(fmt::format("the peer sent {} {}, which was not recorded", message.channel, message.name));
        if (message.channel != cm_channel) return;
        const wire::Message parsed = wire::parse(message.octets);
        if (const auto* dreq = std::get_if<ib::CmDreq>(&parsed.body)) agree(parsed, *dreq);
        else if (message.name != "REJ") return;
        stopped_ = true;
    }

    /// The peer wants to end what the recording goes on with.
    void agree(const wire::Message& message, const ib::CmDreq& dreq) {
        wire::Message answer;
        answer.mad.transaction_id = message.mad.transaction_id;
        answer.mad.attribute_id = static_cast<std::uint16_t>(ib::CmAttribute::drep);
        answer.body = ib::CmDrep{dreq.remote_comm_id, dreq.local_comm_id};
        send_mad(wire::build(answer));
    }

    // ---- timeouts ----

    void note_progress(Time now) { last_progress_ = now; }

    /// What took its time in the recording may take it here.
    Time gives_up_at() const {
        if (watches_) return last_progress_ + 4 * response_time();
        if (endpoint_.script().over() || (repetition_ && recording_.timed_out)) return never;
        return last_progress_ + options_.patience + 2 * longest_gap_;
    }

    void give_up() {
        if (std::exchange(watches_, false)) return;
        notes_.emplace_back("the peer did not answer in time");
        stopped_ = true;
        if (endpoint_.assembler().reply() != nullptr && !std::exchange(ends_, true))
            disconnect(*endpoint_.assembler().reply());
    }

    /// Nothing is left behind at the peer.
    void disconnect(const ib::CmRep& rep) {
        const bool server = played() == Side::server;
        wire::Message request;
        request.mad.transaction_id = rep.local_comm_id;
        request.mad.attribute_id = static_cast<std::uint16_t>(ib::CmAttribute::dreq);
        ib::CmDreq dreq;
        dreq.local_comm_id = server ? rep.local_comm_id : rep.remote_comm_id;
        dreq.remote_comm_id = server ? rep.remote_comm_id : rep.local_comm_id;
        dreq.remote_qpn = endpoint_.assembler().ends()[engine::other(played())].qpn.value_or(0);
        request.body = dreq;
        send_mad(wire::build(request));
    }

    /// Before there is a REP: of a client, it has given up; of a server, it does not want to.
    void reject(const wire::Req& req) {
        const bool server = played() == Side::server;
        wire::Rej rej;
        rej.body.local_comm_id = server ? 0 : req.body.local_comm_id;
        rej.body.remote_comm_id = server ? req.body.local_comm_id : 0;
        rej.body.message = server ? ib::rejects_req : rejects_nothing_known;
        rej.body.reason = server ? ib::consumer_reject : ib::reject_timeout;
        send_rejection(rej, req.body.local_comm_id);
    }

    /// The server has replied, and the client has not confirmed it.
    bool waits_for_confirmation() const {
        for (std::size_t i = 0; i < messages().size(); ++i)
            if (messages()[i].name == "RTU") return !endpoint_.script().done(i);
        return false;
    }

    /// The connection has not come to be: a DREQ would leave a server waiting that has no RTU (IBA 12.9.7.1).
    void reject(const ib::CmRep& rep) {
        wire::Rej rej;
        rej.body.local_comm_id = rep.remote_comm_id;
        rej.body.remote_comm_id = rep.local_comm_id;
        rej.body.message = ib::rejects_rep;
        rej.body.reason = ib::consumer_reject;
        send_rejection(rej, rep.remote_comm_id);
    }

    void send_rejection(wire::Rej rej, std::uint32_t transaction) {
        const Octets nothing(ib::ari_size);
        rej.additional = nothing;
        wire::Message rejection;
        rejection.mad.transaction_id = transaction;
        rejection.mad.attribute_id = static_cast<std::uint16_t>(ib::CmAttribute::rej);
        rejection.body = rej;
        send_mad(wire::build(rejection));
    }

    struct ReceivedMad {
        Octets octets;
        std::size_t recorded;
    };

    const Recording& recording_;
    PlayOptions options_;
    std::vector<stack::OutgoingFrame> frames_;
    stack::Adapter adapter_;
    RecordedEndpoint endpoint_;
    bool started_ = false;
    bool held_ = false;     ///< what is ready waits for something to happen
    bool watches_ = false;  ///< a client that is not answered is watched until it gives up
    bool stopped_ = false;  ///< it makes no sense to go on
    bool peer_leaves_ = false;
    bool ends_ = false;  ///< a message has told that the connection ends
    std::optional<Repetition> repetition_;
    std::map<std::size_t, Octets> sent_mads_;  ///< CM messages, by their number in the recording
    std::vector<ReceivedMad> received_mads_;
    Time last_progress_ = 0;
    Time longest_gap_ = 0;
    std::vector<std::string> notes_;
};

}  // namespace

AttachedPlayer make_player(const Recording& recording, Side played, const PlayOptions& options) {
    AttachedPlayer attached;
    attached.addresses = {options.addresses ? options.addresses->own_mac : recording.addresses[played].mac};
    attached.endpoint = std::make_unique<CmPlayer>(recording, played, options);
    return attached;
}

}  // namespace fabricscope::replay::rdma_cm
