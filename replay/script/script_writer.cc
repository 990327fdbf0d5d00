// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/script/script_writer.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>

#include "capture/packet.h"
#include "protocols/smcr/tcp_option.h"
#include "replay/engine/field_values.h"
#include "replay/synth/message_channels.h"
#include "replay/synth/message_kinds.h"

namespace fabricscope::replay {

namespace {

using capture::Packet;
using capture::Transport;
using engine::other;
using synth::PairChannel;
using synth::TcpChannel;

constexpr std::size_t line_length = 140;
constexpr std::array<std::uint32_t, 5> mtus{256, 512, 1024, 2048, 4096};

struct Host {
    std::string name;
    Mac mac;
    capture::Address address;
    std::uint16_t vlan = 0;
};

/// What TCP connections and pairs of queue pairs have in common.
struct Counted {
    std::string name;
    PerSide<std::size_t> hosts;
    PerSide<std::uint32_t> end;                     ///< ports, QPNs
    PerSide<std::optional<std::uint32_t>> first{};  ///< sequence numbers, PSNs
    synth::IpCounter ip{};
};

struct Tcp : Counted {
    std::optional<TcpChannel> channel{};
};

struct Pair : Counted {
    std::uint32_t mtu = 0;  ///< of the longest packet
    capture::IbCarrier carrier{};
    std::optional<PairChannel> channel{};
};

struct Fc {
    std::string name;
    PerSide<std::size_t> hosts;
};

/// Words of a line, which is broken where it gets too long.
class LineText {
public:
    explicit LineText(std::string begin) : text_(std::move(begin)), length_(text_.size()) {}

    void word(const std::string& word) {
        if (length_ + word.size() > line_length && length_ > 20) {
            text_ += " \\\n        ";
            length_ = 8;
        }
        text_ += ' ' + word;
        length_ += word.size() + 1;
    }
    void value(const std::string& name, const std::string& value) {
        const bool quoted = value.find_first_of(" #\t") != std::string::npos;
        word(quoted ? fmt::format("{}=\"{}\"", name, value) : fmt::format("{}={}", name, value));
    }
    void values(const std::vector<Assignment>& assignments) {
        for (const Assignment& one : assignments) value(one.name, one.text);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    std::size_t length_;
};

/// "12.345us": to the nanosecond.
std::string time_text(capture::Time time) {
    const auto [unit, name] = time < capture::microsecond   ? std::pair(capture::Time{1}, "ns")
                              : time < capture::millisecond ? std::pair(capture::microsecond, "us")
                              : time < capture::second      ? std::pair(capture::millisecond, "ms")
                                                            : std::pair(capture::second, "s");
    std::string text = fmt::format("{}", time / unit);
    if (time % unit != 0) {
        std::string digits = fmt::format("{}", unit + time % unit).substr(1);
        digits.erase(digits.find_last_not_of('0') + 1);
        text += '.' + digits;
    }
    return text + name;
}

std::string address_text(const capture::Address& address) { return short_text(Gid{address.bytes}); }

class Writer {
public:
    Writer(const std::vector<KeptFrame>& frames, const SessionFrames& session) : session_(session) {
        packets_.reserve(frames.size());
        for (const KeptFrame& kept : frames) {
            capture::Frame frame = kept.frame;
            frame.data = kept.octets;
            const Packet packet = capture::decode(frame);
            if (packet.state != capture::DecodeState::ok || packet.transport == Transport::none ||
                packet.transport == Transport::udp)
                throw NotWritable(fmt::format("frame {} is not decoded to its end", packet.number));
            if (packet.captured_length < packet.wire_length)
                throw NotWritable(fmt::format("frame {} was not captured whole", packet.number));
            packets_.push_back({packet, kept.from, frame.link, kept.octets});
        }
    }

