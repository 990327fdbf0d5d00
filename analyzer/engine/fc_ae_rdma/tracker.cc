// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/tracker.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/engine/fc/logins.h"
#include "analyzer/engine/fc_ae_rdma/annex_a.h"
#include "analyzer/engine/fc_ae_rdma/login_rules.h"
#include "analyzer/engine/fc_ae_rdma/message_rules.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

constexpr std::uint64_t key_of(const Port& port) { return std::uint64_t{port.fabric} << 32 | port.id; }

}  // namespace

class Tracker::State {
public:
    State(Options options, fc_ae_rdma::Observer* observer)
        : options_(std::move(options)), observer_(observer != nullptr ? *observer : nobody_) {}

    void on_frame(const fibre_channel::FrameFacts& facts);
    void forget(std::uint32_t kept) {
        settle(*exchanges_.find(kept));
        exchanges_.forget(kept);
    }
    void finish() {
        exchanges_.for_each([this](const Exchange& exchange) { rules_.settle(exchange); });
    }
    AnnexA& annex_a() { return annex_a_; }
    const Model& model() const { return model_; }

private:
    /// Of an Exchange that is kept.
    Message& message_of(const Exchange& exchange) { return model_.messages.opened(exchange.message - 1); }
    /// No frame will be found to belong to it any more.
    void settle(const Exchange& exchange) {
        rules_.settle(exchange);
        model_.messages.close(exchange.message - 1);
    }
    void drop(Exchange* exchange, std::uint32_t& kept) {
        if (exchange != nullptr) model_.messages.close(exchange->message - 1);
        exchanges_.forget(kept);
    }
    void on_command(const fibre_channel::FrameFacts& facts, const FrameSeen& seen);
    void on_data(const Arrival& a, const fibre_channel::FrameFacts& facts);
    void on_response(const Arrival& a);
    void take_response(const Arrival& a, const Readable<wire::Response>& response);
    static std::uint64_t length_told(const Message& m);
    static void note_missing(const Arrival& a);
    static Continuity continuity_of(const Arrival& a, bool begins_sequence);
    /// Of an Initiator's messages.
    struct OxIds {
        std::uint16_t first = 0;
        bool used_again = false;
    };
    bool uses_ox_ids_again(const Port& initiator, std::uint16_t ox_id, bool again);
    bool numbers_messages(const Message& message, const fibre_channel::GivenIds& given_ids) const;
    bool may_be_of_another(const Arrival& a, const fibre_channel::FrameFacts& facts) const;
    bool repeats_command(const Exchange& exchange, const FrameSeen& seen) const;
    Region* region_of(const Message& message);
    std::uint64_t remember(RangeSet& in, std::uint64_t begin, std::uint64_t end);
    void store(const Arrival& a, std::uint64_t begin, std::uint64_t end, RangeSet Region::*where);
    static void note_abort(const Arrival& a, const std::optional<fibre_channel::AbortSeen>& abort);
    void tell(const Arrival& a, bool repeated = false);
    void note_time(const Arrival& a);

    const Options options_;
    fc_ae_rdma::Observer nobody_;
    fc_ae_rdma::Observer& observer_;
    Model model_;
    Verdicts verdicts_{options_, observer_, model_};
    MessageRules rules_{options_, verdicts_};
    LoginRules login_rules_{options_, verdicts_};
    AnnexA annex_a_{options_, verdicts_};
    fibre_channel::Kept<Exchange> exchanges_;
    std::unordered_map<std::uint64_t, std::size_t> regions_;  ///< positions in the model, by target and LUN
    std::unordered_map<std::uint64_t, OxIds> ox_ids_;         ///< by Initiator
};

Region* Tracker::State::region_of(const Message& message) {
    if (!message.lun) return nullptr;
    const std::uint64_t key = std::uint64_t{message.target.fabric} << 40 | std::uint64_t{message.target.id} << 8 |
                              *message.lun;
    const auto [place, is_new] = regions_.try_emplace(key, model_.regions.size());
    if (!is_new) return &model_.regions[place->second];
    if (model_.regions.size() >= options_.limits.regions) {
        regions_.erase(place);
        ++model_.dropped_regions;
        return nullptr;
    }
    Region& region = model_.regions.emplace_back();
    region.id = static_cast<std::uint32_t>(model_.regions.size());
    region.target = message.target;
    region.lun = *message.lun;
    return &region;
}

