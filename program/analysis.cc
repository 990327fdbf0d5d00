// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

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

/// How the things of a kind are named, and what they are called.
struct Kind {
    SessionKind kind;
    std::string_view prefix;
    const char* noun;
    const char* protocol;
};
constexpr std::array kinds{
    Kind{SessionKind::smcr, "smcr-", "connection", engine::protocol("smcr").title},
    Kind{SessionKind::rdma_cm, "cm-", "connection", engine::protocol("rdma-cm").title},
    Kind{SessionKind::fcvi, "fcvi-", "connection", engine::protocol("fcvi").title},
    Kind{SessionKind::fc_ae_rdma, "fc-ae-rdma-", "message", engine::protocol("fc-ae-rdma").title},
    Kind{SessionKind::fc_ae_rdma_region, "fc-ae-rdma-region-", "memory region", engine::protocol("fc-ae-rdma").title},
    Kind{SessionKind::fc_exchange, "xchg-", "Exchange", engine::protocol("fc").title}};

/// Ids that turned out to be another's have been given up.
template <class Thing> bool exists(const Thing& thing) {
    if constexpr (requires { thing.merged; }) return !thing.merged;
    else return true;
}

/// "smcr-1, smcr-2, ... (45 in all)"
template <class List> std::string names_of(const List& list, const Kind& kind) {
    constexpr std::size_t most = 20;
    std::string names;
    std::size_t count = 0;
    for (const auto& thing : list) {
        if (!exists(thing)) continue;
        if (++count <= most) names += fmt::format("{}{}{}", count == 1 ? "" : ", ", kind.prefix, thing.id);
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

/// `list` is in order of ids.
template <class List> auto* find_in(const List& list, const std::string& name, SessionKind sought) {
    const Kind& kind = *std::ranges::find(kinds, sought, &Kind::kind);
    const std::uint32_t id = id_in(name, kind.prefix);
    const auto found = std::ranges::lower_bound(list, id, {}, [](const auto& thing) { return thing.id; });
    if (id != 0 && found != list.end() && found->id == id && exists(*found)) return &*found;
    const std::string names = names_of(list, kind);
    complain(fmt::format(
        "no {} {}; there {}", kind.noun, name,
        names.empty() ? fmt::format("is no {} {}", kind.protocol, kind.noun) : "are " + names));
    return static_cast<decltype(&*found)>(nullptr);
}

}  // namespace

std::optional<std::uint8_t> InputOptions::forced_cursor_base() const {
    if (cursor_base == "auto") return std::nullopt;
    return static_cast<std::uint8_t>(cursor_base == "4" ? 4 : 0);
}

void add_input_options(const Command& command, InputOptions& options) {
    command.option("FILE", options.files, "Captures; several are one timeline, - is standard input")
        .required()
        .placeholder("...");
    command.option("--cursor-base", options.cursor_base, "Where the RMB cursors start; found out by default")
        .one_of({"auto", "0", "4"})
        .placeholder("auto|0|4");
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

std::optional<SessionName> session_name(const std::string& name) {
    for (const Kind& kind : kinds)
        if (const std::uint32_t id = id_in(name, kind.prefix); id != 0) return SessionName{kind.kind, id};
    return std::nullopt;
}

const engine::smcr::Connection* find_connection(const engine::smcr::Model& model, const std::string& name) {
    return find_in(model.connections, name, SessionKind::smcr);
}

const engine::rdma_cm::Connection* find_connection(const engine::rdma_cm::Model& model, const std::string& name) {
    return find_in(model.connections, name, SessionKind::rdma_cm);
}

const engine::fcvi::Connection* find_connection(const engine::fcvi::Model& model, const std::string& name) {
    return find_in(model.connections, name, SessionKind::fcvi);
}

const engine::fc_ae_rdma::Message* find_message(const engine::fc_ae_rdma::Model& model, const std::string& name) {
    return find_in(model.messages, name, SessionKind::fc_ae_rdma);
}

const engine::fc_ae_rdma::Region* find_region(const engine::fc_ae_rdma::Model& model, const std::string& name) {
    return find_in(model.regions, name, SessionKind::fc_ae_rdma_region);
}

const engine::fibre_channel::Exchange* find_exchange(
    const engine::fibre_channel::Model& model, const std::string& name) {
    return find_in(model.exchanges, name, SessionKind::fc_exchange);
}

}  // namespace fabricscope::cli
