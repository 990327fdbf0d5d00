// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "capture/live_source.h"
#include "capture/pcapng_writer.h"
#include "capture/rdma_devices.h"
#include "program/commands.h"
#include "program/incidents.h"
#include "program/interrupt.h"
#include "program/live_display.h"
#include "program/live_news.h"
#include "program/metrics.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/privileges.h"
#include "program/reporting.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

constexpr std::uint64_t most_buffer_mib = 1024;  // libpcap counts octets in an int

using Clock = std::chrono::steady_clock;
using Interfaces = std::vector<std::unique_ptr<capture::Interface>>;

struct CaptureOptions {
    std::vector<std::string> interfaces;
    bool list = false;
    bool only_own = false;
    std::string filter;
    std::string written_file;
    IncidentOptions incidents;
    std::string metrics_file;
    std::uint64_t buffer_mib = capture::default_buffer_mib;
    std::uint64_t snap_length = 0;  ///< octets; 0 = no limit
    std::uint64_t count = 0;        ///< frames; 0 = no limit
    double duration = 0;            ///< seconds; 0 = no limit
    Privileges privileges;
    Sandbox sandbox;
    ReportOptions report;

    std::uint32_t most_octets() const {
        return snap_length == 0 ? capture::unlimited_snap_length : static_cast<std::uint32_t>(snap_length);
    }
};

int list_interfaces() {
    report::Table table({{"interface"}, {"description"}});
    for (const capture::InterfaceInfo& interface :
         capture::with_rdma_devices(capture::interfaces(), capture::rdma_devices()))
        table.add({{interface.name}, {interface.description}});
    Output output("");
    table.print(output.stream(), output_style(), 0);
    return output.finish() ? done : wrong_usage;
}

capture::PcapngDescription description_of(const Interfaces& interfaces, const CaptureOptions& options) {
    capture::PcapngDescription description{application, {}, {}};
    for (const auto& interface : interfaces)
        description.interfaces.push_back({interface->link(), interface->name(), "", options.most_octets()});
    return description;
}

/// The frames as they come, in a file that others can read meanwhile.
class Recorder {
public:
    /// Without a file nothing is written.
    Recorder(const CaptureOptions& options, const Interfaces& interfaces) {
        if (!options.written_file.empty()) writer_.emplace(options.written_file, description_of(interfaces, options));
    }

    void write(const capture::Frame& frame) {
        if (writer_) writer_->write(frame, {});
    }

    /// False if what comes can no longer be written.
    bool good() const { return !writer_ || writer_->good(); }

    /// Whoever follows the file is not behind for longer than that.
    void flush_now_and_then() {
        constexpr auto interval = std::chrono::milliseconds(200);
        if (!writer_ || Clock::now() - flushed_ < interval) return;
        writer_->flush();
        flushed_ = Clock::now();
    }

    void add_statistics(const std::vector<capture::Interface*>& interfaces, capture::Time end) {
        for (std::uint32_t i = 0; writer_ && i < interfaces.size(); ++i) {
            const auto [received, dropped] = interfaces[i]->counts();
            writer_->add_statistics(i, end, received, dropped);
        }
    }

    /// False, after a complaint, if not everything could be written.
    bool finish() {
        const std::optional<std::string> problem = writer_ ? writer_->finish() : std::nullopt;
        if (problem) complain(*problem);
        return !problem;
    }

private:
    std::optional<capture::PcapngWriter> writer_;
    Clock::time_point flushed_;
};

Interfaces open_interfaces(const CaptureOptions& options) {
    Interfaces interfaces;
    for (const std::string& name : options.interfaces)
        interfaces.push_back(std::make_unique<capture::Interface>(
            name, capture::InterfaceOptions{
                      .filter = options.filter,
                      .promiscuous = !options.only_own,
                      .snap_length = options.most_octets(),
                      .buffer_mib = static_cast<int>(options.buffer_mib)}));
    return interfaces;
}

/// What was lost for good, because frames came faster than they were read.
std::vector<std::string> losses(const std::vector<capture::Interface*>& interfaces) {
    std::vector<std::string> warnings;
    for (const capture::Interface* interface : interfaces)
        if (const std::uint64_t dropped = interface->counts().dropped; dropped != 0)
            warnings.push_back(report::loss_text(interface->name(), dropped));
    return warnings;
}

