// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <ranges>

#include "analyzer/report/units.h"
#include "capture/source.h"
#include "program/output.h"
#include "program/progress.h"

namespace fabricscope::cli {
namespace {

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

/// "smcr-1, smcr-2, ... (45 in all)"
std::string names_there(const engine::Engine& engine, const report::SessionKind& kind) {
    constexpr std::size_t most = 20;
    std::string names;
    std::size_t count = 0;
    for (std::size_t i = 0; i < kind.count(engine); ++i) {
        const report::Session session = kind.at(engine, i);
        if (session.merged) continue;
        if (++count <= most) names += fmt::format("{}{}{}", count == 1 ? "" : ", ", kind.prefix, session.id);
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

}  // namespace

std::optional<std::uint8_t> InputOptions::forced_cursor_base() const {
    if (cursor_base == "auto") return std::nullopt;
    return static_cast<std::uint8_t>(cursor_base == "4" ? 4 : 0);
}

Option add_input_options(const Command& command, InputOptions& options) {
    const Option files = command.option(
        "FILE", options.files, "Captures; several are one timeline, - is standard input");
    files.placeholder("...");
    command.option("--cursor-base", options.cursor_base, "Where the RMB cursors start; found out by default")
        .one_of({"auto", "0", "4"})
        .placeholder("auto|0|4");
    return files;
}

Analysis analyse(const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers) {
    Analysis analysis;
    if (auto sources = open_all(files, analysis); !sources.empty()) {
        auto source = capture::in_time_order(capture::merge(std::move(sources)));
        if (std::ranges::all_of(files, is_file)) source = capture::read_ahead(std::move(source));
        options.interfaces = source->interface_count();
        analysis.engine = std::make_unique<engine::Engine>(options, observers);
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

SessionName session_named(const std::string& text) {
    for (const report::ProtocolReport* protocol : report::protocol_reports())
        for (const report::SessionKind& kind : protocol->sessions)
            if (const std::uint32_t id = id_in(text, kind.prefix); id != 0) return {text, protocol, &kind, id};
    const report::ProtocolReport* const first = report::protocol_reports().front();
    return {text, first, &first->sessions.front(), 0};
}

std::optional<std::size_t> find_session(const engine::Engine& engine, const SessionName& name) {
    const report::SessionKind& kind = *name.kind;
    const std::size_t count = kind.count(engine);
    const auto indexes = std::views::iota(std::size_t{0}, count);
    const auto id_of = [&](std::size_t i) { return kind.at(engine, i).id; };
    const auto index = static_cast<std::size_t>(
        std::ranges::lower_bound(indexes, name.id, {}, id_of) - indexes.begin());
    if (index != count && id_of(index) == name.id && !kind.at(engine, index).merged) return index;
    const std::string names = names_there(engine, kind);
    complain(fmt::format(
        "no {} {}; there {}", kind.noun, name.text,
        names.empty() ? fmt::format("is no {} {}", name.protocol->protocol.title, kind.noun) : "are " + names));
    return std::nullopt;
}

}  // namespace fabricscope::cli
