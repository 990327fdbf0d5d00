// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/metrics.h"

#include <fmt/format.h>

#include <map>

#include "program/output.h"

namespace fabricscope::cli {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

constexpr std::string_view prefix = "fabricscope_";

std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        text += c == '\n' ? ' ' : c;
    }
    return text;
}

class Metrics {
public:
    void begin(const char* name, const char* type, const char* help) {
        name_ = name;
        text_ += fmt::format("# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", prefix, name, help, type);
    }

    void add(std::uint64_t value, const Labels& labels = {}) {
        std::string text;
        for (const auto& [label, labelled] : labels)
            text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, escaped(labelled));
        text_ += fmt::format("{}{}{} {}\n", prefix, name_, text.empty() ? "" : "{" + text + "}", value);
    }

    std::string take() && { return std::move(text_); }

private:
    const char* name_ = "";
    std::string text_;
};

void add_frames(const MetricSources& sources, Metrics& metrics) {
    const engine::CaptureSummary& capture = sources.engine.capture();
    metrics.begin("frames_total", "counter", "Frames followed.");
    metrics.add(capture.frames);
    metrics.begin("rdma_packets_total", "counter", "RoCE and InfiniBand packets among them.");
    metrics.add(capture.rdma_frames);
    metrics.begin(
        "undecoded_frames_total", "counter",
        "Frames that are malformed, IP fragments, or of an unsupported link type.");
    metrics.add(capture.undecoded_frames);
    metrics.begin("interface_received_frames_total", "counter", "Frames that passed the filter.");
    for (const capture::Interface* interface : sources.interfaces)
        metrics.add(interface->counts().received, {{"interface", interface->name()}});
    metrics.begin(
        "interface_dropped_frames_total", "counter", "Frames that the kernel lost because they came too fast.");
    for (const capture::Interface* interface : sources.interfaces)
        metrics.add(interface->counts().dropped, {{"interface", interface->name()}});
}

void add_sessions(const MetricSources& sources, Metrics& metrics) {
    metrics.begin("sessions_total", "counter", "Sessions that were seen, by protocol and kind.");
    for (const report::ProtocolReport* protocol : report::protocol_reports())
        for (const report::SessionKind& kind : protocol->sessions)
            metrics.add(kind.count(sources.engine), {{"protocol", protocol->protocol.token}, {"kind", kind.noun}});
}

void add_observations(const MetricSources& sources, Metrics& metrics) {
    const engine::Models models = sources.engine.models();
    std::map<std::string_view, std::uint64_t> seen;
    for (const auto& o : observations::observe({.models = models, .capture = sources.engine.capture()})) ++seen[o.id];
    metrics.begin("observations", "gauge", "Observations as of now, by id; `fabricscope explain ID` tells of each.");
    for (const observations::Kind* kind : observations::catalogue())
        metrics.add(seen[kind->id], {{"id", kind->id}, {"severity", name_of(kind->severity)}});
}

void add_findings(const MetricSources& sources, Metrics& metrics) {
    std::map<std::string_view, std::uint64_t> found;
    for (const engine::Finding* finding : sources.engine.findings()) ++found[finding->rule->id];
    metrics.begin("findings_total", "counter", "Rules that were broken, by id.");
    for (const engine::Rule* rule : engine::rules())
        if (is_chosen(*rule, sources.options))
            metrics.add(found[rule->id], {{"rule", rule->id}, {"severity", name_of(rule->severity)}});
}

}  // namespace

const Replaceable our_metrics{"a file of counts made by fabricscope", [](std::string_view octets) {
                                  return octets.starts_with(fmt::format("# HELP {}", prefix));
                              }};

std::string metrics_of(const MetricSources& sources) {
    Metrics metrics;
    add_frames(sources, metrics);
    add_sessions(sources, metrics);
    add_observations(sources, metrics);
    add_findings(sources, metrics);
    metrics.begin("incident_files_total", "counter", "Files that --incidents has begun.");
    metrics.add(sources.incident_files);
    return std::move(metrics).take();
}

bool write_metrics(const std::string& path, const MetricSources& sources) {
    Output output(path);
    output.stream() << metrics_of(sources);
    return output.finish();
}

}  // namespace fabricscope::cli
