// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA Initiator and Target against each other, and the analyzer's account against their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "replay/stack/core/random.h"
#include "replay/synth/families.h"
#include "replay/synth/fc_ae_rdma.h"
#include "replay/synth/message_names.h"
#include "tests/unit/synth/analysed.h"

namespace fabricscope::synth::fc_ae_rdma_synth_test {
namespace {

struct Played {
    Recording recording;
    AeRdmaAccounts accounts;
    std::unique_ptr<engine::Engine> analysis;

    const engine::fc_ae_rdma::Model& model() const { return analysis->fc_ae_rdma(); }
};

Played play(const std::string& text) {
    Played played;
    played.recording = run_fc_ae_rdma(parse_scenario(text), &played.accounts);
    engine::Options options;
    options.smcr = false;
    options.fc_protocols.fc_ae_rdma = true;
    SCOPED_TRACE(text);
    played.analysis = analysed(played.recording, options);
    return played;
}

/// Octets that moved in messages with status GOOD, as the analyzer saw them.
std::uint64_t seen_octets(const Played& played, bool reads) {
    std::uint64_t octets = 0;
    for (const auto& message : played.model().messages)
        if (message.is_read == reads && message.state == engine::fc_ae_rdma::MessageState::complete)
            octets += message.bytes;
    return octets;
}

void expect_same(const Played& played) {
    const stack::RdmaAccount& account = played.accounts.client;
    EXPECT_EQ(played.model().messages.size(), account.messages);
    EXPECT_EQ(seen_octets(played, false), account.written);
    EXPECT_EQ(seen_octets(played, true), account.read);
    EXPECT_TRUE(account.data_right);
    std::map<std::uint8_t, std::uint32_t> refused;
    std::uint64_t residuals = 0;
    for (const auto& message : played.model().messages) {
        if (message.state == engine::fc_ae_rdma::MessageState::failed) ++refused[message.status.value_or(0)];
        residuals += message.residual.value_or(0);
    }
    EXPECT_EQ(refused, account.refused);
    EXPECT_EQ(residuals, account.residuals);
}

std::string random_scenario(std::uint64_t seed, const std::string& network) {
    stack::Random random(seed * 6007);
    std::string text = fmt::format(
        "protocol fc-ae-rdma\nseed {}\n{}\nhosts class={} frame-size={}\ncarrier over={}\n", seed, network,
        random.between(2, 3), 256 * random.between(1, 8), random.below(2) == 0 ? "fibre" : "fcoe");
    const char* const access[] = {"both", "both", "read", "write"};
    for (int lun = 0; lun < 3; ++lun)
        text += fmt::format("unit lun={} size={} access={}\n", lun, random.between(1, 40'000), access[random.below(4)]);
    // One after the other: what is read is what has been written before.
    for (int i = 0; i < 8; ++i)
        text += fmt::format(
            "{} lun={} address={} octets={} count={} step={} at={}ms notify={}\n",
            random.below(2) == 0 ? "read" : "write", random.below(4), random.below(20'000),
            random.below(5) == 0 ? 0 : random.below(20'000), random.between(1, 3), random.below(500), 100 * (i + 1),
            random.below(2) == 0 ? "yes" : "no");
    return text;
}

TEST(AeRdmaSynth, MemoryIsWhatWasWrittenAndTheAnalyzerKnows) {
    std::uint32_t refused = 0, good = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const std::string text = random_scenario(seed, "");
        SCOPED_TRACE(text);
        const Played played = play(text);
        expect_same(played);
        for (const engine::Finding& finding : played.model().findings)
            ADD_FAILURE() << finding.rule->id << " in frame " << finding.frames.back() << ": " << finding.text;
        EXPECT_EQ(played.accounts.client.unanswered, 0);
        for (const auto& [status, count] : played.accounts.client.refused) refused += count;
        good += played.accounts.client.good;
        if (HasFailure()) return;
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(good, 100);
}

/// Each message has its answer, or the Initiator gives it up.
TEST(AeRdmaSynth, LossMeansNoAnswer) {
    std::uint32_t unanswered = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::string text = random_scenario(seed, "capture at=network\nfault loss=1% what=fcp") +
                           "hosts r-a-tov=5ms e-d-tov=2ms\n";
        if (const std::size_t at = text.find("class=2"); at != std::string::npos) text.replace(at, 7, "class=3");
        SCOPED_TRACE(text);
        const Played played = play(text);
        const stack::RdmaAccount& account = played.accounts.client;
        std::uint32_t answered = account.good;
        for (const auto& [status, count] : account.refused) answered += count;
        EXPECT_EQ(answered + account.unanswered, account.messages);
        unanswered += account.unanswered;
        if (HasFailure()) return;
    }
    EXPECT_GT(unanswered, 10);
}

/// How often a message of that name is captured, at the client.
std::ptrdiff_t count_of(const Played& played, const std::string& name) {
    return std::ranges::count_if(played.recording.frames, [&](const RecordedFrame& frame) {
        return fc_message_name(frame.octets, played.recording.interfaces.at(frame.interface).link) == name;
    });
}

/// As docs/scenarios.md says.
TEST(AeRdmaSynth, ALogicalUnitHas64KBytesUnlessItIsSaidOtherwise) {
    const std::string begin = "protocol fc-ae-rdma\nseed 1\nunit lun=0\n";
    EXPECT_EQ(play(begin + "read address=65436 octets=100\n").accounts.client.good, 1U);
    EXPECT_EQ(play(begin + "read address=65437 octets=100\n").accounts.client.good, 0U);
}

/// 4.2.4.3: unexpected values get LS_RJT; an accept of that kind ends in PRLO, and nothing is sent.
TEST(AeRdmaSynth, ProcessLoginHasToBeAsTable2Says) {
    const std::string rest = "unit lun=0\nread octets=100\n", begin = "protocol fc-ae-rdma\nseed 1\n";
    struct Case {
        const char* words;
        std::ptrdiff_t rejects, logouts;
        std::uint32_t messages;
    };
    for (const Case& one :
         {Case{"", 0, 0, 1}, Case{"initiator data-overlay=yes\n", 1, 0, 0},
          Case{"target data-overlay=yes\n", 0, 1, 0}}) {
        SCOPED_TRACE(one.words);
        const Played played = play(begin + one.words + rest);
        EXPECT_EQ(count_of(played, "LS_RJT"), one.rejects);
        EXPECT_EQ(count_of(played, "PRLO"), one.logouts);
        EXPECT_EQ(played.accounts.client.messages, one.messages);
    }
}

TEST(AeRdmaScenarios, BreakWhatTheySay) {
    unsigned played_scenarios = 0;
    for (const BuiltinScenario& builtin : builtin_scenarios()) {
        const Scenario scenario = parse_scenario(builtin.text);
        if (scenario.protocol != "fc-ae-rdma") continue;
        ++played_scenarios;
        SCOPED_TRACE(builtin.name);
        const Played played = play(std::string(builtin.text));
        std::set<std::string> found;
        std::string texts;
        for (const engine::Finding& finding : played.model().findings) {
            found.insert(finding.rule->id);
            texts += fmt::format("frame {}: {}\n", finding.frames.back(), finding.text);
        }
        EXPECT_EQ(found, std::set<std::string>(scenario.finds.begin(), scenario.finds.end())) << texts;
        EXPECT_TRUE(played.accounts.client.data_right);
    }
    EXPECT_GT(played_scenarios, 8);
}

}  // namespace
}  // namespace fabricscope::synth::fc_ae_rdma_synth_test