/// Data at these offsets are in the region, but for those beyond FCP_DL.
void Tracker::State::store(const Arrival& a, std::uint64_t begin, std::uint64_t end, RangeSet Region::*where) {
    const std::uint64_t last = std::min<std::uint64_t>(end, a.message.data_length.value_or(0));
    Region* region = region_of(a.message);
    if (region != nullptr && begin < last)
        remember(region->*where, a.message.base_address + begin, a.message.base_address + last);
}

/// Returns how many of them were new. What there is no room for is not known, and counted.
std::uint64_t Tracker::State::remember(RangeSet& in, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t left_out = in.left_out();
    const std::uint64_t fresh = in.add(begin, end);
    model_.dropped_details += in.left_out() != left_out;
    return fresh;
}

/// ABTS ends the message, unless it is refused, or meant for a Sequence only.
void Tracker::State::note_abort(const Arrival& a, const std::optional<fibre_channel::AbortSeen>& abort) {
    Message& message = a.message;
    const bool ends = abort && !abort->refused && !abort->sequence_only;
    a.exchange.abort_accepted = ends && abort->accepted;
    if (ends && message.state == MessageState::open) message.state = MessageState::aborted;
    if (!ends && message.state == MessageState::aborted) message.state = MessageState::open;
}

void Tracker::State::tell(const Arrival& a, bool repeated) {
    const bool answers = a.message.response && a.message.response->frame == a.seen.number;
    observer_.on_facts(
        {.frame = a.seen.number,
         .time = a.seen.time,
         .message = a.message.id,
         .repeated = repeated,
         .request_frame = answers ? a.message.command.frame : 0,
         .request_time = answers ? a.message.command.time : 0});
}

// ---- frames --------------------------------------------------------------------------------------

void Tracker::State::on_frame(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    const fc::FrameHeader& header = seen.frame.header;
    if (header.is_els()) login_rules_.on_els(facts);
    if (annex_a_.is_asked_for()) annex_a_.on_frame(facts);
    const bool fcp = header.type == wire::fc_type && header.is_data();
    if (fcp && header.r_ctl == r_ctl_of(wire::Iu::command) && !header.f_ctl.exchange_responder)
        return on_command(facts, seen);
    Exchange* exchange = exchanges_.find(facts.kept);
    if (exchange == nullptr || exchange->left) return;
    const Arrival a{seen, *exchange, message_of(*exchange)};
    if (fcp && may_be_of_another(a, facts)) {
        exchange->left = true;
        return verdicts_.undecided(rules::iu_order, UndecidedReason::frames_missing);
    }
    if (facts.from == fibre_channel::Party::responder && header.rx_id != fc::unassigned_x_id)
        exchange->responders_rx_id = header.rx_id;
    if (header.is_basic_link_service()) return note_abort(a, facts.exchange.abort);
    if (!fcp) return;
    const bool again = facts.sequence.order == capture::FcFrameOrder::repeated || a.is_response_again();
    if (again && header.r_ctl != r_ctl_of(wire::Iu::data)) {
        ++a.message.repeated_frames;
        return tell(a, true);
    }
    if (header.r_ctl == r_ctl_of(wire::Iu::data)) {
        on_data(a, facts);
    } else if (header.r_ctl == r_ctl_of(wire::Iu::response)) {
        on_response(a);
    } else if (header.r_ctl == r_ctl_of(wire::Iu::xfer_rdy)) {
        rules_.on_transfer_ready(a);
        tell(a);
    }
    note_time(a);
    if (header.f_ctl.last_sequence && header.f_ctl.end_sequence) exchange->closed = true;
}

