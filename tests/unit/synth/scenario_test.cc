// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "replay/synth/families.h"
#include "replay/synth/faults.h"

namespace fabricscope::synth::scenario_test {
namespace {

using testing::HasSubstr;

std::string complaint_of(const std::string& text) {
    try {
        run(parse_scenario(text));
    } catch (const ScenarioError& error) {
        return error.what();
    }
    return {};
}

TEST(Scenario, WordsAndValues) {
    const Scenario scenario = parse_scenario(
        "# about it\ntitle  A title = of words  # and this\nprotocol p\nseed 0x10\nfinds A B\nsample a/b c/d\n"
        "say what=\"a b # c\" n=7 t=1.5ms on=yes size=2K part=0.25%\n");
    EXPECT_EQ(scenario.title, "A title = of words");
    EXPECT_EQ(scenario.seed, 16U);
    EXPECT_EQ(scenario.finds, (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(scenario.samples, (std::vector<std::string>{"a/b", "c/d"}));
    ASSERT_EQ(scenario.statements.size(), 1U);
    const Statement& say = scenario.statements.front();
    EXPECT_EQ(say.text("what", ""), "a b # c");
    EXPECT_EQ(say.number("n", 0), 7U);
    EXPECT_EQ(say.time("t", 0), 1'500'000);
    EXPECT_TRUE(say.flag("on", false));
    EXPECT_EQ(say.octets("size", 0), 2048U);
    EXPECT_EQ(say.chance("part"), 2500U);
    EXPECT_NO_THROW(say.done());
}

TEST(Scenario, ErrorsNameTheLine) {
    const std::string begin = "protocol rdma-cm\n";
    EXPECT_THAT(complaint_of(begin + "listen porto=1\n"), HasSubstr("line 2: listen: porto means nothing here"));
    EXPECT_THAT(complaint_of(begin + "listen port=x\n"), HasSubstr("port=x is not a number"));
    EXPECT_THAT(complaint_of(begin + "listen port=70000\n"), HasSubstr("up to 65535"));
    EXPECT_THAT(complaint_of(begin + "listen think=5\n"), HasSubstr("is not a time"));
    EXPECT_THAT(complaint_of(begin + "listen answer=maybe\n"), HasSubstr("one of accept, reject, none"));
    EXPECT_THAT(complaint_of(begin + "listen port\n"), HasSubstr("is not name=value"));
    EXPECT_THAT(complaint_of(begin + "listen port=1 port=2\n"), HasSubstr("twice"));
    EXPECT_THAT(complaint_of(begin + "juggle port\n"), HasSubstr("line 2: juggle: this word is not known"));
    for (const char* line : {"listen think=nans", "fault loss=nan%", "listen memory=nanK"})
        EXPECT_THAT(complaint_of(begin + line + "\n"), HasSubstr("is not a "));
    EXPECT_THAT(complaint_of(begin + "link foo=3\n"), HasSubstr("but delay, jitter, megabits, processing, vlan"));
    EXPECT_THAT(complaint_of(begin + "link vlan=4095\n"), HasSubstr("a number up to 4094"));
    EXPECT_THAT(complaint_of(begin + "fault loss=101%\n"), HasSubstr("a chance"));
    for (const char* sample : {"a", "a/", "/b", "a/b/c", "a/b c"})
        EXPECT_THAT(complaint_of(begin + "sample " + sample + "\n"), HasSubstr("is no sample"));
    EXPECT_THAT(complaint_of(begin + "listen porto=1\n"), HasSubstr("but access, answer, "));
    EXPECT_THAT(complaint_of("protocol telepathy\n"), HasSubstr("nobody plays"));
    EXPECT_THAT(complaint_of("title x\n"), HasSubstr("no protocol"));
}

TEST(Scenario, FaultsHaveAMeaning) {
    const std::string begin = "protocol rdma-cm\nlisten port=1\nconnect port=1\n";
    EXPECT_THAT(complaint_of(begin + "drop from=client\n"), HasSubstr("line 4: drop: which message?"));
    EXPECT_THAT(complaint_of(begin + "drop message=PER\n"), HasSubstr("no message has the name PER; there are SYN, "));
    EXPECT_THAT(complaint_of(begin + "drop message=FLOGI\n"), HasSubstr("no message has the name FLOGI"));
    EXPECT_THAT(complaint_of(begin + "drop message=REP from=nobody\n"), HasSubstr("one of client, server"));
    EXPECT_THAT(complaint_of(begin + "drop message=REP count=0\n"), HasSubstr("a number from 1 on"));
    EXPECT_THAT(complaint_of(begin + "fault from=client\n"), HasSubstr("A chance of loss"));
    EXPECT_THAT(complaint_of(begin + "fault loss=1% what=fcvi\n"), HasSubstr("one of all, tcp, roce"));
    EXPECT_THAT(complaint_of(begin + "capture at=nowhere\n"), HasSubstr("one of client, server, network"));
    EXPECT_EQ(complaint_of(begin + "drop message=REP from=server\n"), "");
}

TEST(Scenario, MessagesAreNamedOnce) {
    for (const MessageNames& names : {ethernet_messages(), fc_messages({})})
        EXPECT_EQ(std::set(names.all.begin(), names.all.end()).size(), names.all.size());
}

TEST(Scenario, WhatIsTooLongIsToldWithTheLimit) {
    const std::string cm = "protocol rdma-cm\n", smc = "protocol smc-r\nlisten\n";
    const auto with_private = [&](const char* words, std::size_t octets) {
        return complaint_of(cm + words + " private=" + std::string(octets, 'x') + "\n");
    };
    // MADs have 256 octets (IBA 12.6), and addresses take 36 of them (A11.4).
    for (const auto& [words, most] : std::map<const char*, std::size_t>{
             {"connect port=1", 56},
             {"connect service-id=1", 92},
             {"resolve port=1", 180},
             {"listen answer=reject", 148},
             {"listen", 180}}) {
        EXPECT_EQ(with_private(words, most), "") << words;
        EXPECT_THAT(with_private(words, most + 1), HasSubstr(std::to_string(most))) << words;
        EXPECT_THAT(with_private(words, most + 1), HasSubstr("line 2: ")) << words;
    }
    EXPECT_EQ(complaint_of(smc + "hosts eid=" + std::string(32, 'E') + "\n"), "");
    EXPECT_THAT(
        complaint_of(smc + "hosts eid=" + std::string(33, 'E') + "\n"),
        testing::AllOf(HasSubstr("line 3: hosts: eid=E"), HasSubstr("longer than 32 octets")));
    EXPECT_THAT(
        complaint_of(smc + "hosts version=1 address=fe80::1\n"),
        HasSubstr("line 3: hosts: hosts of version 1 have IPv4 addresses here"));
}

TEST(Scenario, AFaultThatNeverHappensIsAnError) {
    const std::string begin = "protocol rdma-cm\nlisten port=1\nconnect port=1\n";
    for (const char* word : {"drop", "delay", "corrupt"})
        EXPECT_THAT(
            complaint_of(begin + word + " message=REP from=client\n"),
            HasSubstr(std::string("line 4: ") + word + ": it never happened: 0 REP came from the client"));
    EXPECT_THAT(complaint_of(begin + "miss message=REP skip=1\n"), HasSubstr("1 REP came"));
    EXPECT_THAT(complaint_of(begin + "fault loss=1% what=tcp\n"), HasSubstr("it concerned no frame"));
}

TEST(Scenario, WhatIsOneThingIsSaidOnce) {
    for (const char* line : {"title a", "clause a", "protocol p", "seed 1"})
        EXPECT_THAT(
            complaint_of(std::string(line) + "\n\n" + line + "\n"), HasSubstr("is said twice, first in line 1"));
    for (const char* line : {"link delay=1us", "limit time=1s", "client a=1"})
        EXPECT_THAT(
            complaint_of(std::string(line) + "\nprotocol p\n" + line + "\n"),
            testing::AllOf(HasSubstr("line 3: "), HasSubstr("is said twice, first in line 1")));
    EXPECT_NO_THROW(parse_scenario("protocol p\nhosts a=1\nhosts b=1\n"));
    EXPECT_THAT(complaint_of("protocol rdma-cm\nlisten port=1\nlisten port=1\n"), HasSubstr("line 3: listen: another"));
    EXPECT_THAT(complaint_of("protocol smc-r\nlisten port=1\nlisten port=1\n"), HasSubstr("another listen has port 1"));
}

TEST(Scenario, QuotationMarksAreClosed) {
    EXPECT_THAT(
        complaint_of("protocol rdma-cm\nconnect private=\"a b # c\n"), HasSubstr("line 2: connect: a quotation mark"));
}

TEST(Scenario, RulesThatAreBrokenOnPurposeExist) {
    const auto is_rule = [](std::string_view id) { return id == "A-1"; };
    EXPECT_EQ(parse_scenario("protocol p\nfinds A-1\n", is_rule).finds, std::vector<std::string>{"A-1"});
    const auto complaint = [&](const char* text) -> std::string {
        try {
            parse_scenario(text, is_rule);
        } catch (const ScenarioError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(complaint("protocol p\nfinds A-1 A-2\n"), HasSubstr("line 2: finds: there is no rule A-2"));
    EXPECT_THAT(complaint("protocol p\nfinds A-1\nfinds A-1\n"), HasSubstr("line 3: finds: A-1 is said twice"));
}

TEST(Scenario, TheSameSeedGivesTheSameFrames) {
    const auto made = [](int seed) {
        return run(parse_scenario(
            "protocol rdma-cm\nfault loss=3% reorder=3%\nlisten port=1\nconnect port=1 messages=30\nseed " +
            std::to_string(seed)));
    };
    const auto same = [](const Recording& a, const Recording& b) {
        return std::ranges::equal(a.frames, b.frames, [](const RecordedFrame& x, const RecordedFrame& y) {
            return x.time == y.time && x.octets == y.octets && x.comments == y.comments;
        });
    };
    EXPECT_TRUE(same(made(1), made(1)));
    EXPECT_FALSE(same(made(1), made(2)));
}

}  // namespace
}  // namespace fabricscope::synth::scenario_test
