// SPDX-License-Identifier: GPL-2.0-or-later
// Replay of Fibre Channel's upper layers: the samples, in both roles, against emulated ports.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "replay/engine/comparison.h"
#include "replay/engine/fc/session.h"
#include "replay/engine/run.h"
#include "tests/traffic/edit.h"
#include "tests/unit/replay_engine/alterations.h"

namespace fabricscope::replay {
namespace {

const Protocol protocol{"fc", fibre_channel::make_reader};

/// A capture that has been read.
class Recorded {
public:
    explicit Recorded(const traffic::Recording& recording) : reader_(protocol.make_reader()) {
        engine::Options options{.smcr = false};
        engine::Observers observers;
        reader_->prepare(options, observers);
        engine_ = std::make_unique<engine::Engine>(options, observers);
        traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine_->on_frame(frame); });
        engine_->finish();
    }

    std::vector<SessionInfo> sessions() const { return reader_->sessions(*engine_); }
    std::unique_ptr<Session> session(std::string_view id) const { return reader_->session(*engine_, id); }

private:
    std::unique_ptr<Reader> reader_;
    std::unique_ptr<engine::Engine> engine_;
};

struct Played {
    Run run;
    std::unique_ptr<Session> actual;
    Comparison comparison;
};

Played play(const Session& session, Side side, const std::string& profile = "") {
    Played played;
    const RunLimits limits{.start = session.conversation().messages.front().time};
    played.run = run_emulated(session.player(side, {}), session.emulated(engine::other(side), profile), limits);
    played.actual = session_of(played.run, protocol, session.conversation());
    static const Conversation nothing;
    played.comparison = compare(session.conversation(), played.actual ? played.actual->conversation() : nothing, side);
    return played;
}

/// "same", what differs first, or why it cannot be played.
std::string result_of(const Session& session, Side side, const std::string& profile = "") {
    try {
        const Played played = play(session, side, profile);
        if (played.comparison.same()) return played.run.over ? "same" : "waits for " + played.run.waiting_for;
        for (const Difference& difference : played.comparison.differences)
            if (difference.level != Level::policy)
                return difference.message.empty() ? difference.where + ' ' + difference.field
                       : difference.field.empty() ? difference.message
                                                  : difference.message + ' ' + difference.field;
        return played.comparison.broken.front().rule->id;
    } catch (const NotPlayable& error) {
        return error.what();
    }
}

// ---- what cannot be the same, and why ---------------------------------------------------------------

constexpr const char* midway = "what the setup agreed on is not known";
constexpr const char* gap = "frames of Sequences are missing, so that they can be neither played nor compared";
constexpr const char* skipped = "a Message of the client is not in the capture: its MSG_ID is skipped";
constexpr const char* lacks_data = "data of the command in frame 9 were not captured";
constexpr const char* overtaken =
    "the sample's Peer A refused before it asked itself, and its request was faster (A.3, A.4): here order is kept";
constexpr const char* disorder = "the fabric kept no order, the run's does";
constexpr const char* no_length = "READ_RQST of revision 1.0 does not tell the length (6.5, against 5.7.9)";
constexpr const char* retries = "the emulated Provider tries a failed setup again (8.5.4), the recorded one did not";
constexpr const char* no_status = "the emulated Provider tells no status where the recorded one does";
constexpr const char* unheard = "the capture does not tell which IUs behind the tap arrived";
constexpr const char* other_calls = "no call of the emulated Provider does this";
constexpr const char* streams = "the emulated Provider is silent about Messages behind the one that failed";
constexpr const char* says_why = "the emulated Provider tells in its Disconnect why it is in Error";
constexpr const char* rejects = "P_RJT, P_BSY and ACKs are no IUs: they are not played";
constexpr const char* reasons = "the emulated port has another reason to refuse the Process Login";