/// Whether the Initiator is known to. `again`: it does so now.
bool Tracker::State::uses_ox_ids_again(const Port& initiator, std::uint16_t ox_id, bool again) {
    const bool is_room = ox_ids_.size() < options_.limits.ports;
    const auto known = is_room ? ox_ids_.try_emplace(key_of(initiator), OxIds{ox_id}).first
                               : ox_ids_.find(key_of(initiator));
    return known != ox_ids_.end() && (known->second.used_again |= again);
}

/// Whether its Initiator gives each message an OX_ID of its own, one by one, and so none again soon.
bool Tracker::State::numbers_messages(const Message& message, const fibre_channel::GivenIds& given_ids) const {
    const auto known = ox_ids_.find(key_of(message.initiator));
    return known != ox_ids_.end() && known->second.first != message.ox_id &&
           given_ids.has_all(message.initiator, known->second.first, message.ox_id);
}

/// Behind the end of the message: whether the frame may be of another one, which has got its OX_ID, and of which the
/// FCP_CMND was not captured.
bool Tracker::State::may_be_of_another(const Arrival& a, const fibre_channel::FrameFacts& facts) const {
    if (!a.exchange.closed || a.is_response_again()) return false;
    if (a.exchange.anothers) return true;
    if (a.goes_on_behind_end()) return false;
    if (facts.opens) return true;
    return facts.sequence.order != capture::FcFrameOrder::repeated && !numbers_messages(a.message, facts.given_ids);
}

void Tracker::State::note_time(const Arrival& a) {
    const std::pair sequence(a.from_initiator(), a.header().seq_id);
    const auto former = std::exchange(a.exchange.last_sequence, sequence);
    if (annex_a_.is_asked_for() && former && *former != sequence) annex_a_.on_iu(a, a.exchange.last_time);
    a.exchange.last_time = a.seen.time;
}

/// The same frame once more, not the OX_ID used again: by another command, or by the same after ABTS.
bool Tracker::State::repeats_command(const Exchange& exchange, const FrameSeen& seen) const {
    const Message& message = model_.messages.opened(exchange.message - 1);
    if (exchange.closed || message.first_data || message.response || message.state != MessageState::open) return false;
    const std::size_t both = std::min(exchange.command_octets.size(), seen.frame.payload.size());
    return seen.frame.header == exchange.command &&
           std::ranges::equal(ByteView(exchange.command_octets).first(both), seen.frame.payload.first(both));
}

void Tracker::State::on_command(const fibre_channel::FrameFacts& facts, const FrameSeen& seen) {
    const Port initiator = source_of(seen), target = destination_of(seen);
    Exchange* former = exchanges_.find(facts.kept);
    if (!wire::is_rdma(seen.frame.header.parameter)) {
        drop(former, facts.kept);  // the OX_ID now belongs to an Exchange of plain FCP
        if (login_rules_.speak_rdma(initiator, target))
            verdicts_.broken(rules::code, {seen.number}, {0}, "an FCP_CMND that is not of FC-AE-RDMA");
        return;
    }
    verdicts_.satisfied(rules::code);
    if (former != nullptr) {
        const Arrival again{seen, *former, message_of(*former)};
        if (repeats_command(*former, seen)) {
            ++again.message.repeated_frames;
            return tell(again, true);
        }
        if (!former->closed && !again.message.response && again.message.state == MessageState::open &&
            !seen.frame.header.f_ctl.first_sequence) {
            rules_.on_second_command(again);
            return tell(again);
        }
    }
    if (model_.messages.size() >= options_.limits.messages) {
        ++model_.dropped_messages;
        return drop(former, facts.kept);
    }
    const Readable<wire::Command> command(seen.frame);
    const wire::CommandParameter parameter = wire::parse_parameter(seen.frame.header.parameter);
    Message& message = model_.messages.open();
    message.id = model_.messages.size();
    message.initiator = initiator;
    message.target = target;
    message.ox_id = seen.frame.header.ox_id;
    if (command.reaches(wire::control_end)) message.is_read = command.part.control.read_data;
    message.notifies = parameter.notifies();
    if (command.reaches(wire::lun_number_end)) message.lun = command.part.lun.number;
    message.base_address = parameter.base_address;
    if (command.reaches(wire::command_size)) message.data_length = command.part.data_length;
    message.service_class = seen.service_class;
    message.command = seen.step();
    message.frames = 1;
    if (former != nullptr) settle(*former);
    Exchange& exchange = exchanges_.renew(facts.kept);
    exchange.message = message.id;
    exchange.command = seen.frame.header;
    exchange.lack_of_command = command.lack();
    const ByteView octets = seen.frame.payload.first(std::min(seen.frame.payload.size(), wire::command_size));
    exchange.command_octets.assign(octets.begin(), octets.end());
    if (seen.frame.header.f_ctl.end_sequence) exchange.passes_initiative = seen.frame.header.f_ctl.sequence_initiative;
    exchange.ox_id_may_be_anothers = uses_ox_ids_again(initiator, message.ox_id, former != nullptr);
    const Arrival a{seen, exchange, message};
    login_rules_.on_message(a, facts.given_ids);
    if (annex_a_.is_asked_for()) annex_a_.on_message(a, facts.logins.between(initiator, target), facts.given_ids);
    note_time(a);
    rules_.on_command(a, command);
    if (Region* region = region_of(message)) {
        message.region = region->id;
        if (message.is_read) ++(*message.is_read ? region->reads : region->writes);
    }
    tell(a);
}

