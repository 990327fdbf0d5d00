// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/outcome.h"

#include <gtest/gtest.h>

namespace fabricscope::engine::smcr {
namespace {

using enum Side;
constexpr Seen all{.setup = true, .link = true, .last_message = {{true, true}}};

Connection with(void (*change)(Connection&)) {
    Connection connection;
    change(connection);
    return connection;
}

TEST(Outcome, WhatClcAndDataProve) {
    EXPECT_EQ(final_outcome({}, all), Outcome::unknown);
    EXPECT_EQ(
        final_outcome(with([](auto& c) { c.outcome = Outcome::fallback, c.reset = true; }), all), Outcome::fallback);
    EXPECT_EQ(final_outcome(with([](auto& c) { c.from[server].cdcs = 1, c.reset = true; }), all), Outcome::smc_r);
    EXPECT_EQ(final_outcome(with([](auto& c) { c.setup.confirm_link.emplace(); }), all), Outcome::smc_r);
}

TEST(Outcome, ADeclineThatComesWhenThePeerHasGivenUp) {
    Connection c = with([](Connection& of) { of.outcome = Outcome::fallback; });
    c.setup.decline.emplace().time = 5;
    c.decline.emplace().by = server;
    c.end = 6, c.ended_by = client;
    EXPECT_EQ(final_outcome(c, all), Outcome::fallback);
    c.end = 4;
    EXPECT_EQ(final_outcome(c, all), Outcome::failed);
    c.ended_by = server;
    EXPECT_EQ(final_outcome(c, all), Outcome::fallback) << "captured in another order";
}

TEST(Outcome, AfterConfirm) {
    constexpr auto first = [](Connection& c) { c.setup.confirm.emplace(), c.first_contact = true; };
    constexpr auto subsequent = [](Connection& c) { c.setup.confirm.emplace(), c.first_contact = false; };
    EXPECT_EQ(final_outcome(with(first), all), Outcome::unknown) << "a DECLINE may still follow";
    EXPECT_EQ(final_outcome(with(subsequent), all), Outcome::smc_r);
    Connection c = with(first);
    c.fin = {{true, true}};
    EXPECT_EQ(final_outcome(c, all), Outcome::smc_r);
    c.reset = true;
    EXPECT_EQ(final_outcome(c, all), Outcome::failed);
    EXPECT_EQ(final_outcome(c, {.setup = true}), Outcome::unknown) << "it may have been used over RDMA";
    Seen ends_early = all;
    ends_early.to_tcps_end = false;
    EXPECT_EQ(final_outcome(c, ends_early), Outcome::unknown) << "the same";
}

TEST(Outcome, BrokenOffBeforeConfirm) {
    Connection c = with([](Connection& of) { of.setup.proposal.emplace(); });
    EXPECT_EQ(final_outcome(c, {}), Outcome::unknown);
    EXPECT_EQ(final_outcome(c, {.setup = true}), Outcome::failed);
}

TEST(Outcome, EndedBeforeTheProposal) {
    Connection c = with([](Connection& of) { of.setup.syn.emplace(), of.setup.syn_ack.emplace(), of.end = 1; });
    EXPECT_EQ(final_outcome(c, {}), Outcome::unknown) << "CLC messages may be missing";
    EXPECT_EQ(final_outcome(c, {.setup = true}), Outcome::failed);
    c.end.reset();
    EXPECT_EQ(final_outcome(c, {.setup = true}), Outcome::unknown);
}

TEST(Outcome, CloseOfSmcRFollowsCdc) {
    Connection c;
    c.outcome = Outcome::smc_r;
    EXPECT_EQ(final_close(c, all), Close::unknown) << "how TCP ended is not known";
    c.client.emplace();
    EXPECT_EQ(final_close(c, all), Close::open);
    EXPECT_EQ(final_close(c, {.last_message = {{true, false}}}), Close::unknown);
    c.from[client].sending_done = true;
    EXPECT_EQ(final_close(c, all), Close::half);
    c.reset = true;
    Seen ends_early = all;
    ends_early.to_tcps_end = false;
    EXPECT_EQ(final_close(c, ends_early), Close::unknown) << "SMC-R may have ended before";
    EXPECT_EQ(final_close(c, all), Close::abnormal);
    c.from[client].closed = c.from[server].closed = true;
    EXPECT_EQ(final_close(c, all), Close::orderly) << "SMC-R had ended before";
    c.from[server].aborted = true;
    EXPECT_EQ(final_close(c, all), Close::abnormal);
}

TEST(Outcome, CloseOfAnythingElseFollowsTcp) {
    Connection c;
    EXPECT_EQ(final_close(c, all), Close::unknown);
    c.outcome = Outcome::fallback;
    EXPECT_EQ(final_close(c, all), Close::open);
    c.fin[client] = true;
    EXPECT_EQ(final_close(c, all), Close::half);
    c.fin[server] = true;
    EXPECT_EQ(final_close(c, all), Close::orderly);
    c.reset = true;
    EXPECT_EQ(final_close(c, all), Close::abnormal);
}

}  // namespace
}  // namespace fabricscope::engine::smcr