    void write(std::ostream& out, const std::string& title) {
        for (Item& item : packets_) survey(item);
        fmt::print(
            out,
            "title    {}\nprotocol messages\n\nlink     delay=0us processing=0us megabits=0\ncapture  at=network\n\n",
            title);
        for (const Host& host : hosts_) write_host(out, host);
        for (Tcp& tcp : tcp_) write_tcp(out, tcp);
        for (Pair& pair : pairs_) write_pair(out, pair);
        for (const Fc& fc : fc_) write_fc(out, fc);
        out << '\n';
        std::optional<capture::Time> before;
        for (const Item& item : packets_) {
            // Several files of a merged timeline may be a little out of order.
            const capture::Time after = before ? std::max<capture::Time>(item.packet.time - *before, 0) : 0;
            before = std::max(before.value_or(item.packet.time), item.packet.time);
            switch (item.packet.transport) {
                case Transport::tcp: write_segment(out, item, after); break;
                case Transport::ib: write_ib(out, item, after); break;
                default: write_frame(out, item, after);
            }
        }
    }

private:
    struct Item {
        Packet packet;
        std::optional<Side> from;
        capture::LinkType link{};
        ByteView octets;
        std::size_t channel = 0;
    };

    // ---- who speaks over what ----

    std::size_t host_of(const Mac& mac, const capture::Address& address, std::uint16_t vlan, Side side) {
        const auto known = std::ranges::find_if(
            hosts_, [&](const Host& host) { return host.mac == mac && host.address == address && host.vlan == vlan; });
        if (known != hosts_.end()) return static_cast<std::size_t>(known - hosts_.begin());
        const std::size_t count = ++host_counts_[side];
        std::string name = engine::name_of(side);
        if (count > 1) name += fmt::format("-{}", count);
        hosts_.push_back({std::move(name), mac, address, vlan});
        return hosts_.size() - 1;
    }

    PerSide<std::size_t> hosts_of(const Item& item) {
        const Packet& packet = item.packet;
        PerSide<std::size_t> hosts;
        // In order of names: the client's host is named first.
        for (const Side side : {Side::client, Side::server}) {
            const bool sender = side == item.from;
            hosts[side] = host_of(
                sender ? packet.source_mac : packet.destination_mac, sender ? packet.source : packet.destination,
                packet.vlan, side);
        }
        return hosts;
    }

    struct Sender {
        Side side;
        std::uint32_t qpn;
    };
    /// Which of the queue pairs that are known has sent it.
    std::optional<Sender> sender_of(const Packet& packet) const {
        if (packet.transport != Transport::ib) return std::nullopt;
        for (const ConnectedPair& pair : session_.pairs)
            for (const Side side : {Side::client, Side::server})
                if (pair.qpn[other(side)] == packet.ib.bth.destination_qpn &&
                    pair.address[other(side)] == packet.destination && pair.address[side] == packet.source)
                    return Sender{side, pair.qpn[side]};
        return std::nullopt;
    }

    /// Who does not begin is known by its queue pair, or its address.
    Side side_of(const Item& item) const {
        if (item.from) return *item.from;
        if (const auto sender = sender_of(item.packet)) return sender->side;
        for (const Host& host : hosts_)
            if (host.address == item.packet.source)
                return host.name.starts_with("client") ? Side::client : Side::server;
        return Side::client;
    }

    void survey(Item& item) {
        item.from = side_of(item);
        switch (item.packet.transport) {
            case Transport::tcp: return survey_tcp(item);
            case Transport::ib: return survey_ib(item);
            default: return survey_fc(item);
        }
    }

    void survey_tcp(Item& item) {
        const capture::TcpSegment& segment = item.packet.tcp;
        const Side from = *item.from;
        PerSide<std::uint32_t> port;
        port[from] = segment.source_port;
        port[other(from)] = segment.destination_port;
        const PerSide<std::size_t> hosts = hosts_of(item);
        const auto known = std::ranges::find_if(
            tcp_, [&](const Tcp& tcp) { return tcp.hosts.values == hosts.values && tcp.end.values == port.values; });
        item.channel = static_cast<std::size_t>(known - tcp_.begin());
        if (known == tcp_.end()) tcp_.push_back({{fmt::format("tcp-{}", tcp_.size() + 1), hosts, port}});
        auto& first = tcp_[item.channel].first[from];
        if (!first) first = segment.sequence;
    }

