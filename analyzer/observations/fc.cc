// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/fc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fc/ct.h"

namespace fabricscope::observations {

using namespace engine::fibre_channel;

namespace {

namespace kinds {
constexpr Kind rejected{
    "FC-O-rejected",
    Severity::warning,
    "A link service or Common Transport request was rejected",
    "LS_RJT or a CT reject: the other port, or the fabric's server, does not do what was asked. A note if the same was "
    "accepted later, between the same ports, or may have been where something is missing.",
    "Reason and explanation; for logins zoning and the state of the port (`fcoeadm -l`, `systool -c fc_host -v`), for "
    "name server queries what is registered there.",
    "PLOGI was rejected (LS_RJT: logical busy)"};
constexpr Kind no_answer{
    "FC-O-no-answer",
    Severity::warning,
    "A login got no answer",
    "FLOGI, FDISC, PLOGI or PRLI was sent again, without an LS_ACC or LS_RJT in the capture and with nothing else "
    "between "
    "the two ports: who sends it got no answer. A note if it was sent once, and frames to its sender were captured "
    "more "
    "than twice R_A_TOV (20 s) later.",
    "Is the other port up, is it zoned with this one, and is that its N_Port_ID (`fcoeadm -t`, the switch's name "
    "server)? For FLOGI: is the switch's port up, and in the right VLAN?",
    "PLOGI was sent 4 times in 6.00 s, and no answer was captured"};
constexpr Kind link_reject{
    "FC-O-link-reject",
    Severity::error,
    "A frame was rejected",
    "P_RJT of the other port, or F_RJT of the fabric: the frame itself was not acceptable, its addresses, its Class of "
    "service or its parameters.",
    "The reason code; F_RJT: does the port have that N_Port_ID, is it zoned and logged in?",
    "a frame of the FC-VI Exchange was rejected (P_RJT: invalid OX_ID)"};
constexpr Kind aborted{
    "FC-O-aborted",
    Severity::warning,
    "An Exchange was aborted",
    "ABTS was sent: somebody waited for a Sequence or an answer for too long.",
    "Error counters of the ports on the way (invalid CRC, invalid words, loss of sync), and E_D_TOV of both ports.",
    "the FCP Exchange was aborted (ABTS of the Exchange by the originator, BA_ACC)"};
constexpr Kind busy{
    "FC-O-busy",
    Severity::note,
    "Frames were returned as busy",
    "F_BSY of the fabric or P_BSY of the other port: it had no room for the frame, which its sender has to send again. "
    "Class 1 and 2 only.",
    "Load of the other port and of the switch's ports; end-to-end credit that was granted in PLOGI.",
    "3 frames of the FC-VI Exchange were returned as busy"};
constexpr Kind incomplete{
    "FC-O-incomplete",
    Severity::note,
    "Sequences are not complete in the capture",
    "SEQ_CNT tells of frames that were not captured. Nothing says that the receiver lacks them.",
    "Drops of the capture; are both directions and all paths in it?",
    "2 Sequences of the FCP Exchange are not complete"};
constexpr Kind link_cleared{
    "FC-O-link-cleared",
    Severity::warning,
    "A switch has cleared a virtual link",
    "FIP Clear Virtual Links: the FCoE switch (FCF) has logged a VN_Port out, and takes no more frames of it. Its "
    "Exchanges end there, and it has to log in anew.",
    "Keep-alives of the station before that (`fip.opcode == 3 && fip.ctrl_subcode == 1` in Wireshark; the switch waits "
    "2.5 times FKA_ADV_Period for them), what is lost on their way; the switch's log: was the interface or the VLAN "
    "shut down?",
    "00:0d:ec:00:00:01 cleared the virtual link of 01.02.03, which ended its login with the fabric, 21.3 s after its "
    "last keep-alive"};
constexpr Kind damaged{
    "FC-O-damaged",
    Severity::warning,
    "Damaged frames",
    "Frames have a wrong CRC, or an EOF that says that they are invalid: they were spoilt on the way to where they "
    "were captured, and are left out of everything else.",
    "Cables, transceivers and error counters of the ports (`cat /sys/class/fc_host/*/statistics/invalid_crc_count`).",
    "3 damaged frames left out: wrong CRC, or marked invalid"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::link_reject, &kinds::rejected, &kinds::no_answer, &kinds::link_cleared,
                               &kinds::aborted,     &kinds::damaged,  &kinds::busy,      &kinds::incomplete};

std::string code_name(layout::ValueNames names, std::uint8_t code) {
    const char* name = layout::name_of(names, code);
    return name != nullptr ? name : fmt::format("code {:02X}h", code);
}

std::string abort_text(const AbortSeen& abort) {
    const char* of = abort.sequence_only ? "a Sequence" : "the Exchange";
    const char* answer = abort.accepted ? "BA_ACC" : abort.refused ? "BA_RJT" : "not answered";
    return fmt::format("ABTS of {} by the {}, {}", of, name_of(abort.by), answer);
}

std::string aborted_text(const std::string& kind, const AbortSeen& abort) {
    if (abort.refused) return fmt::format("an abort of the {} Exchange was refused", kind);
    return fmt::format("{} {} Exchange was aborted", abort.sequence_only ? "a Sequence of the" : "the", kind);
}

std::string rejection_text(const Exchange& exchange) {
    return exchange.ct
               ? refusal_text("reject", *exchange.rejected, wire::ct_reason_names, wire::ct_explanation_names)
               : refusal_text("LS_RJT", *exchange.rejected, wire::ls_rjt_reason_names, wire::ls_rjt_explanation_names);
}

std::string link_reject_text(const Exchange& exchange) {
    return refusal_text(
        exchange.link_reject_by ? "P_RJT" : "F_RJT", *exchange.link_reject, wire::reject_reason_names, {});
}

std::string session_of(std::uint32_t exchange) { return "xchg-" + std::to_string(exchange); }

/// Of who asks for a login, 0 if it is not known. An N_Port that asks the fabric for an address has nothing else that
/// tells it from others.
std::uint64_t port_name_of(const Model& model, const Exchange& exchange) {
    if (exchange.login == 0) return 0;
    const auto& parameters = model.logins[exchange.login - 1].parameters[Party::originator];
    return parameters ? parameters->port_name : 0;
}

/// Which requests were accepted later, or may have been.
class Accepts {
public:
    explicit Accepts(const Model& model) : model_(model) {}

