// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as a capture file: its sessions are played, both sides, against the emulated stack, and compared. What is
// no capture file is taken for edits of a sample.
#include "replay/engine/comparison.h"
#include "replay/engine/run.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/pipeline.h"

namespace fabricscope::fuzz {
namespace {

using namespace replay;

/// A damaged recording may wait for what never comes; that is no reason to wait long.
const RunLimits limits{.start = 0, .most = 30 * capture::second, .frames = 2000};
constexpr std::size_t most_sessions = 3;

void check(const Conversation& conversation) {
    for (std::size_t i = 0; i < conversation.messages.size(); ++i) {
        const Message& message = conversation.messages[i];
        must(message.format != nullptr && !message.name.empty() && !message.channel.empty());
        must(!message.answers || *message.answers < i);
        for (const FieldAt& field : fields_of(message, message.octets)) must(!field.filter().empty());
    }
}

void play(const Session& session, const Protocol& protocol, Side side) {
    try {
        const Run run = run_emulated(session.player(side, {}), session.emulated(engine::other(side), ""), limits);
        must(run.over || !run.waiting_for.empty());
        const auto actual = session_of(run, protocol, session.conversation());
        const Conversation nothing;
        if (actual) check(actual->conversation());
        compare(session.conversation(), actual ? actual->conversation() : nothing, side);
    } catch (const NotPlayable&) {  // told to the user
    }
}

void play_all(const std::string& path, const Protocol& protocol) {
    capture::OpenResult opened = capture::open(path);
    must(static_cast<bool>(opened));
    const auto source = capture::in_time_order(std::move(opened.source));
    const auto reader = protocol.make_reader();
    engine::Options options{.smcr = false, .interfaces = source->interface_count()};
    engine::Observers observers;
    reader->prepare(options, observers);
    engine::Engine engine(options, observers);
    for (capture::Frame frame; source->next(frame);) engine.on_frame(frame);
    engine.finish();
    std::size_t played = 0;
    for (const SessionInfo& info : reader->sessions(engine)) {
        if (!info.obstacle.empty()) continue;
        if (played++ == most_sessions) return;
        try {
            const auto session = playable_session(*reader, engine, info.id);
            check(session->conversation());
            for (const Side side : {Side::client, Side::server}) play(*session, protocol, side);
        } catch (const NotPlayable&) {  // told to the user
        }
    }
}

void play_all(const std::string& path) {
    for (const Protocol& protocol : protocols()) play_all(path, protocol);
}

void play_edited(ByteView edits) {
    static const std::vector<traffic::Recording> samples = short_samples();
    const MemoryFile file({});
    traffic::write(edited_sample(samples, edits), file.path());
    play_all(file.path());
}

}  // namespace
}  // namespace fabricscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fabricscope;
    const fuzz::MemoryFile file({data, size});
    if (capture::open(file.path())) fuzz::play_all(file.path());
    else fuzz::play_edited({data, size});
    return 0;
}