    void survey_ib(Item& item) {
        const Packet& packet = item.packet;
        if (packet.ib.carrier == capture::IbCarrier::native)
            throw NotWritable(fmt::format("frame {} is one of InfiniBand links; scripts have RoCE", packet.number));
        const Side from = *item.from;
        const std::uint32_t destination = packet.ib.bth.destination_qpn;
        const PerSide<std::size_t> hosts = hosts_of(item);
        PerSide<std::uint32_t> qpn;
        qpn[other(from)] = destination;
        const auto sender = sender_of(packet);
        qpn[from] = packet.ib.has_deth ? packet.ib.deth.source_qpn : sender ? sender->qpn : 0;
        const auto known = std::ranges::find_if(pairs_, [&](const Pair& pair) {
            return pair.hosts.values == hosts.values && pair.end[other(from)] == destination &&
                   (pair.end[from] == qpn[from] || qpn[from] == 0) && pair.carrier == packet.ib.carrier;
        });
        item.channel = static_cast<std::size_t>(known - pairs_.begin());
        if (known == pairs_.end())
            pairs_.push_back({{fmt::format("pair-{}", pairs_.size() + 1), hosts, qpn}, 0, packet.ib.carrier});
        Pair& pair = pairs_[item.channel];
        const ib::OpcodeInfo& opcode = packet.ib.opcode();
        if (!ib::is_response(opcode.operation) && !pair.first[from]) pair.first[from] = packet.ib.bth.psn;
        if (opcode.position == ib::Position::first || opcode.position == ib::Position::middle)
            pair.mtu = std::max(pair.mtu, packet.ib.payload_length);
    }

    void survey_fc(Item& item) {
        const capture::FcPacket& fc = *item.packet.fc;
        constexpr std::array carriers{
            capture::FcCarrier::fc2, capture::FcCarrier::fc2_delimited, capture::FcCarrier::fcoe};
        if (std::ranges::find(carriers, fc.carrier) == carriers.end())
            throw NotWritable(
                fmt::format("frame {} is neither a Fibre Channel frame as it is nor FCoE", item.packet.number));
        if (!fc.frame.extended_headers.empty() || fc.frame.optional_headers.size() != fc.frame.device_header().size())
            throw NotWritable(fmt::format("frame {} has headers that scripts do not have", item.packet.number));
        Packet& packet = item.packet;
        packet.source = packet.destination = {};
        const PerSide<std::size_t> hosts = hosts_of_fc(item);
        const auto known = std::ranges::find_if(fc_, [&](const Fc& one) { return one.hosts.values == hosts.values; });
        item.channel = static_cast<std::size_t>(known - fc_.begin());
        if (known == fc_.end()) fc_.push_back({fmt::format("fc-{}", fc_.size() + 1), hosts});
    }

    /// Frames with their delimiters have no addresses but their N_Port_IDs: there are two hosts.
    PerSide<std::size_t> hosts_of_fc(const Item& item) {
        if (item.packet.fc->carrier == capture::FcCarrier::fcoe) return hosts_of(item);
        over_fibre_ = true;
        if (hosts_.empty()) hosts_ = {{"client", {}, {}}, {"server", {}, {}}};
        return {{0, 1}};
    }

    // ---- declarations ----

    void write_host(std::ostream& out, const Host& host) const {
        LineText line("host     " + host.name);
        if (!over_fibre_) line.value("mac", to_string(host.mac));
        if (host.address.kind != capture::Address::Kind::none) line.value("ip", address_text(host.address));
        if (host.vlan != 0) line.value("vlan", fmt::format("{}", host.vlan));
        out << line.text() << '\n';
    }

    void put_hosts(LineText& line, const PerSide<std::size_t>& hosts) const {
        for (const Side side : {Side::client, Side::server})
            if (const std::string& name = hosts_[hosts[side]].name; name != engine::name_of(side))
                line.value(engine::name_of(side), name);
    }

    /// Returns at which number each side begins.
    PerSide<std::uint32_t> put_ends(
        LineText& line, const Counted& one, std::string_view end, std::string_view number) const {
        put_hosts(line, one.hosts);
        PerSide<std::uint32_t> first;
        for (const Side side : {Side::client, Side::server}) {
            first[side] = one.first[side].value_or(0);
            line.value(fmt::format("{}-{}", engine::name_of(side), end), fmt::format("{}", one.end[side]));
            line.value(fmt::format("{}-{}", engine::name_of(side), number), fmt::format("{}", first[side]));
        }
        return first;
    }

