// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of several interfaces or hosts are not always in order of time: the traffic of a link or a
// connection may be met before the message that announces it. Such traffic waits a little instead of
// being taken for something that began before the capture.
#include "analyzer/engine/smcr/link_groups.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr Time kPatience = 2 * capture::second;
constexpr std::size_t kMaxWaiting = 1024;

/// CONFIRM LINK is the first message on a new link, so its announcement cannot be long ago or far off.
bool begins_link(const capture::Packet& packet) {
    if (!wire::looks_like_llc(packet.ib.payload, packet.ib.payload_length)) return false;
    return wire::parse_llc(packet.ib.payload, packet.ib.payload_length).type() == wire::LlcType::confirm_link;
}

}  // namespace

/// Whether the packet begins a link, or goes between two ports where one has just begun.
bool LinkGroups::awaits_link(const capture::Packet& packet) const {
    if (waiting_packets_.size() >= kMaxWaiting) return false;
    for (const WaitingPacket& waiting : waiting_packets_) {
        const bool there = waiting.packet.source == packet.source && waiting.packet.destination == packet.destination;
        const bool back = waiting.packet.source == packet.destination && waiting.packet.destination == packet.source;
        if (there || back) return true;
    }
    return packet.ib.opcode().operation == ib::Operation::send && begins_link(packet);
}

void LinkGroups::hold(const capture::Packet& packet) {
    waiting_packets_.push_back({packet, {packet.ib.payload.begin(), packet.ib.payload.end()}});
    WaitingPacket& waiting = waiting_packets_.back();
    waiting.packet.ib.payload = waiting.payload;
    if (packet.ib.opcode().operation != ib::Operation::send) return;
    FrameFacts facts;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.message = packet.ib.payload;
    facts.message_length = packet.ib.payload_length;
    if (wire::looks_like_cdc(facts.message, facts.message_length)) facts.what = FrameFacts::What::cdc;
    else if (wire::looks_like_llc(facts.message, facts.message_length)) facts.what = FrameFacts::What::llc;
    else return;
    tell(facts);
}

// The group was captured from its start, so the connection was not made before: its CLC messages are
// still to come.
void LinkGroups::hold(const Arrival& a, ByteView cdc) { hold({a, *a.packet, {cdc.begin(), cdc.end()}, {}, 0, 0}); }

void LinkGroups::hold(const Arrival& a, const Flow::Write& write, std::uint32_t rkey, std::uint64_t address) {
    hold({a, *a.packet, {write.octets.begin(), write.octets.end()}, write, rkey, address});
}

void LinkGroups::hold(WaitingData data) {
    if (waiting_data_.size() >= kMaxWaiting) waiting_data_.pop_front();
    waiting_data_.push_back(std::move(data));
}

bool LinkGroups::overdue(Time since) const { return now_ - since > kPatience; }

void LinkGroups::admit() {
    if (admitting_) return;
    const bool impatient = (!waiting_packets_.empty() && overdue(waiting_packets_.front().packet.time)) ||
                           (!waiting_data_.empty() && overdue(waiting_data_.front().packet.time));
    if (!something_new_ && !impatient) return;
    something_new_ = false;
    admitting_ = true;
    admit_packets();
    admit_data();
    admitting_ = false;
}

void LinkGroups::admit_packets() {
    std::deque<WaitingPacket> waiting;
    waiting.swap(waiting_packets_);
    for (WaitingPacket& entry : waiting) {
        if (deliver(entry.packet)) continue;
        if (overdue(entry.packet.time)) on_unknown(entry.packet);
        else waiting_packets_.push_back(std::move(entry));
    }
    for (WaitingPacket& entry : waiting_packets_) entry.packet.ib.payload = entry.payload;
}

void LinkGroups::admit_data() {
    std::deque<WaitingData> waiting;
    waiting.swap(waiting_data_);
    for (WaitingData& entry : waiting)
        if (!admit(entry)) waiting_data_.push_back(std::move(entry));
}

/// Whether the entry need not wait any longer.
bool LinkGroups::admit(WaitingData& waiting) {
    Arrival& a = waiting.arrival;
    FrameFacts facts;
    facts.frame = waiting.packet.number;
    facts.time = waiting.packet.time;
    facts.link = link(a).number;
    facts.from = a.from;
    a.packet = &waiting.packet;
    a.facts = &facts;
    return waiting.write ? admit_write(a, waiting) : admit_cdc(a, waiting.octets);
}

/// Between ACCEPT and CONFIRM a connection is known but cannot take data yet.
bool LinkGroups::takes_data(std::uint32_t connection) {
    if (connection == 0) return false;
    const Connection& c = *sessions_.at(connection).connection;
    return c.midstream || c.setup.confirm;
}

bool LinkGroups::admit_write(Arrival& a, WaitingData& waiting) {
    const WriteTarget target = target_of(a, waiting.rkey, waiting.address);
    if (target.connection == 0) return overdue(a.packet->time);
    if (!takes_data(target.connection) && !overdue(a.packet->time)) return false;
    waiting.write->octets = waiting.octets;
    waiting.write->offset = target.offset;
    use_write(a, target.connection, *waiting.write);
    return true;
}

bool LinkGroups::admit_cdc(Arrival& a, ByteView message) {
    wire::Cdc cdc;
    layout::parse_into(cdc, message);
    const std::uint32_t connection = connection_of_token(a, cdc.alert_token);
    if (!takes_data(connection) && !overdue(a.packet->time)) return false;
    Session* session = connection != 0 ? &sessions_.at(connection) : half_session(a, cdc);
    if (session != nullptr) use_cdc(a, *session, cdc);
    return true;
}

}  // namespace fabricscope::engine::smcr
