// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/timeline.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/unit/report/models.h"

namespace fabricscope::report {
namespace {

using namespace models;
using testing::HasSubstr;

Connection busy() {
    Connection connection = report::connection(1);
    Direction& direction = connection.from[Side::client];
    direction.timeline = {{start + 10, 3, 16'384, 0}, {start + 20, 4, 16'384, 16'384}};
    direction.peak_in_flight = 16'384;
    connection.from[Side::server].timeline = {{start + 15, 4, 100, 0}};
    connection.from[Side::server].peak_in_flight = 100;
    return connection;
}

TEST(TimelineCsv, RowsOfBothDirectionsInOrderOfTime) {
    const Connection connection = busy();
    std::ostringstream out;
    write_timeline_csv(out, {.connection = connection, .start = start, .flags = {}});
    EXPECT_EQ(
        out.str(),
        "time,frame,direction,produced,consumed,in_flight,window\n"
        "0.000000010,3,client_to_server,16384,0,16384,0\n"
        "0.000000015,4,server_to_client,100,0,100,16284\n"
        "0.000000020,4,client_to_server,16384,16384,0,16384\n");
}

TEST(TimelineCsv, AnUnknownWindowIsEmpty) {
    Connection connection = busy();
    connection.from[Side::client].rmbe_size.reset();
    std::ostringstream out;
    write_timeline_csv(out, {.connection = connection, .start = start, .flags = {}});
    EXPECT_THAT(out.str(), HasSubstr("3,client_to_server,16384,0,16384,\n"));
}

TEST(TimelinePage, ShowsWindowBlockedAndUrgentMarks) {
    const Connection connection = busy();
    Timeline timeline{.connection = connection, .start = start, .flags = {}};
    timeline.flags[Side::client] = {{start + 10, true, false}, {start + 20, false, true}};
    std::ostringstream out;
    write_timeline(out, timeline, {});
    EXPECT_THAT(out.str(), HasSubstr("client -> server: bytes in flight, at most 16,384 of a window of 16,384"));
    EXPECT_THAT(out.str(), HasSubstr(" window full  FFF"));
    EXPECT_THAT(out.str(), HasSubstr("     blocked  BBB"));
    EXPECT_THAT(out.str(), testing::ContainsRegex("      urgent  +U\n"));
}

/// Beside a window of 16,384, 100 bytes would not be seen.
TEST(TimelinePage, ScalesToWhatIsInFlight) {
    const Connection connection = busy();
    std::ostringstream out;
    write_timeline(out, {.connection = connection, .start = start, .flags = {}}, {});
    EXPECT_THAT(out.str(), HasSubstr("         100 +"));
}

TEST(TimelinePage, DataOfOneMomentHaveNoRate) {
    Connection connection = busy();
    for (Direction& direction : connection.from.values) direction.first_data = direction.last_data = start + 10;
    connection.from[Side::server].last_data = start + capture::second + 10;
    std::ostringstream out;
    write_timeline(out, {.connection = connection, .start = start, .flags = {}}, {});
    EXPECT_THAT(out.str(), testing::ContainsRegex("rate between them +- +500 "));
}

TEST(TimelinePage, SaysWhyThereIsNone) {
    const Connection connection = declined(1, 0x03030000);
    std::ostringstream out;
    write_timeline(out, {.connection = connection, .start = start, .flags = {}}, {});
    EXPECT_THAT(
        out.str(),
        HasSubstr("The connection fell back to TCP: the server declined with 0x03030000, no SMC device found."));
}

}  // namespace
}  // namespace fabricscope::report
