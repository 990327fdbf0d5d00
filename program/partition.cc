// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unordered_map>

#include "analyzer/engine/components.h"
#include "analyzer/report/partition_plan.h"
#include "analyzer/report/reading.h"
#include "analyzer/report/spans.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "capture/source.h"
#include "program/analysis.h"
#include "program/commands.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/progress.h"
#include "program/sandbox.h"
#include "program/status.h"
#include "program/unfinished.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;
using engine::Components;
using report::Partition;
using report::PartitionPlan;

constexpr double most_parts = 256;  // a file each is open at a time

struct PartitionOptions {
    std::vector<std::string> files;
    std::uint64_t into = 0;
    std::string folder;
    Sandbox sandbox;

    std::string manifest() const { return fs::path(folder) / report::manifest_name; }
    std::string part(std::uint64_t number) const { return fs::path(folder) / report::name_of_part(number); }
};

const Replaceable our_manifests{"a manifest of fabricscope", [](std::string_view octets) {
                                    return octets.find(report::manifest_schema) != std::string_view::npos;
                                }};

/// Why the files cannot be distributed; empty if they can. To be asked before the work.
std::string why_not_partition(const PartitionOptions& options) {
    if (std::string reason = why_not_twice(options.files, "partition"); !reason.empty()) return reason;
    std::error_code error;
    if (!fs::is_directory(options.folder, error)) return why_no_folder(options.folder);
    for (std::uint64_t number = 1; number <= options.into; ++number) {
        std::string reason = why_no_output(options.part(number), options.files);
        if (reason.empty()) reason = why_not_replace(options.part(number), our_captures);
        if (!reason.empty()) return reason;
    }
    if (const std::string next = options.part(options.into + 1); fs::exists(next, error))
        return next + " is of another run, with more parts; remove it or choose another folder";
    if (std::string reason = Unfinished::why_not(options.folder, options.into); !reason.empty()) return reason;
    return why_not_replace(options.manifest(), our_manifests);
}

/// What the same command has in common with an earlier one if the files have not changed.
std::string run_of(const PartitionOptions& options) {
    std::string run = fmt::format("{} --into {}", application, options.into);
    for (const std::string& file : options.files) {
        std::error_code error;
        const auto size = fs::file_size(file, error);
        run += fmt::format(" {} {} {}", file, size, fs::last_write_time(file, error).time_since_epoch().count());
    }
    return run;
}

// ---- the first pass ------------------------------------------------------------------------------

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

/// In the order in which the files would be analysed. False after a complaint.
bool read_into(Components& components, Partition& captures, const std::vector<std::string>& files) {
    const auto source = open_all(files);
    if (!source) return false;
    Progress progress(files);
    report::Spans spans(files.size());
    for (capture::Frame frame; !components.full() && source->next(frame);) {
        progress.on_frame(frame);
        if (!spans.take(frame)) {
            progress.finish();
            complain(spans.why_not(frame, files) + "; partition each by itself");
            return false;
        }
        if (captures.frames++ == 0) captures.start = captures.end = frame.time;
        captures.end = std::max(captures.end, frame.time);
        components.add(capture::decode(frame), frame.data.size());
    }
    progress.finish();
    components.finish();
    for (const std::string& file : files) {
        std::error_code error;
        captures.captures.push_back({file, fs::file_size(file, error)});
    }
    for (const capture::Error& error : source->errors()) captures.problems.push_back(to_string(error));
    captures.losses = report::losses_told_in(files);
    for (const std::string& problem : captures.problems) complain(problem);
    if (!components.full()) return true;
    complain(fmt::format(
        "{}: more than {} addresses; partition fewer files at a time", files.front(), Components::most_addresses));
    return false;
}

/// The largest component first, each to the part that has least by then.
void place(const Components& components, std::size_t parts, PartitionPlan& plan) {
    std::vector<Components::Component> list = components.list();
    std::ranges::stable_sort(list, std::ranges::greater(), &Components::Component::octets);
    if (!list.empty()) plan.largest = list.front().octets;
    plan.partition.components = list.size();
    for (std::uint64_t number = 1; number <= parts; ++number)
        plan.partition.parts.push_back({.file = report::name_of_part(number)});
    std::vector<std::uint64_t> octets(parts);
    std::unordered_map<std::uint32_t, engine::PartTable::Part> part_of;  // by the component's id
    for (const Components::Component& component : list) {
        const auto part = std::ranges::min_element(octets) - octets.begin();
        part_of[component.id] = static_cast<engine::PartTable::Part>(part);
        octets[static_cast<std::size_t>(part)] += component.octets;
        ++plan.partition.parts[static_cast<std::size_t>(part)].components;
        plan.octets += component.octets;
    }
    components.for_each_address([&](const capture::Address& address, std::uint32_t component) {
        if (const auto entry = part_of.find(component); entry != part_of.end()) plan.table.put(address, entry->second);
    });
}

