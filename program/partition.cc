// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unordered_map>

#include "analyzer/engine/components.h"
#include "analyzer/report/partition.h"
#include "analyzer/report/reading.h"
#include "analyzer/report/spans.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "capture/pcapng_copy.h"
#include "capture/source.h"
#include "program/analysis.h"
#include "program/commands.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/progress.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;
using engine::Components;
using report::Partition;

constexpr double most_parts = 256;  // a file each is open at a time

struct PartitionOptions {
    std::vector<std::string> files;
    std::uint64_t into = 0;
    std::string folder;
    Sandbox sandbox;

    std::string manifest() const { return fs::path(folder) / report::manifest_name; }
    std::string part(std::uint64_t number) const {
        return fs::path(folder) / ("part-" + std::to_string(number) + ".pcapng");
    }
};

const Replaceable our_manifests{"a manifest of fabricscope", [](std::string_view octets) {
                                    return octets.find(report::manifest_schema) != std::string_view::npos;
                                }};

/// Why the files cannot be distributed; empty if they can. To be asked before the work.
std::string why_not_partition(const PartitionOptions& options) {
    std::error_code error;
    for (const std::string& file : options.files)
        if (fs::exists(file, error) && !fs::is_regular_file(file, error))
            return file + " is no regular file; partition has to read it twice";
    if (fs::exists(options.folder, error) && !fs::is_directory(options.folder, error))
        return options.folder + " is no folder";
    if (!fs::exists(options.folder, error)) return {};
    for (std::uint64_t number = 1; number <= options.into; ++number)
        if (std::string reason = why_not_replace(options.part(number), options.files, our_captures); !reason.empty())
            return reason;
    if (const std::string next = options.part(options.into + 1); fs::exists(next, error))
        return next + " is of another run, with more parts; remove it or choose another folder";
    return why_not_replace(options.manifest(), options.files, our_manifests);
}

/// Which part each component goes to.
struct Plan {
    Components components;
    std::unordered_map<std::uint32_t, std::size_t> part_of;  ///< by the component's id
    std::vector<std::uint64_t> components_in;                ///< by part
    std::uint64_t octets = 0;                                ///< of frames with an address
    std::uint64_t largest = 0;                               ///< octets of the largest component
    Partition captures;                                      ///< what is told of all of them; the parts are missing

    /// Frames without an address go to the first part.
    std::size_t operator()(const capture::Frame& frame) const {
        const auto component = components.of(capture::decode(frame));
        return component ? part_of.at(*component) : 0;
    }
};

/// What of the files can be opened, as one timeline; nullptr after a complaint.
std::unique_ptr<capture::Source> open_all(const std::vector<std::string>& files) {
    std::vector<std::unique_ptr<capture::Source>> sources;
    for (const std::string& file : files) {
        capture::OpenResult opened = capture::open(file);
        if (!opened) {
            complain(to_string(opened.error));
            return nullptr;
        }
        sources.push_back(std::move(opened.source));
    }
    return capture::timeline(std::move(sources), capture::reopening(files));
}

/// The first pass over the files, in the order in which they would be analysed. False after a complaint.
bool read_into(Plan& plan, const std::vector<std::string>& files) {
    const auto source = open_all(files);
    if (!source) return false;
    Partition& captures = plan.captures;
    Progress progress(files);
    report::Spans spans(files.size());
    for (capture::Frame frame; !plan.components.full() && source->next(frame);) {
        progress.on_frame(frame);
        if (!spans.take(frame)) {
            progress.finish();
            complain(spans.why_not(frame, files) + "; partition each by itself");
            return false;
        }
        if (captures.frames++ == 0) captures.start = captures.end = frame.time;
        captures.end = std::max(captures.end, frame.time);
        plan.components.add(capture::decode(frame), frame.data.size());
    }
    progress.finish();
    plan.components.finish();
    for (const std::string& file : files) {
        std::error_code error;
        captures.captures.push_back({file, fs::file_size(file, error)});
    }
    for (const capture::Error& error : source->errors()) captures.problems.push_back(to_string(error));
    captures.losses = report::losses_told_in(files);
    for (const std::string& problem : captures.problems) complain(problem);
    if (!plan.components.full()) return true;
    complain(fmt::format(
        "{}: more than {} addresses; partition fewer files at a time", files.front(), Components::most_addresses));
    return false;
}

