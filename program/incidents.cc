// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/incidents.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "program/output.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;
using observations::Observation;

/// Troubles are looked for now and then only, and frames of several interfaces wait for each other.
constexpr capture::Time most_delay = 3 * capture::second;

/// "20261124T112233.456Z", which sorts as time does
std::string file_name_time(capture::Time time) {
    const std::time_t whole = time / capture::second;
    return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z", fmt::gmtime(whole), time % capture::second / capture::millisecond);
}

}  // namespace

Incidents::Incidents(const IncidentOptions& options, capture::PcapngDescription description)
    : options_(options),
      description_(std::move(description)),
      span_(static_cast<capture::Time>(options.seconds * static_cast<double>(capture::second))) {
    std::error_code error;  // then files cannot be written, which is told
    fs::create_directories(options.folder, error);
}

void Incidents::add(const capture::Frame& frame) {
    kept_.push_back(
        {frame.number, frame.time, frame.wire_length, frame.interface, {frame.data.begin(), frame.data.end()}});
    octets_ += frame.data.size();
    newest_ = std::max(newest_, frame.time);
    forget_the_oldest();
}

std::vector<std::string> Incidents::look(std::span<const Observation> news) {
    std::vector<std::string> begun;
    for (const Observation& trouble : news) {
        if (trouble.severity == engine::Severity::note || trouble.frames.empty()) continue;
        if (time_of(trouble) > until_) write_until_now();  // the open file ends before it
        if (!writer_)
            if (auto path = begin_file(trouble)) begun.push_back(std::move(*path));
        if (writer_) take(trouble);
    }
    write_until_now();
    return begun;
}

bool Incidents::finish() {
    write_until_now();
    end_file();
    return !failed_;
}

void Incidents::take(const Observation& trouble) {
    comments_.emplace(trouble.frames.back(), fmt::format("{}: {}", trouble.id, trouble.text));
    until_ = std::max(until_, newest_ + span_);
}

std::optional<std::string> Incidents::begin_file(const Observation& trouble) {
    if (files_ == options_.files) {
        if (!std::exchange(full_, true))
            complain(fmt::format("{} files of incidents are there; no more are begun", files_));
        return {};
    }
    const std::string path = path_for(trouble);
    writer_.emplace(path, description_);
    if (!writer_->good()) {
        end_file();
        return {};
    }
    from_ = time_of(trouble) - span_;
    ++files_;
    return path;
}

std::string Incidents::path_for(const Observation& trouble) const {
    const std::string name = fmt::format(
        "{}-{}{}{}", file_name_time(time_of(trouble)), trouble.id, trouble.session.empty() ? "" : "-", trouble.session);
    fs::path path = fs::path(options_.folder) / (name + ".pcapng");
    for (int again = 2; fs::exists(path); ++again)
        path = fs::path(options_.folder) / fmt::format("{}-{}.pcapng", name, again);
    return path;
}

/// Of the frame that shows it; it may have been forgotten by now.
capture::Time Incidents::time_of(const Observation& trouble) const {
    const auto frame = std::ranges::lower_bound(kept_, trouble.frames.back(), {}, &Kept::number);
    return frame != kept_.end() ? frame->time : newest_;
}

void Incidents::write_until_now() {
    if (!writer_) return;
    auto frame = std::ranges::upper_bound(kept_, written_, {}, &Kept::number);
    for (; frame != kept_.end(); ++frame) {
        if (frame->time < from_ || frame->time > until_) continue;
        writer_->write(
            {.time = frame->time,
             .wire_length = frame->wire_length,
             .data = frame->octets,
             .interface = frame->interface},
            take_comments(frame->number));
        written_ = frame->number;
    }
    writer_->flush();
    if (newest_ > until_) end_file();
}

/// With those on frames before it that were not written, or had been when the trouble was found.
std::vector<std::string> Incidents::take_comments(std::uint64_t frame) {
    std::vector<std::string> taken;
    const auto end = comments_.upper_bound(frame);
    for (auto one = comments_.begin(); one != end; ++one) taken.push_back(std::move(one->second));
    comments_.erase(comments_.begin(), end);
    return taken;
}

void Incidents::end_file() {
    if (!writer_) return;
    if (const std::optional<std::string> problem = writer_->finish()) {
        complain(*problem);
        failed_ = true;
    }
    writer_.reset();
    comments_.clear();
}

void Incidents::forget_the_oldest() {
    const std::uint64_t most_octets = options_.memory_mib << 20;
    while (!kept_.empty() && (kept_.front().time + span_ + most_delay < newest_ || octets_ > most_octets)) {
        octets_ -= kept_.front().octets.size();
        kept_.pop_front();
    }
}

}  // namespace fabricscope::cli