struct Exception {
    const char* scenario;
    const char* session;
    Side played;
    const char* result;
    const char* why;
};
constexpr Exception exceptions[] = {
    {"concurrent_peers_case2", "fcvi-1", Side::client, "FCVI_CONNECT_RESP1", overtaken},
    {"concurrent_peers_case3", "fcvi-1", Side::client, "FCVI_CONNECT_RESP1", overtaken},
    {"concurrent_peers_case5", "fcvi-1", Side::server, "FCVI_CONNECT_RQST", retries},
    {"disconnect_after_error", "fcvi-1", Side::client, "FCVI_DISCONNECT_RESP fcvi.flags.conn_sts", no_status},
    {"client_times_out", "fcvi-1", Side::client, "FCVI_CONNECT_RESP3 fcvi.flags.conn_sts", no_status},
    {"lost_connect_rqst", "fcvi-1", Side::server, "FCVI_CONNECT_RQST", retries},
    {"lost_connect_resp1", "fcvi-1", Side::server, "FCVI_DISCONNECT_RQST", retries},
    {"lost_connect_resp2_server", "fcvi-1", Side::client, "FCVI_DISCONNECT_RQST fcvi.flags.conn_sts", unheard},
    {"lost_connect_resp2_server", "fcvi-1", Side::server, "FCVI_CONNECT_RQST", retries},
    {"lost_connect_resp3", "fcvi-1", Side::client, "FCVI_SEND_RQST", unheard},
    {"disconnect_aborts_setup", "fcvi-1", Side::server, "FCVI_DISCONNECT_RQST", other_calls},
    {"disconnect_of_unknown_setup", "fcvi-1", Side::server, "FCVI_DISCONNECT_RQST fcvi.flags.conn_setup_abort",
     other_calls},
    {"reliable_delivery_rev10", "fcvi-1", Side::client, "FCVI_READ_RESP payload", no_length},
    {"reliable_delivery_rev10", "fcvi-1", Side::server, "FCVI_READ_RESP", no_length},
    {"reliable_reception_rev10", "fcvi-1", Side::client, "FCVI_READ_RESP payload", no_length},
    {"reliable_reception_rev10", "fcvi-1", Side::server, "FCVI_SEND_RESP", no_length},
    {"several_sequences_rev10", "fcvi-1", Side::client, "FCVI_READ_RESP payload", no_length},
    {"streaming_fails", "fcvi-1", Side::client, "FCVI_SEND_RESP", streams},
    {"read_protection_error", "fcvi-1", Side::server, "FCVI_DISCONNECT_RQST fcvi.flags.conn_sts", says_why},
    {"midway_rev10", "fcvi-1", Side::client, "the setup of the connection was not captured", midway},
    {"midway_rev10", "fcvi-1", Side::server, "the setup of the connection was not captured", midway},
    {"midway_iso", "fcvi-1", Side::client, "the setup of the connection was not captured", midway},
    {"midway_iso", "fcvi-1", Side::server, "the setup of the connection was not captured", midway},
    {"missing_messages_unreliable", "fcvi-1", Side::client, "connection 1, Message 5 of the client state", gap},
    {"missing_messages_unreliable", "fcvi-1", Side::server, "FCVI_SEND_RQST fabricscope.fc.parameter", gap},
    {"missing_messages_reliable", "fcvi-1", Side::client, skipped, gap},
    {"missing_messages_reliable", "fcvi-1", Side::server, skipped, gap},
    {"messages_out_of_order", "fcvi-1", Side::client, "FCVI_DISCONNECT_RESP fcvi.msg_id", disorder},
    {"messages_out_of_order", "fcvi-1", Side::server, "FCVI_SEND_RQST fabricscope.fc.parameter", disorder},
    {"missing_frames_unreliable", "fcvi-1", Side::client, "connection 1, Message 5 of the client state", gap},
    {"missing_frames_unreliable", "fcvi-1", Side::server, "FCVI_SEND_RQST fcvi.msg_id", gap},
    {"frames_out_of_order", "fcvi-1", Side::client, "FCVI_DISCONNECT_RESP fcvi.msg_id", disorder},
    {"frames_out_of_order", "fcvi-1", Side::server, "connection 1, Message 5 of the client operation", disorder},
    {"frame_rejected_in_class_2", "fcvi-1", Side::server, "ABTS", rejects},
    {"frame_rejected_reliable", "fcvi-1", Side::server, "ABTS", rejects},
    {"frame_busy_in_class_2", "fcvi-1", Side::server, "ABTS", rejects},
    {"frame_busy_reliable", "fcvi-1", Side::server, "ABTS", rejects},
    {"ack_asks_for_abort", "fcvi-1", Side::server, "ABTS", rejects},
    {"ack_times_out", "fcvi-1", Side::server, "ABTS", rejects},
    {"missing_frame", "fc-ae-rdma-1", Side::client, lacks_data, gap},
    {"missing_frame", "fc-ae-rdma-1", Side::server, lacks_data, gap},
    // Pairs of ports, where they are not as their connection or message.
    {"concurrent_peers_case2", "fc-pair-1", Side::client, "same", overtaken},
    {"concurrent_peers_case2", "fc-pair-1", Side::server, "FCVI_CONNECT_RESP1 fcvi.flags.conn_sts", overtaken},
    {"concurrent_peers_case3", "fc-pair-1", Side::client, "same", overtaken},
    {"concurrent_peers_case3", "fc-pair-1", Side::server, "FCVI_CONNECT_RESP1 fcvi.flags.conn_sts", overtaken},
    {"concurrent_peers_case5", "fc-pair-1", Side::client, "FCVI_CONNECT_RQST", retries},
    {"concurrent_peers_case5", "fc-pair-1", Side::server, "same", retries},
    {"disconnect_of_nothing", "fc-pair-1", Side::client, "the setup of the connection was not captured", midway},
    {"disconnect_of_nothing", "fc-pair-1", Side::server, "the setup of the connection was not captured", midway},
    {"process_login_refused", "fc-pair-1", Side::client, "LS_RJT fabricscope.fc.ls_rjt.reason", reasons},
};