/// The largest component first, each to the part that has least by then.
void place(Plan& plan, std::size_t parts) {
    std::vector<Components::Component> components = plan.components.list();
    std::ranges::stable_sort(components, std::ranges::greater(), &Components::Component::octets);
    if (!components.empty()) plan.largest = components.front().octets;
    std::vector<std::uint64_t> octets(parts);
    plan.components_in.resize(parts);
    for (const Components::Component& component : components) {
        const auto part = static_cast<std::size_t>(std::ranges::min_element(octets) - octets.begin());
        plan.part_of[component.id] = part;
        octets[part] += component.octets;
        ++plan.components_in[part];
        plan.octets += component.octets;
    }
}

Partition partition_of(
    const PartitionOptions& options, const Plan& plan, const std::vector<capture::PcapngPart>& written) {
    Partition partition = plan.captures;
    partition.components = plan.part_of.size();
    for (std::size_t i = 0; i < written.size(); ++i)
        partition.parts.push_back(
            {.file = fs::path(options.part(i + 1)).filename(),
             .frames = written[i].frames,
             .octets = written[i].octets,
             .components = plan.components_in[i]});
    return partition;
}

void print_plan(std::ostream& out, const Plan& plan, const std::vector<capture::PcapngPart>& written) {
    out << report::counted(plan.part_of.size(), "component");
    if (plan.octets != 0)
        out << fmt::format(
            ", the largest with {:.0f} % of all octets",
            100.0 * static_cast<double>(plan.largest) / static_cast<double>(plan.octets));
    out << "\n\n";
    using Align = report::Table::Align;
    report::Table table({{"Part"}, {"Frames", Align::right}, {"Octets", Align::right}, {"Components", Align::right}});
    for (std::size_t i = 0; i < written.size(); ++i)
        table.add(
            {{fmt::format("part-{}.pcapng", i + 1)},
             {std::to_string(written[i].frames)},
             {std::to_string(written[i].octets)},
             {std::to_string(plan.components_in[i])}});
    table.print(out, output_style(), 2);
}

/// The second pass. Nothing if it failed, after a complaint.
std::optional<std::vector<capture::PcapngPart>> write_parts(const PartitionOptions& options, const Plan& plan) {
    std::vector<NewFile> files;
    std::vector<capture::PcapngPart> parts;
    for (std::uint64_t number = 1; number <= options.into; ++number) {
        if (!files.emplace_back(options.part(number))) return std::nullopt;
        parts.push_back({.path = files.back().temporary()});
    }
    if (const auto error = capture::copy_into_parts(options.files, parts, std::cref(plan), application)) {
        complain("cannot write to " + options.folder + ": " + *error);
        return std::nullopt;
    }
    // A manifest vouches for what lies beside it: no old one may do so for new parts.
    std::error_code error;
    fs::remove(options.manifest(), error);
    for (NewFile& file : files)
        if (!file.put_in_place()) return std::nullopt;
    return parts;
}

int run(const PartitionOptions& options) {
    if (const std::string reason = why_not_partition(options); !reason.empty()) return refuse(reason);
    options.sandbox.close({.inputs = options.files, .outputs = {options.folder}});
    Plan plan;
    if (!read_into(plan, options.files)) return plan.components.full() ? wrong_usage : not_read;
    place(plan, options.into);
    std::error_code error;
    fs::create_directories(options.folder, error);
    if (error) return refuse("cannot make " + options.folder + ": " + error.message());
    const auto written = write_parts(options, plan);
    if (!written) return wrong_usage;
    Output manifest(options.manifest());
    manifest.stream() << report::manifest_of(partition_of(options, plan, *written), application);
    if (!manifest.finish()) return wrong_usage;
    Output text("");
    print_plan(text.stream(), plan, *written);
    if (!text.finish()) return wrong_usage;
    return plan.captures.problems.empty() ? done : not_read;
}

}  // namespace

void add_partition(CommandLine& program) {
    auto options = std::make_shared<PartitionOptions>();
    const Command command = program.add_command(
        "partition", "Distribute captures over files that can be analyzed apart");
    command.option("FILE", options->files, "Captures; several are merged by time").required().placeholder("FILE...");
    command.option("--into", options->into, "How many files").required().placeholder("N").between(1, most_parts);
    command.option("-o,--output", options->folder, "The folder for them, and for manifest.json")
        .required()
        .placeholder("DIR");
    options->sandbox.add_option(command);
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
