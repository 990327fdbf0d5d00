// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "protocols/smcr/llc.h"
#include "protocols/smcr/tcp_option.h"
#include "replay/engine/ethernet_addresses.h"
#include "replay/engine/smcr/application_reader.h"
#include "replay/engine/smcr/formats.h"
#include "replay/engine/smcr/recorded_parts.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using engine::other;

std::vector<FieldAt> option_fields(ByteView octets) {
    std::vector<FieldAt> fields;
    if (!octets.empty()) FieldCollector(fields).part(wire::TcpOption{}, 0, {});
    return fields;
}
constexpr MessageFormat tcp_option{"TCP", "RFC 7609, A.1", option_fields, {}};

bool is_optional(const wire::LlcMessage& message) {
    switch (message.type()) {
        case wire::LlcType::test_link:
        case wire::LlcType::confirm_rkey:  // for each new RMB; Linux: for each connection
        case wire::LlcType::confirm_rkey_continuation:
        case wire::LlcType::delete_rkey:
        case wire::LlcType::request_add_link: return true;
        default: return false;
    }
}

/// Zeros if it tells none.
Mac mac_told_by(const wire::ClcMessage& message) {
    if (const auto* proposal = std::get_if<wire::Proposal>(&message.body)) return proposal->body.peer_id.mac;
    if (const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body)) return body->body.mac;
    return {};
}

class Builder {
public:
    Builder(const engine::Engine& engine, const Collector& collector) : engine_(engine), collector_(collector) {}

    void record_single(const tracker::Connection& connection) {
        chosen_ = connection.id;
        const tracker::LinkGroup* group = group_of(engine_, connection);
        if (group != nullptr && has_choice(*group)) return record_group(*group);
        if (group != nullptr) record_links(*group);
        alone_ = group != nullptr && group->connections.size() > 1;
        if (const tracker::Connection* first = first_contact_of(engine_, connection)) {
            record_connection(*first);
            result_.connections.back().preparation = true;
        }
        record_connection(connection);
    }

    void record_group(const tracker::LinkGroup& group) {
        record_links(group);
        for (const std::uint32_t id : group.connections) record_connection(engine_.smcr().connections[id - 1]);
    }

    void record_links(const tracker::LinkGroup& group) {
        result_.group = group;
        result_.carrier = collector_.carrier(group.id).value_or(
            group.version == 1 ? capture::IbCarrier::roce_v1 : capture::IbCarrier::roce_v2);
    }

    void record_connection(const tracker::Connection& connection) {
        if (connection.merged) return;
        RecordedConnection& recorded = result_.connections.emplace_back();
        recorded.model = connection;
        recorded.mac = collector_.of(connection.id).mac;
    }

    Recorded build(std::string session) {
        conversation().session = std::move(session);
        std::ranges::stable_sort(result_.connections, {}, begin_of);
        number_connections();
        record_messages();
        find_addresses();
        find_what_became_of_links(result_, begin_.has_value());
        finish_connections();
        find_missing_messages();
        tell_facts(result_, alone_);
        record_findings();
        if (result_.connections.size() > 1 && chosen_ != 0)
            result_.compared = only(result_.conversation, result_.connections[by_id_.at(chosen_)].channel);
        return std::move(result_);
    }

private:
    Conversation& conversation() { return result_.conversation; }

    /// A server takes connections that come together one after the other; the first one sets up the link group.
    static std::uint64_t begin_of(const RecordedConnection& connection) {
        const tracker::Setup& setup = connection.model.setup;
        if (setup.accept) return setup.accept->frame;
        return setup.proposal ? setup.proposal->frame : connection.model.first_frame;
    }

    void number_connections() {
        for (std::size_t i = 0; i < result_.connections.size(); ++i) {
            RecordedConnection& connection = result_.connections[i];
            connection.channel = fmt::format("connection {}", i + 1);
            by_id_[connection.model.id] = i;
            readers_.emplace_back(collector_.of(connection.model.id), !over_rdma(connection.model));
            record_rmbs(connection.model);
        }
    }

    static bool over_rdma(const tracker::Connection& connection) {
        return connection.outcome == tracker::Outcome::smc_r || connection.outcome == tracker::Outcome::failed;
    }

