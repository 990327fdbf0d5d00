// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/smcr/smcr_player.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::replay::smcr {

using wire::ClcType;

namespace {

bool make_answer(wire::TestLink& body, Side) { return body.reply = true; }
bool make_answer(wire::ConfirmRkeyMessage& message, Side) { return message.body.reply = true; }
bool make_answer(wire::ConfirmRkeyContinuationMessage& message, Side) { return message.body.reply = true; }
bool make_answer(wire::DeleteRkeyMessage& message, Side) { return message.body.reply = true; }
/// A client only asks for it: what it wants deleted the server deletes, by a request of its own (RFC 7609, 3.5.5.1.2).
bool make_answer(wire::DeleteLink& body, Side answering) {
    body.reply = answering == Side::client && !body.all;
    return body.reply || answering == Side::server;
}
/// A link that was not recorded is rejected, as one to which there is no other way.
bool make_answer(wire::AddLinkMessage& message, Side) {
    message.v2 = {};
    message.rkeys = {};
    if (auto* body = std::get_if<wire::AddLink>(&message.body)) body->reject_reason_v2 = stack::smcr::no_alternate_path;
    return std::visit([](auto& body) { return body.reply = body.reject = true; }, message.body);
}
template <class Other> bool make_answer(Other&, Side) { return false; }

/// Of a rejection: version 1 has its reason there, and the RTokens of version 2 are left out.
void make_answer(wire::LlcMessage& message) {
    if (!std::holds_alternative<wire::AddLinkMessage>(message.body)) return;
    std::visit([](auto& header) { header.length = wire::llc_size; }, message.header);
    if (auto* header = std::get_if<wire::AddLinkHeaderV1>(&message.header))
        header->reject_reason = stack::smcr::no_alternate_path;
}

/// ": 0x03030000 (no SMC-R device)"; empty if it is no DECLINE.
std::string diagnosis_of(const wire::ClcMessage& message) {
    const auto* const decline = std::get_if<wire::Decline>(&message.body);
    if (decline == nullptr) return {};
    const std::uint32_t code = decline->body.diagnosis;
    const char* const name = layout::name_of(wire::decline_names, code);
    return fmt::format(": 0x{:08x}{}", code, name != nullptr ? fmt::format(" ({})", name) : "");
}

}  // namespace

/// Sends what the recording has next.
bool SmcrPlayer::play(Time now) {
    bool sent = false;
    const auto may_send = [&](std::size_t index) { return can_send(index); };
    while (const auto index = script_.ready(now, may_send)) {
        play(now, *index);
        script_.sent(now, *index);
        ++played_messages_;
        sent = true;
    }
    return sent;
}

bool SmcrPlayer::can_send(std::size_t index) {
    const Message& message = script_.message(index);
    const auto data_is_as_far = [&](const auto& one) {
        return one->phase == Phase::over ||
               one->application.steps_done() >= one->recorded.steps_before(played_, message.time);
    };
    if (const auto move = recorded_.moves.find(index); move != recorded_.moves.end())
        return connection_in(message.channel).data && links_.link_for(move->second) &&
               std::ranges::all_of(connections_, data_is_as_far);
    if (message.name.starts_with("CDC") || message.name == "TCP SYN-ACK") return false;
    if (message.name.starts_with("LLC")) {
        if (!links_.link_for(message.channel)) return false;
        const bool peer_is_gone = recorded_.departure && message.time > recorded_.departure->time;
        if (peer_is_gone && !std::ranges::all_of(connections_, data_is_as_far)) return false;
        if (!message.name.starts_with("LLC DELETE LINK")) return true;
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        const auto* body = std::get_if<wire::DeleteLink>(&parsed.body);
        const bool ends_all = body != nullptr && body->all;
        // What is still on its way over any link would be lost.
        return std::ranges::all_of(
            connections_, [&](const auto& one) { return data_is_as_far(one) && (!ends_all || one->all_arrived()); });
    }
    if (message.name == "TCP SYN") return std::ranges::all_of(connections_, data_is_as_far);
    PlayedConnection& connection = connection_in(message.channel);
    return connection.established && (message.name != "CLC PROPOSAL" || is_next(connection));
}

/// Proposals go out in the order in which they were accepted: the first one sets up the link group.
bool SmcrPlayer::is_next(const PlayedConnection& connection) const {
    for (const auto& earlier : connections_) {
        if (earlier.get() == &connection) return true;
        if (!earlier->proposed) return false;
    }
    return true;
}

PlayedConnection& SmcrPlayer::connection_in(const std::string& channel) const {
    return **std::ranges::find(connections_, channel, [](const auto& one) { return one->recorded.channel; });
}