    void write_tcp(std::ostream& out, Tcp& tcp) const {
        LineText line("tcp      " + tcp.name);
        tcp.channel.emplace(put_ends(line, tcp, "port", "isn"));
        out << line.text() << '\n';
    }

    void write_pair(std::ostream& out, Pair& pair) const {
        LineText line("pair     " + pair.name);
        const auto enough = std::ranges::find_if(mtus, [&](std::uint32_t one) { return one >= pair.mtu; });
        const std::uint32_t mtu = pair.mtu == 0 ? 1024 : enough == mtus.end() ? mtus.back() : *enough;
        pair.channel.emplace(put_ends(line, pair, "qpn", "psn"), mtu);
        line.value("mtu", fmt::format("{}", pair.channel->mtu()));
        if (pair.carrier == capture::IbCarrier::roce_v1) line.value("carrier", "roce-v1");
        out << line.text() << '\n';
    }

    void write_fc(std::ostream& out, const Fc& fc) const {
        LineText line("fc       " + fc.name);
        put_hosts(line, fc.hosts);
        line.value("over", over_fibre_ ? "fibre" : "fcoe");
        if (is_draft()) line.value("fcvi", "1.0");
        out << line.text() << '\n';
    }

    // ---- messages ----

    static LineText begin_line(
        const Item& item, const std::string& kind, const std::string& channel, capture::Time after) {
        const bool quoted = kind.find(' ') != std::string::npos;
        LineText line(fmt::format("message  {} {}", engine::name_of(*item.from), quoted ? '"' + kind + '"' : kind));
        line.value("over", channel);
        if (after != 0) line.value("after", time_text(after));
        return line;
    }

    static void end_line(std::ostream& out, const LineText& line, const Item& item) {
        fmt::print(out, "{}  # frame {}\n", line.text(), item.packet.number);
    }

    /// Of the IP header.
    static void put_ip(LineText& line, const Item& item, synth::IpCounter& counter) {
        const Packet& packet = item.packet;
        if (packet.traffic_class != 0) line.value("traffic-class", fmt::format("{}", packet.traffic_class));
        if (packet.source.kind != capture::Address::Kind::ipv4) return;
        const auto identification = static_cast<std::uint16_t>(packet.ip_identification);
        if (identification != counter.next(*item.from)) line.value("ip-id", fmt::format("{}", identification));
        counter.sent(*item.from, identification);
    }

    /// A payload that is one of the messages, as its fields; another one as octets.
    static void put_body(LineText& line, const synth::MessageKind& kind, ByteView payload) {
        if (!kind.fields) {
            if (!payload.empty()) line.value("payload", text_of_octets(payload));
            return;
        }
        if (payload.size() != kind.length) line.value("length", fmt::format("{}", payload.size()));
        line.values(assignments_of(payload, kind.fields, kind.defaults));
    }

    void write_segment(std::ostream& out, const Item& item, capture::Time after) {
        Tcp& tcp = tcp_[item.channel];
        const capture::TcpSegment& segment = item.packet.tcp;
        const std::string name = synth::kind_of(item.packet);
        const synth::MessageKind kind = *synth::message_kind(name);
        LineText line = begin_line(item, name, tcp.name, after);
        if (segment.flags != kind.code) line.value("flags", fmt::format("0x{:02x}", segment.flags));
        const synth::TcpNumbers usual = tcp.channel->next(*item.from, segment.flags);
        if (segment.sequence != usual.sequence) line.value("seq", fmt::format("{}", segment.sequence));
        if (segment.acknowledgment != usual.acknowledgment)
            line.value("ack", fmt::format("{}", segment.acknowledgment));
        if (segment.window != usual.window) line.value("window", fmt::format("{}", segment.window));
        if (segment.has(capture::syn)) put_options(line, segment.options);
        put_ip(line, item, tcp.ip);
        put_body(line, kind, segment.payload);
        tcp.channel->sent(
            *item.from, {segment.sequence, segment.acknowledgment, segment.window}, segment.flags,
            segment.payload.size());
        end_line(out, line, item);
    }

    /// Of the options only that of SMC says something here.
    static void put_options(LineText& line, ByteView options) {
        const auto smc = smcr::find_tcp_option(options);
        if (!smc) return;
        if (layout::octets_of(*smc) == layout::octets_of(smcr::TcpOption{})) line.value("smc", "yes");
        else line.value("options", text_of_octets(options));
    }

