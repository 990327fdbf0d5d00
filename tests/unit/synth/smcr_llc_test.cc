// SPDX-License-Identifier: GPL-2.0-or-later
// Each flow of LLC messages, and what becomes of those that collide (RFC 7609, 3.5.5 and A.3): the scenario that has
// it.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "capture/packet.h"
#include "protocols/smcr/llc.h"
#include "replay/stack/core/endpoint.h"
#include "replay/synth/families.h"

namespace fabricscope::synth {
namespace {

namespace wire = fabricscope::smcr;

constexpr std::uint8_t first_server_device = 20;  // last octet of the MAC

std::string told(const wire::UnknownLlc&, const wire::LlcMessage&) { return "?"; }
std::string told(const wire::ConfirmLink& body, const wire::LlcMessage&) { return fmt::format("{}", body.link); }
std::string told(const wire::AddLinkMessage& message, const wire::LlcMessage& whole) {
    const wire::AddLink body = message.common();
    const auto* v1 = std::get_if<wire::AddLinkHeaderV1>(&whole.header);
    if (body.reject) return fmt::format("{} rejected: {}", body.link, v1 != nullptr ? v1->reject_reason : 0);
    return fmt::format("{}", body.link);
}
std::string told(const wire::AddLinkContinuationMessage& message, const wire::LlcMessage&) {
    return fmt::format("{}, {} left", message.body.link, message.body.rtokens_left);
}
std::string told(const wire::DeleteLink& body, const wire::LlcMessage&) {
    return fmt::format(
        "{}, {}, {:x}", body.all ? "all" : fmt::format("{}", body.link), body.orderly ? "in order" : "at once",
        body.reason);
}
std::string told(const wire::RequestAddLinkMessage& message, const wire::LlcMessage&) {
    return fmt::format("of {} GIDs", message.body.gid_count);
}
std::string told(const wire::ConfirmRkeyMessage& message, const wire::LlcMessage&) {
    const char* refused = message.body.negative ? (message.body.retry ? ", again later" : ", refused") : "";
    return fmt::format("{} others{}", message.body.other_links, refused);
}
std::string told(const wire::ConfirmRkeyContinuationMessage& message, const wire::LlcMessage&) {
    return fmt::format("{} left", message.body.rtokens_left);
}
std::string told(const wire::DeleteRkeyMessage& message, const wire::LlcMessage&) {
    return fmt::format("{}, unknown {:x}", message.body.count, message.body.error_mask);
}
std::string told(const wire::TestLink&, const wire::LlcMessage&) { return "-"; }

/// "server CONFIRM RKEY reply: 1 others, again later", each message once.
std::vector<std::string> llc_of(const std::string& name) {
    const auto scenario = std::ranges::find(builtin_scenarios(), name, &BuiltinScenario::name);
    if (scenario == builtin_scenarios().end()) return {};
    std::vector<std::string> messages;
    const Recording recording = run(parse_scenario(std::string(scenario->text)));
    for (const RecordedFrame& recorded : recording.frames) {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(recorded.octets));
        if (packet.transport != capture::Transport::ib) continue;
        const ByteView payload = packet.ib.payload;
        if (payload.size() < wire::llc_size) continue;
        const wire::LlcMessage message = wire::parse_llc(payload, payload.size());
        const char* type = layout::name_of(wire::llc_type_names, payload[0]);
        if (message.error || type == nullptr || !wire::looks_like_llc(payload, payload.size())) continue;
        const bool server = packet.source_mac.octets[5] >= first_server_device;
        messages.push_back(fmt::format(
            "{} {}{}: {}", server ? "server" : "client", type, message.is_reply() ? " reply" : "",
            std::visit([&](const auto& body) { return told(body, message); }, message.body)));
    }
    return messages;
}

struct Flow {
    const char* scenario;
    std::vector<std::string> messages;  ///< in this order; others may come between
};

void PrintTo(const Flow& flow, std::ostream* out) { *out << flow.scenario; }

class EachFlow : public testing::TestWithParam<Flow> {};

TEST_P(EachFlow, IsInItsScenario) {
    const std::vector<std::string> seen = llc_of(GetParam().scenario);
    auto from = seen.begin();
    for (const std::string& message : GetParam().messages) {
        from = std::find(from, seen.end(), message);
        ASSERT_NE(from, seen.end()) << message << " is not among\n" << fmt::format("{}", fmt::join(seen, "\n"));
        ++from;
    }
}

// 3.5.1.6, 3.5.5.1.1: first contact, a second and a third link
const Flow links_are_added{
    "smcr_rfc7609_test_link",
    {"server CONFIRM LINK: 1", "client CONFIRM LINK reply: 1", "server ADD LINK: 2", "client ADD LINK reply: 2",
     "server ADD LINK CONTINUATION: 2, 1 left", "client ADD LINK CONTINUATION reply: 2, 1 left",
     "server CONFIRM LINK: 2", "client CONFIRM LINK reply: 2", "server ADD LINK: 3", "client ADD LINK reply: 3",
     "server ADD LINK CONTINUATION: 3, 1 left", "client ADD LINK CONTINUATION reply: 3, 1 left",
     "server CONFIRM LINK: 3", "client CONFIRM LINK reply: 3"}};
const Flow no_alternate_path{"smcr_rfc7609_echo", {"server ADD LINK: 2", "client ADD LINK reply: 2 rejected: 1"}};
const Flow no_second_asymmetric_link{
    "smcr_rfc7609_uneven_devices",
    {"client CONFIRM LINK reply: 3", "server ADD LINK: 4", "client ADD LINK reply: 4 rejected: 1"}};
const Flow invalid_mtu{"smcr_rfc7609_link_mtu", {"server ADD LINK: 2", "client ADD LINK reply: 2 rejected: 2"}};
const Flow keys_of_several_rmbs{
    "smcr_rfc7609_collisions",
    {"server ADD LINK CONTINUATION: 5, 4 left", "client ADD LINK CONTINUATION reply: 5, 3 left",
     "server ADD LINK CONTINUATION: 5, 2 left", "client ADD LINK CONTINUATION reply: 5, 1 left"}};
// 3.5.5.1.2: what a client says when it gets a device; A.3.4 when it loses one
const Flow client_loses_a_device{
    "smcr_rfc7609_failover",
    {"client DELETE LINK: 2, at once, 10000", "server DELETE LINK: 2, at once, 10000",
     "client DELETE LINK reply: 2, at once, 100000", "client ADD LINK: 0", "server ADD LINK: 3",
     "client ADD LINK reply: 3", "client CONFIRM LINK reply: 3"}};
const Flow client_asks_by_version_2{
    "smcr_v2_failover", {"client REQUEST ADD LINK: of 2 GIDs", "server ADD LINK: 3", "client ADD LINK reply: 3"}};
// 3.5.5.1.3
const Flow server_loses_a_device{
    "smcr_rfc7609_server_failover",
    {"server DELETE LINK: 1, in order, 10000", "client DELETE LINK reply: 1, in order, 10000"}};
const Flow operators_delete_links{
    "smcr_rfc7609_delete_link",
    {"server DELETE LINK: 2, in order, 20000", "client DELETE LINK reply: 2, in order, 20000",
     "client DELETE LINK: 3, in order, 20000", "server DELETE LINK: 3, in order, 20000",
     "client DELETE LINK reply: 3, in order, 20000", "client DELETE LINK: 4, at once, 40000",
     "server DELETE LINK: 4, at once, 40000", "client DELETE LINK reply: 4, at once, 40000",
     "server DELETE LINK: 5, at once, 30000", "client DELETE LINK reply: 5, at once, 30000"}};
const Flow unknown_links{
    "smcr_rfc7609_delete_link",
    {"server DELETE LINK: 77, in order, 20000", "client DELETE LINK reply: 77, in order, 100000",
     "client DELETE LINK: 78, in order, 20000", "server DELETE LINK reply: 78, in order, 100000"}};
// 2.2.1
const Flow asymmetric_link_goes{
    "smcr_rfc7609_asymmetric",
    {"client CONFIRM LINK reply: 3", "server DELETE LINK: 2, in order, 50000",
     "client DELETE LINK reply: 2, in order, 50000"}};
const Flow asymmetric_link_goes_in_linux{
    "smcr_v2_becomes_symmetric",
    {"client CONFIRM LINK reply: 3", "server DELETE LINK: 2, in order, 50000",
     "client DELETE LINK reply: 2, in order, 0"}};
// 3.5.4
const Flow server_ends_the_group{"smcr_rfc7609_delete_group", {"server DELETE LINK: all, in order, 20000"}};
const Flow client_ends_the_group{
    "smcr_rfc7609_client_deletes_group",
    {"client DELETE LINK: all, at once, 40000", "server DELETE LINK: all, at once, 40000"}};
// 3.5.5.2.1
const Flow keys_on_four_links{
    "smcr_rfc7609_four_links",
    {"server CONFIRM RKEY: 3 others", "client CONFIRM RKEY reply: 3 others", "server CONFIRM RKEY CONTINUATION: 1 left",
     "client CONFIRM RKEY CONTINUATION reply: 1 left", "client CONFIRM RKEY: 3 others",
     "server CONFIRM RKEY reply: 3 others", "client CONFIRM RKEY CONTINUATION: 1 left",
     "server CONFIRM RKEY CONTINUATION reply: 1 left"}};
const Flow keys_on_eight_links{
    "smcr_rfc7609_eight_links",
    {"client CONFIRM RKEY: 7 others", "server CONFIRM RKEY reply: 7 others", "client CONFIRM RKEY CONTINUATION: 5 left",
     "server CONFIRM RKEY CONTINUATION reply: 5 left", "client CONFIRM RKEY CONTINUATION: 2 left",
     "server CONFIRM RKEY CONTINUATION reply: 2 left"}};
// 3.5.5.2.2: from both sides at the same time, which is no collision
const Flow rmbs_are_withdrawn{
    "smcr_rfc7609_idle_rmbs",
    {"client DELETE RKEY: 5, unknown 0", "server DELETE RKEY: 5, unknown 0", "client DELETE RKEY reply: 5, unknown 0",
     "server DELETE RKEY reply: 5, unknown 0"}};
const Flow unknown_keys{
    "smcr_rfc7609_idle_rmbs",
    {"client DELETE RKEY: 1, unknown 0", "server DELETE RKEY: 1, unknown 0", "client DELETE RKEY reply: 1, unknown 80",
     "server DELETE RKEY reply: 1, unknown 80"}};
// 3.5.5.3.1, 3.5.5.3.2: a client's CONFIRM RKEY while the server adds or deletes a link, and again
const Flow key_while_a_link_is_added{
    "smcr_rfc7609_collisions",
    {"client CONFIRM RKEY: 2 others", "server ADD LINK: 4", "server CONFIRM RKEY reply: 2 others, again later",
     "client CONFIRM LINK reply: 4", "client CONFIRM RKEY: 3 others", "server CONFIRM RKEY reply: 3 others",
     "client CONFIRM RKEY CONTINUATION: 1 left", "server CONFIRM RKEY CONTINUATION reply: 1 left"}};
// 3.5.5.3.2: a client's DELETE LINK waits for the end of the server's
const Flow client_deletes_while_the_server_does{
    "smcr_rfc7609_collisions",
    {"client DELETE LINK: 4, at once, 10000", "server DELETE LINK: 2, in order, 10000",
     "client DELETE LINK reply: 2, in order, 10000", "server DELETE LINK: 4, at once, 10000",
     "client DELETE LINK reply: 4, at once, 100000"}};
// 3.5.5.3.1: a client's ADD LINK crosses with the server's
const Flow client_asks_while_the_server_offers{
    "smcr_rfc7609_collisions",
    {"client ADD LINK: 0", "server ADD LINK: 5", "client ADD LINK reply: 5", "client CONFIRM LINK reply: 5",
     "server ADD LINK: 6", "client CONFIRM LINK reply: 6"}};
// A.3.8
const Flow links_are_tested{
    "smcr_rfc7609_test_link",
    {"client TEST LINK: -", "client TEST LINK: -", "client TEST LINK: -", "server TEST LINK reply: -",
     "server TEST LINK: -", "server TEST LINK: -", "server TEST LINK: -", "client TEST LINK reply: -"}};

INSTANTIATE_TEST_SUITE_P(
    Llc, EachFlow,
    testing::Values(
        links_are_added, no_alternate_path, no_second_asymmetric_link, invalid_mtu, keys_of_several_rmbs,
        client_loses_a_device, client_asks_by_version_2, server_loses_a_device, operators_delete_links, unknown_links,
        asymmetric_link_goes, asymmetric_link_goes_in_linux, server_ends_the_group, client_ends_the_group,
        keys_on_four_links, keys_on_eight_links, rmbs_are_withdrawn, unknown_keys, key_while_a_link_is_added,
        client_deletes_while_the_server_does, client_asks_while_the_server_offers, links_are_tested));

}  // namespace
}  // namespace fabricscope::synth