/// A pair of ports differs as what it consists of, unless it has a row of its own.
const Exception* exception_of(const std::string& scenario, const std::string& session, Side played) {
    const Exception* of_part = nullptr;
    for (const Exception& exception : exceptions) {
        if (scenario != exception.scenario || played != exception.played) continue;
        if (session == exception.session) return &exception;
        if (session.starts_with("fc-pair-") && of_part == nullptr) of_part = &exception;
    }
    return of_part;
}

// ---- tests ---------------------------------------------------------------------------------------

using SamplePath = std::filesystem::path;

SamplePath folder(const char* group) { return SamplePath(FABRICSCOPE_SAMPLES).parent_path() / group; }

/// The samples of a folder, each over FCoE, which tells the class of service.
std::vector<std::string> samples_in(const char* group) {
    constexpr std::string_view over_fcoe = ".fcoe.pcap";
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder(group)))
        if (const std::string name = entry.path().filename().string(); name.ends_with(over_fcoe))
            names.push_back(std::string(group) + '/' + name.substr(0, name.size() - over_fcoe.size()));
    std::ranges::sort(names);
    return names;
}

Recorded sample(const std::string& name) { return Recorded(traffic::read(folder("").string() + name + ".fcoe.pcap")); }

class Samples : public testing::TestWithParam<std::string> {};

TEST_P(Samples, AreTheSameInBothRoles) {
    const Recorded recorded = sample(GetParam());
    const std::string name = SamplePath(GetParam()).filename();
    for (const SessionInfo& info : recorded.sessions()) {
        const auto session = recorded.session(info.id);
        for (const Side side : {Side::client, Side::server}) {
            const Exception* exception = exception_of(name, info.id, side);
            const std::string result = info.obstacle.empty() ? result_of(*session, side) : info.obstacle;
            EXPECT_EQ(result, exception != nullptr ? exception->result : "same")
                << info.id << ", " << name_of(side) << " played" << (exception != nullptr ? "; " : "")
                << (exception != nullptr ? exception->why : "");
        }
    }
}

