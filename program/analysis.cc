// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "analyzer/report/networks.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/units.h"
#include "program/interrupt.h"
#include "program/output.h"
#include "program/progress.h"

namespace fabricscope::cli {
namespace {

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

/// Files that may be of another network.
std::vector<std::string> strangers_in(const Analysis& analysis) {
    if (!analysis.engine || analysis.part || analysis.opened.size() < 2) return {};
    return report::strangers(report::fabric_of(analysis.engine->models()), analysis.origins, analysis.opened);
}

/// Of some files, by `read`, which is given what to call with each frame.
template <class Read> Analysis read_with_progress(const std::vector<std::string>& files, const Read& read) {
    listen_to_signals();
    Progress progress(files);
    Analysis analysis = read([&](const capture::DecodedFrame& at) {
        progress.on_frame(at.frame);
        return !interrupted();
    });
    progress.finish();
    if (interrupted() && analysis.engine) {
        analysis.interrupted = true;
        analysis.problems = {fmt::format(
            "interrupted: this is the report of {}", report::counted(analysis.engine->capture().frames, "frame"))};
    }
    return analysis;
}

Analysis with_complaints(Analysis analysis) {
    for (const std::string& gap : analysis.gaps) complain(gap);
    for (const std::string& stranger : strangers_in(analysis)) complain(stranger);
    for (const std::string& problem : analysis.problems) complain(problem);
    return analysis;
}

}  // namespace

std::optional<std::uint8_t> InputOptions::forced_cursor_base() const {
    if (cursor_base == "auto") return std::nullopt;
    return static_cast<std::uint8_t>(cursor_base == "4" ? 4 : 0);
}

std::string why_not_twice(const std::vector<std::string>& files, std::string_view what) {
    for (const std::string& file : files) {
        std::error_code error;
        if (file == "-") return fmt::format("standard input can be read only once; {} needs a file", what);
        if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
            return fmt::format("{} is no regular file; {} has to read it twice", file, what);
    }
    return {};
}

Option add_input_options(const Command& command, InputOptions& options) {
    const Option files = command.option(
        "FILE", options.files, "Captures; several are one timeline, - is standard input");
    files.reads().placeholder("...");
    command.option("--cursor-base", options.cursor_base, "Where the RMB cursors start; found out by default")
        .one_of({"auto", "0", "4"})
        .placeholder("auto|0|4");
    return files;
}

Analysis analyse(const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers) {
    return with_complaints(analyse_again(files, std::move(options), observers));
}

Analysis analyse_again(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers) {
    return read_with_progress(
        files, [&](const auto& on_frame) { return report::read(files, options, observers, on_frame); });
}

std::optional<report::PartFile> part_at(const std::string& file) {
    const std::filesystem::path path(file);
    const std::string manifest = path.parent_path() / report::manifest_name;
    std::ifstream stream(manifest, std::ios::binary);
    report::PartFile part{.path = file, .whole = {}};
    try {
        if (!stream) throw std::runtime_error("partition writes it; it is not there");
        part.whole = report::partition_of({std::istreambuf_iterator<char>(stream), {}});
    } catch (const std::runtime_error& error) {
        complain(manifest + ": " + error.what());
        return std::nullopt;
    }
    const auto entry = std::ranges::find(part.whole.parts, path.filename().string(), &report::Partition::Part::file);
    if (entry != part.whole.parts.end()) {
        part.number = static_cast<std::uint64_t>(entry - part.whole.parts.begin()) + 1;
        return part;
    }
    complain(fmt::format("{} is none of the parts that {} lists", file, manifest));
    return std::nullopt;
}

Analysis analyse(const report::PartFile& part, const engine::Options& options) {
    return with_complaints(read_with_progress(
        {part.path}, [&](const auto& on_frame) { return report::read(part, options, {}, on_frame); }));
}

SessionName session_named(const std::string& text) {
    if (const auto place = report::kind_of(text)) return {text, place->protocol, place->kind, place->id};
    const report::ProtocolReport* const first = report::protocol_reports().front();
    return {text, first, &first->sessions.front(), 0};
}

std::optional<std::size_t> find_session(const engine::Engine& engine, const SessionName& name) {
    const report::SessionKind& kind = *name.kind;
    if (name.id == 0) {
        complain(fmt::format(
            "{} is no session's name; analyze lists them: smcr-1, cm-1, rdma-1, fcvi-1, xchg-1 ...", name.text));
        return std::nullopt;
    }
    if (const auto index = report::index_of(engine, kind, name.id)) return index;
    const std::string names = names_there(engine, kind);
    complain(fmt::format(
        "no {} {}; the capture has {}", kind.noun, name.text,
        names.empty() ? fmt::format("no {} {}", name.protocol->protocol.title, kind.noun) : names));
    return std::nullopt;
}

}  // namespace fabricscope::cli
