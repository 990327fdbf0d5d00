// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/rdma_cm/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "replay/engine/ethernet_addresses.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/rdma_cm/recording.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace analysis = engine::rdma_cm;
using analysis::Connection;
using analysis::Outcome;
using analysis::Service;

/// Of messages, kept of all connections together.
constexpr std::size_t kept_bytes = std::size_t{1} << 29;

/// Assembles the messages of each connection as its packets come.
class Recorder final : public analysis::Observer {
public:
    struct Captured {
        ConversationAssembler assembler;
        std::vector<Message> messages;
        PerSide<std::optional<Gid>> gids;
        PerSide<Mac> macs;
        capture::IbCarrier carrier = capture::IbCarrier::none;
        bool complete = true;
    };

    void on_packet(const analysis::FrameFacts& facts, const capture::Packet& packet) override {
        Captured& connection = connections_[facts.connection];
        note_addresses(connection, facts.from, packet);
        messages_.clear();
        connection.assembler.feed(facts.from, packet, messages_);
        for (auto& [message, retransmitted] : messages_) {
            if (retransmitted) continue;
            bytes_ += message.octets.size();
            if (bytes_ > kept_bytes) connection.complete = false;
            else add(connection, facts, std::move(message));
        }
    }

    const Captured* find(std::uint32_t connection) const {
        const auto found = connections_.find(connection);
        return found == connections_.end() ? nullptr : &found->second;
    }

private:
    static void add(Captured& connection, const analysis::FrameFacts& facts, Message message) {
        if (facts.message && facts.request_frame != 0) {
            const auto request = std::ranges::find(connection.messages, facts.request_frame, &Message::frame);
            if (request != connection.messages.end() && request->from != message.from)
                message.answers = static_cast<std::size_t>(request - connection.messages.begin());
        }
        connection.messages.push_back(std::move(message));
    }

    static void note_addresses(Captured& connection, Side from, const capture::Packet& packet) {
        learn_addresses(connection.macs, from, packet);
        if (connection.gids[from]) return;
        connection.gids[from] = Gid{packet.source.bytes};
        if (!connection.gids[engine::other(from)]) connection.gids[engine::other(from)] = Gid{packet.destination.bytes};
        connection.carrier = packet.ib.carrier;
    }

    std::map<std::uint32_t, Captured> connections_;
    std::vector<ConversationMessage> messages_;
    std::size_t bytes_ = 0;
};

std::string session_name(const Connection& connection) { return fmt::format("cm-{}", connection.id); }

/// Whether a message is the CM message of that name.
auto is_cm(std::string_view name) {
    return [name](const Message& message) { return message.channel == cm_channel && message.name == name; };
}

/// Whether the client went on without one: else its REP was not answered.
bool lacks_rtu(const std::vector<Message>& messages) {
    const auto reply = std::ranges::find_if(messages, is_cm("REP"));
    const auto goes_on = [&](const Message& message) {
        return message.from == Side::client && (message.channel != cm_channel || message.name == "DREQ");
    };
    return std::ranges::none_of(messages, is_cm("RTU")) && std::any_of(reply, messages.end(), goes_on);
}

std::string obstacle_of(const Connection& connection, const Recorder::Captured* captured) {
    const bool was_cut = captured != nullptr && connection.req && !captured->assembler.obstacle().empty();
    const bool nothing_captured = captured == nullptr || captured->messages.empty();
    if (nothing_captured || !connection.req || connection.req->frame != captured->messages.front().frame)
        return was_cut ? captured->assembler.obstacle() : "its beginning was not captured";
    if (captured->assembler.reply() == nullptr &&
        std::ranges::find(captured->messages, "RTU", &Message::name) != captured->messages.end())
        return "the REP was not captured, which names the server's queue pair";
    if (lacks_rtu(captured->messages)) return "the RTU was not captured";
    if (connection.merged || connection.peer_to_peer) return "both sides asked for it, peer to peer";
    if (connection.service == Service::rd || connection.service == Service::unknown)
        return fmt::format("its transport service is {}", name_of(connection.service));
    if (!captured->complete) return "there is too much of it to keep";
    if (captured->carrier == capture::IbCarrier::native)
        return "it was recorded on InfiniBand links, and RoCE is played";
    if (!captured->assembler.complete() && connection.service == Service::uc)
        return "a packet of its data was lost or not captured, and nobody sends it again";
    if (!captured->assembler.complete()) return "a packet of its data was not captured";
    return captured->assembler.obstacle();
}

std::string rejection_text(const analysis::RejectSeen& reject) {
    std::string text = fmt::format("by the {}: {}", name_of(reject.by), reject.reason);
    if (const char* name = reject.name(); name != nullptr) text += fmt::format(" ({})", name);
    if (!reject.information) return text;
    text += fmt::format(", layer {}", reject.information->layer);
    if (!reject.information->code) return text;
    const char* const code = reject.information->code_name();
    return text +
           fmt::format(", code {}{}", *reject.information->code, code != nullptr ? fmt::format(" ({})", code) : "");
}

std::vector<Fact> facts_of(const Connection& connection) {
    const std::string about = "connection";
    std::vector<Fact> facts{
        {about, "service", name_of(connection.service)}, {about, "outcome", name_of(connection.outcome)}};
    if (connection.reject) facts.push_back({about, "rejected", rejection_text(*connection.reject)});
    if (connection.apr_status)
        facts.push_back({about, "alternate path", fmt::format("status {}", *connection.apr_status)});
    if (connection.both_disconnect) facts.push_back({about, "disconnected by", "both", true});
    else if (connection.disconnected_by)
        facts.push_back({about, "disconnected by", name_of(*connection.disconnected_by), true});
    return facts;
}