/// What the capture lacks is not held against the peer: the run is the same, or it is said what is missing.
TEST(FcCaptured, OneFrameLessIsNoDifference) {
    for (const char* name : {"fcvi/reliable_delivery_iso", "fcvi/client_server_iso", "fc_ae_rdma/login_read_write"}) {
        const traffic::Recording whole = traffic::read(folder("").string() + name + ".fcoe.pcap");
        std::size_t runs = 0, same = 0;
        for (std::size_t missing = 0; missing < whole.frames.size(); ++missing) {
            traffic::Recording less = whole;
            less.frames.erase(less.frames.begin() + static_cast<std::ptrdiff_t>(missing));
            const Recorded recorded(less);
            for (const SessionInfo& info : recorded.sessions())
                for (const Side side : {Side::client, Side::server}) {
                    ++runs;
                    if (!info.obstacle.empty()) continue;
                    const std::string result = result_of(*recorded.session(info.id), side);
                    same += result == "same";
                    EXPECT_TRUE(result == "same" || result.find("captured") != std::string::npos)
                        << name << " without frame " << missing + 1 << ", " << info.id << ", " << name_of(side)
                        << " played: " << result;
                }
        }
        EXPECT_GT(same, runs / 4) << name;
    }
}

std::string name_of_sample(const testing::TestParamInfo<std::string>& info) {
    return SamplePath(info.param).filename();
}

INSTANTIATE_TEST_SUITE_P(FcvI, Samples, testing::ValuesIn(samples_in("fcvi")), name_of_sample);
INSTANTIATE_TEST_SUITE_P(FcAeRdma, Samples, testing::ValuesIn(samples_in("fc_ae_rdma")), name_of_sample);

// ---- profiles ------------------------------------------------------------------------------------

/// A pair of ports in whose recording the Target accepts PRLI with commands and data mixed, which table 2 forbids.
std::unique_ptr<Session> with_command_data_mixed(const Recorded& recorded) {
    constexpr std::size_t last_octet_of_page = 24 + 4 + 15;  // header, command, page
    constexpr std::uint8_t command_data_mixed = 0x08;
    std::unique_ptr<Session> session = recorded.session("fc-pair-1");
    session->edit([](Conversation& conversation) {
        const auto request = std::ranges::find(conversation.messages, "PRLI", &Message::name);
        const auto accept = std::ranges::find(request, conversation.messages.end(), "LS_ACC", &Message::name);
        accept->octets.at(last_octet_of_page) |= command_data_mixed;
    });
    return session;
}

/// Fields of PRLI and its answer that differ.
std::vector<std::string> process_login_differences(const Session& session, const std::string& profile) {
    std::vector<std::string> fields;
    for (const Difference& difference : play(session, Side::client, profile).comparison.differences)
        if (difference.field.starts_with("fabricscope.fc.process")) fields.push_back(difference.field);
    return fields;
}

TEST(Profiles, StrictTellsParametersThatAreNotTheDocuments) {
    const Recorded recorded = sample("fc_ae_rdma/login_read_write");
    EXPECT_THAT(process_login_differences(*recorded.session("fc-pair-1"), "strict"), testing::IsEmpty());
    const auto altered = with_command_data_mixed(recorded);
    EXPECT_THAT(process_login_differences(*altered, ""), testing::IsEmpty()) << "it says what the recorded one said";
    EXPECT_THAT(
        process_login_differences(*altered, "strict"),
        testing::ElementsAre("fabricscope.fc.process.service_parameters[0]"));
}

TEST(Profiles, LinuxHasNoSuchPorts) {
    const Recorded recorded = sample("fc_ae_rdma/login_read_write");
    EXPECT_THAT(
        result_of(*recorded.session("fc-pair-1"), Side::client, "linux"), testing::HasSubstr("--profile strict"));
}

// ---- altered recordings --------------------------------------------------------------------------

/// What these say decides which other fields there are.
bool is_structure(std::string_view filter) {
    for (const std::string_view name :
         {"fabricscope.fc.r_ctl", "fabricscope.fc.type", "fabricscope.fc.df_ctl.device_header",
          "fabricscope.fc.df_ctl.esp_header", "fabricscope.fc.df_ctl.network_header",
          "fabricscope.fc.df_ctl.association_header", "fcvi.opcode", "fcvi.flags.imm_data", "fcvi.flags.conn_sts",
          "fcvi.flags.conn_err"})
        if (filter == name) return true;
    return false;
}

/// Each field of each message of the other side, altered in the recording: just it is told.
void expect_each_field_to_be_found(const Session& session, Side played, std::set<std::string>& seen) {
    const Played run = play(session, played);
    ASSERT_TRUE(run.comparison.same());
    alter_each_field(
        session.conversation(), run.actual->conversation(), played,
        [&](const Message& message, const FieldAt& field, const Comparison& comparison, std::size_t more) {
            seen.insert(message.name);
            expect_just_this(message, field, comparison, more, is_structure(field.filter()));
        });
}

