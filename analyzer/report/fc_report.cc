// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_report.h"

#include <fmt/format.h>

#include <array>

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;
using Exchanges = SessionsIn<&engine::Engine::fc, &Model::exchanges>;

constexpr std::array sessions{
    SessionKind{
        .prefix = "xchg-",
        .noun = "Exchange",
        .count = Exchanges::count,
        .at = Exchanges::at,
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.fc().exchanges[index], start); },
        .why_no_stream = "; connections, messages and memory regions have",
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return exchange_detail(engine.fc().exchanges[index]); }},
};

constexpr std::array names{
    NameKind{"xchg-", Exchanges::count}, NameKind{"login-", SessionsIn<&engine::Engine::fc, &Model::logins>::count}};

constexpr std::array own_views{
    View{
        "fc_unfinished_exchanges", "Which Exchanges were aborted, rejected, left open, or lack frames?",
        "SELECT id AS exchange, kind, originator, responder, ox_id, state, answer, rejected_name,\n"
        "    rejected_explanation_name, link_reject_name, abort_by, incomplete_sequences, first_frame, last_frame\n"
        "FROM fc_exchanges WHERE state <> 'closed' OR answer = 'rejected' OR link_reject_reason IS NOT NULL\n"
        "    OR incomplete_sequences > 0 ORDER BY first_frame"},
    View{
        "fc_traffic", "What was moved between which ports, and how long did it take?",
        "SELECT kind, originator, responder, count(*) AS exchanges, sum(from_originator_bytes) AS bytes_out,\n"
        "    sum(from_responder_bytes) AS bytes_back, avg(last - first) AS mean_duration,\n"
        "    max(last - first) AS longest\n"
        "FROM fc_exchanges GROUP BY kind, originator, responder ORDER BY count(*) DESC"},
};

}  // namespace

constinit const ProtocolReport fc_report{
    .protocol = engine::protocol("fc"),
    .section = section<&engine::Models::fc, fc_columns>("fc", "Fibre Channel").column,
    .is_there = [](const engine::Models& models) { return models.fc != nullptr && models.fc->frames != 0; },
    .write_summary = [](std::ostream& out, const Results& results,
                        const SummaryOptions& options) { write_fc(out, *results.models.fc, options); },
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .profile = "FC",
    .overview = fc_overview,
    .add_fields = add_fc_fields};

std::string exchange_name(std::uint32_t id) { return fmt::format("xchg-{}", id); }
std::string login_name(std::uint32_t id) { return fmt::format("login-{}", id); }

}  // namespace fabricscope::report
