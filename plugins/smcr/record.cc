// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/record.h"

namespace fabricscope::plugin::smcr {
namespace {

using engine::smcr::Side;

std::uint64_t direction_key(std::uint32_t connection, Side from) {
    return std::uint64_t{connection} << 1 | static_cast<std::uint64_t>(from);
}

}  // namespace

void Record::on_facts(const FrameFacts& facts) {
    if (facts.connection > last_frames_.size()) last_frames_.resize(facts.connection);
    std::uint32_t previous = 0;
    if (facts.connection != 0) {
        std::uint32_t& last = last_frames_[facts.connection - 1];
        previous = last;
        last = std::max(last, static_cast<std::uint32_t>(facts.frame));
    }
    facts_.add(facts, previous);
    // A message of one packet is in the frame.
    if (facts.message.size() > packet_->ib.payload.size())
        long_messages_[facts.frame].assign(facts.message.begin(), facts.message.end());
    if (facts.clc_pending != 0) incomplete_[direction_key(facts.connection, *facts.from)].push_back(facts.frame);
}

void Record::on_clc(const ClcSeen& seen) {
    Clc& kept = clc_[seen.frame].emplace_back(Clc{seen, {seen.octets.begin(), seen.octets.end()}});
    kept.seen.octets = {};
    auto& parts = incomplete_[direction_key(seen.connection, seen.from)];
    for (const std::uint64_t part : parts) completions_[part] = seen.frame;
    parts.clear();
}

void Record::on_response(std::uint64_t request, std::uint64_t response, capture::Time) {
    notes_.note_response(request, response);
}

const Record::Parties& Record::parties(std::uint32_t connection) const {
    static const Parties unknown;
    const auto& connections = engine().smcr().connections;
    if (connection == 0 || connection > connections.size()) return unknown;
    const engine::smcr::Connection& of = connections[connection - 1];
    if (!of.client || !of.server) return unknown;
    if (connection > parties_.size()) parties_.resize(connection);
    Parties& made = parties_[connection - 1];
    if (made.text[Side::client].empty()) {
        made.address = {{*of.client, *of.server}};
        for (const Side side : {Side::client, Side::server}) made.text[side] = to_string(made.address[side]);
    }
    return made;
}

const Record::Parties& Record::parties_of_group(std::uint32_t link_group) const {
    const auto& groups = engine().smcr().link_groups;
    const bool known = link_group != 0 && link_group <= groups.size() && !groups[link_group - 1].connections.empty();
    return parties(known ? groups[link_group - 1].connections.front() : 0);
}

const char* Record::numbered(std::deque<std::string>& names, const char* prefix, std::uint32_t id) {
    while (names.size() < id) names.push_back(prefix + std::to_string(names.size() + 1));
    return names[id - 1].c_str();
}

FrameFacts Record::known_now(FrameFacts facts) {
    const engine::smcr::Model& model = engine().smcr();
    if (facts.connection != 0) facts.connection = whole_of(model, facts.connection).id;
    if (facts.roles_known || facts.link_group == 0) return facts;
    const engine::smcr::LinkGroup& group = model.link_groups[facts.link_group - 1];
    facts.roles_known = group.roles_known;
    if (group.turned && facts.from) facts.from = engine::other(*facts.from);
    return facts;
}

std::uint64_t Record::last_frame(std::uint32_t connection) const {
    std::uint32_t last = last_frames_[connection - 1];
    for (const engine::smcr::Direction& direction : engine().smcr().connections[connection - 1].from.values)
        if (const std::uint32_t first = direction.first_name.connection; first != 0)
            last = std::max(last, last_frames_[first - 1]);
    return last;
}

bool Record::find_facts(std::uint64_t frame, FrameFacts& facts) const {
    const std::uint64_t original = original_of(frame);
    if (facts_.find(original, facts)) return true;
    facts = {};
    facts.frame = original;
    return !notes_.broken_rules(original).empty();
}

std::uint64_t Record::completion(std::uint64_t frame) const {
    const auto found = completions_.find(frame);
    return found != completions_.end() ? found->second : 0;
}

}  // namespace fabricscope::plugin::smcr
