// SPDX-License-Identifier: GPL-2.0-or-later
// Recorded RDMA CM connections against the emulated stack: what was not altered is clean, what was altered is pointed
// at.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "capture/source.h"
#include "protocols/rdma_cm/message.h"
#include "replay/engine/comparison.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/rdma_cm/reader.h"
#include "replay/engine/rdma_cm/recording.h"
#include "replay/engine/run.h"
#include "replay/synth/families.h"
#include "tests/unit/replay_engine/alterations.h"

namespace fabricscope::replay::rdma_cm {
namespace {

/// Frames of a recording, and what is in them.
struct Capture {
    std::vector<Octets> frames;
    std::vector<Time> times;

    std::unique_ptr<CmSession> session(std::string_view id = "cm-1") const {
        const std::unique_ptr<Reader> reader = make_reader();
        engine::Options options{.smcr = false};
        engine::Observers observers;
        reader->prepare(options, observers);
        engine::Engine engine(options, observers);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            capture::Frame frame = stack::ethernet_frame(frames[i]);
            frame.number = i + 1;
            frame.time = times[i];
            engine.on_frame(frame);
        }
        engine.finish();
        std::unique_ptr<Session> session = reader->session(engine, id);
        return std::unique_ptr<CmSession>(static_cast<CmSession*>(session.release()));
    }
};

Capture sample(const std::string& name) {
    Capture capture;
    const std::string file = FABRICSCOPE_SAMPLES "/" + name + ".pcap";
    const capture::OpenResult opened = capture::open(file);
    EXPECT_NE(opened.source, nullptr) << file;
    capture::Frame frame;
    while (opened.source && opened.source->next(frame)) {
        capture.frames.emplace_back(frame.data.begin(), frame.data.end());
        capture.times.push_back(frame.time);
    }
    EXPECT_FALSE(capture.frames.empty()) << file;
    return capture;
}

Capture scenario(std::string_view name) {
    Capture capture;
    const auto builtin = std::ranges::find(synth::builtin_scenarios(), name, &synth::BuiltinScenario::name);
    EXPECT_NE(builtin, synth::builtin_scenarios().end()) << name;
    const synth::Recording recording = synth::run(synth::parse_scenario(builtin->text));
    for (const synth::RecordedFrame& frame : recording.frames) {
        capture.frames.push_back(frame.octets);
        capture.times.push_back(frame.time);
    }
    return capture;
}

/// The client asks for an alternate path, and the server has none: no implementation at hand does that.
Capture with_alternate_path() {
    Capture capture = sample("rdmacm_rping_v4");
    const std::unique_ptr<CmSession> session = capture.session();
    const Recording& recording = session->recording();
    const auto& messages = recording.conversation.messages;
    const auto rtu = std::ranges::find(messages, "RTU", &Message::name);
    namespace wire = fabricscope::rdma_cm;
    const wire::Message established = wire::parse(rtu->octets);
    const auto ids = std::get<ib::CmRtu>(established.body);
    builders::FrameBuilder builder;
    std::size_t at = rtu->frame;
    const auto insert = [&](Side from, ib::CmAttribute attribute, const auto& body) {
        wire::Message message;
        message.mad.transaction_id = 0x1234'5678;
        message.mad.attribute_id = static_cast<std::uint16_t>(attribute);
        message.body = body;
        const stack::IbAddress& source = recording.addresses[from];
        const stack::IbAddress& destination = recording.addresses[engine::other(from)];
        ib::Bth bth{};
        bth.opcode = 0x64;
        bth.destination_qpn = ib::gsi_qpn;
        const ByteView frame = builder.roce(
            {source.mac, destination.mac, source.gid, destination.gid}, builders::RoceVersion::v2, bth,
            layout::octets_of(ib::Deth{ib::gsi_q_key, 0, ib::gsi_qpn}), wire::build(message));
        capture.frames.emplace(capture.frames.begin() + static_cast<std::ptrdiff_t>(at), frame.begin(), frame.end());
        capture.times.insert(capture.times.begin() + static_cast<std::ptrdiff_t>(at), rtu->time + 1);
        ++at;
    };
    ib::CmLap lap;
    lap.local_comm_id = ids.local_comm_id;
    lap.remote_comm_id = ids.remote_comm_id;
    lap.remote_qpn = *recording.assembler.ends()[Side::server].qpn;
    lap.local_gid = recording.addresses[Side::client].gid;
    lap.remote_gid = recording.addresses[Side::server].gid;
    insert(Side::client, ib::CmAttribute::lap, lap);
    wire::Apr apr;
    apr.body.local_comm_id = ids.remote_comm_id;
    apr.body.remote_comm_id = ids.local_comm_id;
    apr.body.status = 2;
    const Octets nothing(ib::ari_size);
    apr.additional = nothing;
    insert(Side::server, ib::CmAttribute::apr, apr);
    return capture;
}

/// `recorded` played against what the unaltered recording's other side does.
Comparison replayed(const CmSession& recorded, const CmSession& unaltered, Side played) {
    const Run run = run_emulated(
        recorded.player(played, {}), unaltered.emulated(engine::other(played), ""),
        {.start = recorded.conversation().messages.front().time});
    const std::unique_ptr<Session> actual = session_of(run, {"rdma-cm", make_reader}, recorded.conversation());
    EXPECT_NE(actual, nullptr);
    return actual == nullptr ? Comparison{} : compare(recorded.conversation(), actual->conversation(), played);
}

std::string text_of(const Comparison& comparison) {
    std::string text;
    for (const Difference& difference : comparison.differences)
        text += difference.message + " " + difference.field + ": " + difference.recorded + " | " + difference.actual +
                "\n";
    for (const engine::Finding& finding : comparison.broken) text += finding.text + "\n";
    return text;
}

// ---- nothing altered -----------------------------------------------------------------------------

void expect_clean(const Capture& capture) {
    int sessions = 0;
    while (const std::unique_ptr<CmSession> session = capture.session("cm-" + std::to_string(sessions + 1))) {
        ++sessions;
        for (const Side side : {Side::client, Side::server}) {
            const Comparison comparison = replayed(*session, *session, side);
            EXPECT_TRUE(comparison.same()) << name_of(side) << " played:\n" << text_of(comparison);
        }
    }
    EXPECT_GT(sessions, 0);
}

class RdmaCmScenario : public testing::TestWithParam<std::string> {};
TEST_P(RdmaCmScenario, ReplaysCleanInBothRoles) { expect_clean(scenario(GetParam())); }

/// Of scenarios whose responder refuses a request: an emulated one has no reason to.
constexpr std::array refused{"rc_invalid_request", "rc_remote_operational_error"};

std::vector<std::string> scenarios() {
    std::vector<std::string> names;
    for (const synth::BuiltinScenario& builtin : synth::builtin_scenarios()) {
        const bool is_of_cm = builtin.name.starts_with("rdma_cm_") || builtin.name.starts_with("rc_");
        if (is_of_cm && std::ranges::find(refused, builtin.name) == refused.end()) names.emplace_back(builtin.name);
    }
    return names;
}
INSTANTIATE_TEST_SUITE_P(Scenarios, RdmaCmScenario, testing::ValuesIn(scenarios()), [](const auto& instance) {
    return instance.param;
});

class RdmaCmSample : public testing::TestWithParam<std::string> {};
TEST_P(RdmaCmSample, ReplaysCleanInBothRoles) { expect_clean(sample(GetParam())); }

TEST(RdmaCmSamples, WhatCannotBePlayedSaysWhy) {
    try {
        expect_clean(scenario("uc_loss"));
        ADD_FAILURE() << "it can be played";
    } catch (const NotPlayable& refusal) {
        EXPECT_THAT(refusal.what(), testing::HasSubstr("a packet of its data was lost or not captured"));
    }
}

std::vector<std::string> samples() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICSCOPE_SAMPLES)) {
        const std::string name = entry.path().stem();
        if (name.starts_with("rdmacm_") && entry.path().extension() == ".pcap") names.push_back(name);
    }
    return names;
}
INSTANTIATE_TEST_SUITE_P(Real, RdmaCmSample, testing::ValuesIn(samples()), [](const auto& instance) {
    return instance.param;
});

