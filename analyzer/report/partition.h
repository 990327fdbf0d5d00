// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of captures that were distributed over parts: the manifest that lies beside these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::report {

struct Partition {
    struct Capture {
        std::string file;  ///< name as given
        std::uint64_t size = 0;
    };
    struct Part {
        std::string file;  ///< beside the manifest
        std::uint64_t frames = 0;
        std::uint64_t octets = 0;  ///< captured
        std::uint64_t components = 0;
    };

    std::vector<Capture> captures;
    std::vector<Part> parts;
    std::uint64_t components = 0;
    std::uint64_t frames = 0;                   ///< of all captures
    capture::Time start = 0, end = 0;           ///< of the first frame, and the latest
    std::vector<std::string> problems, losses;  ///< as Reading has them

    std::vector<std::string> files() const;
    /// The same for parts of one run only.
    std::string run() const;
};

inline constexpr const char* manifest_name = "manifest.json";
/// From 1.
inline std::string name_of_part(std::uint64_t number) { return "part-" + std::to_string(number) + ".pcapng"; }
inline constexpr const char* manifest_schema = "fabricscope-partition/1";

std::string manifest_of(const Partition& partition, const std::string& application);
/// Throws std::runtime_error if it is no manifest.
Partition partition_of(const std::string& manifest);

}  // namespace fabricscope::report