/// Within a Sequence SEQ_CNT counts on; a new one begins at 0, or counts on, too. `begins_sequence`: SOF says so.
Continuity Tracker::State::continuity_of(const Arrival& a, bool begins_sequence) {
    const Exchange& exchange = a.exchange;
    const std::uint16_t seq_cnt = a.header().seq_cnt;
    const bool first = !exchange.last_seq_cnt;
    const std::uint16_t last = first ? exchange.command.seq_cnt : *exchange.last_seq_cnt;
    const std::uint8_t last_seq_id = first ? exchange.command.seq_id : exchange.last_seq_id;
    const bool counts_on = seq_cnt == static_cast<std::uint16_t>(last + 1);
    const bool next_seq_id = a.header().seq_id == static_cast<std::uint8_t>(last_seq_id + 1);
    const bool next_sequence = seq_cnt == 0 && next_seq_id;
    // Behind the command, a Sequence of data that was lost may have begun at 0.
    const bool next_is_known = next_sequence || (counts_on && begins_sequence && (next_seq_id || !first));
    if (first) {
        if (a.header().parameter == 0 || (a.message.writes() && next_is_known)) return Continuity::known;
        return seq_cnt == 0 ? Continuity::assumed : Continuity::broken;
    }
    if (a.from_initiator() != exchange.last_from_initiator) return Continuity::broken;
    const bool goes_on = counts_on && a.header().seq_id == exchange.last_seq_id;
    const bool known = goes_on ||
                       (exchange.last_ended && (next_is_known || a.header().parameter == exchange.end_of_data));
    return known ? Continuity::known : Continuity::broken;
}

void Tracker::State::on_data(const Arrival& a, const fibre_channel::FrameFacts& facts) {
    const std::uint64_t begin = a.header().parameter, end = begin + a.length();
    Exchange& exchange = a.exchange;
    const std::uint16_t seq_cnt = a.header().seq_cnt;
    // What was seen before, in a Sequence of its own, was sent anew.
    const bool same_frame = facts.sequence.order == capture::FcFrameOrder::repeated;
    if (a.length() != 0 && exchange.data.covers(begin, end) && same_frame) {
        ++a.message.repeated_frames;
        return tell(a, true);
    }
    const Continuity continuity = continuity_of(a, fc::initiates(facts.packet.fc->sof));
    if (rules_.may_be_anothers(a, continuity)) return tell(a);
    rules_.on_data(a, continuity);
    exchange.gaps |= continuity == Continuity::broken;
    if (!exchange.last_seq_cnt) {
        exchange.first_seq_cnt = seq_cnt;
        if (continuity == Continuity::assumed && begin != 0) exchange.begins_behind = a.step();
    }
    exchange.last_ended = a.ends_sequence();
    if (a.from_initiator() && a.message.writes())
        exchange.passes_initiative = a.ends_sequence() ? std::optional(a.header().f_ctl.sequence_initiative)
                                                       : std::nullopt;
    exchange.last_seq_cnt = seq_cnt;
    exchange.last_seq_id = a.header().seq_id;
    exchange.last_from_initiator = a.from_initiator();
    const std::uint64_t fresh = remember(exchange.data, begin, end);
    exchange.end_of_data = end;
    ++a.message.frames;
    a.message.bytes += fresh;
    a.message.last_data = a.step();
    if (a.message.response) note_missing(a);
    if (!a.message.first_data) a.message.first_data = a.step();
    if (a.message.reads()) store(a, begin, end, &Region::read);
    else if (a.message.writes() && a.message.state == MessageState::complete) store(a, begin, end, &Region::written);
    observer_.on_data({a.message, a.message.base_address + begin, a.seen.frame.payload});
    tell(a);
}

