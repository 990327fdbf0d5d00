// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/model.h"

#include <cstdio>

#include "analyzer/engine/packing.h"
#include "protocols/fc/ct.h"

namespace fabricscope::engine::fibre_channel {

// ---- packed ----------------------------------------------------------------------------------------

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, Refusal& refusal) {
    auto& [reason, explanation, vendor, step] = refusal;
    way(reason, explanation, vendor, step);
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, AbortSeen& abort) {
    auto& [by, step, sequence_only, accepted, refused] = abort;
    way(by, step, sequence_only, accepted, refused);
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, Sent& sent) {
    auto& [sequences, frames, octets, repeated, acks] = sent;
    way(sequences, frames, octets, repeated, acks);
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, SequenceSeen& sequence) {
    auto& [from, seq_id, r_ctl, first_frame, last_frame, first_time, last_time, frames, missing, repeated, octets, complete, passes_initiative, last] =
        sequence;
    way(from, seq_id, r_ctl, first_frame, last_frame, first_time, last_time, frames, missing, repeated, octets,
        complete, passes_initiative, last);
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, Exchange& exchange) {
    auto& [id, fabric, originator, responder, assigned_id, ox_id, rx_id, type, service_class, state, beginning_seen, may_be_several, initiative, els, ct, question, accepted, login, rejected, link_reject, link_reject_by, busies, abort, sent, sequences, sequence_count, incomplete_sequences, first_frame, last_frame, first_time, last_time] =
        exchange;
    way(id, fabric, originator, responder, assigned_id, ox_id, rx_id, type, service_class, state, beginning_seen,
        may_be_several, initiative, els, ct, question, accepted, login, rejected, link_reject, link_reject_by, busies,
        abort, sent.values, first_frame, last_frame, first_time, last_time, sequence_count, incomplete_sequences);
    way.details(sequences);
}

std::size_t pack(Exchange& exchange, std::vector<std::uint8_t>& room) { return Packer(room).pack(exchange); }

void unpack(Exchange& exchange, const std::uint8_t* from) { Unpacker(from).unpack(exchange); }

void unpack_without_details(Exchange& exchange, const std::uint8_t* from) { Unpacker(from, false).unpack(exchange); }

// ---- in words --------------------------------------------------------------------------------------

std::string to_string(const Port& port) {
    const std::string id = wire::port_id_text(port.id);
    return port.fabric == 0 ? id : id + " in fabric " + std::to_string(port.fabric);
}

const char* name_of(ExchangeState state) {
    switch (state) {
        case ExchangeState::open: return "open";
        case ExchangeState::closed: return "closed";
        case ExchangeState::aborted: return "aborted";
    }
    return "";
}

const char* name_of(LoginState state) {
    switch (state) {
        case LoginState::requested: return "requested";
        case LoginState::accepted: return "accepted";
        case LoginState::rejected: return "rejected";
        case LoginState::logged_out: return "logged-out";
        case LoginState::midstream: return "midstream";
    }
    return "";
}

namespace {

std::string name_or_code(const char* name, const char* what, unsigned code, int digits) {
    if (name != nullptr) return name;
    char text[32];
    std::snprintf(text, sizeof text, "%s %0*Xh", what, digits, code);
    return text;
}

}  // namespace

std::string kind_text(const Exchange& exchange) {
    if (exchange.els)
        return name_or_code(layout::name_of(wire::els_command_names, *exchange.els), "ELS", *exchange.els, 2);
    if (exchange.ct) return name_or_code(layout::name_of(wire::ct_command_names, *exchange.ct), "CT", *exchange.ct, 4);
    if (!exchange.type) return "?";
    return name_or_code(layout::name_of(wire::type_names, *exchange.type), "TYPE", *exchange.type, 2);
}

}  // namespace fabricscope::engine::fibre_channel
