// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/suite/recording.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

namespace {

Time paced_duration(const Conversation& recorded, const Pace& pace) {
    const Time recorded_time = recorded.messages.back().time - recorded.messages.front().time;
    return static_cast<Time>(pace.factor * static_cast<double>(recorded_time));
}

bool is_smc(const SessionInfo& info) { return info.id.starts_with("smcr-") || info.id.starts_with("lg-"); }
bool is_cm(const SessionInfo& info) { return info.id.starts_with("cm-"); }

/// Some targets have no way for what a session needs. Throws NotPlayable.
void check_target(const SessionInfo& info, const Target& target) {
    const auto want = [&](const char* targets) {
        throw NotPlayable(fmt::format("{} is an {}: {} it needs {}", info.id, info.kind, "as a live target", targets));
    };
    const bool smc = is_smc(info), cm = is_cm(info);
    switch (target.kind) {
        case Target::Kind::emulated: return;
        case Target::Kind::rocev2:
            if (smc) want("smc://HOST, since TCP comes before RoCE");
            if (!cm) want("if://INTERFACE");
            return;
        case Target::Kind::smc:
            if (cm) want("rocev2://HOST (or if://INTERFACE, for RoCE v1)");
            if (!smc) want("if://INTERFACE");
            return;
        case Target::Kind::interface: return;
    }
}

stack::FaultPolicy policy_of(const PlaySettings& settings, Side played, capture::LinkType link) {
    if (!settings.faults) return {};
    return [&settings, played, link](const stack::FrameInFlight& frame, stack::Random& random) {
        return settings.faults(frame.from == from_player ? played : engine::other(played), frame, link, random);
    };
}

Run run_live(const Session& session, Side side, const PlaySettings& settings, PlayOptions options) {
    const std::unique_ptr<Transport> transport = open_transport(
        settings.target, {.address = settings.address, .interface = settings.interface, .timeout = settings.timeout});
    options.addresses = transport->addresses();
    options.live = true;
    AttachedPlayer player = session.player(side, options);
    const LiveLimits limits{
        .most = settings.most + paced_duration(session.conversation(), settings.pace),
        .patience = settings.timeout,
        .stop = settings.stop,
        .faults = policy_of(settings, side, player.link),
        .seed = settings.seed};
    if (settings.on_ready) settings.on_ready();
    return run_live(std::move(player), *transport, limits);
}

Run run_emulated(const Session& session, Side side, const PlaySettings& settings, const PlayOptions& options) {
    AttachedPlayer player = session.player(side, options);
    const RunLimits limits{
        .start = session.conversation().messages.front().time,
        .stop = settings.stop,
        .faults = policy_of(settings, side, player.link)};
    return run_emulated(std::move(player), session.emulated(engine::other(side), settings.target.profile), limits);
}

}  // namespace

Recording read_recording(const ReadFiles& read, std::optional<std::uint8_t> cursor_base) {
    Recording recording;
    engine::Options options{.smcr = false};
    engine::Observers observers;
    options.smcr_options.cursor_base = cursor_base;
    for (const Protocol& protocol : protocols()) {
        recording.readers.push_back({&protocol, protocol.make_reader()});
        recording.readers.back().reader->prepare(options, observers);
    }
    recording.reading = read(options, observers);
    return recording;
}

bool is_over_ip(const SessionInfo& info) { return is_smc(info) || is_cm(info); }

std::vector<Candidate> candidates_of(const Recording& recording) {
    std::vector<Candidate> candidates;
    for (const ProtocolReader& reader : recording.readers)
        for (SessionInfo& info : reader.reader->sessions(*recording.reading.engine))
            candidates.push_back({&reader, std::move(info)});
    std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) { return candidate.info.first_frame; });
    return candidates;
}

std::unique_ptr<Played> play(
    const Recording& recording, const Candidate& candidate, Side side, const PlaySettings& settings) {
    check_target(candidate.info, settings.target);
    auto played = std::make_unique<Played>();
    played->info = candidate.info;
    played->side = side;
    played->recorded_session = playable_session(
        *candidate.reader->reader, *recording.reading.engine, candidate.info.id);
    Session& session = *played->recorded_session;
    std::vector<std::string> unused;
    if (settings.masks != nullptr) {
        unused = settings.masks->unused(session.conversation());
        session.edit([&](Conversation& conversation) { settings.masks->apply(conversation); });
    }
    if (settings.change) session.edit(settings.change);
    const PlayOptions options{.pace = settings.pace, .addresses = {}, .patience = settings.timeout};
    const bool live = settings.target.kind != Target::Kind::emulated;
    played->run = live ? run_live(session, side, settings, options) : run_emulated(session, side, settings, options);
    for (const std::string& mask : unused)
        played->run.notes.push_back(fmt::format("the mask of {} is about nothing in this recording", mask));
    played->actual_session = session_of(played->run, *candidate.reader->protocol, session.conversation());
    played->comparison = compare(played->recorded(), played->actual(), side, played->run);
    return played;
}

RunReport report_of(const Played& played, const PlaySettings& settings) {
    return {
        .session = played.info.id,
        .about = played.info.about,
        .played = played.side,
        .target = settings.target_name,
        .speed = settings.speed,
        .recorded = played.recorded(),
        .actual = played.actual(),
        .comparison = played.comparison,
        .over = played.run.over,
        .waiting_for = played.run.waiting_for,
        .broken_off = played.run.broken_off,
        .refusal = played.run.refusal,
        .proof = proof_of(settings.target),
        .notes = played.run.notes};
}

}  // namespace fabricscope::replay
