// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "capture/live_source.h"
#include "capture/pcapng_writer.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/live_display.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/reporting.h"
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
    std::uint64_t buffer_mib = capture::InterfaceOptions{}.buffer_mib;
    std::uint64_t count = 0;  ///< frames; 0 = no limit
    double duration = 0;      ///< seconds; 0 = no limit
    ReportOptions report;
};

int list_interfaces() {
    report::Table table({{"interface"}, {"description"}});
    for (const capture::InterfaceInfo& interface : capture::interfaces())
        table.add({{interface.name}, {interface.description}});
    Output output("");
    table.print(output.stream(), output_style(), 0);
    return output.finish() ? done : wrong_usage;
}

/// The frames as they come, in a file that others can read meanwhile.
class Recorder {
public:
    /// An empty path: nothing is written.
    Recorder(const std::string& path, const Interfaces& interfaces) {
        if (path.empty()) return;
        capture::PcapngDescription description{application, {}, {}};
        for (const auto& interface : interfaces)
            description.interfaces.push_back({interface->link(), interface->name(), ""});
        writer_.emplace(path, description);
    }

    void write(const capture::Frame& frame) {
        if (writer_) writer_->write(frame.interface, frame.time, frame.data, {});
    }

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

bool write(const report::Results& results, const ReportOptions& options) {
    ReportWriter writer(options, ReportWriter::Number::one);
    writer.write(results, false);
    return writer.finish();
}

int run_capture(const CaptureOptions& options) {
    Interfaces opened = open_interfaces(options);
    std::vector<capture::Interface*> interfaces;
    for (const auto& interface : opened) interfaces.push_back(interface.get());
    Recorder recorder(options.written_file, opened);
    engine::Options engine_options = engine_options_of(options.report);
    engine_options.interfaces = static_cast<std::uint32_t>(opened.size());
    Analysis analysis;
    analysis.engine = std::make_unique<engine::Engine>(engine_options);
    engine::Engine& engine = *analysis.engine;
    LiveDisplay display(engine, options.report);

    const auto end = Clock::now() + std::chrono::duration<double>(options.duration);
    const auto goes_on = [&] {
        display.update();
        recorder.flush_now_and_then();
        return !interrupted() && (options.duration == 0 || Clock::now() < end);
    };
    listen_to_signals();
    const std::unique_ptr<capture::Source> source = capture::in_time_order(capture::live(std::move(opened), goes_on));
    const auto enough = [&] { return options.count != 0 && engine.capture().frames >= options.count; };
    for (capture::Frame frame; !enough() && source->next(frame);) {
        recorder.write(frame);
        engine.on_frame(frame);
    }
    engine.finish();
    display.finish();
    for (const capture::Error& error : source->errors()) {
        analysis.problems.push_back(error.message);
        complain(error.message);
    }
    analysis.losses = losses(interfaces);
    const report::Results results = results_of(analysis, options.interfaces, options.report);
    recorder.add_statistics(interfaces, engine.capture().start.value_or(0) + engine.capture().duration);
    const bool recorded = recorder.finish();
    return write(results, options.report) && recorded ? status_of(results, options.report) : wrong_usage;
}

int run(const CaptureOptions& options) {
    std::string problem;
    if (!options.written_file.empty()) problem = why_not_replace(options.written_file, {}, our_captures);
    try {
        if (options.list) return list_interfaces();
        if (options.buffer_mib > most_buffer_mib) problem = fmt::format("-B takes at most {}", most_buffer_mib);
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
    command.option("-w,--write", options->written_file, "Write the frames to a pcapng file").placeholder("FILE");
    command.option("--filter", options->filter, "Only frames that pass this filter, in tcpdump's language")
        .placeholder("BPF");
    command.option("-B,--buffer-size", options->buffer_mib, "The kernel's buffer for each interface, 32 by default")
        .positive()
        .placeholder("MIB");
    command.option("-c,--count", options->count, "End after so many frames").placeholder("N");
    command.option("--duration", options->duration, "End after so many seconds").positive().placeholder("SECONDS");
    command.flag("-p,--no-promiscuous", options->only_own, "Not the frames to other hosts");
    add_report_options(command, options->report);
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
