// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/details.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "capture/source.h"

namespace fabricscope::viewer {
namespace {

const report::SessionKind* kind_with_detail(const Recording& recording, const std::string& session) {
    if (!recording.reading.engine) return nullptr;
    const auto found = report::session_named(*recording.reading.engine, session);
    return found && found->kind->detail != nullptr ? found->kind : nullptr;
}

}  // namespace

void Details::show(std::shared_ptr<const Recording> recording) {
    background_.abandon();
    reading_.clear();
    known_.clear();
    recording_ = std::move(recording);
}

Details::Known* Details::known(const std::string& session) {
    const auto place = std::ranges::find(known_, session, &Known::session);
    return place != known_.end() ? &*place : nullptr;
}

void Details::want(const std::string& session) {
    if (!recording_ || known(session) != nullptr || kind_with_detail(*recording_, session) == nullptr) return;
    known_.push_front({session, nullptr});
    if (known_.size() > most_kept) known_.pop_back();
    // What nobody looks at any more is not waited for.
    if (!background_.is_busy() || known(reading_) == nullptr) read_next();
}

void Details::read_next() {
    const auto next = std::ranges::find(known_, nullptr, &Known::detail);
    if (next == known_.end()) return;
    reading_ = next->session;
    background_.run(
        [recording = recording_, session = reading_](const Background::Stop& stop) {
            return std::make_shared<const report::Detail>(detail_of(*recording, session, stop));
        },
        [this](const std::shared_ptr<const report::Detail>& detail) {
            const std::string session = std::exchange(reading_, {});
            if (Known* place = known(session)) place->detail = detail;
            read_next();
            Q_EMIT arrived(QString::fromStdString(session));
        });
}

const report::Detail* Details::find(const std::string& session) const {
    const auto place = std::ranges::find(known_, session, &Known::session);
    return place != known_.end() ? place->detail.get() : nullptr;
}

report::Detail detail_of(const Recording& recording, const std::string& session, const std::function<bool()>& stop) {
    const engine::Engine& first = *recording.reading.engine;
    const auto found = report::session_named(first, session);
    if (!found || found->kind->detail == nullptr) return {};
    try {
        const auto listener = found->kind->detail(first, found->index);
        engine::Observers observers;
        listener->listen(observers);
        const report::Reading again = report::read(
            recording.files, engine_options(), observers, [&](const capture::DecodedFrame& at) {
                listener->on_packet(at.packet);
                return !stop();
            });
        return again.engine && !stop() ? listener->take() : report::Detail{};
    } catch (const std::exception&) {
        return {};  // the files are not what they were
    }
}

WholeFrame whole_frame(
    const Recording& recording, std::uint64_t number, const std::string& session, const std::function<bool()>& stop) {
    std::vector<std::unique_ptr<capture::Source>> sources = capture::reopening(recording.reading.opened)();
    if (sources.empty()) return {{}, {}, "The capture cannot be read any more."};
    const auto source = capture::merge(std::move(sources));
    for (capture::Frame frame; !stop() && source->next(frame);) {
        if (frame.number != number) continue;
        return {
            {frame.data.begin(), frame.data.end()}, report::fields_of(frame, *recording.reading.engine, session), {}};
    }
    return {{}, {}, fmt::format("Frame {} is not in the capture any more.", number)};
}

}  // namespace fabricscope::viewer
