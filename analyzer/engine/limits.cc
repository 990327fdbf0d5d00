// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/limits.h"

#include <charconv>

namespace fabricscope::engine {
namespace {

template <class Visit> void each_limit(const Visit& visit) {
    for (const Protocol& protocol : protocols)
        for (const Limit& limit : protocol.limits) visit(std::string(protocol.token) + "." + limit.name, limit);
}

}  // namespace

std::vector<std::string> limit_names() {
    std::vector<std::string> names;
    each_limit([&](const std::string& name, const Limit&) { names.push_back(name); });
    return names;
}

bool set_limit(Options& options, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return false;
    std::size_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, count);
    if (error != std::errc() || rest != end || count == 0) return false;
    bool is_set = false;
    each_limit([&](const std::string& name, const Limit& limit) {
        if (name != text.substr(0, equals)) return;
        limit.of(options) = count;
        is_set = true;
    });
    return is_set;
}

}  // namespace fabricscope::engine
