// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of VIPL calls: what is not as a line says is an error that names the line.
#include <gmock/gmock.h>

#include "replay/synth/families.h"

namespace fabricscope::synth::vi_script_test {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::string& lines) {
    try {
        run(parse_scenario("protocol fcvi\n" + lines));
    } catch (const ScenarioError& error) {
        return error.what();
    }
    return "";
}

TEST(ViScript, ALineThatComesTrueIsNoError) {
    EXPECT_EQ(
        problem_of("call client VipCreatePtag -> VIP_SUCCESS\ncall client VipCreateVi ptag=1 -> VIP_SUCCESS"), "");
    EXPECT_EQ(problem_of("call client VipCreateVi vi=1"), "") << "nobody says what it returns";
}

TEST(ViScript, DeviationsNameTheirLine) {
    EXPECT_EQ(
        problem_of("call client VipCreatePtag\ncall client VipCreateVi ptag=2 -> VIP_SUCCESS"),
        "line 3: call: the result is VIP_INVALID_PTAG, not VIP_SUCCESS");
    EXPECT_THAT(
        problem_of("expect server error code=VIP_ERROR_CONN_LOST"), HasSubstr("line 2: expect: the asynchronous"));
    EXPECT_THAT(problem_of("expect server request"), HasSubstr("nobody has asked"));
    EXPECT_THAT(problem_of("expect client completion"), HasSubstr("nothing is done"));
    const std::string vi = "call client VipCreatePtag\ncall client VipRegisterMem\ncall client VipCreateVi\n";
    EXPECT_THAT(
        problem_of(vi + "call client VipPostSend\nexpect client completion status=transport-error"),
        HasSubstr("line 6: expect: the status is flushed, not transport-error"));
    EXPECT_THAT(problem_of(vi + "call client VipQueryVi state=Error"), HasSubstr("the state is Idle, not Error"));
}

TEST(ViScript, TheDefaultHandlerCountsErrors) {  // VI-DG 3.8.1
    const std::string error =
        "call client VipCreatePtag\ncall client VipRegisterMem\ncall client VipCreateVi\n"
        "call client VipPostRecv descriptor=8\n";
    EXPECT_EQ(problem_of(error + "call client VipConnectRequest\nexpect client error code=VIP_ERROR_POST_DESC"), "");
    const Recording silent = run(parse_scenario(
        "protocol fcvi\n" + error +
        "call client VipErrorCallback handler=no -> VIP_SUCCESS\n"
        "call client VipConnectRequest\nexpect client error code=none"));
    EXPECT_THAT(silent.account.front(), HasSubstr("1 errors without a handler"));
}

TEST(ViScript, TheNameServiceKnowsNameLines) {  // VI-DG 3.9
    const std::string names = "name of=server is=beta.example\ncall client VipNSInit\n";
    EXPECT_EQ(problem_of(names + "call client VipNSGetHostByName host=BETA.example address=other -> VIP_SUCCESS"), "");
    EXPECT_THAT(
        problem_of(names + "call client VipNSGetHostByName host=beta.example address=own"),
        HasSubstr("the address is other, not own"));
    EXPECT_THAT(
        problem_of(names + "call client VipNSGetHostByAddr host=alpha.example"),
        HasSubstr("the name is beta.example, not alpha.example"));
}

TEST(ViScript, WhatMakesNoSense) {
    EXPECT_THAT(problem_of("call client VipFly"), HasSubstr("VipFly is no call"));
    EXPECT_THAT(problem_of("call nobody VipCreatePtag"), HasSubstr("client or server"));
    EXPECT_THAT(problem_of("call client VipCreatePtag wings=2"), HasSubstr("wings means nothing here"));
    EXPECT_THAT(problem_of("expect client rain"), HasSubstr("rain is no subject"));
    EXPECT_THAT(problem_of("listen\ncall client VipCreatePtag"), HasSubstr("no place beside a script"));
    EXPECT_THAT(
        problem_of("call client VipCreatePtag at=200ms\ncall client VipCreatePtag at=150ms"), HasSubstr("earlier"));
    EXPECT_THAT(problem_of("call client VipPostSend mem=3"), HasSubstr("there is no such memory"));
    EXPECT_EQ(problem_of("call client VipCreateVi vi=1 pipeline=1000"), "");
    EXPECT_THAT(problem_of("call client VipCreateVi vi=1 pipeline=1001"), HasSubstr("1000"));
}

}  // namespace
}  // namespace fabricscope::synth::vi_script_test