    void note(const Exchange& exchange);
    bool has_later(const Exchange& rejected) const;
    /// The answer to a later request was not captured, or what a later accept answers, or what was rejected here.
    bool may_have_later(const Exchange& rejected) const;

private:
    /// Who asked whom for what.
    struct Request {
        std::uint16_t fabric;
        std::uint32_t responder;
        std::uint64_t who;  ///< N_Port_ID or, of a login, Port_Name
        std::optional<std::uint8_t> els{};
        std::optional<std::uint16_t> ct{};
        std::uint32_t question = 0;
        auto operator<=>(const Request&) const = default;
    };
    static constexpr std::uint64_t anybody = 0;  ///< and the address of those that have none
    /// Ids of the latest Exchanges.
    class Latest {
    public:
        void note(const Request& request, std::uint32_t id) {
            std::uint32_t& last = ids_[request];
            last = std::max(last, id);
        }
        bool has_later(const Request& request, std::uint32_t id) const {
            const auto found = ids_.find(request);
            return found != ids_.end() && found->second > id;
        }

    private:
        std::map<Request, std::uint32_t> ids_;
    };

    static bool asks(const Exchange& exchange) { return exchange.els || exchange.ct; }
    static bool tells_question(const Exchange& exchange) { return !exchange.ct || exchange.question != 0; }
    static Request between(const Exchange& exchange, std::uint64_t who) {
        return {exchange.fabric.value_or(0), exchange.responder, who};
    }
    static Request request(const Exchange& exchange, std::uint64_t who, std::uint32_t question) {
        Request request = between(exchange, who);
        request.els = exchange.els;
        request.ct = exchange.ct;
        request.question = question;
        return request;
    }
    /// What tells who asks; what is not known is `anybody`.
    std::array<std::uint64_t, 2> identities_of(const Exchange& exchange) const {
        return {exchange.originator, port_name_of(model_, exchange)};
    }
    static bool is_known(std::uint64_t who) { return who != anybody; }

