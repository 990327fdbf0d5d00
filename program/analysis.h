// SPDX-License-Identifier: GPL-2.0-or-later
// From file names to what the engine makes of the files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "capture/origins.h"
#include "program/command_line.h"

namespace fabricscope::cli {

/// The options of every command that reads captures.
struct InputOptions {
    std::vector<std::string> files;
    std::string cursor_base = "auto";

    std::optional<std::uint8_t> forced_cursor_base() const;
};
void add_input_options(const Command& command, InputOptions& options);

struct Analysis {
    std::unique_ptr<engine::Engine> engine;  ///< null: none of the files could be opened
    std::vector<std::string> opened;         ///< those of the files that could be
    std::vector<std::string> problems;       ///< why files could not be read to their end
    capture::Origins origins;                ///< of all frames, if several files were opened; sources as in `opened`
};

/// Reads all files as one timeline. Problems have been complained about.
Analysis analyse(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers = {});

/// What reports give names to.
enum class SessionKind : std::uint8_t {
    smcr,               ///< "smcr-1"
    rdma_cm,            ///< "cm-1"
    fcvi,               ///< "fcvi-1"
    fc_ae_rdma,         ///< "fc-ae-rdma-1", a message
    fc_ae_rdma_region,  ///< "fc-ae-rdma-region-1"
    fc_exchange,        ///< "xchg-1"
};
struct SessionName {
    SessionKind kind{};
    std::uint32_t id = 0;
};
/// Nothing if it is no such name.
std::optional<SessionName> session_name(const std::string& name);

// What has that name, or null after a complaint that lists the names there are.
const engine::smcr::Connection* find_connection(const engine::smcr::Model& model, const std::string& name);
const engine::rdma_cm::Connection* find_connection(const engine::rdma_cm::Model& model, const std::string& name);
const engine::fcvi::Connection* find_connection(const engine::fcvi::Model& model, const std::string& name);
const engine::fc_ae_rdma::Message* find_message(const engine::fc_ae_rdma::Model& model, const std::string& name);
const engine::fc_ae_rdma::Region* find_region(const engine::fc_ae_rdma::Model& model, const std::string& name);
const engine::fibre_channel::Exchange* find_exchange(
    const engine::fibre_channel::Model& model, const std::string& name);

}  // namespace fabricscope::cli