// ---- a peer that falls silent ----------------------------------------------------------------------

/// The connection as it was recorded up to its setup.
CmSession without_data(const CmSession& session) {
    Recording recording = session.recording();
    std::vector<Message>& messages = recording.conversation.messages;
    messages.erase(std::ranges::find(messages, "RTU", &Message::name) + 1, messages.end());
    return CmSession(std::move(recording));
}

TEST(RdmaCmPatience, ConnectionOfASilentPeerIsDisconnected) {
    const std::unique_ptr<CmSession> session = sample("rdmacm_rping_v4").session();
    const CmSession silent = without_data(*session);
    for (const Side played : {Side::client, Side::server}) {
        SCOPED_TRACE(name_of(played));
        const replay::Run run = run_emulated(
            session->player(played, {}), silent.emulated(engine::other(played), ""),
            {.start = session->conversation().messages.front().time});
        EXPECT_FALSE(run.over);
        EXPECT_NE(run.waiting_for, "");
        const std::unique_ptr<Session> actual = session_of(run, {"rdma-cm", make_reader}, session->conversation());
        ASSERT_NE(actual, nullptr);
        const std::vector<Message>& said = actual->conversation().messages;
        const auto goodbye = std::ranges::find(said, "DREQ", &Message::name);
        ASSERT_NE(goodbye, said.end());
        EXPECT_EQ(goodbye->from, played);
        EXPECT_NE(std::ranges::find(said, "DREP", &Message::name), said.end()) << "the peer knows the connection";
    }
}