    const Model& model_;
    Latest accepted_;
    Latest unsure_;   ///< the answer was not captured, or not all that tells the request
    Latest alike_;    ///< accepted or unsure, of anybody
    Latest answers_;  ///< accepts of requests that were not captured
    Latest between_;  ///< all of these
};

void Accepts::note(const Exchange& exchange) {
    if (exchange.accepted == false || !(exchange.accepted || asks(exchange))) return;
    for (const std::uint64_t who : {std::uint64_t{exchange.originator}, anybody}) {
        between_.note(between(exchange, who), exchange.id);
        if (!asks(exchange)) answers_.note(between(exchange, who), exchange.id);
    }
    if (!asks(exchange)) return;
    alike_.note(request(exchange, anybody, 0), exchange.id);
    Latest& latest = exchange.accepted && tells_question(exchange) ? accepted_ : unsure_;
    const auto identities = identities_of(exchange);
    for (const std::uint64_t who : identities)
        if (is_known(who)) latest.note(request(exchange, who, exchange.question), exchange.id);
    if (std::ranges::none_of(identities, is_known))
        unsure_.note(request(exchange, anybody, exchange.question), exchange.id);
}

bool Accepts::has_later(const Exchange& rejected) const {
    return tells_question(rejected) && std::ranges::any_of(identities_of(rejected), [&](std::uint64_t who) {
               return is_known(who) && accepted_.has_later(request(rejected, who, rejected.question), rejected.id);
           });
}

bool Accepts::may_have_later(const Exchange& rejected) const {
    if (!asks(rejected)) return between_.has_later(between(rejected, rejected.originator), rejected.id);
    if (answers_.has_later(between(rejected, rejected.originator), rejected.id)) return true;
    const auto unsure = [&](std::uint64_t who) {
        return unsure_.has_later(request(rejected, who, rejected.question), rejected.id) ||
               unsure_.has_later(request(rejected, who, 0), rejected.id);
    };
    const auto identities = identities_of(rejected);
    if (unsure(anybody) || std::ranges::any_of(identities, unsure)) return true;
    const bool is_certain = tells_question(rejected) && std::ranges::any_of(identities, is_known);
    return !is_certain && alike_.has_later(request(rejected, anybody, 0), rejected.id);
}

/// Logins that nobody seems to answer. Who asks again has got no answer; where it was asked once, that time went by and
/// others were heard says that it waits in vain, unless the two ports went on.
class Unanswered {
public:
    explicit Unanswered(const Model& model) : model_(model) {}

    void note(const Exchange& exchange);
    void observe(Observations& observations) const;

private:
    /// By N_Port_IDs or, if there is none yet, Port_Name.
    struct Ports {
        std::uint16_t fabric;
        std::uint64_t low, high;
        auto operator<=>(const Ports&) const = default;
    };
    struct Waiting {
        std::uint32_t id = 0;  ///< of the latest Exchange
        std::string kind;
        Port by;
        std::uint64_t requests = 0;
        std::uint64_t first_frame = 0, last_frame = 0;
        capture::Time first_time = 0, last_time = 0;
    };

    static Ports ports_of(const Exchange& exchange, std::uint64_t who, std::uint64_t asked) {
        return {exchange.fabric.value_or(0), std::min(who, asked), std::max(who, asked)};
    }
    static bool waits(const Exchange& exchange);
    void hear(const Exchange& exchange);
    bool is_heard(const Waiting& waiting) const;