void SmcrPlayer::play(Time now, std::size_t index) {
    const Message& message = script_.message(index);
    Octets octets = script_.bindings().translated(message);
    const std::string comment = fmt::format("{}, recorded in frame {}", message.name, message.frame);
    if (message.name.starts_with("LLC")) {
        const std::size_t link = *links_.link_for(message.channel);
        links_.channel_of(link);
        links_.send(now, link, octets, comment);
        on_llc(now, link, octets, true);
    } else {
        PlayedConnection& connection = connection_in(message.channel);
        connection.now = now;
        if (const auto move = recorded_.moves.find(index); move != recorded_.moves.end()) {
            play_move(connection, move->second);
        } else if (message.name == "TCP SYN") {
            connection.begin(now);
            connection.tcp.connect(now);
        } else {
            if (message.name == "CLC CONFIRM") octets = confirm_for_accept(connection, std::move(octets));
            connection.tcp.write(now, octets);
            flush(connection);  // what follows over RDMA must not overtake it
            connection.proposed = true;
            on_clc(now, connection, wire::parse_clc(octets), true);
        }
    }
    for (const LostLink& lost : recorded_.lost_links)
        if (lost.sign == index)
            if (const auto link = links_.link_for(lost.channel)) links_.lose(*link);
}

/// Failover, as recorded.
void SmcrPlayer::play_move(PlayedConnection& connection, const std::string& channel) {
    const std::size_t link = *links_.link_for(channel);
    if (connection.link != link) return connection.move_to(link);
    note(connection.recorded.channel + " was on the other link here, and did not move");
}

/// The server may have chosen another link than it did then.
Octets SmcrPlayer::confirm_for_accept(const PlayedConnection& connection, Octets confirm) const {
    wire::ClcMessage message = wire::parse_clc(confirm);
    auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    if (body == nullptr || !connection.peer || connection.peer->first_contact) return confirm;
    body->body = links_.on_link(links_.link_named(*connection.peer, false), body->body);
    return wire::build(message);
}

// ---- CLC -----------------------------------------------------------------------------------------

void SmcrPlayer::on_clc(Time now, PlayedConnection& connection) {
    Octets& arrived = connection.tcp.received();
    const std::size_t length = wire::clc_length(arrived);
    if (arrived.empty() || (length != 0 && arrived.size() < std::max(length, wire::clc_header_size + 1))) return;
    if (length == 0) {
        note(connection.recorded.channel + ": the peer sent something else than CLC");
        connection.phase = Phase::plain;
        return;
    }
    const Octets octets(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
    arrived.erase(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string name = clc_name(octets);
    ++played_messages_;
    if (!script_.received(now, connection.recorded.channel, name, octets))
        note(fmt::format(
            "{}: {} of the peer was not recorded{}", connection.recorded.channel, name,
            diagnosis_of(wire::parse_clc(octets))));
    on_clc(now, connection, wire::parse_clc(octets), false);
    on_clc(now, connection);
}

/// What follows from a message, sent or received.
void SmcrPlayer::on_clc(Time now, PlayedConnection& connection, const wire::ClcMessage& message, bool own) {
    if (std::holds_alternative<wire::Decline>(message.body)) {
        connection.phase = Phase::plain;
        return;
    }
    const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    if (body == nullptr) return;
    const bool first = body->body.first_contact ||
                       (message.header.type == ClcType::confirm && connection.recorded.model.first_contact == true);
    if (first) links_.on_first_contact(now, body->body, own);
    (own ? connection.own : connection.peer) = body->body;
    const std::size_t link = links_.link_named(body->body, own);
    links_.on_rmb(link, body->body, own);
    if (own) connection.link = link;
}

// ---- LLC -----------------------------------------------------------------------------------------

void SmcrPlayer::on_llc_of_peer(Time now, std::size_t link, const Octets& octets) {
    const std::string channel = links_.channel_of(link), name = llc_name(octets);
    ++played_messages_;
    const bool known = script_.received(now, channel, name, octets).has_value();
    on_llc(now, link, octets, false);
    peer_leaves_ = peer_leaves_ || (!known && over_ && links_.all_deleted());
    if (!known) answer_unrecorded(now, link, channel + ": " + name, octets);
}

void SmcrPlayer::on_llc(Time now, std::size_t link, ByteView octets, bool own) {
    const wire::LlcMessage message = wire::parse_llc(octets, octets.size());
    links_.on_llc(now, link, message, own);
    if (!links_.all_deleted()) return;
    // The end of the link group is the end of its connections (RFC 7609, 3.5.4).
    for (const auto& connection : connections_)
        if (connection->phase == Phase::active && !connection->data->closed_sent()) {
            connection->now = now;
            connection->tcp.abort(now);
            connection->phase = Phase::over;
        }
}

/// So that the peer can go on: what can be echoed is, and a link that was not recorded is rejected.
void SmcrPlayer::answer_unrecorded(Time now, std::size_t link, const std::string& what, const Octets& octets) {
    wire::LlcMessage message = wire::parse_llc(octets, octets.size());
    if (message.is_reply()) return note(what + " was not recorded");
    const bool answered = std::visit([this](auto& body) { return make_answer(body, played_); }, message.body);
    if (!answered) return note(what + " was not recorded; it is not answered");
    note(what + " was not recorded; it is answered");
    make_answer(message);
    Octets answer = wire::build(message);
    answer.resize(wire::llc_size);
    links_.send(now, link, answer, "not in the recording");
    on_llc(now, link, answer, true);
}

}  // namespace fabricscope::replay::smcr