/// DREQs that cross do not wait for each other: the second one is sent for what made its sender send the first.
void untangle_disconnects(std::vector<Message>& messages) {
    const auto is_dreq = is_cm("DREQ");
    const auto first = std::ranges::find_if(messages, is_dreq);
    if (first == messages.end() || first == messages.begin()) return;
    const auto second = std::find_if(first + 1, messages.end(), [&](const Message& message) {
        return is_dreq(message) && message.from != first->from;
    });
    if (second != messages.end()) second->answers = static_cast<std::size_t>(first - messages.begin()) - 1;
}

/// Whoever is there answers a DREQ (IBA 12.6.10). A DREP whose DREQ was not captured has no place in a run.
void settle_end(Conversation& conversation) {
    auto& messages = conversation.messages;
    const auto end = std::ranges::find_if(messages, is_cm("DREQ"));
    if (end == messages.end()) {
        std::erase_if(messages, is_cm("DREP"));
    } else if (std::none_of(end, messages.end(), is_cm("DREP"))) {
        conversation.causes.push_back(
            {.about = cm_channel,
             .frame = end->frame,
             .text = "the DREQ was not answered when it was recorded, or its answer was not captured; here the other "
                     "side is there",
             .only = "DREP",
             .not_captured = true});
    }
}

/// Responses come in the requests' order (IBA 9.7.5.1.1): one that is missing was not captured, or nobody was there.
void tell_missing_responses(Conversation& conversation, const ConversationAssembler& assembler) {
    if (!assembler.lacks_responses()) return;
    conversation.causes.push_back(
        {.frame = 0,
         .text =
             "a READ or an atomic operation was not answered when it was recorded, or its response was not captured",
         .only = "response",
         .not_captured = true});
}

Recording recording_of(const engine::Engine& engine, const Connection& connection, const Recorder::Captured& captured) {
    Recording recording;
    recording.obstacle = obstacle_of(connection, &captured);
    recording.carrier = captured.carrier;
    recording.assembler = captured.assembler;
    recording.timed_out = connection.outcome == Outcome::timeout;
    PerSide<Mac> macs = captured.macs;
    complete_addresses(macs);
    for (const Side side : {Side::client, Side::server})
        recording.addresses[side] = {macs[side], captured.gids[side].value_or(Gid{})};
    Conversation& conversation = recording.conversation;
    conversation.session = session_name(connection);
    conversation.messages = captured.messages;
    conversation.complete = captured.complete && captured.assembler.complete();
    find_embedded_names(conversation.messages);
    untangle_disconnects(conversation.messages);
    settle_end(conversation);
    tell_missing_responses(conversation, recording.assembler);
    conversation.facts = facts_of(connection);
    for (const engine::Finding* finding : engine.findings())
        if (finding->session == conversation.session) conversation.findings.push_back(*finding);
    return recording;
}

std::string about(const Connection& connection) {
    std::string text;
    if (connection.client && connection.server)
        text = to_string(*connection.client) + " > " + to_string(*connection.server);
    else
        text = to_string(connection.end[Side::client].address) + " > " +
               to_string(connection.end[Side::server].address);
    return text + fmt::format(", {}, {}", name_of(connection.service), name_of(connection.outcome));
}

class CmReader final : public Reader {
public:
    void prepare(engine::Options& options, engine::Observers& observers) override {
        options.rdma_cm = true;
        observers.rdma_cm = &recorder_;
    }

    std::vector<SessionInfo> sessions(const engine::Engine& engine) const override {
        std::vector<SessionInfo> sessions;
        for (const Connection& connection : engine.rdma_cm().connections)
            sessions.push_back(
                {.id = session_name(connection),
                 .kind = connection.service == Service::ud ? "RDMA CM service resolution" : "RDMA CM connection",
                 .about = about(connection),
                 .first_frame = connection.first_frame,
                 .obstacle = obstacle_of(connection, recorder_.find(connection.id))});
        return sessions;
    }

    std::unique_ptr<Session> session(const engine::Engine& engine, std::string_view id) const override {
        for (const Connection& connection : engine.rdma_cm().connections)
            if (session_name(connection) == id) return session(engine, connection);
        return nullptr;
    }

    std::unique_ptr<Session> session_like(const engine::Engine& engine, const Conversation&) const override {
        const auto& connections = engine.rdma_cm().connections;
        return connections.empty() ? nullptr : session(engine, connections.front());
    }

private:
    std::unique_ptr<Session> session(const engine::Engine& engine, const Connection& connection) const {
        const Recorder::Captured* captured = recorder_.find(connection.id);
        if (captured == nullptr) return nullptr;
        return std::make_unique<CmSession>(recording_of(engine, connection, *captured));
    }

    Recorder recorder_;
};

}  // namespace

void CmSession::check() const {
    if (!recording_.obstacle.empty())
        throw NotPlayable(recording_.conversation.session + " cannot be replayed: " + recording_.obstacle);
}

AttachedPlayer CmSession::player(Side played, const PlayOptions& options) const {
    check();
    return make_player(recording_, played, options);
}

AttachedEndpoint CmSession::emulated(Side side, const std::string& profile) const {
    check();
    return make_emulated(recording_, side, profile);
}

std::unique_ptr<Reader> make_reader() { return std::make_unique<CmReader>(); }

}  // namespace fabricscope::replay::rdma_cm