    const Model& model_;
    std::map<Ports, Waiting> waiting_;
    /// When the last frame to a port was captured; by fabric and N_Port_ID.
    std::map<std::pair<std::uint16_t, std::uint32_t>, capture::Time> heard_;
};

bool Unanswered::waits(const Exchange& exchange) {
    constexpr std::array<std::uint8_t, 4> logins{wire::els_flogi, wire::els_fdisc, wire::els_plogi, wire::els_prli};
    return exchange.els && std::ranges::find(logins, *exchange.els) != logins.end() && !exchange.accepted &&
           !exchange.link_reject && !exchange.abort && exchange.busies == 0 && exchange.beginning_seen;
}

void Unanswered::hear(const Exchange& exchange) {
    for (const Party to : {Party::originator, Party::responder}) {
        if (exchange.sent[other(to)].frames == 0) continue;
        const Port port = exchange.port(to);
        capture::Time& last = heard_[{port.fabric, port.id}];
        last = std::max(last, exchange.last_time);
    }
}

void Unanswered::note(const Exchange& exchange) {
    hear(exchange);
    const std::uint64_t name = port_name_of(model_, exchange);
    if (name != 0 && exchange.els != wire::els_flogi) waiting_.erase(ports_of(exchange, name, wire::f_port_server));
    const std::uint64_t who = exchange.originator != 0 ? exchange.originator : name;
    if (who == 0) return;
    const Ports ports = ports_of(exchange, who, exchange.responder);
    if (!waits(exchange)) {
        waiting_.erase(ports);
        return;
    }
    Waiting& waiting = waiting_[ports];
    const Port by = exchange.port(Party::originator);
    const std::string kind = kind_text(exchange);
    if (waiting.requests == 0 || waiting.kind != kind || waiting.by.id != by.id)
        waiting = {0, kind, by, 0, exchange.first_frame, 0, exchange.first_time, 0};
    waiting.id = exchange.id;
    waiting.requests += 1 + exchange.sent[Party::originator].repeated;
    waiting.last_frame = exchange.last_frame;
    waiting.last_time = exchange.last_time;
}

/// After twice R_A_TOV, as most have it, who waits for an answer to a link service gives up (FC-FS; FC-LS).
bool Unanswered::is_heard(const Waiting& waiting) const {
    constexpr capture::Time most = 20 * capture::second;
    const auto found = heard_.find({waiting.by.fabric, waiting.by.id});
    return found != heard_.end() && found->second - waiting.last_time > most;
}

void Unanswered::observe(Observations& observations) const {
    for (const auto& [ports, waiting] : waiting_) {
        const std::string session = session_of(waiting.id);
        const std::vector<std::uint64_t> frames = frames_of({waiting.first_frame, waiting.last_frame});
        if (waiting.requests > 1)
            observations.add(
                kinds::no_answer, session, frames,
                fmt::format(
                    "{} was sent {} times in {}, and no answer was captured", waiting.kind, waiting.requests,
                    duration_text(waiting.last_time - waiting.first_time)));
        else if (is_heard(waiting))
            observations
                .add(kinds::no_answer, session, frames, fmt::format("no answer to {} was captured", waiting.kind))
                .severity = Severity::note;
    }
}

class Exchanges {
public:
    Exchanges(const Model& model, Observations& observations)
        : model_(model), observations_(observations), accepts_(model), unanswered_(model) {
        std::uint32_t place = 0;
        for (const Exchange& exchange : model_.exchanges.without_details()) {
            if (is_troubled(exchange)) troubled_.push_back(place);
            ++place;
            accepts_.note(exchange);
            unanswered_.note(exchange);
        }
        const std::span<const Observation> told = observations.all();
        for (std::size_t i = 0; i < told.size(); ++i)
            if (!told[i].frames.empty()) told_.emplace(told[i].frames.front(), i);
    }

    void observe() {
        for (const std::uint32_t place : troubled_) observe(model_.exchanges[place]);
        unanswered_.observe(observations_);
        observe_damaged(model_.damaged_frames, observations_);
    }

private:
    static bool is_troubled(const Exchange& exchange) {
        return exchange.rejected || exchange.link_reject || exchange.abort || exchange.busies != 0 ||
               exchange.incomplete_sequences != 0;
    }
    void observe(const Exchange& exchange);