/// Nothing after a complaint; `status` is what that means for the program.
std::optional<PartitionPlan> make_plan(const PartitionOptions& options, int& status) {
    PartitionPlan plan;
    Components components;
    if (!read_into(components, plan.partition, options.files)) {
        status = components.full() ? wrong_usage : not_read;
        return std::nullopt;
    }
    place(components, options.into, plan);
    return plan;
}

// ---- the second pass -----------------------------------------------------------------------------

/// False after a complaint.
bool write_parts(const PartitionOptions& options, const Unfinished& unfinished, PartitionPlan& plan) {
    capture::PartsProgress progress = unfinished.progress();
    if (progress.frames != 0)
        complain(fmt::format(
            "resumes behind frame {} of {}: an earlier run was interrupted there", progress.frames,
            plan.partition.frames));
    Progress shown(options.files);
    const auto part_of = [&](const capture::Frame& frame) {
        shown.on_frame(frame);
        return std::size_t{plan.table.of(capture::decode(frame))};
    };
    const auto error = capture::copy_into_parts(
        options.files, progress, part_of, application,
        [&](const capture::PartsProgress& by_now) { unfinished.keep_progress(by_now); });
    shown.finish();
    if (error) {
        complain("cannot write to " + options.folder + ": " + *error + "; the same command goes on from there");
        return false;
    }
    for (std::size_t i = 0; i < progress.parts.size(); ++i) {
        plan.partition.parts[i].frames = progress.parts[i].frames;
        plan.partition.parts[i].octets = progress.parts[i].octets;
    }
    return true;
}

/// False after a complaint.
bool put_in_place(const PartitionOptions& options, Unfinished& unfinished) {
    // A manifest vouches for what lies beside it: no old one may do so for new parts.
    std::error_code error;
    fs::remove(options.manifest(), error);
    for (std::uint64_t number = 1; number <= options.into; ++number) {
        fs::rename(unfinished.part(number), options.part(number), error);
        if (!error) continue;
        complain("cannot write " + options.part(number) + ": " + error.message());
        return false;
    }
    unfinished.remove();
    return true;
}

void print_plan(std::ostream& out, const PartitionPlan& plan) {
    out << report::counted(plan.partition.components, "component");
    if (plan.octets != 0)
        out << fmt::format(
            ", the largest with {:.0f} % of all octets",
            100.0 * static_cast<double>(plan.largest) / static_cast<double>(plan.octets));
    out << "\n\n";
    using Align = report::Table::Align;
    report::Table table({{"Part"}, {"Frames", Align::right}, {"Octets", Align::right}, {"Components", Align::right}});
    for (const Partition::Part& part : plan.partition.parts)
        table.add(
            {{part.file},
             {std::to_string(part.frames)},
             {std::to_string(part.octets)},
             {std::to_string(part.components)}});
    table.print(out, output_style(), 2);
}

/// False after a complaint.
bool write_all(const PartitionOptions& options, const std::string& run, bool resumed, PartitionPlan& plan) {
    fs::create_directories(options.folder);
    Unfinished unfinished(options.folder, options.into);
    if (!resumed && !unfinished.keep_plan(plan, run)) {
        unfinished.remove();
        return false;
    }
    if (!write_parts(options, unfinished, plan) || !put_in_place(options, unfinished)) return false;
    Output manifest(options.manifest());
    manifest.stream() << report::manifest_of(plan.partition, application);
    return manifest.finish();
}

int run(const PartitionOptions& options) {
    if (const std::string reason = why_not_partition(options); !reason.empty()) return refuse(reason);
    options.sandbox.close({.inputs = options.files, .outputs = {options.folder}});
    const std::string run = run_of(options);
    int status = done;
    std::optional<PartitionPlan> plan = Unfinished::plan_in(options.folder, run);
    const bool resumed = plan.has_value();
    if (!resumed) plan = make_plan(options, status);
    if (!plan) return status;
    try {
        if (!write_all(options, run, resumed, *plan)) return wrong_usage;
    } catch (const std::runtime_error& error) {
        return refuse(error.what());
    }
    Output text("");
    print_plan(text.stream(), *plan);
    if (!text.finish()) return wrong_usage;
    return plan->partition.problems.empty() ? done : not_read;
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