/// Live interfaces on which nothing was seen.
std::vector<std::string> silences(
    const std::vector<std::uint64_t>& frames, const CaptureOptions& options, double seconds) {
    std::vector<std::string> sentences;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i] != 0) continue;
        const std::string& name = options.interfaces[i];
        std::string reason = capture::why_silent(name);
        if (reason.empty() && !options.filter.empty())
            reason = fmt::format("none passed the filter \"{}\"", options.filter);
        sentences.push_back(
            fmt::format("{}: no frame in {:.1f} s{}{}", name, seconds, reason.empty() ? "" : ": ", reason));
    }
    return sentences;
}

/// Adapters whose RoCE would have to be captured elsewhere, if there was none.
std::vector<std::string> bypasses(const engine::CaptureSummary& capture, const CaptureOptions& options) {
    std::vector<std::string> sentences;
    if (capture.rdma_frames != 0) return sentences;
    const std::vector<capture::RdmaDevice> devices = capture::rdma_devices();
    for (const std::string& name : options.interfaces)
        for (const std::string& adapter : capture::adapters_behind(name, devices))
            sentences.push_back(fmt::format(
                "{}: no RoCE seen; what RDMA device {} sends and receives does not pass the interface", name, adapter));
    return sentences;
}

bool write(const report::Results& results, const ReportOptions& options) {
    ReportWriter writer(options, ReportWriter::Number::one);
    writer.write(results, false);
    return writer.finish();
}

/// Does something at most once in an interval, which grows with what there is to do: frames wait meanwhile, so that it
/// may take a twentieth of the time.
class Repeated {
public:
    explicit Repeated(Clock::duration interval) : interval_(interval), next_(Clock::now() + interval) {}

    template <class Work> void when_due(const Work& work) {
        const Clock::time_point begin = Clock::now();
        if (begin < next_) return;
        work();
        next_ = begin + std::max(interval_, 20 * (Clock::now() - begin));
    }

private:
    Clock::duration interval_;
    Clock::time_point next_;
};

/// What is told of a capture while it goes on: on the screen, in files around troubles, in a file of counts.
class LiveReports {
public:
    LiveReports(
        const engine::Engine& engine, const CaptureOptions& options, const Interfaces& opened,
        const std::vector<capture::Interface*>& interfaces)
        : options_(options),
          engine_(engine),
          interfaces_(interfaces),
          news_(engine, options.report),
          display_(engine, options.report) {
        if (!options.incidents.folder.empty()) incidents_.emplace(options.incidents, description_of(opened, options));
    }

    void add(const capture::Frame& frame) {
        if (incidents_) incidents_->add(frame);
    }

    /// To be called often.
    void update() {
        look_.when_due([&] { look(); });
        count_.when_due([&] { write_counts(); });
    }

    /// False, after a complaint, if not everything could be written.
    bool finish() {
        look();
        display_.finish();
        const bool saved = !incidents_ || incidents_->finish();
        write_counts();
        return saved && counts_written_;
    }

private:
    void look() {
        const std::vector<observations::Observation> news = news_.take();
        display_.show(news);
        if (!incidents_) return;
        for (const std::string& path : incidents_->look(news))
            display_.say(fmt::format("the frames around it: {}", path));
    }

    void write_counts() {
        if (options_.metrics_file.empty()) return;
        counts_written_ = write_metrics(
            options_.metrics_file, {.engine = engine_,
                                    .options = options_.report,
                                    .interfaces = interfaces_,
                                    .incident_files = incidents_ ? incidents_->files() : 0});
    }

    const CaptureOptions& options_;
    const engine::Engine& engine_;
    const std::vector<capture::Interface*>& interfaces_;
    LiveNews news_;
    LiveDisplay display_;
    std::optional<Incidents> incidents_;
    Repeated look_{std::chrono::milliseconds(500)}, count_{std::chrono::seconds(5)};
    bool counts_written_ = true;
};

/// Why nothing can be written where the options say; empty if it can.
std::string why_not_write(const CaptureOptions& options) {
    std::string problem;
    if (!options.written_file.empty() && options.written_file != "-")
        problem = why_not_replace(options.written_file, our_captures);
    if (problem.empty() && !options.metrics_file.empty()) problem = why_not_replace(options.metrics_file, our_metrics);
    if (problem.empty() && !options.incidents.folder.empty()) problem = why_no_folder(options.incidents.folder);
    return problem;
}