    /// The RMBs that the session's connections use.
    void record_rmbs(const tracker::Connection& connection) {
        if (!result_.group) return;
        for (const Side side : {Side::client, Side::server})
            if (const auto& element = connection.element[side]; element && element->rmb < result_.group->rmbs.size())
                rmbs_[side].push_back(&result_.group->rmbs[element->rmb]);
    }

    /// Whether a side's message is about an RMB that the session uses. Linux gives a key that it has withdrawn to the
    /// next connection again: before the RMB was announced, and after its end, it is another one's.
    bool is_about_rmb(const Seen& seen, std::uint32_t rkey) const {
        return std::ranges::any_of(rmbs_[seen.from], [&](const tracker::Rmb* rmb) {
            return std::ranges::find(rmb->rtokens, rkey, &tracker::Rtoken::rkey) != rmb->rtokens.end() &&
                   seen.frame >= rmb->first_frame && (!rmb->deleted() || seen.frame <= rmb->deleted_frame);
        });
    }

    // ---- messages ----

    bool was_set_up_before() const {
        return result_.group && std::ranges::none_of(result_.connections, [](const RecordedConnection& one) {
                   return one.model.first_contact.value_or(false);
               });
    }

    void record_messages() {
        if (was_set_up_before())
            for (const RecordedConnection& connection : result_.connections)
                begin_ = std::min(begin_.value_or(connection.model.first_time), connection.model.first_time);
        for (const Seen* each : in_order_of_acceptance()) {
            const Seen& seen = *each;
            if (seen.kind == Seen::Kind::llc) {
                if (result_.group && seen.link_group == result_.group->id) record_llc(settled(seen));
                continue;
            }
            const auto found = by_id_.find(seen.connection);
            if (found == by_id_.end()) continue;
            RecordedConnection& connection = result_.connections[found->second];
            readers_[found->second].on(seen);
            if (seen.kind == Seen::Kind::syn || seen.kind == Seen::Kind::syn_ack) record_syn(seen, connection);
            if (seen.kind == Seen::Kind::clc) record_clc(seen, connection);
            if (seen.kind == Seen::Kind::cdc) record_cdc(seen, connection);
        }
    }

    /// A connection tells who the client of its link group is. Until then that was assumed, perhaps the wrong way
    /// round.
    Seen settled(Seen seen) const {
        if (!seen.roles_known && result_.group->turned) seen.from = other(seen.from);
        return seen;
    }

    /// As captured, but proposals come in the order in which they were accepted, which is the connections' order. A run
    /// repeats that order only if the server has seen each proposal before the next one.
    std::vector<const Seen*> in_order_of_acceptance() const {
        std::set<std::size_t> to_come;  // connections whose proposals are
        for (const Seen& seen : collector_.seen())
            if (const auto connection = proposed_by(seen)) to_come.insert(*connection);
        std::vector<const Seen*> ordered;
        std::map<std::size_t, const Seen*> early;  // proposals that were accepted after later ones, by connection
        for (const Seen& seen : collector_.seen()) {
            const auto connection = proposed_by(seen);
            const bool is_early = connection && to_come.contains(*connection) && *connection != *to_come.begin();
            if (is_early && early.emplace(*connection, &seen).second) continue;
            ordered.push_back(&seen);
            if (!connection || is_early) continue;
            to_come.erase(*connection);
            for (; !to_come.empty() && early.contains(*to_come.begin()); to_come.erase(to_come.begin()))
                ordered.push_back(early.at(*to_come.begin()));
        }
        return ordered;
    }

    /// The connection that begins with this PROPOSAL; nothing if it is another message, or of no connection here.
    std::optional<std::size_t> proposed_by(const Seen& seen) const {
        const auto connection = by_id_.find(seen.connection);
        const bool proposes = connection != by_id_.end() && seen.kind == Seen::Kind::clc && seen.from == Side::client &&
                              clc_name(seen.octets) == "CLC PROPOSAL";
        return proposes ? std::optional(connection->second) : std::nullopt;
    }

