// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of SMC-R: connections and link groups.
#pragma once

#include <memory>
#include <optional>

#include "analyzer/observations/smcr_words.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport smcr_report;
extern const ColumnsElsewhere<engine::smcr::Model> smcr_columns;

bool add_smcr_fields(FrameLayers& layers);

using observations::llc_name;
using observations::why_not;

/// What only the packets of the direction's sender tell, of its receiver, or of both.
template <auto member> auto of_sender(const engine::smcr::Direction& d) {
    return d.sender_heard ? std::optional(d.*member) : std::nullopt;
}
template <auto member> auto of_receiver(const engine::smcr::Direction& d) {
    return d.receiver_heard ? std::optional(d.*member) : std::nullopt;
}
template <auto member> auto of_both(const engine::smcr::Direction& d) {
    return d.receiver_heard ? of_sender<member>(d) : std::nullopt;
}

/// A position in a direction's stream. Nothing if the cursors wrapped while the element's size was unknown, or if
/// nobody knows where they began.
template <auto number> std::optional<std::uint64_t> position(const engine::smcr::Direction& d) {
    const bool begin_known = !d.from_start || d.cursor_base || (!d.producer && !d.consumer);
    return d.positions_known && begin_known ? number(d) : std::nullopt;
}

/// If there are neither connections nor link groups, it says so.
void write_smcr(std::ostream& out, const Results& results, const SummaryOptions& options);

/// From the SYN to the first data, with the LLC messages of the link group in that time.
Ladder ladder_of(const engine::smcr::Connection& connection, const engine::smcr::Model& model, engine::Time start);
/// All LLC messages that the model keeps, and the set-ups of the group's connections.
Ladder ladder_of(const engine::smcr::LinkGroup& group, const engine::smcr::Model& model, engine::Time start);

void smcr_overview(const engine::Models& models, Overview& overview);
void smcr_fabric(const engine::Models& models, Fabric& fabric);
std::vector<CurvePanel> smcr_curves(const engine::smcr::Connection& connection);
/// The RMB elements of both sides.
std::vector<Memory> smcr_memories(const engine::smcr::Connection& connection);

/// The data that one side of a connection wrote.
std::unique_ptr<Stream> smcr_stream(const StreamChoice& choice, OctetSink& sink);
std::unique_ptr<FrameListener> smcr_frames(TellSession tell);
std::unique_ptr<DetailListener> smcr_detail(const engine::smcr::Connection& connection);
/// Of the one that `from` writes into.
std::string rmb_element_title(engine::Side from);

}  // namespace fabricscope::report
