// SPDX-License-Identifier: GPL-2.0-or-later
// From file names to what the engine makes of the files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/reading.h"
#include "program/command_line.h"

namespace fabricscope::cli {

/// The options of every command that reads captures.
struct InputOptions {
    std::vector<std::string> files;
    std::string cursor_base = "auto";

    std::optional<std::uint8_t> forced_cursor_base() const;
};
/// Returns FILE.
Option add_input_options(const Command& command, InputOptions& options);

/// Why `what`, which reads its inputs twice, cannot have these; empty if it can.
std::string why_not_twice(const std::vector<std::string>& files, std::string_view what);

using Analysis = report::Reading;

/// Reads all files as one timeline. Problems have been complained about.
Analysis analyse(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers = {});
/// The same without complaints, which were made the first time.
Analysis analyse_again(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers);

/// A file that partition wrote, by the manifest beside it; nothing after a complaint.
std::optional<report::PartFile> part_at(const std::string& file);
/// Reads a part as what it is of the whole.
Analysis analyse(const report::PartFile& part, const engine::Options& options);

/// What the user calls by a name that reports give.
struct SessionName {
    std::string text;  ///< "fcvi-1"
    const report::ProtocolReport* protocol;
    const report::SessionKind* kind;
    std::uint32_t id;  ///< 0: nothing has such a name
};
/// A name of no kind is one of the first protocol's, where it will not be found.
SessionName session_named(const std::string& text);

/// Where in its list it is; nothing after a complaint that says which names there are.
std::optional<std::size_t> find_session(const engine::Engine& engine, const SessionName& name);

}  // namespace fabricscope::cli