    Message& add(const Seen& seen, const MessageFormat& format, std::string name, std::string channel) {
        if (seen.cut) result_.obstacle = fmt::format("the {} in frame {} was not captured whole", name, seen.frame);
        Message& message = conversation().messages.emplace_back();
        message.format = &format;
        message.from = seen.from;
        message.name = std::move(name);
        message.channel = std::move(channel);
        message.time = seen.time;
        message.frame = seen.frame;
        message.octets = seen.octets;
        const std::size_t index = conversation().messages.size() - 1;
        last_in_[message.channel] = index;
        by_frame_.emplace(seen.frame, index);
        return message;
    }

    std::optional<std::size_t> last_in(const std::string& channel) const {
        const auto found = last_in_.find(channel);
        return found == last_in_.end() ? std::nullopt : std::optional(found->second);
    }

    void record_syn(const Seen& seen, RecordedConnection& connection) {
        const auto before = last_in(connection.channel);
        connection.option[seen.from] = !seen.octets.empty();
        const bool answer = seen.kind == Seen::Kind::syn_ack;
        Message& message = add(seen, tcp_option, answer ? "TCP SYN-ACK" : "TCP SYN", connection.channel);
        if (answer) message.answers = before;
    }

    /// At first contact each message answers the one before it. Later ACCEPT and CONFIRM may have to wait for
    /// something: another connection's set-up of the link group, the announcement of a key.
    void record_clc(const Seen& seen, const RecordedConnection& connection) {
        const auto before = last_in(connection.channel);
        Message& message = add(seen, clc_format(), clc_name(seen.octets), connection.channel);
        const bool first_contact = connection.model.first_contact.value_or(true);
        const bool after_confirm = message.name == "CLC DECLINE" && connection.model.setup.confirm;
        if (before && (first_contact || message.name == "CLC PROPOSAL" || message.name == "CLC DECLINE") &&
            !after_confirm)
            message.answers = before;
        if (message.name == "CLC CONFIRM" && first_contact) agreed_ = conversation().messages.size() - 1;
    }

    void record_llc(const Seen& seen) {
        const wire::LlcMessage parsed = wire::parse_llc(seen.octets, seen.octets.size());
        if ((begin_ && seen.time < *begin_) || ((begin_ || alone_) && !concerns_session(seen, parsed))) return;
        if (parsed.is_reply() && seen.request_frame == 0 && is_unfounded(seen, parsed)) return;
        const std::string channel = channel_of_link(seen.link);
        const auto before = last_in(channel);
        Message& message = add(seen, llc_format(seen.octets), llc_name(seen.octets), channel);
        message.optional = is_optional(parsed);
        const auto* gone = std::get_if<wire::DeleteLink>(&parsed.body);
        // One that is deleted in order still works.
        const bool in_order = gone != nullptr && gone->orderly && gone->reason != stack::smcr::lost_path;
        if (gone != nullptr && !gone->all && !gone->reply && !in_order) record_loss(gone->link, seen.from);
        if (const auto* rkey = std::get_if<wire::ConfirmRkeyMessage>(&parsed.body); begin_ && rkey && rkey->used != 0)
            result_.obstacle = unknown_links;
        if (const auto request = by_frame_.find(seen.request_frame);
            seen.request_frame != 0 && request != by_frame_.end())
            message.answers = request->second;
        else if (message.name == "LLC CONFIRM LINK" && !before) message.answers = agreed_;
        else if (message.name == "LLC ADD LINK" && before && name_of(*before) == "LLC CONFIRM LINK reply")
            message.answers = before;
        else if (message.name == "LLC ADD LINK" && seen.from == Side::server)
            message.answers = std::exchange(asked_, {});
        else if (message.name == "LLC ADD LINK CONTINUATION") message.answers = agreed_;
        if (message.name == "LLC REQUEST ADD LINK" || (message.name == "LLC ADD LINK" && seen.from == Side::client))
            asked_ = conversation().messages.size() - 1;
        if (message.name == "LLC ADD LINK reply" || message.name == "LLC ADD LINK CONTINUATION reply")
            agreed_ = conversation().messages.size() - 1;
    }

