// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "analyzer/engine/smcr/link_life.h"
#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/recorded_parts.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using engine::other;
using Facts = std::vector<Fact>;

void tell(Facts& facts, const std::string& about, std::string name, std::string value, bool policy = false) {
    facts.push_back({about, std::move(name), std::move(value), policy});
}

template <class T> std::string number(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : Fact::unknown;
}

/// "by the server with 0x03030000 (no SMC-R device)"
std::string decline_text(Side by, std::uint32_t code) {
    const char* const name = layout::name_of(wire::decline_names, code);
    return fmt::format(
        "by the {} with 0x{:08x}{}", engine::name_of(by), code, name != nullptr ? fmt::format(" ({})", name) : "");
}

void tell_facts(Facts& facts, const std::string& channel, Side side, const tracker::Direction& direction) {
    const auto of = [&](const char* what) { return fmt::format("{} by the {}", what, engine::name_of(side)); };
    tell(facts, channel, of("bytes sent"), fmt::format("{}", direction.bytes_announced));
    tell(facts, channel, of("urgent bytes sent"), fmt::format("{}", direction.urgent));
    std::string ends;
    if (direction.sending_done) ends += "done ";
    if (direction.closed) ends += "closed ";
    if (direction.aborted) ends += "aborted ";
    tell(facts, channel, of("state told"), ends.empty() ? "open" : ends.substr(0, ends.size() - 1));
    // What was acknowledged last, buffers, and how many messages it takes are left to implementations.
    tell(facts, channel, of("bytes sent and acknowledged"), fmt::format("{}", direction.bytes_acknowledged), true);
    tell(
        facts, channel, fmt::format("RMB element of the {}", engine::name_of(other(side))), number(direction.rmbe_size),
        true);
    tell(facts, channel, of("CDC messages"), fmt::format("{}", direction.cdcs), true);
    tell(facts, channel, of("RDMA WRITEs"), fmt::format("{}", direction.writes), true);
    tell(facts, channel, of("stalls met"), fmt::format("{}", direction.stalls.count), true);
}

void tell_facts(Facts& facts, const RecordedConnection& connection) {
    const tracker::Connection& model = connection.model;
    tell(facts, connection.channel, "outcome", tracker::name_of(model.outcome));
    if (model.first_contact) tell(facts, connection.channel, "first contact", *model.first_contact ? "yes" : "no");
    if (model.decline && model.decline->code)
        tell(facts, connection.channel, "declined", decline_text(model.decline->by, *model.decline->code));
    tell(facts, connection.channel, "close", tracker::name_of(model.close));
    tell(facts, connection.channel, "reset by", model.reset_by ? engine::name_of(*model.reset_by) : "nobody", true);
    if (model.outcome == tracker::Outcome::smc_r)
        for (const Side side : {Side::client, Side::server})
            tell_facts(facts, connection.channel, side, model.from[side]);
}

}  // namespace

void tell_facts(Recorded& recorded, bool alone) {
    Facts& facts = recorded.conversation.facts;
    for (const RecordedConnection& connection : recorded.connections) tell_facts(facts, connection);
    if (!recorded.group || !tracker::came_to_be(*recorded.group)) return;
    tell(facts, "link group", "version", number(recorded.group->version));
    tell(facts, "link group", "cursor base", number(recorded.group->cursor_base));
    std::size_t active = 0;
    for (const tracker::Link& link : recorded.group->links) active += link.state == tracker::LinkState::active;
    if (!alone) tell(facts, "link group", "links at the end", fmt::format("{}", active));
}

}  // namespace fabricscope::replay::smcr
