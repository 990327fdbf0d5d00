// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/exchanges.h"

#include <algorithm>

namespace fabricscope::stack::fibre_channel {
namespace {

constexpr std::uint8_t ack_asks_for_abts = 1;  ///< Abort Sequence Condition 01b (FC-PH 18.5)
constexpr unsigned most_times_busy = 8;
/// Action code and reason of P_BSY: the Sequence goes on; resource busy (FC-PH 20.3.3.2).
constexpr std::uint32_t p_bsy_no_buffer = 0x0203'0000;
/// Of P_RJT: not retryable.
constexpr std::uint32_t p_rjt_final = 0x0200'0000;

Rejection reason_of(const fc::FrameHeader& p_rjt) { return static_cast<Rejection>(p_rjt.parameter >> 16 & 0xFF); }

/// FC-2's own are what tells the Exchange and the place in it; who sends an IU says when it ends.
void make_like(fc::FrameHeader& header, const fc::FrameHeader& like) {
    const fc::FCtl own = header.f_ctl;
    header.type = like.type;
    header.preference = like.preference;
    header.class_control = like.class_control;
    header.f_ctl = like.f_ctl;
    header.f_ctl.exchange_responder = own.exchange_responder;
    header.f_ctl.last_sequence = own.last_sequence;
    header.f_ctl.relative_offset_present = own.relative_offset_present;
}

}  // namespace

// ---- the Exchanges there are -------------------------------------------------------------------------

bool Exchanges::is_ours(std::uint32_t d_id) const {
    return port_id_ == 0 || d_id == port_id_ || d_id == fc::broadcast || served_.contains(d_id);
}

Exchanges::Exchange* Exchanges::find(ExchangeHandle handle) {
    const auto found = exchanges_.find(handle);
    return found == exchanges_.end() ? nullptr : &found->second;
}

ExchangeHandle Exchanges::handle_of(const Key& key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? 0 : found->second;
}

ExchangeHandle Exchanges::create(Exchange exchange) {
    index_[exchange.key] = ++last_handle_;
    exchanges_.emplace(last_handle_, std::move(exchange));
    return last_handle_;
}

void Exchanges::erase(ExchangeHandle handle) {
    Exchange* exchange = find(handle);
    if (exchange == nullptr) return;
    if (handle_of(exchange->key) == handle) index_.erase(exchange->key);
    wait_for_ack(handle, *exchange, never);
    exchanges_.erase(handle);
}

void Exchanges::wait_for_ack(ExchangeHandle handle, Exchange& exchange, Time until) {
    if (exchange.ack_deadline != never) ack_deadlines_.erase({exchange.ack_deadline, handle});
    exchange.ack_deadline = until;
    if (until != never) ack_deadlines_.emplace(until, handle);
}

/// What is over is remembered for R_A_TOV, so that late copies of its frames are known.
void Exchanges::end(Time now, Exchange& exchange) {
    if (exchange.ended) return;
    forget_old(now);
    exchange.ended = true;
    const ExchangeHandle handle = handle_of(exchange.key);
    wait_for_ack(handle, exchange, never);
    Port& port = ports_[exchange.key.peer];
    std::erase_if(port.waiting, [&](const Waiting& one) { return one.exchange == handle; });
    port.unacknowledged -= exchange.unacknowledged.size();
    exchange.unacknowledged.clear();
    endings_.emplace_back(handle, now + config_.r_a_tov);
}

/// They end in order, nearly.
void Exchanges::forget_old(Time now) {
    while (!endings_.empty() && endings_.front().second <= now) {
        erase(endings_.front().first);
        endings_.pop_front();
    }
}

/// An OX_ID may be used again as soon as its Exchange is complete, but R_A_TOV after an ABTS (FC-FS, Exchange
/// identifiers; Recovery_Qualifier).
std::optional<Exchanges::Key> Exchanges::free_key(std::uint32_t peer) {
    for (unsigned tried = 0; tried < fc::unassigned_x_id; ++tried) {
        if (next_x_id_ == fc::unassigned_x_id) ++next_x_id_;
        const Key key{peer, next_x_id_++, true};
        const Exchange* before = find(handle_of(key));
        if (before == nullptr || (before->ended && !before->aborting && !before->aborted)) return key;
    }
    return std::nullopt;
}

ExchangeHandle Exchanges::open(std::uint8_t type, std::uint32_t peer, int service_class, bool preference) {
    const std::optional<Key> key = free_key(peer);
    if (!key) return 0;
    Exchange exchange;
    exchange.key = *key;
    if (const ExchangeHandle before = handle_of(*key); before != 0) {
        // Other SEQ_IDs tell its frames from late copies of those before.
        exchange.next_seq_id = find(before)->next_seq_id;
        erase(before);
    }
    exchange.type = type;
    exchange.service_class = service_class;
    exchange.preference = preference;
    exchange.local = port_id_;
    exchange.remote = peer;
    return create(std::move(exchange));
}

void Exchanges::answer_to(ExchangeHandle handle, std::uint32_t address) {
    if (Exchange* exchange = find(handle); exchange != nullptr) exchange->remote = address;
}

void Exchanges::drop_all(Time now, std::uint32_t peer) {
    for (auto& [handle, exchange] : exchanges_)
        if (exchange.key.peer == peer && exchange.type != fc::type_els) end(now, exchange);
}

// ---- sending -----------------------------------------------------------------------------------------

fc::FrameHeader Exchanges::header_of(const Exchange& exchange) const {
    fc::FrameHeader header;
    header.s_id = exchange.local;
    header.d_id = exchange.remote;
    header.type = exchange.type;
    header.preference = exchange.preference;
    header.ox_id = exchange.key.ox_id;
    header.rx_id = exchange.rx_id;
    header.f_ctl.exchange_responder = !exchange.key.own;
    if (exchange.service_class == 2) {
        const auto port = ports_.find(exchange.key.peer);
        const bool ack_0 = port != ports_.end() && port->second.ack_0;
        header.f_ctl.ack_form = ack_0 ? fc::AckForm::ack_0 : fc::AckForm::ack_1;
    }
    return header;
}

void Exchanges::send(Time now, ExchangeHandle handle, OutgoingIu iu) {
    Exchange* exchange = find(handle);
    if (exchange == nullptr || exchange->ended) return;
    fc::FrameHeader header = header_of(*exchange);
    header.r_ctl = iu.r_ctl;
    header.seq_id = exchange->next_seq_id++;
    if (iu.rx_id) header.rx_id = *iu.rx_id;
    header.f_ctl.first_sequence = exchange->key.own && !exchange->anything_sent;
    header.f_ctl.last_sequence = iu.last_sequence;
    header.f_ctl.relative_offset_present = iu.relative_offset.has_value();
    header.parameter = iu.relative_offset.value_or(iu.parameter);
    if (iu.like) make_like(header, *iu.like);
    exchange->anything_sent = true;
    const std::size_t fit = config_.data_field_size - iu.device_header.size();
    const std::size_t most = iu.payload_of_frame == 0 ? fit : std::min(fit, iu.payload_of_frame);
    std::size_t at = 0;
    do {
        const ByteView payload = ByteView(iu.payload).subspan(at, std::min(most, iu.payload.size() - at));
        const bool first = at == 0;
        at += payload.size();
        header.seq_cnt = exchange->next_seq_cnt++;
        header.f_ctl.end_sequence = at == iu.payload.size();
        header.f_ctl.sequence_initiative = header.f_ctl.end_sequence && iu.passes_initiative;
        Waiting frame = frame_of(*exchange, header, iu.device_header, payload, first);
        frame.exchange = handle;
        if (first) frame.note = std::move(iu.note);
        if (exchange->service_class == 2) ports_[exchange->key.peer].waiting.push_back(std::move(frame));
        else emit(header.d_id, frame.frame, std::move(frame.note));
        if (iu.relative_offset) header.parameter += static_cast<std::uint32_t>(payload.size());
    } while (at < iu.payload.size());
    if (exchange->service_class == 2) pump(now, exchange->key.peer);
    exchange->last_sequence_sent = iu.last_sequence;
    if (iu.last_sequence && exchange->service_class != 2) end(now, *exchange);
}

Exchanges::Waiting Exchanges::frame_of(
    const Exchange& exchange, const fc::FrameHeader& header, ByteView device_header, ByteView payload,
    bool first) const {
    builders::FcFrame frame = builders::fc_frame(header, device_header, payload);
    frame.sof = builders::sof_of(exchange.service_class, first);
    frame.eof = header.f_ctl.end_sequence && exchange.service_class != 2 ? fc::Eof::t : fc::Eof::n;
    return {.exchange = 0, .frame = std::move(frame), .header = header, .note = {}};
}

void Exchanges::pump(Time now, std::uint32_t peer) {
    Port& port = ports_[peer];
    while (!port.waiting.empty() && (port.ack_0 || port.unacknowledged < config_.end_to_end_credit)) {
        Waiting next = std::move(port.waiting.front());
        port.waiting.pop_front();
        Exchange& exchange = *find(next.exchange);
        wait_for_ack(next.exchange, exchange, now + config_.e_d_tov);
        ++port.unacknowledged;
        ++exchange.sent_frames;
        emit(next.header.d_id, next.frame, std::move(next.note));
        exchange.unacknowledged.insert_or_assign(next.header.seq_cnt, std::move(next));
    }
}

void Exchanges::emit(std::uint32_t to, const builders::FcFrame& frame, std::string note) {
    Octets octets = encode(frame, config_.link, config_.vlan);
    if (loops_back_ && port_id_ != 0 && to == port_id_) return to_itself_.push_back(std::move(octets));
    if (config_.link == Link::fcoe && config_.addresses) {
        const auto source = std::ranges::copy(config_.addresses->peer.octets, octets.begin()).out;
        std::ranges::copy(config_.addresses->own.octets, source);
    }
    out_.push_back({port_, std::move(octets), std::move(note)});
}

void Exchanges::send_basic(Time now, Exchange& exchange, std::uint8_t r_ctl, Octets payload, std::string note) {
    fc::FrameHeader header = header_of(exchange);
    header.r_ctl = r_ctl;
    header.type = fc::type_bls;
    header.preference = false;
    header.seq_id = r_ctl == fc::r_ctl_abts && exchange.anything_sent
                        ? static_cast<std::uint8_t>(exchange.next_seq_id - 1)
                        : exchange.next_seq_id++;
    header.seq_cnt = exchange.next_seq_cnt++;
    header.f_ctl.end_sequence = true;
    header.f_ctl.sequence_initiative = r_ctl == fc::r_ctl_abts;
    header.f_ctl.last_sequence = r_ctl != fc::r_ctl_abts;
    builders::FcFrame frame = builders::fc_frame(header, {}, payload);
    frame.sof = builders::sof_of(exchange.service_class, true);
    emit(header.d_id, frame, std::move(note));
    end(now, exchange);
}

void Exchanges::abort(Time now, ExchangeHandle handle, std::string note) {
    Exchange* exchange = find(handle);
    if (exchange == nullptr || exchange->aborting) return;
    exchange->aborting = true;
    send_basic(now, *exchange, fc::r_ctl_abts, {}, std::move(note));
}

void Exchanges::answer(const fc::FrameHeader& header, std::uint8_t r_ctl, std::uint32_t parameter, std::string note) {
    builders::FcFrame frame = builders::fc_link_control(header, 2, r_ctl, parameter);
    frame.eof = header.f_ctl.end_sequence ? fc::Eof::t : fc::Eof::n;
    emit(header.s_id, frame, std::move(note));
}

/// ACK_0 is for the whole Sequence: with its last frame, or where it is to be aborted.
void Exchanges::acknowledge(const Exchange& exchange, const fc::FrameHeader& header, bool ask_for_abort) {
    const bool whole = header.f_ctl.ack_form == fc::AckForm::ack_0;
    if (whole && !ask_for_abort && !header.f_ctl.end_sequence) return;
    fc::FrameHeader answered = header;
    if (!exchange.key.own) answered.rx_id = exchange.rx_id;
    answered.f_ctl.abort_sequence = ask_for_abort ? ack_asks_for_abts : std::uint8_t{0};
    const std::uint16_t count = whole ? 0 : 1;
    answer(answered, whole ? fc::r_ctl_ack_0 : fc::r_ctl_ack_1, fc::to_parameter(fc::AckParameter{0, false, count}));
}

/// Link Services need no login.
std::optional<Rejection> Exchanges::why_not(const fc::FrameHeader& header) {
    if (!users_.contains(header.type)) return Rejection::type_not_supported;
    const bool is_service = header.type == fc::type_els || header.type == fc::type_ct;
    if (!is_service && knows_ && !knows_(header.s_id)) return Rejection::login_required;
    const bool refused = config_.reject_every != 0 && ++class_2_frames_ % config_.reject_every == 0;
    return refused ? std::optional(Rejection::protocol_error) : std::nullopt;
}

bool Exchanges::refuses(const fc::FrameHeader& header) {
    if (const auto rejection = why_not(header)) {
        const auto reason = static_cast<std::uint32_t>(*rejection) << 16;
        answer(header, fc::r_ctl_p_rjt, p_rjt_final | reason, "cannot take the frame");
        return true;
    }
    const bool no_buffer = config_.busy_every != 0 && config_.busy_times != 0 &&
                           ++class_2_frames_ % config_.busy_every == 0;
    if (!no_buffer) return false;
    --config_.busy_times;
    answer(header, fc::r_ctl_p_bsy, p_bsy_no_buffer, "has no buffer for the frame");
    return true;
}

// ---- receiving ---------------------------------------------------------------------------------------

void Exchanges::on_frame(Time now, ByteView octets) {
    const capture::Packet packet = decode(octets, config_.link);
    if (!packet.fc) return on_bad_frame(now, octets);
    const fc::Frame& frame = packet.fc->frame;
    if (!is_ours(frame.header.d_id)) return;
    const int service_class = fc::class_of(packet.fc->sof);
    if (frame.header.is_link_control()) on_link_control(now, frame.header);
    else if (frame.header.is_basic_link_service()) on_basic(now, frame, service_class);
    else on_data(now, frame, packet.fc->sof);
}

bool Exchanges::deliver_to_itself(Time now) {
    if (to_itself_.empty()) return false;
    const Octets octets = std::move(to_itself_.front());
    to_itself_.pop_front();
    on_frame(now, octets);
    return true;
}

void Exchanges::on_bad_frame(Time now, ByteView octets) {
    const capture::Packet packet = decode_unchecked(octets, config_.link);
    if (!packet.fc || !is_ours(packet.fc->frame.header.d_id) || !packet.fc->frame.header.is_data()) return;
    if (const auto user = users_.find(packet.fc->frame.header.type); user != users_.end())
        user->second->on_bad_frame(now, packet.fc->frame);
}

bool Exchanges::is_partly_sent(ExchangeHandle handle) const {
    const auto exchange = exchanges_.find(handle);
    if (exchange == exchanges_.end() || exchange->second.sent_frames == 0) return false;
    const auto port = ports_.find(exchange->second.key.peer);
    return port != ports_.end() &&
           std::ranges::find(port->second.waiting, handle, &Waiting::exchange) != port->second.waiting.end();
}

/// Whether this is the frame that began the Exchange, once more. The Exchange's identifier may be used again at once
/// for something else (ISO/IEC 14165-331, 5.4).
bool Exchanges::is_first_again(const Exchange& exchange, const fc::Frame& frame) {
    return exchange.first_seen == frame.header &&
           std::ranges::equal(exchange.first_device_header, frame.device_header());
}

ExchangeHandle Exchanges::exchange_for(Time now, const fc::Frame& frame, int service_class) {
    const fc::FrameHeader& header = frame.header;
    const bool own = header.f_ctl.exchange_responder;
    const Key key{header.s_id, header.ox_id, own};
    const ExchangeHandle known = handle_of(key);
    if (Exchange* exchange = find(known); exchange != nullptr) {
        const bool begins = !own && header.f_ctl.first_sequence && header.seq_cnt == 0;
        if (!begins || !exchange->ended || is_first_again(*exchange, frame)) return known;
        erase(known);
    } else if (own) {
        return 0;
    }
    forget_old(now);
    Exchange exchange;
    exchange.key = key;
    exchange.type = header.type;
    exchange.service_class = service_class == 2 ? 2 : 3;
    exchange.preference = header.preference;
    exchange.local = header.d_id == fc::broadcast ? port_id_ : header.d_id;
    exchange.remote = header.s_id;
    exchange.rx_id = next_x_id_++;
    if (exchange.rx_id == fc::unassigned_x_id) exchange.rx_id = next_x_id_++;
    exchange.first_seen = header;
    const ByteView device_header = frame.device_header();
    exchange.first_device_header.assign(device_header.begin(), device_header.end());
    return create(std::move(exchange));
}

void Exchanges::on_data(Time now, const fc::Frame& frame, fc::Sof sof) {
    if (fc::class_of(sof) == 2 && refuses(frame.header)) return;
    const auto user = users_.find(frame.header.type);
    if (user == users_.end()) return;
    const ExchangeHandle handle = exchange_for(now, frame, fc::class_of(sof));
    Exchange* exchange = find(handle);
    if (exchange == nullptr) return;
    if (exchange->key.own && frame.header.rx_id != fc::unassigned_x_id) exchange->rx_id = frame.header.rx_id;
    const Disposition disposition = exchange->aborting ? Disposition::discard
                                                       : user->second->on_frame(now, handle, frame);
    exchange = find(handle);
    if (exchange == nullptr) return;
    if (exchange->service_class == 2)
        acknowledge(*exchange, frame.header, disposition == Disposition::discard_and_abort);
    if (disposition != Disposition::take) return;
    std::optional<IncomingIu> iu = assemble(*exchange, frame, fc::initiates(sof));
    if (!iu) return;
    iu->exchange = handle;
    if (iu->last.f_ctl.last_sequence) exchange->last_received = iu->last.seq_cnt;
    // Sequences may be complete in another order.
    exchange->frames_received += std::size_t{iu->last.seq_cnt} - iu->first.seq_cnt + 1;
    if (exchange->last_received && exchange->frames_received > *exchange->last_received) end(now, *exchange);
    user->second->on_iu(now, *iu);
}

/// SOFi tells where a Sequence begins, End_Sequence where it ends. A SEQ_ID may be used again behind that.
std::optional<IncomingIu> Exchanges::assemble(Exchange& exchange, const fc::Frame& frame, bool initiates) {
    const fc::FrameHeader& header = frame.header;
    Assembly& assembly = exchange.assemblies[header.seq_id];
    if (assembly.complete && header.seq_cnt > assembly.last->seq_cnt) assembly = {};
    if (assembly.complete) return std::nullopt;
    assembly.payloads.try_emplace(header.seq_cnt, frame.payload.begin(), frame.payload.end());
    if (initiates) assembly.first = header;
    if (header.f_ctl.end_sequence) assembly.last = header;
    const ByteView device_header = frame.device_header();
    assembly.device_header.assign(device_header.begin(), device_header.end());
    if (!assembly.first || !assembly.last ||
        assembly.payloads.size() != std::size_t{assembly.last->seq_cnt} - assembly.first->seq_cnt + 1)
        return std::nullopt;
    assembly.complete = true;
    IncomingIu iu{0, *assembly.first, *assembly.last, std::move(assembly.device_header), {}};
    for (const auto& [seq_cnt, payload] : assembly.payloads)
        iu.payload.insert(iu.payload.end(), payload.begin(), payload.end());
    assembly.payloads.clear();
    return iu;
}

void Exchanges::on_link_control(Time now, const fc::FrameHeader& header) {
    const ExchangeHandle handle = handle_of({header.s_id, header.ox_id, header.f_ctl.exchange_responder});
    Exchange* exchange = find(handle);
    if (exchange == nullptr) return;
    if (exchange->key.own && header.rx_id != fc::unassigned_x_id) exchange->rx_id = header.rx_id;
    switch (header.r_ctl) {
        case fc::r_ctl_ack_1:
        case fc::r_ctl_ack_0: return on_ack(now, handle, header);
        case fc::r_ctl_p_rjt:
        case fc::r_ctl_f_rjt:
            fail(now, handle, Failure::rejected);
            if (header.r_ctl == fc::r_ctl_p_rjt && reason_of(header) == Rejection::login_required && login_lost_)
                login_lost_(now, header.s_id);
            return;
        case fc::r_ctl_p_bsy:
        case fc::r_ctl_f_bsy_data: return on_busy(now, handle, header.seq_cnt);
        default: return;
    }
}

/// ACK_1 is for a frame, ACK_0 for its whole Sequence.
void Exchanges::on_ack(Time now, ExchangeHandle handle, const fc::FrameHeader& header) {
    Exchange& exchange = *find(handle);
    if (header.f_ctl.abort_sequence == ack_asks_for_abts) return fail(now, handle, Failure::abort_requested);
    const bool whole = header.r_ctl == fc::r_ctl_ack_0;
    const std::size_t acknowledged = std::erase_if(exchange.unacknowledged, [&](const auto& entry) {
        return whole ? entry.second.header.seq_id == header.seq_id : entry.first == header.seq_cnt;
    });
    if (acknowledged == 0) return;
    ports_[exchange.key.peer].unacknowledged -= acknowledged;
    wait_for_ack(handle, exchange, exchange.unacknowledged.empty() ? never : now + config_.e_d_tov);
    pump(now, exchange.key.peer);
    const bool more = exchange.sent_frames != exchange.next_seq_cnt;
    if (more || !exchange.unacknowledged.empty()) return;
    if (exchange.last_sequence_sent) end(now, exchange);
    if (const auto user = users_.find(exchange.type); user != users_.end()) user->second->on_acknowledged(now, handle);
}

/// The frame is sent again a little later, if its user can do with that.
void Exchanges::on_busy(Time now, ExchangeHandle handle, std::uint16_t seq_cnt) {
    Exchange& exchange = *find(handle);
    const auto frame = exchange.unacknowledged.find(seq_cnt);
    const auto user = users_.find(exchange.type);
    const bool repeats = user != users_.end() && user->second->repeats_busy() &&
                         frame != exchange.unacknowledged.end() && frame->second.times_busy < most_times_busy;
    if (!repeats) return fail(now, handle, Failure::busy);
    ++frame->second.times_busy;
    const Time again = now + config_.busy_wait;
    busy_.emplace(again, handle, seq_cnt);
    wait_for_ack(handle, exchange, again + config_.e_d_tov);
}

void Exchanges::send_again(Time now) {
    while (!busy_.empty() && std::get<Time>(*busy_.begin()) <= now) {
        const auto [time, handle, seq_cnt] = *busy_.begin();
        busy_.erase(busy_.begin());
        Exchange* exchange = find(handle);
        if (exchange == nullptr) continue;
        const auto frame = exchange->unacknowledged.find(seq_cnt);
        if (frame != exchange->unacknowledged.end())
            emit(frame->second.header.d_id, frame->second.frame, "was busy, is sent again");
    }
}

void Exchanges::fail(Time now, ExchangeHandle handle, Failure failure) {
    Exchange& exchange = *find(handle);
    wait_for_ack(handle, exchange, never);
    if (exchange.aborting || exchange.ended) return;
    if (const auto user = users_.find(exchange.type); user != users_.end())
        user->second->on_failure(now, handle, failure);
}

void Exchanges::on_basic(Time now, const fc::Frame& frame, int service_class) {
    const fc::FrameHeader& header = frame.header;
    if (header.r_ctl == fc::r_ctl_abts) return on_abts(now, frame, service_class);
    Exchange* exchange = find(handle_of({header.s_id, header.ox_id, header.f_ctl.exchange_responder}));
    if (exchange != nullptr && exchange->service_class == 2) acknowledge(*exchange, header, false);
}

/// Of an Exchange that never was heard of, too (FC-FS, ABTS, "Special case - new Exchange").
void Exchanges::on_abts(Time now, const fc::Frame& frame, int service_class) {
    const ExchangeHandle handle = exchange_for(now, frame, service_class);
    Exchange* exchange = find(handle);
    if (exchange == nullptr) return;
    if (exchange->service_class == 2) acknowledge(*exchange, frame.header, false);
    if (exchange->aborted) return;
    exchange->aborted = true;
    const bool was_open = !exchange->ended;
    fc::BaAcc accept;
    accept.ox_id = exchange->key.ox_id;
    accept.rx_id = exchange->rx_id;
    accept.high_seq_cnt = 0xFFFF;
    send_basic(now, *exchange, fc::r_ctl_ba_acc, layout::octets_of(accept), "gives the Exchange up");
    const auto user = users_.find(exchange->type);
    if (user == users_.end()) return;
    user->second->on_abts(now, handle);
    if (was_open) user->second->on_failure(now, handle, Failure::aborted);
}

// ---- timers ------------------------------------------------------------------------------------------

Time Exchanges::wakeup() const {
    if (!to_itself_.empty()) return 0;  // at once
    const Time ack = ack_deadlines_.empty() ? never : ack_deadlines_.begin()->first;
    return busy_.empty() ? ack : std::min(ack, std::get<Time>(*busy_.begin()));
}

void Exchanges::on_timer(Time now) {
    send_again(now);
    std::vector<ExchangeHandle> due;
    for (const auto& [deadline, handle] : ack_deadlines_) {
        if (deadline > now) break;
        due.push_back(handle);
    }
    std::ranges::sort(due);
    for (const ExchangeHandle handle : due) fail(now, handle, Failure::ack_timeout);
}

}  // namespace fabricscope::stack::fibre_channel