    /// Whether a reply is left out, since its request was not captured. Without some requests nothing can be played.
    bool is_unfounded(const Seen& reply, const wire::LlcMessage& parsed) {
        const std::string name = llc_name(reply.octets);
        const std::string request = name.substr(0, name.find(" reply"));
        // Linux answers ADD LINK twice.
        const bool asked = std::ranges::any_of(
            conversation().messages, [&](const Message& one) { return one.name == request; });
        if (is_waited_for(parsed.type()) && (!asked || is_optional(parsed)))
            set_obstacle(fmt::format("the {} that frame {} answers was not captured", request, reply.frame));
        return is_optional(parsed);
    }

    /// By what the sides do next.
    static bool is_waited_for(wire::LlcType type) {
        return type == wire::LlcType::confirm_link || type == wire::LlcType::add_link ||
               type == wire::LlcType::add_link_continuation || type == wire::LlcType::confirm_rkey ||
               type == wire::LlcType::confirm_rkey_continuation;
    }

    /// The message that was added last is a sign that the link is lost.
    void record_loss(std::uint8_t number, Side by) {
        const auto channel = links_.find(number);
        const tracker::Link* link = tracker::link_numbered(*result_.group, number);
        if (channel == links_.end() || link == nullptr) return;  // it never came to be
        LostLink lost{channel_of_link(number), by, conversation().messages.size() - 1, {}};
        const bool known = std::ranges::any_of(
            result_.lost_links, [&](const LostLink& other) { return other.channel == lost.channel; });
        for (const Side side : {Side::client, Side::server}) lost.end[side] = link->end[side].mac.value_or(Mac{});
        if (!known) result_.lost_links.push_back(std::move(lost));
    }

    const std::string& name_of(std::size_t index) { return conversation().messages[index].name; }

    /// Of a link group with other connections, which are not played or had ended before: what is about them is left
    /// out.
    bool concerns_session(const Seen& seen, const wire::LlcMessage& message) {
        if (seen.request_frame != 0) return by_frame_.contains(seen.request_frame);
        if (alone_ && seen.time > result_.connections[by_id_.at(chosen_)].model.last_time) return false;
        if (const auto* confirm = std::get_if<wire::ConfirmRkeyMessage>(&message.body))
            return key_concerns_[seen.from] = is_about_rmb(seen, confirm->body.rkey);
        if (std::holds_alternative<wire::ConfirmRkeyContinuationMessage>(message.body)) return key_concerns_[seen.from];
        if (const auto* deleted = std::get_if<wire::DeleteRkeyMessage>(&message.body))
            return deleted->used != 0 && is_about_rmb(seen, deleted->slots[0].rkey);
        return true;
    }

    void set_obstacle(std::string obstacle) {
        if (result_.obstacle.empty()) result_.obstacle = std::move(obstacle);
    }

    /// Without these nobody could go on, and they were not captured, although somebody did.
    void find_missing_messages() {
        const auto is_sent = [&](std::string_view name) {
            return std::ranges::any_of(
                conversation().messages, [&](const Message& message) { return message.name.starts_with(name); });
        };
        if (!was_set_up_before() && is_sent("CDC") && !is_sent("LLC CONFIRM LINK"))
            set_obstacle("the CONFIRM LINK of its first link was not captured");
        if (!result_.group) return;
        for (const tracker::LlcExchange& exchange : result_.group->exchanges) {
            const auto request = by_frame_.find(exchange.request.frame);
            // A side deletes one key after the other.
            const bool waited_for = is_waited_for(exchange.type) || exchange.type == wire::LlcType::delete_rkey;
            if (waited_for && exchange.reply_may_be_lost && request != by_frame_.end())
                set_obstacle(fmt::format(
                    "the answer to the {} in frame {} was not captured", name_of(request->second),
                    exchange.request.frame));
        }
    }

    std::string channel_of_link(std::uint8_t number) {
        const auto known = links_.try_emplace(number, links_.size() + 1).first;
        return fmt::format("link {}", known->second);
    }

