// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/fc_report.h"
#include "tests/unit/report/models.h"

namespace fabricscope::report::json_test {
namespace {

using namespace models;
using nlohmann::json;

constexpr engine::Rule rule{
    "SMCR-R34", engine::Severity::error, "RFC 7609 4.3", "Cursors move forward.", engine::messages("both sides")};

/// Of all records, or those of a kind.
json ids_of(const json& records, const std::string& kind = "") {
    json ids = json::array();
    for (const json& record : records)
        if (kind.empty() || record["record"] == kind) ids.push_back(record["id"]);
    return ids;
}

json parsed_lines(const std::string& text) {
    json records = json::array();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) records.push_back(json::parse(line));
    return records;
}

class Document : public testing::Test {
protected:
    json parsed(bool cursors = false) const {
        std::ostringstream out;
        write_json(
            out,
            {.files = files_, .problems = {}, .capture = capture_, .models = {.smcr = &model_}, .findings = findings_},
            cursors);
        return json::parse(out.str());
    }

    std::vector<std::string> files_{"a.pcap"};
    engine::CaptureSummary capture_{.frames = 78, .start = start, .duration = 9'754'000'001};
    Model model_;
    std::vector<const engine::Finding*> findings_;
};

TEST_F(Document, AnEmptyCaptureHasEmptyLists) {
    capture_ = {};
    const json document = parsed();
    EXPECT_EQ(document["schema"], "fabricscope/1");
    EXPECT_EQ(document["capture"]["start"], nullptr);
    EXPECT_EQ(document["smcr"]["connections"], json::array());
    EXPECT_EQ(document["smcr"]["link_groups"], json::array());
    EXPECT_EQ(document["findings"], json::array());
}

TEST_F(Document, AProtocolThatWasNotAskedForIsAbsent) {
    std::ostringstream out;
    write_json(out, {.files = {}, .problems = {}, .capture = capture_, .findings = {}}, false);
    EXPECT_FALSE(json::parse(out.str()).contains("smcr"));
}

TEST_F(Document, TimesKeepTheirNanoseconds) {
    model_.connections = {connection(1)};
    model_.connections[0].setup.first_data = FrameStamp{start + 4'957'767'741, 22};
    const json document = parsed();
    EXPECT_EQ(document["capture"]["start"], "2026-11-21T00:14:21.283330129Z");
    EXPECT_EQ(document["capture"]["duration"].dump(), "9.754000001");
    EXPECT_EQ(document["smcr"]["connections"][0]["setup"]["first_data"].dump(), "4.957767741");
    EXPECT_EQ(document["smcr"]["connections"][0]["setup_frames"]["first_data"], 22);
    EXPECT_EQ(document["smcr"]["connections"][0]["setup"]["accept"], nullptr);
}

TEST_F(Document, WhatIsUnknownIsNull) {
    Connection unknown;
    unknown.id = 1;
    unknown.from[Side::client].positions_known = false;
    model_.connections = {unknown};
    const json seen = parsed()["smcr"]["connections"][0];
    for (const char* key :
         {"client", "server", "version", "release", "contact", "link_group", "decline", "first_frame"})
        EXPECT_EQ(seen[key], nullptr) << key;
    EXPECT_EQ(seen["outcome"], "unknown");
    for (const char* key : {"bytes_announced", "bytes_acknowledged", "peak_in_flight", "rmbe_size", "cursor_base"})
        EXPECT_EQ(seen["client_to_server"][key], nullptr) << key;
    EXPECT_EQ(seen["server_to_client"]["bytes_announced"], 0);
}

TEST_F(Document, DeclinesNameTheirCode) {
    model_.connections = {declined(1, 0x03030008), declined(2, 0x12345678)};
    const json connections = parsed()["smcr"]["connections"];
    EXPECT_EQ(connections[0]["decline"]["code"], "0x03030008");
    EXPECT_EQ(connections[0]["decline"]["by"], "server");
    EXPECT_EQ(connections[0]["decline"]["name"], "peer sent no user defined EID");
    EXPECT_EQ(connections[1]["decline"]["name"], nullptr);
}

TEST_F(Document, LimitsThatWereReached) {
    model_.dropped_connections = 1;
    model_.dropped_link_groups = 2;
    model_.dropped_findings = 3;
    const json smcr = parsed()["smcr"];
    EXPECT_EQ(smcr["dropped_connections"], 1);
    EXPECT_EQ(smcr["dropped_link_groups"], 2);
    EXPECT_EQ(smcr["dropped_findings"], 3);
}

TEST_F(Document, HalvesThatFoundEachOtherAreNotListed) {
    model_.connections = {connection(1), connection(2)};
    model_.connections[1].merged = true;
    EXPECT_EQ(parsed()["smcr"]["connections"].size(), 1U);
}

/// Two threads make long lists into text, in pieces of 256 elements. Connections are handed out one by one, Exchanges
/// unpacked from where they are kept.
TEST_F(Document, LongListsKeepTheirOrder) {
    for (const std::uint32_t count : {256U, 512U, 513U, 1024U, 3001U}) {
        engine::fibre_channel::Model fibre_channel;
        json connections = json::array(), exchanges = json::array();
        model_.connections.clear();
        for (std::uint32_t id = 1; id <= count; ++id) {
            model_.connections.push_back(connection(id));
            connections.push_back(fmt::format("smcr-{}", id));
            engine::fibre_channel::Exchange exchange;
            exchange.id = id;
            fibre_channel.exchanges.push_back(exchange);
            exchanges.push_back(exchange_name(id));
        }
        const Results results{
            .files = files_,
            .problems = {},
            .capture = capture_,
            .models = {.smcr = &model_, .fc = &fibre_channel},
            .findings = findings_};
        std::ostringstream document, records;
        write_json(document, results, false);
        const json whole = json::parse(document.str());
        EXPECT_EQ(ids_of(whole["smcr"]["connections"]), connections) << count;
        EXPECT_EQ(ids_of(whole["fc"]["exchanges"]), exchanges) << count;

        write_ndjson(records, results, false);
        const json lines = parsed_lines(records.str());
        EXPECT_EQ(ids_of(lines, "smcr.connections"), connections) << count;
        EXPECT_EQ(ids_of(lines, "fc.exchanges"), exchanges) << count;
    }
}

TEST_F(Document, LinkGroups) {
    model_.link_groups = {link_group()};
    model_.connections = {connection(1)};
    model_.link_groups[0].exchanges.push_back(
        {.type = wire::LlcType::test_link,
         .version = 2,
         .from = Side::server,
         .link = 1,
         .request = {start, 3},
         .reply = FrameStamp{start + 1'500, 4},
         .refused = false,
         .change = {}});
    const json group = parsed()["smcr"]["link_groups"][0];
    EXPECT_EQ(group["id"], "lg-1");
    EXPECT_EQ(group["client_peer_id"], nullptr);
    EXPECT_EQ(group["server_peer_id"], "8d40-00:00:5e:00:53:14");
    EXPECT_EQ(group["client_hostname"], "guest-a");
    EXPECT_EQ(group["server_hostname"], nullptr);
    EXPECT_EQ(group["links"][0]["client_gid"], "::ffff:192.0.2.10");
    EXPECT_EQ(group["links"][0]["server_qpn"], nullptr);
    EXPECT_EQ(group["links"][0]["first_frame"], nullptr);
    EXPECT_EQ(group["rmbs"][0]["rtokens"][0]["rkey"], 0x321);
    EXPECT_EQ(group["rmbs"][0]["rtokens"][0]["address"], "0xffff9c5d01350000");
    EXPECT_EQ(group["rmbs"][0]["rtokens"][0]["link"], 1);
    EXPECT_EQ(group["llc_exchanges"][0]["type"], "TEST LINK");
    EXPECT_EQ(group["llc_exchanges"][0]["latency"].dump(), "1.5e-06");
}

TEST_F(Document, CursorsOnlyIfAskedFor) {
    model_.connections = {connection(1)};
    model_.connections[0].from[Side::client].timeline = {{start + 1'000'000'000, 7, 300, 100}};
    EXPECT_FALSE(parsed(false)["smcr"]["connections"][0]["client_to_server"].contains("timeline"));
    const json timeline = parsed(true)["smcr"]["connections"][0]["client_to_server"]["timeline"];
    EXPECT_EQ(timeline, json::parse("[[1.0, 7, 300, 100, 200]]"));
}

TEST_F(Document, Findings) {
    const engine::Finding finding{&rule, {12, 15}, "smcr-1", "producer went back"};
    const engine::Finding without_session{&rule, {3}, "", "..."};
    findings_ = {&finding, &without_session};
    const json findings = parsed()["findings"];
    EXPECT_EQ(
        findings[0], json::parse(R"({"rule": "SMCR-R34", "severity": "error", "frames": [12, 15], "session": "smcr-1",
                                     "text": "producer went back", "clause": "RFC 7609 4.3"})"));
    EXPECT_EQ(findings[1]["session"], nullptr);
}

TEST_F(Document, NamesOfFilesNeedNotBeUtf8) {
    files_ = {"caf\xe9.pcap"};
    EXPECT_EQ(parsed()["capture"]["files"][0], "caf\xef\xbf\xbd.pcap");
}

}  // namespace
}  // namespace fabricscope::report::json_test
