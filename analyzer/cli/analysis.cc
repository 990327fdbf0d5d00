// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/analysis.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "analyzer/cli/output.h"
#include "analyzer/cli/progress.h"
#include "analyzer/report/units.h"
#include "capture/source.h"

namespace fabricscope::cli {
namespace {

constexpr std::string_view smcr_prefix = "smcr-", cm_prefix = "cm-";

std::vector<std::unique_ptr<capture::Source>> open_all(const std::vector<std::string>& files, Analysis& analysis) {
    std::vector<std::unique_ptr<capture::Source>> sources;
    for (const std::string& file : files) {
        capture::OpenResult result = capture::open(file);
        if (!result) {
            analysis.problems.push_back(to_string(result.error));
            continue;
        }
        sources.push_back(std::move(result.source));
        analysis.opened.push_back(file);
    }
    return sources;
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// "smcr-1, smcr-2, ... (45 in all)", with gaps where ids have been given up
template <class Model> std::string names_of(const Model& model, std::string_view prefix) {
    constexpr std::size_t most = 20;
    std::string names;
    std::size_t count = 0;
    for (const auto& connection : model.connections) {
        if (connection.merged) continue;
        if (++count <= most) names += (count == 1 ? "" : ", ") + std::string(prefix) + std::to_string(connection.id);
    }
    return count <= most ? names : names + ", ... (" + report::grouped(count) + " in all)";
}

/// 0 if the name has another prefix, or no number.
std::uint32_t id_in(const std::string& name, std::string_view prefix) {
    std::uint32_t id = 0;
    const char* const end = name.data() + name.size();
    if (!name.starts_with(prefix)) return 0;
    const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, id);
    return error == std::errc() && rest == end ? id : 0;
}

template <class Connection, class Model>
const Connection* find_in(
    const Model& model, const std::string& name, std::string_view prefix, const std::string& protocol) {
    const std::uint32_t id = id_in(name, prefix);
    if (id >= 1 && id <= model.connections.size() && !model.connections[id - 1].merged)
        return &model.connections[id - 1];
    const std::string names = names_of(model, prefix);
    complain(
        "no connection " + name + "; there " + (names.empty() ? "is no " + protocol + " connection" : "are " + names));
    return nullptr;
}

}  // namespace

std::optional<std::uint8_t> InputOptions::forced_cursor_base() const {
    if (cursor_base == "auto") return std::nullopt;
    return static_cast<std::uint8_t>(cursor_base == "4" ? 4 : 0);
}

void add_input_options(CLI::App& command, InputOptions& options) {
    command.add_option("FILE", options.files, "Captures; several are one timeline, - is standard input")
        ->required()
        ->option_text("...");
    command.add_option("--cursor-base", options.cursor_base, "Where the RMB cursors start; found out by default")
        ->check(CLI::IsMember({"auto", "0", "4"}))
        ->option_text("auto|0|4");
}

Analysis analyse(const std::vector<std::string>& files, engine::Options options, engine::smcr::Observer* observer) {
    Analysis analysis;
    if (auto sources = open_all(files, analysis); !sources.empty()) {
        auto source = capture::in_time_order(capture::merge(std::move(sources)));
        if (std::ranges::all_of(files, is_file)) source = capture::read_ahead(std::move(source));
        options.interfaces = source->interface_count();
        analysis.engine = std::make_unique<engine::Engine>(options, observer);
        Progress progress(files);
        const bool merged = analysis.opened.size() > 1;
        for (capture::Frame frame; source->next(frame);) {
            if (merged) analysis.origins.add(frame);
            analysis.engine->on_frame(frame);
            progress.on_frame(frame);
        }
        analysis.engine->finish();
        for (const capture::Error& error : source->errors()) analysis.problems.push_back(to_string(error));
    }
    for (const std::string& problem : analysis.problems) complain(problem);
    return analysis;
}

std::uint32_t connection_id(const std::string& name) { return id_in(name, smcr_prefix); }

bool is_cm_connection(const std::string& name) { return id_in(name, cm_prefix) != 0; }

const engine::smcr::Connection* find_connection(const engine::smcr::Model& model, const std::string& name) {
    return find_in<engine::smcr::Connection>(model, name, smcr_prefix, "SMC-R");
}

const engine::rdma_cm::Connection* find_connection(const engine::rdma_cm::Model& model, const std::string& name) {
    return find_in<engine::rdma_cm::Connection>(model, name, cm_prefix, "RDMA CM");
}

}  // namespace fabricscope::cli
