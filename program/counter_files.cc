// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/counter_files.h"

#include <fstream>

namespace fabricscope::cli {
namespace {

constexpr std::size_t most_octets = 1 << 20;

std::string read_file(const std::string& name, report::Counters& counters) {
    std::ifstream file(name, std::ios::binary);
    std::string text(most_octets + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad()) return name + ": cannot be read";
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_octets)
        return name + ": more than 1 MiB; the output of `rdma statistic show link` is expected";
    counters = report::counters_in(text);
    return counters.empty() ? name + ": holds no counters; the output of `rdma statistic show link` is expected" : "";
}

}  // namespace

std::string read_counters(const std::string& value, std::vector<report::HostCounters>& read) {
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals >= value.size() - 1) return value + ": HOST=FILE or HOST=BEFORE,AFTER is expected";
    const std::string files = value.substr(equals + 1);
    const std::size_t comma = files.find(',');
    report::HostCounters host{value.substr(0, equals), {}};
    std::string reason = read_file(files.substr(0, comma), host.counters);
    if (reason.empty() && comma != std::string::npos) {
        report::Counters after;
        reason = read_file(files.substr(comma + 1), after);
        const auto more = report::increase(host.counters, after);
        if (reason.empty() && !more)
            reason = files + ": a counter went down; the file with the earlier ones comes first";
        if (more) host.counters = *more;
    }
    if (reason.empty()) read.push_back(std::move(host));
    return reason;
}

}  // namespace fabricscope::cli