int run_capture(const CaptureOptions& options) {
    listen_to_signals();  // what an interface has seen from its opening on is written and told
    Interfaces opened = open_interfaces(options);
    std::vector<capture::Interface*> interfaces;
    for (const auto& interface : opened) interfaces.push_back(interface.get());
    std::string problem = options.privileges.relinquish();
    options.sandbox.close(
        {.inputs = {},
         .outputs = {options.written_file, options.metrics_file, options.incidents.folder, options.report.json_file}});
    if (problem.empty()) problem = why_not_write(options);
    if (!problem.empty()) return refuse(problem + options.privileges.hint());
    Recorder recorder(options, opened);
    engine::Options engine_options = engine_options_of(options.report);
    engine_options.interfaces = static_cast<std::uint32_t>(opened.size());
    Analysis analysis;
    analysis.engine = std::make_unique<engine::Engine>(engine_options);
    engine::Engine& engine = *analysis.engine;
    LiveReports reports(engine, options, opened, interfaces);

    const Clock::time_point begin = Clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const auto goes_on = [&] {
        reports.update();
        recorder.flush_now_and_then();
        return !interrupted() && recorder.good() && (options.duration == 0 || seconds() < options.duration);
    };
    std::vector<std::uint64_t> frames(opened.size());
    const std::unique_ptr<capture::Source> source = capture::live(std::move(opened), goes_on);
    const auto enough = [&] { return options.count != 0 && engine.capture().frames >= options.count; };
    for (capture::Frame frame; !enough() && source->next(frame);) {
        recorder.write(frame);
        engine.on_frame(frame);
        reports.add(frame);
        ++frames[frame.interface];
    }
    engine.finish();
    const bool reported = reports.finish();
    for (const capture::Error& error : source->errors()) {
        analysis.problems.push_back(error.message);
        complain(error.message);
    }
    analysis.losses = losses(interfaces);
    analysis.silences = silences(frames, options, seconds());
    analysis.bypasses = bypasses(engine.capture(), options);
    const report::Results results = results_of(analysis, options.interfaces, options.report);
    recorder.add_statistics(interfaces, engine.capture().start.value_or(0) + engine.capture().duration);
    const bool recorded = recorder.finish();
    return write(results, options.report) && recorded && reported ? status_of(results, options.report) : wrong_usage;
}

int run(const CaptureOptions& options) {
    std::string problem = why_not_judged(options.report);
    try {
        if (options.list) return list_interfaces();
        if (options.interfaces.empty()) problem = "name an interface with -i; -D lists them";
        if (problem.empty()) return run_capture(options);
    } catch (const capture::FilterError& error) {
        problem = error.what();
    } catch (const capture::InterfaceError& error) {
        complain(error.what());
        return not_read;
    }
    return refuse(problem);
}

}  // namespace

void add_capture(CommandLine& program) {
    auto options = std::make_shared<CaptureOptions>();
    const Command command = program.add_command("capture", "Capture live, and summarise what was said");
    command.option("-i,--interface", options->interfaces, "Where to capture; several are one timeline")
        .placeholder("IFACE");
    command.flag("-D,--list-interfaces", options->list, "Name the interfaces");
    command.option("-w,--write", options->written_file, "Write the frames to a pcapng file")
        .writes()
        .placeholder("FILE");
    command.option("--filter", options->filter, "Only frames that pass this filter, in tcpdump's language")
        .placeholder("BPF");
    const Option incidents = command
                                 .option(
                                     "--incidents", options->incidents.folder,
                                     "Write the frames around each warning and error to files")
                                 .placeholder("DIR");
    command.option("--around", options->incidents.seconds, "Seconds before and after it, 30 by default")
        .between(0.001, 86'400)
        .needs(incidents)
        .placeholder("SECONDS");
    command.option("--incident-memory", options->incidents.memory_mib, "For frames before it, 256 by default")
        .between(1, 1'048'576)
        .needs(incidents)
        .placeholder("MIB");
    command.option("--incident-files", options->incidents.files, "Begin no more files than that, 100 by default")
        .positive()
        .needs(incidents)
        .placeholder("N");
    command.option("--prometheus", options->metrics_file, "Write counts every five seconds, for node_exporter")
        .writes()
        .placeholder("FILE");
    command.option("-B,--buffer-size", options->buffer_mib, "The kernel's buffer for each interface, 32 by default")
        .between(1, most_buffer_mib)
        .placeholder("MIB");
    command.option("-s,--snapshot-length", options->snap_length, "Keep no more octets of a frame; all without it")
        .between(0, capture::unlimited_snap_length)
        .placeholder("OCTETS");
    command.option("-c,--count", options->count, "End after so many frames").placeholder("N");
    command.option("--duration", options->duration, "End after so many seconds").positive().placeholder("SECONDS");
    command.flag("-p,--no-promiscuous", options->only_own, "Not the frames to other hosts");
    options->privileges.add_option(command);
    options->sandbox.add_option(command);
    add_report_options(command, options->report);
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
