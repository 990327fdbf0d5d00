// SPDX-License-Identifier: GPL-2.0-or-later
// Which port has which IP address: FARP (FC-LS; RFC 2625 5) and the Name Server's GID_IPP (FC-GS-2), as FC-VI uses them
// (ISO/IEC 14165-331 7.4 to 7.6).
#pragma once

#include "analyzer/engine/fc/exchanges.h"
#include "protocols/fc/ct.h"

namespace fabricscope::engine::fibre_channel {

class Addresses {
public:
    Addresses(const Limits& limits, Model& model) : limits_(limits), model_(model) {}

    /// FARP-REQ and FARP-REPLY. Each is an Exchange of its own.
    void on_farp(const Arrival& arrival, const wire::Farp& farp);
    void on_name_server_request(const Arrival& arrival, const wire::GidIppRequest& request);
    /// Of GID_IPP: accept or reject.
    void on_name_server_answer(const Arrival& arrival, const wire::CtMessage& answer);

private:
    /// Answers belong to questions that are among the latest.
    static constexpr std::size_t latest = 256;

    /// The latest question without an answer for which `is_it` holds.
    template <class Predicate> Resolution* open_question(ResolutionKind kind, const Arrival& arrival, Predicate is_it);
    void ask(const Arrival& arrival, ResolutionKind kind, std::uint32_t asked_by, const Address& ip);

    const Limits& limits_;
    Model& model_;
};

}  // namespace fabricscope::engine::fibre_channel
