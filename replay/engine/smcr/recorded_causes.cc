// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/recorded_parts.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

constexpr const char* vanished =
    "the TCP connection ended without a word on RoCE, and the capture does not show which host or device went away";
constexpr const char* blocked_roce = "RoCE packets did not get through when it was recorded; here they may";
constexpr const char* ended_twice =
    "the link group was ended twice when it was recorded, as Linux' server does that is asked to end it; others end it "
    "once";
constexpr std::uint64_t states_only = UINT64_MAX;

void tell_causes(Conversation& conversation, const RecordedConnection& connection, bool departs) {
    const tracker::Connection& model = connection.model;
    if (!departs && is_left_without_a_word(model)) {
        conversation.causes.push_back(
            {connection.channel, model.reset_frame != 0 ? model.reset_frame : states_only, vanished});
        conversation.causes.push_back({"link group", states_only, vanished, "links at the end"});
    }
}

bool ends_group(const Message& message) {
    if (message.name != "LLC DELETE LINK") return false;
    const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
    const auto* const body = std::get_if<wire::DeleteLink>(&parsed.body);
    return body != nullptr && body->all;
}

void tell_repeated_end(Conversation& conversation) {
    PerSide<unsigned> ends{};
    for (const Message& message : conversation.messages)
        if (ends_group(message) && ++ends[message.from] == 2)
            conversation.causes.push_back({"", message.frame, ended_twice, "LLC DELETE LINK"});
}

}  // namespace

void tell_causes(Recorded& recorded) {
    for (Conversation* conversation : {&recorded.conversation, recorded.compared ? &*recorded.compared : nullptr}) {
        if (conversation == nullptr) continue;
        if (recorded.no_roce || std::ranges::any_of(recorded.connections, waited_in_vain))
            conversation->causes.push_back({"", 0, blocked_roce});
        tell_repeated_end(*conversation);
        for (const RecordedConnection& connection : recorded.connections)
            tell_causes(*conversation, connection, recorded.departure.has_value());
    }
}

}  // namespace fabricscope::replay::smcr