    void write_ib(std::ostream& out, const Item& item, capture::Time after) {
        Pair& pair = pairs_[item.channel];
        const capture::IbPacket& packet = item.packet.ib;
        const std::string name = synth::kind_of(item.packet);
        const std::optional<synth::MessageKind> kind = synth::message_kind(name);
        if (!kind) throw NotWritable(fmt::format("frame {} has an opcode without a name", item.packet.number));
        LineText line = begin_line(item, name, pair.name, after);
        put_ip(line, item, pair.ip);
        if (!capture::icrc_is_good(item.packet).value_or(true)) line.value("icrc", "wrong");
        Octets headers(
            item.octets.begin() + packet.bth_offset,
            item.octets.begin() + packet.bth_offset +
                static_cast<std::ptrdiff_t>(synth::transport_length(packet.bth.opcode)));
        constexpr std::size_t pad_count_at = 1;
        constexpr std::uint8_t pad_count_mask = 0x30;
        headers[pad_count_at] &= static_cast<std::uint8_t>(~pad_count_mask);  // follows from the payload
        line.values(assignments_of(
            headers, synth::transport_fields,
            synth::transport_defaults(*pair.channel, pair.end, *item.from, packet.bth.opcode)));
        const std::size_t end = packet.bth_offset + headers.size();
        if (packet.payload_offset > end)
            line.value("headers", text_of_octets(item.octets.subspan(end, packet.payload_offset - end)));
        put_body(line, *kind, packet.payload);
        const std::uint32_t read_length = packet.has_reth ? packet.reth.dma_length : 0;
        pair.channel->sent(*item.from, packet.bth.opcode, packet.bth.psn, read_length);
        end_line(out, line, item);
    }

    /// Revision 1.0 has Device_Headers of another size.
    bool is_draft() const {
        for (const Item& item : packets_) {
            if (!item.packet.fc || item.packet.fc->frame.header.type != fcvi::fc_type) continue;
            const ByteView header = item.packet.fc->frame.device_header();
            const auto iso = fcvi::parse_device_header(header, header.size(), fcvi::Version::iso);
            const fcvi::IuInfo* const iu = iso.error ? nullptr : iso.iu();
            if (iu == nullptr || iu->device_header != header.size()) return true;
        }
        return false;
    }

    void write_frame(std::ostream& out, const Item& item, capture::Time after) {
        const capture::FcPacket& fc = *item.packet.fc;
        LineText line = begin_line(item, "FC", fc_[item.channel].name, after);
        Octets message(fc.octets.begin(), fc.octets.end() - static_cast<std::ptrdiff_t>(fc.frame.fill.size()));
        fc::FrameHeader header = fc.frame.header;
        header.f_ctl.fill_bytes = 0;  // follows from the payload
        layout::build_into(header, std::span(message));
        if (message.size() != fc::frame_header_size) line.value("length", fmt::format("{}", message.size()));
        if (fc.sof != fc::Sof::none && fc.sof != synth::usual_sof_of(header)) line.value("sof", name_of(fc.sof));
        if (fc.eof != fc::Eof::none && fc.eof != synth::usual_eof_of(header)) line.value("eof", name_of(fc.eof));
        if (!capture::fc_crc_is_good(item.packet).value_or(true)) line.value("crc", "wrong");
        fibre_channel::IuContext context{is_draft() ? fcvi::Version::rev_1_0 : fcvi::Version::iso, 0};
        line.values(assignments_of(message, synth::fc_fields(context), {}));
        end_line(out, line, item);
    }

    const SessionFrames& session_;
    std::vector<Item> packets_;
    std::vector<Host> hosts_;
    PerSide<std::size_t> host_counts_{};
    std::vector<Tcp> tcp_;
    std::vector<Pair> pairs_;
    std::vector<Fc> fc_;
    bool over_fibre_ = false;
};

}  // namespace

void write_script(
    std::ostream& out, const std::string& title, const std::vector<KeptFrame>& frames, const SessionFrames& session) {
    Writer(frames, session).write(out, title);
}

}  // namespace fabricscope::replay
