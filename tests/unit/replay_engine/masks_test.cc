// SPDX-License-Identifier: GPL-2.0-or-later
// Masks on a real recording: what rping sends in a SEND is the address and the key of its memory.
#include "replay/engine/masks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/source.h"
#include "replay/engine/comparison.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/rdma_cm/reader.h"
#include "replay/engine/run.h"

namespace fabricscope::replay {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

constexpr std::size_t bth_size = 12;

std::unique_ptr<Session> rping() {
    const std::unique_ptr<Reader> reader = rdma_cm::make_reader();
    engine::Options options{.smcr = false};
    engine::Observers observers;
    reader->prepare(options, observers);
    engine::Engine engine(options, observers);
    const capture::OpenResult opened = capture::open(FABRICSCOPE_SAMPLES "/rdmacm_rping_v4.pcap");
    for (capture::Frame frame; opened.source->next(frame);) engine.on_frame(frame);
    engine.finish();
    return reader->session(engine, "cm-1");
}

Message& first_send(Conversation& conversation) {
    return *std::ranges::find(conversation.messages, rdma_cm::send_name, &Message::name);
}

/// What differs if an octet of the first SEND's payload is another one.
std::vector<std::string> differing_fields(const Conversation& recorded, std::size_t octet) {
    Conversation actual = rping()->conversation();
    Message& send = first_send(actual);
    send.octets.at(bth_size + octet) ^= 0x40;
    std::vector<std::string> fields;
    for (const Difference& difference : compare(recorded, actual, engine::other(send.from)).differences)
        if (difference.level != Level::policy) fields.push_back(difference.field);
    return fields;
}

TEST(Masks, IgnoreTheirOctetsAndNoOthers) {
    const auto session = rping();
    Masks masks;
    masks.add({.field = "payload", .octets = Mask::Range{12, 14}, .message = "SEND"});
    session->edit([&](Conversation& recorded) { masks.apply(recorded); });
    EXPECT_THAT(differing_fields(session->conversation(), 12), IsEmpty());
    EXPECT_THAT(differing_fields(session->conversation(), 13), IsEmpty());
    EXPECT_THAT(differing_fields(session->conversation(), 14), ElementsAre("infiniband.payload"));
}

TEST(Masks, OfAWholeFieldAreForTheMessagesThatTheyName) {
    const auto session = rping();
    Masks masks;
    masks.add({.field = "infiniband.payload", .message = "RDMA WRITE"});
    session->edit([&](Conversation& recorded) { masks.apply(recorded); });
    EXPECT_THAT(differing_fields(session->conversation(), 14), ElementsAre("infiniband.payload"));
    Masks sends;
    sends.add({.field = "infiniband.payload", .message = "SEND", .from = Side::client});
    session->edit([&](Conversation& recorded) { sends.apply(recorded); });
    // Its address and key are names that were found without a mask.
    EXPECT_THAT(differing_fields(session->conversation(), 14), IsEmpty());
}

TEST(Masks, BindNamesThatNoLayoutTells) {
    Conversation recorded = rping()->conversation();
    Message& send = first_send(recorded);
    send.embedded.clear();
    ASSERT_THAT(differing_fields(recorded, 10), ElementsAre("infiniband.payload"));
    Masks masks;
    masks.add({.field = "payload", .octets = Mask::Range{0, 8}, .message = "SEND", .name = "address"});
    masks.add({.field = "payload", .octets = Mask::Range{8, 12}, .message = "SEND", .name = "rkey"});
    masks.apply(recorded);
    const Value key = value_of(send.octets, send.embedded.at(1));
    EXPECT_EQ(rule_of(send, send.embedded.at(1)).kind, rdma_cm::rkey_kind);
    Bindings bindings;
    bindings.bind(rdma_cm::rkey_kind, send.from, key, {0xAB, 0xCD, 0xEF});
    const Octets translated = bindings.translated(send);
    EXPECT_EQ(
        Octets(translated.begin() + bth_size + 8, translated.begin() + bth_size + 12), (Octets{0, 0xAB, 0xCD, 0xEF}));
    // Another key is the run's own; here the four SENDs behind the first one do not use it.
    EXPECT_THAT(differing_fields(recorded, 10), ElementsAreArray(std::vector<std::string>(4, "payload[8:12]")));
}

TEST(Masks, OfStreamsIgnorePositions) {
    Conversation recorded;
    recorded.streams = {{.name = "line", .from = Side::server, .octets = {1, 2, 3, 4}}};
    Conversation actual = recorded;
    actual.streams[0].octets[1] = 9;
    Masks masks;
    masks.add({.field = stream_field, .octets = Mask::Range{1, 2}, .from = Side::server});
    masks.apply(recorded);
    EXPECT_TRUE(compare(recorded, actual, Side::client).same());
    actual.streams[0].octets[2] = 9;
    EXPECT_FALSE(compare(recorded, actual, Side::client).same());
}

TEST(Masks, TellWhichOfThemAreAboutNothing) {
    const auto session = rping();
    Masks masks;
    masks.add({.field = "payload", .octets = Mask::Range{0, 8}, .message = "SEND"});
    masks.add({.field = "payload", .octets = Mask::Range{100'000, 100'008}, .message = "SEND"});
    EXPECT_THAT(masks.unused(session->conversation()), ElementsAre("payload[100000:100008]"));
}

}  // namespace
}  // namespace fabricscope::replay
