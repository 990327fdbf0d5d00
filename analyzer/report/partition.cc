// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/partition.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analyzer/report/json_value.h"

namespace fabricscope::report {
namespace {

using nlohmann::ordered_json;

/// Nanoseconds pass 2^53.
std::string text_of(capture::Time time) { return std::to_string(time); }

capture::Time time_of(const std::string& text) {
    capture::Time time = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::runtime_error("\"" + text + "\" is no time");
    return time;
}

Json list_of(const std::vector<std::string>& texts) {
    Json::List list;
    for (const std::string& text : texts) list.emplace_back(text);
    return list;
}

}  // namespace

std::vector<std::string> Partition::files() const {
    std::vector<std::string> names;
    for (const Capture& capture : captures) names.push_back(capture.file);
    return names;
}

/// FNV-1a, of all that tells two runs apart.
std::string Partition::run() const {
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    const auto add = [&](std::string_view text) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
    };
    for (const Capture& capture : captures) add(fmt::format("{} {}\n", capture.file, capture.size));
    for (const Part& part : parts) add(fmt::format("{} {} {}\n", part.file, part.frames, part.octets));
    add(fmt::format("{} {} {}", frames, start, end));
    return fmt::format("{:016x}", hash);
}

std::string manifest_of(const Partition& partition, const std::string& application) {
    Json::List captures, parts;
    for (const Partition::Capture& capture : partition.captures)
        captures.push_back({{"file", capture.file}, {"size", capture.size}});
    for (const Partition::Part& part : partition.parts)
        parts.push_back(
            {{"file", part.file}, {"frames", part.frames}, {"octets", part.octets}, {"components", part.components}});
    const Json manifest{
        {"schema", manifest_schema},
        {"written_by", application},
        {"run", partition.run()},
        {"complete", partition.problems.empty()},
        {"inputs", std::move(captures)},
        {"frames", partition.frames},
        {"start_ns", text_of(partition.start)},
        {"end_ns", text_of(partition.end)},
        {"errors", list_of(partition.problems)},
        {"warnings", list_of(partition.losses)},
        {"components", partition.components},
        {"parts", std::move(parts)}};
    return indented(line_of(manifest)) + '\n';
}

Partition partition_of(const std::string& manifest) {
    Partition partition;
    try {
        const ordered_json json = ordered_json::parse(manifest);
        if (json.at("schema") != manifest_schema) throw std::runtime_error("it has another schema");
        for (const ordered_json& input : json.at("inputs"))
            partition.captures.push_back({input.at("file"), input.at("size")});
        for (const ordered_json& part : json.at("parts"))
            partition.parts.push_back({part.at("file"), part.at("frames"), part.at("octets"), part.at("components")});
        partition.components = json.at("components");
        partition.frames = json.at("frames");
        partition.start = time_of(json.at("start_ns"));
        partition.end = time_of(json.at("end_ns"));
        partition.problems = json.at("errors");
        partition.losses = json.at("warnings");
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(error.what());
    }
    return partition;
}

}  // namespace fabricscope::report