TEST(FcReplayMutations, OfEveryFcviIuAreFound) {
    std::set<std::string> seen;
    for (const char* name : {"client_server_iso", "client_server_rev10", "reliable_reception_iso"}) {
        SCOPED_TRACE(name);
        const Recorded recorded = sample(std::string("fcvi/") + name);
        const auto session = recorded.session("fcvi-1");
        for (const Side side : {Side::client, Side::server}) expect_each_field_to_be_found(*session, side, seen);
    }
    EXPECT_THAT(
        seen, testing::UnorderedElementsAre(
                  "FCVI_CONNECT_RQST", "FCVI_CONNECT_RESP1", "FCVI_CONNECT_RESP2", "FCVI_CONNECT_RESP3",
                  "FCVI_SEND_RQST", "FCVI_SEND_RESP", "FCVI_WRITE_RQST", "FCVI_WRITE_RESP", "FCVI_READ_RQST",
                  "FCVI_READ_RESP", "FCVI_DISCONNECT_RQST", "FCVI_DISCONNECT_RESP"));
}

TEST(FcReplayMutations, OfEveryFcAeRdmaIuAreFound) {
    std::set<std::string> seen;
    const Recorded recorded = sample("fc_ae_rdma/login_read_write");
    for (const char* id : {"fc-ae-rdma-1", "fc-ae-rdma-2"}) {
        const auto session = recorded.session(id);
        for (const Side side : {Side::client, Side::server}) expect_each_field_to_be_found(*session, side, seen);
    }
    EXPECT_THAT(seen, testing::UnorderedElementsAre("FCP_CMND", "FCP_DATA", "FCP_RSP"));
}

TEST(FcReplayMutations, NamesThatAreReferredToAreFound) {
    const Recorded recorded = sample("fcvi/client_server_iso");
    const auto session = recorded.session("fcvi-1");
    const Played run = play(*session, Side::client);
    // The server's answers to a Disconnect go to the client's handle, which the Connect Request introduced.
    const Conversation& talk = session->conversation();
    for (std::size_t i = 0; i < talk.messages.size(); ++i) {
        if (talk.messages[i].name != "FCVI_DISCONNECT_RESP" || talk.messages[i].from != Side::server) continue;
        for (const FieldAt& field : fields_of(talk.messages[i], talk.messages[i].octets)) {
            if (field.filter() != "fcvi.handle") continue;
            const Comparison comparison = compare(altered(talk, i, field), run.actual->conversation(), Side::client);
            EXPECT_EQ(count_of(comparison, "FCVI_DISCONNECT_RESP", "fcvi.handle"), 1U);
            return;
        }
    }
    FAIL() << "the server answers no Disconnect";
}

// ---- the emulated Target of FC-AE-RDMA -----------------------------------------------------------

/// Reads and writes, statements of docs/scenarios.md, of a Logical Unit; edited.
Recorded memory(
    const std::string& statements, const std::vector<std::string>& edits = {}, const char* access = "both") {
    traffic::Recording recording = traffic::play_text(
        fmt::format("protocol fc-ae-rdma\nunit lun=3 access={}\n{}", access, statements));
    for (const std::string& line : edits) traffic::edit(recording, line);
    return Recorded(recording);
}

/// What the Target of one recording says to the Initiator of another one, where that differs.
std::vector<std::string> against_target_of(const Recorded& theirs, const Recorded& ours) {
    const auto there = theirs.session("fc-pair-1"), here = ours.session("fc-pair-1");
    const RunLimits limits{.start = here->conversation().messages.front().time};
    const Run run = run_emulated(here->player(Side::client, {}), there->emulated(Side::server, ""), limits);
    const auto actual = session_of(run, protocol, here->conversation());
    std::vector<std::string> told;
    for (const Difference& difference : compare(here->conversation(), actual->conversation(), Side::client).differences)
        if (difference.level == Level::exact) told.push_back(difference.message + ' ' + difference.field);
    return told;
}

