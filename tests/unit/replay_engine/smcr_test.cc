// SPDX-License-Identifier: GPL-2.0-or-later
// Every SMC-R sample, played against the emulated stack in both roles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/engine/smcr/reader.h"
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

INSTANTIATE_TEST_SUITE_P(SmcrReplay, EachSmcrSample, testing::ValuesIn(samples()), test_name);

}  // namespace
}  // namespace fabricscope::replay::smcr