    void record_cdc(const Seen& seen, const RecordedConnection& connection) {
        if (connection.preparation) return;
        auto& [state, link] = sent_[{connection.model.id, seen.from}];
        std::string name = cdc_name(seen.octets, state);
        const bool moves = name == failover_validation;
        state = cdc_state(seen.octets, state);
        const std::uint8_t before = std::exchange(link, seen.link);
        if (name.empty()) return;
        add(seen, cdc_format(), std::move(name), connection.channel);
        if (!moves) return;
        result_.moves.emplace(conversation().messages.size() - 1, channel_of_link(seen.link));
        if (before != 0 && before != seen.link) record_loss(before, seen.from);
    }

    // ---- the rest ----

    /// Of hosts whose frames do not tell them, the first ones that CLC tells: those of RDMA devices.
    void find_addresses() {
        PerSide<Mac> told;
        for (const Message& message : conversation().messages)
            if (message.name.starts_with("CLC") && told[message.from] == Mac{})
                told[message.from] = mac_told_by(wire::parse_clc(message.octets));
        complete_addresses(told);
        for (RecordedConnection& connection : result_.connections)
            for (const Side side : {Side::client, Side::server})
                if (connection.mac[side] == Mac{}) connection.mac[side] = told[side];
    }

    void finish_connections() {
        for (std::size_t i = 0; i < result_.connections.size(); ++i) {
            RecordedConnection& connection = result_.connections[i];
            const Collected& collected = collector_.of(connection.model.id);
            readers_[i].finish(connection);
            if (connection.preparation) leave_data_out(connection);
            for (const Side side : {Side::client, Side::server}) {
                const bool tcp = !over_rdma(connection.model);
                Octets octets = readers_[i].stream(side);
                std::uint64_t missing = tcp ? readers_[i].extent(side) - octets.size() : collected.missing[side];
                if (tcp && collected.tcp_has_holes[side]) missing = std::max<std::uint64_t>(missing, 1);
                conversation().streams.push_back({connection.channel, side, std::move(octets), missing});
                if (conversation().streams.back().missing != 0) conversation().complete = false;
            }
            if (collected.too_much) conversation().complete = false;
            record_setup(connection);
        }
    }

    /// Nothing is sent; the client closes when all is done, unless a host is gone by then.
    void leave_data_out(RecordedConnection& connection) const {
        for (const Side side : {Side::client, Side::server}) {
            if (result_.departure) {
                connection.script[side] = std::make_shared<AppScript>();
                connection.step_time[side].clear();
                continue;
            }
            const AppStep step{.until_end = side == Side::server, .end = AppEnd::close};
            connection.script[side] = std::make_shared<AppScript>(AppScript{{}, {step}});
            connection.step_time[side] = {std::numeric_limits<Time>::max()};
        }
    }

    void record_setup(RecordedConnection& connection) const {
        const Time data = connection.model.setup.first_data ? connection.model.setup.first_data->time : INT64_MAX;
        const bool first = connection.model.first_contact.value_or(false);
        const auto& messages = result_.conversation.messages;
        for (std::size_t i = 0; i < messages.size() && messages[i].time <= data; ++i) {
            const std::string& name = messages[i].name;
            const bool link = name.starts_with("LLC CONFIRM LINK") || name.starts_with("LLC ADD LINK");
            if ((messages[i].channel == connection.channel && !name.starts_with("CDC")) || (first && link))
                connection.setup.push_back(i);
        }
    }

    void record_findings() {
        for (const engine::Finding* finding : engine_.findings()) {
            const bool mine = std::ranges::any_of(result_.connections, [&](const RecordedConnection& connection) {
                return finding->session == fmt::format("smcr-{}", connection.model.id);
            });
            const bool groups = result_.group && finding->session == fmt::format("lg-{}", result_.group->id);
            if (mine || groups) conversation().findings.push_back(*finding);
        }
    }

