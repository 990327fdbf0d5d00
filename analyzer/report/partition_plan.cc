// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/partition_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/report/json_value.h"

namespace fabricscope::report {
namespace {

using capture::Address;
using nlohmann::ordered_json;

// ---- a line for each address: its kind, its octets, its part -----------------------------------------

std::string line_of(const Address& address, engine::PartTable::Part part) {
    return fmt::format("{} {:02x} {}\n", static_cast<unsigned>(address.kind), fmt::join(address.bytes, ""), part);
}

/// The number, which stands at the beginning of `text` and is cut off it.
template <class T> bool take_number(std::string_view& text, T& number, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
}

bool take_blank(std::string_view& text) {
    if (!text.starts_with(' ')) return false;
    text.remove_prefix(1);
    return true;
}

bool take_octets(std::string_view& text, Address& address) {
    constexpr std::size_t digits = 2;
    for (std::uint8_t& octet : address.bytes) {
        std::string_view two = text.substr(0, digits);
        if (two.size() != digits || !take_number(two, octet, 16) || !two.empty()) return false;
        text.remove_prefix(digits);
    }
    return true;
}

bool take_entry(std::string_view line, std::size_t parts, engine::PartTable& table) {
    Address address;
    std::uint8_t kind = 0;
    engine::PartTable::Part part = 0;
    if (!take_number(line, kind, 10) || kind > static_cast<std::uint8_t>(Address::Kind::port_id)) return false;
    if (!take_blank(line) || !take_octets(line, address) || !take_blank(line)) return false;
    if (!take_number(line, part, 10) || !line.empty() || part >= parts) return false;
    address.kind = static_cast<Address::Kind>(kind);
    table.put(address, part);
    return true;
}

}  // namespace

void write_plan(std::ostream& out, const PartitionPlan& plan, const std::string& run, const std::string& application) {
    out << line_of(Json{
               {"schema", plan_schema},
               {"run", run},
               {"octets", plan.octets},
               {"largest", plan.largest},
               {"addresses", plan.table.size()},
               {"manifest", manifest_of(plan.partition, application)}})
        << '\n';
    plan.table.for_each([&](const Address& address, engine::PartTable::Part part) { out << line_of(address, part); });
}

std::optional<PartitionPlan> read_plan(std::istream& in, const std::string& run) {
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    PartitionPlan plan;
    std::size_t addresses = 0;
    try {
        const ordered_json header = ordered_json::parse(line);
        if (header.at("schema") != plan_schema || header.at("run") != run) return std::nullopt;
        plan.octets = header.at("octets");
        plan.largest = header.at("largest");
        addresses = header.at("addresses");
        plan.partition = partition_of(header.at("manifest").get<std::string>());
    } catch (const std::runtime_error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    while (std::getline(in, line))
        if (!take_entry(line, plan.partition.parts.size(), plan.table)) return std::nullopt;
    return plan.table.size() == addresses ? std::optional(std::move(plan)) : std::nullopt;
}

std::string text_of(const capture::PartsProgress& progress) {
    Json::List parts;
    for (const capture::PcapngPart& part : progress.parts)
        parts.push_back({{"frames", part.frames}, {"octets", part.octets}, {"size", part.size}});
    return line_of(Json{{"frames", progress.frames}, {"parts", std::move(parts)}});
}

std::optional<capture::PartsProgress> progress_of(std::string_view text, std::size_t parts) {
    capture::PartsProgress progress;
    try {
        const ordered_json json = ordered_json::parse(text);
        progress.frames = json.at("frames");
        for (const ordered_json& part : json.at("parts"))
            progress.parts.push_back(
                {.path = {}, .frames = part.at("frames"), .octets = part.at("octets"), .size = part.at("size")});
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return progress.parts.size() == parts ? std::optional(std::move(progress)) : std::nullopt;
}

}  // namespace fabricscope::report