TEST(FcEmulatedTarget, SeesAnInitiatorThatIsWrong) {
    using testing::Contains;
    const char* const write_and_read =
        "write lun=3 address=0x1000 octets=100 at=5ms\nread lun=3 address=0x1000 octets=100 at=10ms";
    const Recorded right = memory(write_and_read);
    EXPECT_THAT(against_target_of(right, right), testing::IsEmpty());
    const auto told = [&](const char* edit) { return against_target_of(right, memory(write_and_read, {edit})); };
    EXPECT_THAT(told("FCP_DATA octets 7 FF"), Contains("FCP_DATA payload")) << "what is read is what was written";
    EXPECT_THAT(told("FCP_CMND set fcaerdma.data_length=90"), Contains("FCP_RSP fcaerdma.resid_over"));
    EXPECT_THAT(told("FCP_CMND set fcaerdma.lun=9"), Contains("FCP_RSP fcaerdma.status"));
    EXPECT_THAT(told("FCP_CMND set fcaerdma.base_address=+1"), Contains("FCP_RSP fcaerdma.status"))
        << "the region ends where the recording's messages end";
}

TEST(FcEmulatedTarget, HasItsProtections) {
    const std::string once =
        "read lun=3 address=0x1000 octets=100 at=5ms\nwrite lun=3 address=0x1000 octets=100 at=10ms\n";
    const std::string again = once + "write lun=3 address=0x1000 octets=50 at=15ms\n";
    const Recorded theirs = memory(once, {}, "read");
    EXPECT_THAT(
        against_target_of(theirs, memory(again + "read lun=3 address=0x1000 octets=60 at=20ms", {}, "read")),
        testing::IsEmpty())
        << "what was not recorded is refused, too, or brings the memory";
    EXPECT_THAT(
        against_target_of(theirs, memory(again, {"FCP_RSP/3 set fcaerdma.status=0"}, "read")),
        testing::Contains("FCP_RSP fcaerdma.status"));
}

TEST(FcEmulatedTarget, ChangesItsMemoryItself) {
    const Recorded changing = memory(
        "read lun=3 address=0x1000 octets=100 count=4 interval=5ms",
        {"FCP_DATA/2 octets 9 55", "FCP_DATA/3 drop", "FCP_RSP/3 set fcaerdma.status=8"});
    EXPECT_THAT(against_target_of(changing, changing), testing::IsEmpty());
}

// ---- patience ------------------------------------------------------------------------------------

/// Takes all, and never says a word.
class Deaf final : public stack::Endpoint {
public:
    void on_frame(Time /*now*/, std::size_t /*port*/, ByteView /*frame*/) override {}
    void on_timer(Time /*now*/) override {}
    Time wakeup() const override { return stack::never; }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override { frames.clear(); }
};

TEST(FcPlayer, GivesUpWhenItsPatienceIsOver) {
    const Recorded recorded = sample("fcvi/client_server_iso");
    const auto session = recorded.session("fcvi-1");
    const PlayOptions options{.pace = {}, .addresses = {}, .patience = 3 * capture::second};
    AttachedPlayer player = session->player(Side::client, options);
    player.endpoint->start(0);
    const Time end = player.endpoint->wakeup();
    EXPECT_GE(end, options.patience);
    EXPECT_LT(end, options.patience + capture::second) << "and what the recording needed at most";
    player.endpoint->on_timer(end - 1);
    EXPECT_THAT(player.endpoint->notes(), testing::IsEmpty());
    player.endpoint->on_timer(end);
    EXPECT_EQ(player.endpoint->wakeup(), stack::never);
    EXPECT_THAT(
        player.endpoint->notes(),
        testing::ElementsAre(testing::MatchesRegex(
            "nothing happened for 3[.0-9]* s while waiting for FCVI_CONNECT_RESP1 of the server \\(recorded in frame "
            "[0-9]+\\)")));

    AttachedEndpoint deaf{std::make_unique<Deaf>(), player.link, {}};
    const auto run = run_emulated(session->player(Side::client, options), std::move(deaf), {});
    EXPECT_FALSE(run.over);
    EXPECT_THAT(run.notes, testing::SizeIs(1));
}

}  // namespace
}  // namespace fabricscope::replay