    const engine::Engine& engine_;
    const Collector& collector_;
    Recorded result_;
    PerSide<bool> key_concerns_;                      ///< whose latest CONFIRM RKEY was about one of these
    std::uint32_t chosen_ = 0;                        ///< the connection that the session is about; 0: all of them
    std::map<std::uint32_t, std::size_t> by_id_;      ///< connections
    std::vector<ApplicationReader> readers_;          ///< as the connections
    PerSide<std::vector<const tracker::Rmb*>> rmbs_;  ///< of the session's connections
    bool alone_ = false;                              ///< the others of its link group are not played
    /// Of a link group that was set up before the capture began: LLC messages until then are about what is not played.
    std::optional<Time> begin_;
    std::map<std::string, std::size_t> last_in_;  ///< the last message of each channel
    std::map<std::uint64_t, std::size_t> by_frame_;
    std::map<std::uint8_t, std::size_t> links_;  ///< by number
    /// Of each connection and side, what the last CDC message told, and the number of the link that it went over.
    std::map<std::pair<std::uint32_t, Side>, std::pair<CdcState, std::uint8_t>> sent_;
    std::optional<std::size_t> asked_;  ///< a client's wish for a link that has not been offered yet
    /// With which both sides agreed on a link that is to be confirmed next: CLC CONFIRM, or an answer to ADD LINK.
    std::optional<std::size_t> agreed_;
};

std::string id_of(const tracker::Connection& connection) { return fmt::format("smcr-{}", connection.id); }
std::string id_of(const tracker::LinkGroup& group) { return fmt::format("lg-{}", group.id); }

}  // namespace

Recorded recorded_connection(const engine::Engine& engine, const Collector& collector, std::uint32_t connection) {
    const tracker::Connection& model = engine.smcr().connections[connection - 1];
    Builder builder(engine, collector);
    builder.record_single(model);
    Recorded recorded = builder.build(id_of(model));
    if (recorded.obstacle.empty()) recorded.obstacle = obstacle_of(engine, model);
    tell_causes(recorded);
    return recorded;
}

Recorded recorded_group(const engine::Engine& engine, const Collector& collector, std::uint32_t link_group) {
    const tracker::LinkGroup& group = engine.smcr().link_groups[link_group - 1];
    Builder builder(engine, collector);
    builder.record_group(group);
    Recorded recorded = builder.build(id_of(group));
    if (recorded.obstacle.empty()) recorded.obstacle = obstacle_of(engine, group);
    tell_causes(recorded);
    return recorded;
}

Recorded recorded_all(const engine::Engine& engine, const Collector& collector, const std::string& session) {
    Builder builder(engine, collector);
    const auto& groups = engine.smcr().link_groups;
    const auto group = std::ranges::find_if(groups, tracker::came_to_be);
    if (group != groups.end()) builder.record_links(*group);
    else if (!groups.empty()) builder.record_links(groups.front());
    for (const tracker::Connection& connection : engine.smcr().connections) builder.record_connection(connection);
    return builder.build(session);
}

Conversation only(const Conversation& all, const std::string& channel) {
    Conversation part = all;
    part.about = channel;
    const auto time_of = [&](auto is) {
        const auto found = std::ranges::find_if(all.messages, is);
        return found == all.messages.end() ? Time{0} : found->time;
    };
    const Time begin = time_of([&](const Message& one) { return one.channel == channel; });
    // A server accepts one connection after the other: before this ACCEPT all about links is the set-up's.
    const Time accepted = time_of(
        [&](const Message& one) { return one.channel == channel && one.name == "CLC ACCEPT"; });
    std::erase_if(part.messages, [&](const Message& message) {
        if (message.channel == channel) return false;
        const bool about_links = message.name.starts_with("LLC CONFIRM LINK") ||
                                 message.name.starts_with("LLC ADD LINK");
        return !message.name.starts_with("LLC") || message.time < (about_links ? accepted : begin);
    });
    for (Message& message : part.messages) message.answers.reset();  // they are numbered otherwise
    std::erase_if(part.streams, [&](const Stream& stream) { return stream.name != channel; });
    std::erase_if(part.facts, [&](const Fact& fact) { return fact.about != channel; });
    return part;
}

std::uint16_t port_of(const RecordedConnection& connection, Side side) {
    const auto& address = side == Side::client ? connection.model.client : connection.model.server;
    return address ? address->port : 0;
}

Gid address_of(const RecordedConnection& connection, Side side) {
    const auto& address = side == Side::client ? connection.model.client : connection.model.server;
    return address ? Gid{address->address.bytes} : Gid{};
}

}  // namespace fabricscope::replay::smcr
