// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_report.h"

#include <array>
#include <charconv>

#include "analyzer/report/fc_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;
using Messages = SessionsIn<&engine::Engine::fc_ae_rdma, &Model::messages>;
using Regions = SessionsIn<&engine::Engine::fc_ae_rdma, &Model::regions>;

constexpr std::array sessions{
    SessionKind{
        .prefix = "fc-ae-rdma-",
        .noun = "message",
        .count = Messages::count,
        .at = Messages::at,
        .ladder = [](const engine::Engine& engine, std::size_t index,
                     engine::Time start) { return ladder_of(engine.fc_ae_rdma().messages[index], engine.fc(), start); },
        .stream = message_stream,
        .filter = "fcaerdma.message",
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return message_detail(engine.fc_ae_rdma().messages[index]); }},
    SessionKind{
        .prefix = "fc-ae-rdma-region-",
        .noun = "memory region",
        .count = Regions::count,
        .at = Regions::at,
        .stream = region_stream,
        .memories = [](const engine::Engine& engine,
                       std::size_t index) { return region_memories(engine.fc_ae_rdma(), index); },
        .detail = [](const engine::Engine& engine,
                     std::size_t index) { return region_detail(engine.fc_ae_rdma().regions[index]); }},
};

constexpr std::array names{NameKind{"fc-ae-rdma-", Messages::count}, NameKind{"fc-ae-rdma-region-", Regions::count}};

constexpr std::array own_views{
    View{
        "fc_ae_rdma_statuses", "How did FC-AE-RDMA messages end, and how long did that take?",
        "SELECT initiator, target, lun, operation, state, status, status_name, count(*) AS messages,\n"
        "    sum(bytes) AS bytes, avg(latency) AS mean_latency, max(latency) AS longest\n"
        "FROM fc_ae_rdma_messages GROUP BY initiator, target, lun, operation, state, status\n"
        "ORDER BY count(*) DESC"},
    View{
        "fc_ae_rdma_memory", "How much of each memory region was written and read?",
        "SELECT r.id AS region, r.target, r.lun, x.kind, count(*) AS ranges, min(x.begin) AS first,\n"
        "    max(x.\"end\") AS \"end\", sum(x.\"end\" - x.begin) AS octets\n"
        "FROM fc_ae_rdma_regions r JOIN fc_ae_rdma_ranges x ON x.region = r.id\n"
        "GROUP BY r.id, x.kind ORDER BY r.id, x.kind"},
};

/// A number, and what has to stand behind it; 0: the end.
bool take(std::string_view& text, char behind, int base, std::uint64_t most, std::uint64_t& number) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || number > most) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (behind == 0) return text.empty();
    if (!text.starts_with(behind)) return false;
    text.remove_prefix(1);
    return true;
}

/// "01.02.03/7=4096": Logical Unit 7 of a Target has so many octets. Nothing if it is not that.
std::optional<RegionSize> region_of(std::string_view text) {
    std::uint64_t domain = 0, area = 0, port = 0, lun = 0, octets = 0;
    const bool good = take(text, '.', 16, 0xFF, domain) && take(text, '.', 16, 0xFF, area) &&
                      take(text, '/', 16, 0xFF, port) && take(text, '=', 10, 0xFF, lun) &&
                      take(text, 0, 10, UINT64_MAX, octets);
    if (!good) return std::nullopt;
    const auto id = static_cast<std::uint32_t>(domain << 16 | area << 8 | port);
    return RegionSize{id, static_cast<std::uint8_t>(lun), octets};
}

bool take_region(engine::Options& options, std::string_view text) {
    const std::optional<RegionSize> region = region_of(text);
    if (region) options.fc_protocols.fc_ae_rdma_options.region_sizes.push_back(*region);
    return region.has_value();
}

constexpr std::array own_options{OwnOption{
    .name = "--region",
    .description = "How large a memory region of FC-AE-RDMA is; may be repeated",
    .placeholder = "TARGET/LUN=BYTES",
    .take = take_region,
    .complaint = " is no region: as 01.02.03/7=4096, Target, Logical Unit and bytes"}};

}  // namespace

constinit const ProtocolReport fc_ae_rdma_report{
    .protocol = engine::protocol("fc-ae-rdma"),
    .section = section<&engine::Models::fc_ae_rdma, fc_ae_rdma_columns>("fc_ae_rdma", "FC-AE-RDMA").column,
    .is_there =
        [](const engine::Models& models) {
            return models.fc_ae_rdma != nullptr && !models.fc_ae_rdma->messages.empty();
        },
    .write_summary = [](std::ostream& out, const Results& results,
                        const SummaryOptions& options) { write_fc_ae_rdma(out, *results.models.fc_ae_rdma, options); },
    .sessions = sessions,
    .names = names,
    .views = own_views,
    .options = own_options,
    .carrier = &fc_report,
    .profile = "FC",
    .overview = fc_ae_rdma_overview,
    .fabric = fc_ae_rdma_fabric,
    .add_fields = add_fc_ae_rdma_fields};

std::string fc_ae_rdma_message_name(std::uint64_t id) { return "fc-ae-rdma-" + std::to_string(id); }
std::string fc_ae_rdma_target_name(const engine::fibre_channel::Port& target) { return "Target " + to_string(target); }

std::string fc_ae_rdma_region_name(std::uint32_t id) { return "fc-ae-rdma-region-" + std::to_string(id); }

}  // namespace fabricscope::report