// ---- what was not captured -----------------------------------------------------------------------

/// The frames but for some, by their numbers.
template <class LeftOut> Capture without(const Capture& whole, LeftOut left_out) {
    Capture capture;
    for (std::size_t i = 0; i < whole.frames.size(); ++i) {
        if (left_out(i + 1)) continue;
        capture.frames.push_back(whole.frames[i]);
        capture.times.push_back(whole.times[i]);
    }
    return capture;
}

std::uint64_t frame_of(const Capture& capture, const char* name) {
    const std::unique_ptr<CmSession> session = capture.session();
    return std::ranges::find(session->conversation().messages, name, &Message::name)->frame;
}

TEST(RdmaCmCaptured, AnEndWithoutAnAnswerIsTold) {
    const Capture whole = sample("rdmacm_rping_v4");
    const auto session = without(whole, [&](std::size_t i) { return i == frame_of(whole, "DREP"); }).session();
    const Side asks = std::ranges::find(session->conversation().messages, "DREQ", &Message::name)->from;
    const Comparison comparison = replayed(*session, *session, asks);
    ASSERT_EQ(comparison.differences.size(), 1U) << text_of(comparison);
    EXPECT_EQ(comparison.differences.front().message, "DREP");
    EXPECT_THAT(comparison.differences.front().cause, testing::HasSubstr("the DREQ was not answered"));
}

/// What the capture lacks is not held against the peer: the run is the same, or it is said what is missing.
TEST(RdmaCmCaptured, OneFrameLessIsNoDifference) {
    const Capture whole = sample("rdmacm_rping_v4");
    std::size_t same = 0;
    std::set<std::string> obstacles;
    for (std::size_t missing = 1; missing <= whole.frames.size(); ++missing) {
        const auto session = without(whole, [&](std::size_t i) { return i == missing; }).session();
        if (session == nullptr) continue;
        for (const Side side : {Side::client, Side::server}) try {
                const Comparison comparison = replayed(*session, *session, side);
                EXPECT_TRUE(comparison.same()) << "without frame " << missing << '\n' << text_of(comparison);
                same += comparison.same();
            } catch (const NotPlayable& refusal) {
                obstacles.insert(refusal.what());
            }
    }
    EXPECT_GT(same, whole.frames.size());
    EXPECT_THAT(obstacles, testing::Contains(testing::HasSubstr("the RTU was not captured")));
    EXPECT_THAT(obstacles, testing::Each(testing::HasSubstr("not captured")));
}

TEST(RdmaCmCaptured, OneDirectionIsNotEnough) {
    const Capture whole = sample("rdmacm_rping_v4");
    const auto session = without(whole, [&](std::size_t i) { return i == frame_of(whole, "REP"); }).session();
    EXPECT_THAT(session->recording().obstacle, testing::HasSubstr("the REP was not captured"));
}

// ---- XRC -----------------------------------------------------------------------------------------

