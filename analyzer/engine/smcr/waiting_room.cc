// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of several interfaces or hosts are not always in order of time: the traffic of a link or a
// connection may be met before the message that announces it. Such traffic waits a little instead of
// being taken for something that began before the capture.
#include "analyzer/engine/smcr/doubt.h"
#include "analyzer/engine/smcr/link_groups.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr Time kPatience = 2 * capture::second;
constexpr std::size_t kMaxWaiting = 1024;

}  // namespace

/// Whether the packet begins a link, or goes between two ports where one has just begun.
bool LinkGroups::awaits_link(const capture::Packet& packet) const {
    if (waiting_packets_.size() >= kMaxWaiting) return false;
    for (const WaitingPacket& waiting : waiting_packets_) {
        const bool there = waiting.packet.source == packet.source && waiting.packet.destination == packet.destination;
        const bool back = waiting.packet.source == packet.destination && waiting.packet.destination == packet.source;
        if (there || back) return true;
    }
    return begins_link(packet);  // so that its announcement cannot be long ago or far off
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
void LinkGroups::hold(const Arrival& a, ByteView message, const wire::Cdc& cdc) {
    WaitingData data{a, *a.packet, {message.begin(), message.end()}, {}, 0, 0};
    data.meant = connection_meant(a, cdc);
    hold(std::move(data));
}

/// The one connection whose latest WRITE ends where the message's producer cursor points, and of which
/// it could be the next message.
std::uint32_t LinkGroups::connection_meant(const Arrival& a, const wire::Cdc& cdc) {
    constexpr std::size_t kLatest = 256;
    std::uint32_t meant = 0;
    const auto& connections = group(a.group).connections;
    for (std::size_t i = connections.size() - std::min(kLatest, connections.size()); i < connections.size(); ++i) {
        const Session& candidate = sessions_.at(connections[i]);
        const Sent& sent = candidate.sent[a.from];
        const Flow& flow = candidate.flow[a.from];
        const Motion motion = flow.producer_motion(cdc.producer);
        const bool fits = sent.written_frame != 0 && sequence_distance(sent.sequence, cdc.sequence) == 1 &&
                          motion.moved != 0 && motion.position == flow.frontier();
        if (!fits) continue;
        if (meant != 0) return 0;  // could be either
        meant = connections[i];
    }
    return meant;
}

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
    return waiting.write ? admit_write(a, waiting) : admit_cdc(a, waiting);
}

/// Between ACCEPT and CONFIRM a connection is known but cannot take data yet.
bool LinkGroups::takes_data(std::uint32_t connection) {
    if (connection == 0) return false;
    const Connection& c = *sessions_.at(connection).connection;
    return c.midstream || c.setup.confirm;
}

bool LinkGroups::admit_write(Arrival& a, WaitingData& waiting) {
    const WriteTarget target = target_of(a, waiting.rkey, waiting.address);
    if (target.connection == 0) {
        if (!overdue(a.packet->time)) return false;
        give_up(a, waiting.rkey, waiting.address);
        return true;
    }
    if (!takes_data(target.connection) && !overdue(a.packet->time)) return false;
    waiting.write->octets = waiting.octets;
    waiting.write->offset = target.offset;
    use_write(a, target.connection, *waiting.write);
    return true;
}

/// Nothing has announced the WRITE's RMB.
void LinkGroups::give_up(const Arrival& a, std::uint32_t rkey, std::uint64_t address) {
    const Side owner = other(a.from);
    const char* why = nullptr;
    if (a.history->gaps[owner] != 0) why = doubt::missing;
    if (state(a.group).llc_cut) why = doubt::llc_cut;
    if (finishing()) why = "the capture ended";
    transfer_rules_.on_lost_write(a, why_lost(a, rkey, address), rkey, why);
    ++a.history->gaps[a.from];  // it is missing where it belongs
}

bool LinkGroups::admit_cdc(Arrival& a, const WaitingData& waiting) {
    wire::Cdc cdc;
    layout::parse_into(cdc, waiting.octets);
    const std::uint32_t connection = connection_of_token(a, cdc.alert_token);
    if (!takes_data(connection) && !overdue(a.packet->time)) return false;
    if (connection == 0)
        transfer_rules_.on_lost_cdc(
            a, cdc, waiting.meant != 0 && !finishing() ? &sessions_.at(waiting.meant) : nullptr);
    Session* session = connection != 0 ? &sessions_.at(connection) : half_session(a, cdc);
    if (session != nullptr) use_cdc(a, *session, cdc);
    return true;
}

}  // namespace fabricscope::engine::smcr
