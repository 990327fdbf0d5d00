// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <sstream>

#include "analyzer/report/smcr_report.h"
#include "tests/unit/report/models.h"

namespace fabricscope::report {
namespace {

using namespace models;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> words(const Ladder& ladder) {
    std::vector<std::string> words;
    for (const Rung& rung : ladder.rungs) words.push_back(rung.text);
    return words;
}

Model model() {
    Model model;
    model.connections = {connection(1)};
    model.link_groups = {link_group()};
    const auto at = [](Time after, std::uint64_t frame) {
        return FrameStamp{start + after * capture::millisecond, frame};
    };
    model.link_groups[0].exchanges = {
        {.type = wire::LlcType::confirm_rkey,
         .version = 2,
         .from = Side::client,
         .link = 1,
         .request = at(4, 3),
         .reply = at(6, 4),
         .refused = false,
         .change = {}},
        {.type = wire::LlcType::test_link,
         .version = 2,
         .from = Side::server,
         .link = 1,
         .request = at(500, 60),
         .reply = {},
         .refused = false,
         .change = {}}};
    return model;
}

TEST(Ladder, OfASetUpHasTheLlcOfItsTime) {
    const Model m = model();
    EXPECT_THAT(
        words(ladder_of(m.connections[0], m, start)),
        ElementsAre("SYN", "CONFIRM RKEY, link 1", "CONFIRM RKEY reply, link 1", "CONFIRM"));
}

TEST(Ladder, OfALinkGroupHasEverything) {
    const Model m = model();
    EXPECT_THAT(
        words(ladder_of(m.link_groups[0], m, start)),
        ElementsAre(
            "smcr-1 SYN", "CONFIRM RKEY, link 1", "CONFIRM RKEY reply, link 1", "smcr-1 CONFIRM", "TEST LINK, link 1"));
}

TEST(Ladder, AsText) {
    const Model m = model();
    std::ostringstream out;
    write_ladder(out, ladder_of(m.connections[0], m, start), {});
    EXPECT_THAT(
        out.str(),
        HasSubstr(
            "    0.006000000   2.00 ms         4  |<----------- CONFIRM RKEY reply, link 1 (2.00 ms) -----------|\n"));
}

TEST(Ladder, OfNothing) {
    Model m = model();
    m.connections[0].setup = {};
    std::ostringstream out;
    write_ladder(out, ladder_of(m.connections[0], m, start), {});
    EXPECT_THAT(out.str(), HasSubstr("No message of it was captured."));
}

}  // namespace
}  // namespace fabricscope::report