void Tracker::State::on_response(const Arrival& a) {
    const Readable<wire::Response> response(a.seen.frame);
    rules_.on_response(a, response);
    Message& m = a.message;
    ++m.frames;
    if (!m.response) {
        m.response = a.step();
        a.exchange.response_seq_id = a.header().seq_id;
        a.exchange.response_seq_cnt = a.header().seq_cnt;
        a.exchange.lack_of_response = response.lack();
        take_response(a, response);
    }
    note_missing(a);
    tell(a);
}

/// Of the data of a message that ended well, as far as its command and its response tell.
std::uint64_t Tracker::State::length_told(const Message& m) {
    const bool is_short = m.resid_under == true;
    if (m.state != MessageState::complete || !m.data_length || (is_short && !m.residual)) return 0;
    return *m.data_length - (is_short ? std::min(*m.data_length, *m.residual) : 0);
}

/// At least so many, if it is not known that what was not seen was not sent.
void Tracker::State::note_missing(const Arrival& a) {
    const auto& ranges = a.exchange.data.ranges();
    const bool lacks_some = !ranges.empty() && (a.exchange.gaps || a.exchange.begins_behind);
    const std::uint64_t told = a.exchange.whole ? 0 : length_told(a.message);
    const std::uint64_t end = std::max(lacks_some ? ranges.back().end : 0, told);
    a.message.missing_bytes = end - std::min(end, a.message.bytes + a.exchange.data.left_out());
}

/// What the first one says, as far as it goes.
void Tracker::State::take_response(const Arrival& a, const Readable<wire::Response>& response) {
    Message& m = a.message;
    const wire::Response& said = response.part;
    if (!response.reaches(wire::flags_end)) return;
    m.resid_over = said.resid_over;
    m.resid_under = said.resid_under;
    if (!response.reaches(wire::status_end)) return;
    m.status = said.status;
    if (Region* region = region_of(m); region != nullptr && m.data_length) rules_.judge_extent(a, said.status, *region);
    if (a.exchange.abort_accepted) return;  // it comes too late
    const bool good = said.status == static_cast<std::uint8_t>(wire::StatusCode::good);
    m.state = good ? MessageState::complete : MessageState::failed;
    if (good && m.writes()) {
        for (const RangeSet::Range& range : a.exchange.data.ranges())
            store(a, range.begin, range.end, &Region::written);
        observer_.on_stored(m);
    }
    if (response.reaches(wire::resid_end) && (said.resid_over || said.resid_under)) m.residual = said.resid;
}

Tracker::Tracker(Options options, fc_ae_rdma::Observer* observer)
    : state_(std::make_unique<State>(std::move(options), observer)) {}
Tracker::~Tracker() = default;

void Tracker::on_frame(const fibre_channel::FrameFacts& facts) { state_->on_frame(facts); }
void Tracker::on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) {
    if (state_->annex_a().is_asked_for()) state_->annex_a().on_login(login, said_by);
}
void Tracker::on_forgotten(std::uint32_t kept) { state_->forget(kept); }
void Tracker::on_end(const fibre_channel::Logins&) { state_->finish(); }
RuleOutcomes Tracker::outcomes() const { return state_->model().outcomes(); }
const Model& Tracker::model() const { return state_->model(); }

}  // namespace fabricscope::engine::fc_ae_rdma