/// An initiator may name another one of the target's shared receive queues with each message.
TEST(RdmaCmXrc, EachMessageGoesToItsSharedReceiveQueue) {
    const std::unique_ptr<CmSession> session = scenario("rdma_cm_xrc").session();
    constexpr std::size_t number_at = layout::size_of<ib::Bth> + 3;
    const auto numbers_of = [](const Conversation& conversation) {
        std::vector<unsigned> numbers;
        for (const Message& message : conversation.messages)
            if (message.channel == "XRC") numbers.push_back(message.octets[number_at]);
        return numbers;
    };
    session->edit([&](Conversation& recorded) {
        std::uint8_t number = 0;
        for (Message& message : recorded.messages)
            if (message.channel == "XRC") message.octets[number_at] = ++number;
    });
    const replay::Run run = run_emulated(
        session->player(Side::client, {}), session->emulated(Side::server, ""),
        {.start = session->conversation().messages.front().time});
    const std::unique_ptr<Session> actual = session_of(run, {"rdma-cm", make_reader}, session->conversation());
    ASSERT_NE(actual, nullptr);
    EXPECT_EQ(numbers_of(session->conversation()).size(), 12U);
    EXPECT_EQ(numbers_of(actual->conversation()), numbers_of(session->conversation()));
}

// ---- a client that gives up ----------------------------------------------------------------------

/// It does not know what the server calls the connection: it tells its channel adapter's GUID (IBA 12.6.7).
TEST(RdmaCmTimeout, WhoGivesUpNamesItsAdapter) {
    const std::unique_ptr<CmSession> session = scenario("rdma_cm_req_timeout").session();
    const auto message = [&](const char* name) -> const Message& {
        return *std::ranges::find(session->conversation().messages, name, &Message::name);
    };
    namespace wire = fabricscope::rdma_cm;
    const wire::Message request = wire::parse(message("REQ").octets), rejection = wire::parse(message("REJ").octets);
    const auto& rej = std::get<wire::Rej>(rejection.body);
    EXPECT_EQ(rej.body.message, 2) << "none was rejected";
    EXPECT_EQ(rej.body.reason, ib::reject_timeout);
    std::uint64_t guid = 0;
    for (const std::uint8_t octet : rej.additional.first(rej.body.ari_length)) guid = guid << 8 | octet;
    EXPECT_EQ(guid, std::get<wire::Req>(request.body).body.local_ca_guid);

    const auto octets_behind = static_cast<std::ptrdiff_t>(rej.additional.data() - message("REJ").octets.data());
    session->edit([&](Conversation& recorded) {
        std::ranges::find(recorded.messages, "REJ", &Message::name)->octets.begin()[octets_behind] ^= 1;
    });
    const Comparison comparison = replayed(*session, *session, Side::server);
    ASSERT_EQ(comparison.differences.size(), 1U) << text_of(comparison);
    EXPECT_EQ(comparison.differences.front().field, "rdma_ip_cm.rej.ca_guid");
}

// ---- one field altered ---------------------------------------------------------------------------

/// A field of this name and owner, wherever it stands.
struct NamePlace {
    std::string kind;
    Side owner;
    Value value;
    bool operator==(const NamePlace&) const = default;
};

std::optional<NamePlace> name_at(const Message& message, const FieldAt& field) {
    const FieldRule rule = rule_of(*message.format, field);
    if (rule.treatment != Treatment::introduces && rule.treatment != Treatment::refers) return std::nullopt;
    return NamePlace{std::string(rule.kind), owner_of(rule, message.from), value_of(message.octets, field)};
}

/// Whether the other side could have known the name already.
bool is_known_before(const std::vector<Message>& messages, std::size_t index, const NamePlace& name) {
    for (std::size_t i = 0; i < index; ++i)
        for (const FieldAt& field : fields_of(messages[i], messages[i].octets))
            if (name_at(messages[i], field) == name) return true;
    return false;
}

void rename_everywhere(std::vector<Message>& messages, const NamePlace& name) {
    for (Message& message : messages)
        for (const FieldAt& field : fields_of(message, message.octets))
            if (name_at(message, field) == name) set_value(message.octets, field, flipped(name.value));
}

/// What decides which message it is, or which fields follow: altered, it is another message altogether.
const std::set<std::string_view> decisive{
    "rdma_ip_cm.mad.base_version", "rdma_ip_cm.mad.class", "rdma_ip_cm.mad.attribute_id", "infiniband.bth.opcode"};
const std::set<std::string_view> structural{
    "rdma_ip_cm.rej.reason", "rdma_ip_cm.rej.ari_length",   "rdma_ip_cm.ari.suggested_length",
    "rdma_ip_cm.ip.version", "rdma_ip_cm.ip.major_version", "rdma_ip_cm.rej.message",
    "rdma_ip_cm.ari.layer"};

class Alterations {
public:
    Alterations(const CmSession& session, Side played) : session_(session), played_(played) {}

