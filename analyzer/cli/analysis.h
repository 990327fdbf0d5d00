// SPDX-License-Identifier: GPL-2.0-or-later
// From file names to what the engine makes of the files.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "capture/origins.h"

namespace fabricscope::cli {

/// The options of every command that reads captures.
struct InputOptions {
    std::vector<std::string> files;
    std::string cursor_base = "auto";

    std::optional<std::uint8_t> forced_cursor_base() const;
};
void add_input_options(CLI::App& command, InputOptions& options);

struct Analysis {
    std::unique_ptr<engine::Engine> engine;  ///< null: none of the files could be opened
    std::vector<std::string> opened;         ///< those of the files that could be
    std::vector<std::string> problems;       ///< why files could not be read to their end
    capture::Origins origins;                ///< of all frames, if several files were opened; sources as in `opened`
};

/// Reads all files as one timeline. Problems have been complained about.
Analysis analyse(
    const std::vector<std::string>& files, engine::Options options, engine::smcr::Observer* observer = nullptr);

/// The id in "smcr-12"; 0 if it is none.
std::uint32_t connection_id(const std::string& name);
/// Whether it names an RDMA CM connection: "cm-3".
bool is_cm_connection(const std::string& name);

/// The connection with that id, or null after a complaint that lists the ids there are.
const engine::smcr::Connection* find_connection(const engine::smcr::Model& model, const std::string& name);
const engine::rdma_cm::Connection* find_connection(const engine::rdma_cm::Model& model, const std::string& name);

}  // namespace fabricscope::cli
