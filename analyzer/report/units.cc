// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

namespace fabricscope::report {
std::string seconds_text(Time duration) {
    const Time magnitude = duration < 0 ? -duration : duration;
    return fmt::format("{}{}.{:09}", duration < 0 ? "-" : "", magnitude / capture::second, magnitude % capture::second);
}

std::string rate_text(double octets_per_second) {
    constexpr std::array units{"B/s", "kB/s", "MB/s", "GB/s"};
    std::size_t unit = 0;
    for (; octets_per_second >= 999.5 && unit + 1 < units.size(); ++unit) octets_per_second /= 1e3;
    return fmt::format("{} {}", observations::three_digits(octets_per_second), units[unit]);
}

std::string timestamp_text(Time time) {
    Time fraction = time % capture::second;
    if (fraction < 0) fraction += capture::second;
    const auto whole = static_cast<std::time_t>((time - fraction) / capture::second);
    std::tm utc{};
    ::gmtime_r(&whole, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    return fmt::format("{}.{:09}Z", text.data(), fraction);
}

std::string version_text(std::optional<std::uint8_t> version, std::optional<std::uint8_t> release) {
    if (!version) return "SMC-R";
    if (*version == 1 || !release) return fmt::format("SMC-Rv{}", *version);
    return fmt::format("SMC-Rv{}.{}", *version, *release);
}

std::string connection_name(std::uint32_t id) { return fmt::format("smcr-{}", id); }

std::string hex_text(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

std::string link_group_name(std::uint32_t id) { return id == 0 ? std::string() : fmt::format("lg-{}", id); }

std::string code_text(std::uint32_t code) { return fmt::format("0x{:08X}", code); }

std::string peer_id_text(const engine::smcr::wire::PeerId& id) {
    return fmt::format("{:04x}-{}", id.instance, to_string(id.mac));
}

std::string end_text(const std::optional<engine::smcr::SocketAddress>& end) {
    return end ? to_string(*end) : std::string();
}

std::string known_end(const std::optional<engine::smcr::SocketAddress>& end) { return end ? to_string(*end) : "?"; }

}  // namespace fabricscope::report
