// SPDX-License-Identifier: GPL-2.0-or-later
// What users write in TOML about recordings: masks, and the manifest of a suite. docs/verify.md has the words.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/engine/masks.h"

namespace fabricscope::replay {

/// What is wrong with a file; `what()` names the file and the line.
struct ManifestError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A file with nothing but masks, [[ignore]] and [[bind]]. Throws ManifestError.
std::unique_ptr<Masks> read_masks(const std::string& path);

/// A difference that is no failure, and why. What is empty fits everything.
struct Acceptance {
    std::string session, target;
    std::optional<Side> play;
    std::string where, message, field, actual;  ///< of Difference; `actual` is the value's beginning
    std::string cause;                          ///< of Difference: what the cause's text holds
    std::string rule;                           ///< a rule that the peer breaks instead
    std::string reason;
};

/// Captures that are played, and how.
struct SuiteEntry {
    std::string name;
    std::vector<std::string> files;     ///< one timeline; paths from here
    std::vector<std::string> sessions;  ///< empty: all that can be replayed
    std::vector<Side> play{Side::client, Side::server};
    std::vector<std::string> targets;  ///< kinds that it is for, "emulated", "rocev2", "smc", "if"; empty: all
    std::string setup, cleanup;        ///< commands on the peer, before and behind a live run
    PerSide<std::string> peer;         ///< that it runs meanwhile, as the server or as the client
    double timeout = 10;               ///< seconds that an answer is waited for
    double limit = 600;                ///< seconds that a run may take
    double start = 1;                  ///< seconds after which the peer's program, as a server, listens
    std::string speed = "fast";
    std::unique_ptr<Masks> masks;  ///< the suite's, too
    std::vector<Acceptance> accepted;
};

inline constexpr const char* manifest_name = "suite.toml";

struct Suite {
    std::string title;
    std::string folder;
    std::string shell;  ///< runs a command on the peer, which is its last word; empty: on this host
    std::vector<SuiteEntry> entries;

    std::string manifest() const { return folder + '/' + manifest_name; }
    std::string baseline() const { return folder + "/baseline.toml"; }
};

/// `path`: a folder with a suite.toml, or that file. Acceptances of baseline.toml beside it belong to the entries, too.
/// Throws ManifestError.
Suite read_suite(const std::string& path);

/// Acceptances that a command has written, by the names of entries.
using Baseline = std::vector<std::pair<std::string, Acceptance>>;
/// Empty if there is no such file. Throws ManifestError.
Baseline read_baseline(const std::string& path);
/// As read_baseline() reads it.
std::string text_of(const Baseline& baseline);

}  // namespace fabricscope::replay