    const Model& model_;
    Observations& observations_;
    Accepts accepts_;
    Unanswered unanswered_;
    std::vector<std::uint32_t> troubled_;  ///< places in the model
    /// What those that are built on it have told, by its first frame.
    std::map<std::uint64_t, std::size_t> told_;
};

void Exchanges::observe(const Exchange& exchange) {
    const std::string kind = kind_text(exchange);
    const auto add = [&](const Kind& what, std::uint64_t frame, std::string text) -> Observation& {
        return observations_.add(
            what, session_of(exchange.id), frames_of({exchange.first_frame, frame}), std::move(text));
    };
    if (exchange.rejected) {
        Observation& o = add(
            kinds::rejected, exchange.rejected->step.frame,
            fmt::format("{} was rejected ({})", kind, rejection_text(exchange)));
        const bool accepted = accepts_.has_later(exchange);
        if (accepted || accepts_.may_have_later(exchange)) {
            o.severity = Severity::note;
            o.text += accepted ? ", and accepted later" : ", and perhaps accepted later: something is missing";
        }
    }
    if (exchange.link_reject)
        add(kinds::link_reject, exchange.link_reject->step.frame,
            fmt::format("a frame of the {} Exchange was rejected ({})", kind, link_reject_text(exchange)));
    const auto told = told_.find(exchange.first_frame);
    const bool is_told = told != told_.end();
    if (is_told) {
        std::vector<std::uint64_t>& frames = observations_[told->second].frames;
        if (exchange.abort && frames.back() < exchange.abort->step.frame) frames.push_back(exchange.abort->step.frame);
    }
    if (exchange.abort && (!is_told || exchange.abort->refused))
        add(kinds::aborted, exchange.abort->step.frame,
            fmt::format("{} ({})", aborted_text(kind, *exchange.abort), abort_text(*exchange.abort)));
    const auto add_counted = [&](const Kind& what, std::uint64_t count, const char* noun, const char* state) {
        if (count != 0)
            add(what, 0, fmt::format("{} of the {} Exchange {}", counted(count, noun), kind, state)).count = count;
    };
    add_counted(
        kinds::busy, exchange.busies, "frame", exchange.busies == 1 ? "was returned as busy" : "were returned as busy");
    if (is_told) return;
    const std::uint64_t incomplete = exchange.incomplete_sequences;
    add_counted(kinds::incomplete, incomplete, "Sequence", incomplete == 1 ? "is not complete" : "are not complete");
}

void observe_cleared(const Model& model, const ClearedLink& link, Observations& observations) {
    std::string text = link.port
                           ? fmt::format("{} cleared the virtual link of {}", to_string(link.by), to_string(*link.port))
                           : fmt::format(
                                 "{} cleared all virtual links of {}", to_string(link.by), to_string(link.station));
    if (link.login != 0) text += ", which ended its login with the fabric";
    if (link.last_keep_alive)
        text += fmt::format(", {} after its last keep-alive", duration_text(link.first.time - *link.last_keep_alive));
    if (link.frames > 1) text += fmt::format(" ({} frames)", link.frames);
    const std::uint32_t exchange = link.login != 0 ? model.logins[link.login - 1].exchange : 0;
    observations
        .add(kinds::link_cleared, exchange != 0 ? session_of(exchange) : "", {link.first.frame}, std::move(text))
        .count = link.frames;
}

}  // namespace

std::string refusal_text(
    const char* what, const Refusal& refusal, layout::ValueNames reasons, layout::ValueNames explanations) {
    std::string text = fmt::format("{}: {}", what, code_name(reasons, refusal.reason));
    if (refusal.explanation != 0) text += ", " + code_name(explanations, refusal.explanation);
    return text;
}

std::string trouble_of(const Exchange& exchange) {
    std::string text;
    const auto add = [&](const std::string& trouble) { text += (text.empty() ? "" : "; ") + trouble; };
    if (exchange.rejected) add(rejection_text(exchange));
    if (exchange.link_reject) add(link_reject_text(exchange));
    if (exchange.abort) add(abort_text(*exchange.abort));
    if (exchange.incomplete_sequences != 0)
        add(fmt::format("{} not complete", counted(exchange.incomplete_sequences, "Sequence")));
    return text;
}

const Kind& damaged_frames = kinds::damaged;

void observe_damaged(std::uint64_t frames, Observations& observations) {
    if (frames == 0) return;
    observations
        .add(
            kinds::damaged, "", {},
            fmt::format("{} left out: wrong CRC, or marked invalid", counted(frames, "damaged frame")))
        .count = frames;
}

constinit const Source fc_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        if (evidence.models.fc == nullptr) return;
        const Model& model = *evidence.models.fc;
        Exchanges(model, observations).observe();
        for (const ClearedLink& link : model.cleared_links) observe_cleared(model, link, observations);
        observe_limits(
            observations, {{model.unlisted_exchanges, "Fibre Channel Exchange", "fc.exchanges"},
                           {model.dropped_logins, "login", "fc.logins"},
                           {model.dropped_resolutions, "address resolution"}});
    }};

}  // namespace fabricscope::observations
