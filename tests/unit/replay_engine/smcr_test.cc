// SPDX-License-Identifier: GPL-2.0-or-later
// Every SMC-R sample, played against the emulated stack in both roles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "replay/engine/smcr/reader.h"
#include "tests/unit/replay_engine/alterations.h"
#include "tests/unit/replay_engine/smcr_samples.h"

namespace fabricscope::replay::smcr {
namespace {

class EachSmcrSample : public testing::TestWithParam<std::string> {};

TEST_P(EachSmcrSample, IsPlayedCleanInBothRolesOrItIsKnownWhyNot) {
    const Sample sample(GetParam());
    for (const SessionInfo& info : sample.sessions())
        for (const Side side : {Side::client, Side::server}) {
            const std::string played = fmt::format("{} {} {}", GetParam(), info.id, engine::name_of(side));
            SCOPED_TRACE(played);
            const std::string result = sample.play(info, side);
            const Exception* exception = exception_for(played);
            if (exception == nullptr || result.empty()) EXPECT_EQ(result, "");
            else EXPECT_NE(result.find(exception->told), std::string::npos) << exception->why << '\n' << result;
        }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param.substr(info.param.find('/') + 1);
    std::ranges::replace(name, '.', '_');
    return name;
}

/// What these say decides which other fields there are, or how they are read: Linux lays ADD LINK out with two more
/// reserved octets than the RFC.
bool is_structure(std::string_view filter) {
    for (const std::string_view part :
         {"type", "version", "length", "count", "offset", "eye_catcher", "present", "other_links",
          "add_link.reserved2"})
        if (filter.find(part) != std::string_view::npos) return true;
    return false;
}

/// Each field of each message of the other side, altered in the recording: just it is told.
TEST(SmcrAlterations, EveryFieldOfEveryMessageIsPointedAt) {
    std::set<std::string> seen;
    for (const char* name :
         {"real/smcr_v2_echo.pcap", "real/smcr_v1_echo.pcap", "scenarios/smcr_rfc7609_echo.scenario",
          "scenarios/smcr_v2_two_links.scenario", "scenarios/smcr_v2_test_link.scenario",
          "scenarios/smcr_v2_delete_group.scenario", "scenarios/smcr_fallback_eid_mismatch.scenario",
          "scenarios/smcr_v2_abort.scenario"}) {
        SCOPED_TRACE(name);
        const Sample sample(name);
        const SessionInfo info = sample.sessions().front();
        const auto session = sample.session(info.id);
        for (const Side side : {Side::client, Side::server}) {
            const auto actual = played(*session, side);
            alter_each_field(
                session->conversation(), actual->conversation(), side,
                [&](const Message& message, const FieldAt& field, const Comparison& comparison, std::size_t more) {
                    seen.insert(message.name);
                    expect_just_this(message, field, comparison, more, is_structure(field.filter()));
                });
        }
    }
    EXPECT_THAT(
        seen, testing::UnorderedElementsAre(
                  "TCP SYN", "TCP SYN-ACK", "CLC PROPOSAL", "CLC ACCEPT", "CLC CONFIRM", "CLC DECLINE",
                  "LLC CONFIRM LINK", "LLC CONFIRM LINK reply", "LLC ADD LINK", "LLC ADD LINK reply", "LLC DELETE LINK",
                  "LLC CONFIRM RKEY", "LLC TEST LINK reply", "LLC CONFIRM RKEY reply", "LLC DELETE RKEY",
                  "LLC DELETE RKEY reply", "CDC closed", "CDC abnormal close"));
}

INSTANTIATE_TEST_SUITE_P(SmcrReplay, EachSmcrSample, testing::ValuesIn(samples()), test_name);

}  // namespace
}  // namespace fabricscope::replay::smcr