    void try_all(std::set<std::string>& tried) {
        const auto& messages = session_.conversation().messages;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (messages[i].from == played_) continue;
            tried.insert(messages[i].name);
            for (const FieldAt& field : fields_of(messages[i], messages[i].octets)) try_field(i, field);
        }
    }

private:
    void try_field(std::size_t index, const FieldAt& field) {
        const Message& message = session_.conversation().messages[index];
        const FieldRule rule = rule_of(*message.format, field);
        if (rule.treatment == Treatment::ignored || decisive.contains(field.filter())) return;
        SCOPED_TRACE(message.name + " " + field.name());
        Recording recording = session_.recording();
        std::vector<Message>& messages = recording.conversation.messages;
        const std::optional<NamePlace> name = name_at(message, field);
        const bool free_choice = name &&
                                 (rule.treatment == Treatment::introduces || !is_known_before(messages, index, *name));
        if (free_choice) rename_everywhere(messages, *name);
        else set_value(messages[index].octets, field, flipped(value_of(message.octets, field)));
        const CmSession changed(std::move(recording));
        const Comparison comparison = replayed(changed, session_, played_);
        if (free_choice) {
            EXPECT_TRUE(comparison.differences.empty()) << text_of(comparison);
            return;
        }
        expect_pointed_at(comparison, message, field, rule);
    }

    static void expect_pointed_at(
        const Comparison& comparison, const Message& message, const FieldAt& field, const FieldRule& rule) {
        const auto found = std::ranges::find(comparison.differences, field.name(), &Difference::field);
        ASSERT_NE(found, comparison.differences.end()) << text_of(comparison);
        EXPECT_EQ(found->message, message.name);
        EXPECT_EQ(found->recorded_frame, message.frame);
        EXPECT_NE(found->actual_frame, 0U);
        EXPECT_EQ(found->level, rule.treatment == Treatment::policy ? Level::policy : Level::exact);
        if (structural.contains(field.filter())) return;
        EXPECT_EQ(comparison.differences.size(), 1U) << text_of(comparison);
    }

    const CmSession& session_;
    Side played_;
};

TEST(RdmaCmAlterations, EveryFieldOfEveryMessageIsPointedAt) {
    std::set<std::string> tried;
    const auto try_both = [&](const std::string& what, const Capture& capture) {
        SCOPED_TRACE(what);
        const std::unique_ptr<CmSession> session = capture.session();
        ASSERT_NE(session, nullptr);
        for (const Side side : {Side::client, Side::server}) {
            SCOPED_TRACE(name_of(side));
            Alterations(*session, side).try_all(tried);
        }
    };
    try_both("rping", sample("rdmacm_rping_v4"));
    try_both("private data", sample("rdmacm_private_data"));
    try_both("reject", sample("rdmacm_reject_private_data"));
    try_both("datagrams", sample("rdmacm_udaddy"));
    try_both("MRA", scenario("rdma_cm_mra"));
    try_both("NAK", scenario("rc_remote_access_error"));
    try_both("ARI", scenario("rdma_cm_ari_minor_version"));
    {
        SCOPED_TRACE("alternate path");
        const std::unique_ptr<CmSession> session = with_alternate_path().session();
        Alterations(*session, Side::client).try_all(tried);
    }
    // The emulated stack answers LAP, and sends none: see below.
    const std::set<std::string> all{"REQ",        "MRA",     "REJ",      "REP",      "RTU",
                                    "DREQ",       "DREP",    "APR",      "SIDR_REQ", "SIDR_REP",
                                    send_name,    read_name, write_name, nak_name,   read_response_name,
                                    datagram_name};
    EXPECT_EQ(tried, all);
}

/// No stack at hand asks for an alternate path, so here is no run: the recording is compared with itself.
TEST(RdmaCmAlterations, EveryFieldOfLapIsPointedAt) {
    const std::unique_ptr<CmSession> session = with_alternate_path().session();
    const Conversation& recorded = session->conversation();
    std::size_t tried = 0;
    alter_each_field(
        recorded, recorded, Side::server,
        [&](const Message& message, const FieldAt& field, const Comparison& comparison, std::size_t more) {
            if (message.name != "LAP") return;
            ++tried;
            expect_just_this(message, field, comparison, more, decisive.contains(field.filter()));
        });
    EXPECT_GT(tried, 20U);
}

}  // namespace
}  // namespace fabricscope::replay::rdma_cm
