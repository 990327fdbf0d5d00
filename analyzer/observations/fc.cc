// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/fc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

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
    "the FCP Exchange was aborted by the originator (ABTS), accepted"};
constexpr Kind incomplete{
    "FC-O-incomplete",
    Severity::note,
    "Sequences are not complete in the capture",
    "SEQ_CNT tells of frames that were not captured. Nothing says that the receiver lacks them.",
    "Drops of the capture; are both directions and all paths in it?",
    "2 Sequences of the FCP Exchange are not complete"};
constexpr Kind damaged{
    "FC-O-damaged",
    Severity::warning,
    "Damaged frames",
    "Frames have a wrong CRC, or an EOF that says that they are invalid: they were spoilt on the way to where they "
    "were captured, and are left out of everything else.",
    "Cables, transceivers and error counters of the ports (`cat /sys/class/fc_host/*/statistics/invalid_crc_count`).",
    "3 frames have a wrong CRC, or are marked invalid"};
}  // namespace kinds

constexpr std::array all_kinds{
    &kinds::link_reject, &kinds::rejected, &kinds::aborted, &kinds::damaged, &kinds::incomplete};

std::string code_name(layout::ValueNames names, std::uint8_t code) {
    const char* name = layout::name_of(names, code);
    return name != nullptr ? name : fmt::format("code {:02X}h", code);
}

std::string abort_text(const AbortSeen& abort) {
    const char* of = abort.sequence_only ? "a Sequence" : "the Exchange";
    const char* answer = abort.accepted ? "BA_ACC" : abort.refused ? "BA_RJT" : "not answered";
    return fmt::format("ABTS of {} by the {}, {}", of, name_of(abort.by), answer);
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

std::string session_of(const Exchange& exchange) { return "xchg-" + std::to_string(exchange.id); }

class Exchanges {
public:
    Exchanges(const Model& model, Observations& observations) : model_(model), observations_(observations) {
        std::uint32_t place = 0;
        for (const Exchange& exchange : model_.exchanges.without_details()) {
            if (is_troubled(exchange)) troubled_.push_back(place);
            ++place;
            if (exchange.accepted == true) note_last(accepted_last_, request_of(exchange), exchange);
            const bool asks = exchange.els || exchange.ct;
            if (exchange.accepted == true ? !asks : asks && !exchange.accepted)
                note_last(perhaps_accepted_last_, request_of(exchange), exchange);
            if (exchange.accepted != false && (exchange.accepted || asks))
                note_last(answerer_last_, exchange.responder, exchange);
        }
        const std::span<const Observation> told = observations.all();
        for (std::size_t i = 0; i < told.size(); ++i)
            if (!told[i].frames.empty()) told_.emplace(told[i].frames.front(), i);
    }

    void observe() {
        for (const std::uint32_t place : troubled_) observe(model_.exchanges[place]);
        observe_damaged(model_.damaged_frames, observations_);
    }

private:
    /// Who asked whom for what. A FLOGI that was rejected has no address yet, so the originator is no part of it.
    using Request = std::tuple<std::optional<std::uint8_t>, std::optional<std::uint16_t>, std::uint32_t>;
    static Request request_of(const Exchange& exchange) { return {exchange.els, exchange.ct, exchange.responder}; }

    template <class Key>
    static void note_last(std::map<Key, std::uint32_t>& last_of, const Key& key, const Exchange& exchange) {
        std::uint32_t& last = last_of[key];
        last = std::max(last, exchange.id);
    }
    template <class Key>
    static bool is_later(const std::map<Key, std::uint32_t>& last_of, const Key& key, const Exchange& exchange) {
        const auto found = last_of.find(key);
        return found != last_of.end() && found->second > exchange.id;
    }

    bool accepted_later(const Exchange& exchange) const {
        return is_later(accepted_last_, request_of(exchange), exchange);
    }
    /// The answer to a later request was not captured, or what a later accept answers, or what was rejected here.
    bool perhaps_accepted_later(const Exchange& exchange) const {
        if (!exchange.els && !exchange.ct) return is_later(answerer_last_, exchange.responder, exchange);
        const Request unknown{std::nullopt, std::nullopt, exchange.responder};
        return is_later(perhaps_accepted_last_, request_of(exchange), exchange) ||
               is_later(perhaps_accepted_last_, unknown, exchange);
    }

    static bool is_troubled(const Exchange& exchange) {
        return exchange.rejected || exchange.link_reject || exchange.abort || exchange.incomplete_sequences != 0;
    }
    void observe(const Exchange& exchange);

    const Model& model_;
    Observations& observations_;
    std::vector<std::uint32_t> troubled_;  ///< places in the model
    // Ids of the latest Exchange: that was accepted; of which either the request or the answer is missing; of a port
    // that may have accepted what it was asked.
    std::map<Request, std::uint32_t> accepted_last_, perhaps_accepted_last_;
    std::map<std::uint32_t, std::uint32_t> answerer_last_;
    /// What those that are built on it have told, by its first frame.
    std::map<std::uint64_t, std::size_t> told_;
};

void Exchanges::observe(const Exchange& exchange) {
    const std::string kind = kind_text(exchange);
    const auto add = [&](const Kind& what, std::uint64_t frame, std::string text) -> Observation& {
        return observations_.add(what, session_of(exchange), frames_of({exchange.first_frame, frame}), std::move(text));
    };
    if (exchange.rejected) {
        Observation& o = add(
            kinds::rejected, exchange.rejected->step.frame,
            fmt::format("{} was rejected ({})", kind, rejection_text(exchange)));
        const bool accepted = accepted_later(exchange);
        if (accepted || perhaps_accepted_later(exchange)) {
            o.severity = Severity::note;
            o.text += accepted ? ", and accepted later" : ", and perhaps accepted later: something is missing";
        }
    }
    if (exchange.link_reject)
        add(kinds::link_reject, exchange.link_reject->step.frame,
            fmt::format("a frame of the {} Exchange was rejected ({})", kind, link_reject_text(exchange)));
    if (const auto told = told_.find(exchange.first_frame); told != told_.end()) {
        std::vector<std::uint64_t>& frames = observations_[told->second].frames;
        if (exchange.abort && frames.back() < exchange.abort->step.frame) frames.push_back(exchange.abort->step.frame);
        return;
    }
    if (exchange.abort)
        add(kinds::aborted, exchange.abort->step.frame,
            fmt::format("the {} Exchange was aborted ({})", kind, abort_text(*exchange.abort)));
    if (exchange.incomplete_sequences != 0)
        add(kinds::incomplete, 0,
            fmt::format(
                "{} of the {} Exchange {} not complete", counted(exchange.incomplete_sequences, "Sequence"), kind,
                exchange.incomplete_sequences == 1 ? "is" : "are"))
            .count = exchange.incomplete_sequences;
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
        observe_limits(
            observations, {{model.unlisted_exchanges, "Fibre Channel Exchange", "fc.exchanges"},
                           {model.dropped_logins, "login", "fc.logins"},
                           {model.dropped_resolutions, "address resolution"}});
    }};

}  // namespace fabricscope::observations
