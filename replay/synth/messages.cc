// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <variant>

#include "protocols/builders/fc_frame_builder.h"
#include "protocols/builders/frame_builder.h"
#include "protocols/fc/encapsulation.h"
#include "protocols/net/headers.h"
#include "protocols/smcr/tcp_option.h"
#include "replay/synth/message_kinds.h"
#include "replay/synth/message_names.h"
#include "replay/synth/vlan.h"
#include "replay/synth/world.h"

namespace fabricscope::synth {
namespace {

using engine::other;
using replay::Assignment;
using replay::Tolerance;
using stack::Octets;

constexpr const char* transport_prefix = "infiniband.";
constexpr const char* payload_word = "payload";
constexpr std::uint16_t most_segment = 1460;
constexpr std::size_t most_ip_octets = 65'535;

/// Sends what it was given, when it was told to, and answers nothing.
class Director final : public stack::Endpoint {
public:
    void on_frame(Time, std::size_t, ByteView) override {}
    void on_timer(Time now) override { now_ = now; }
    Time wakeup() const override { return planned_.empty() ? stack::never : planned_.front().first; }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        frames.clear();
        for (; !planned_.empty() && planned_.front().first <= now_; planned_.pop_front())
            frames.push_back(std::move(planned_.front().second));
    }

    /// In order of time.
    void plan(Time time, stack::OutgoingFrame frame) { planned_.emplace_back(time, std::move(frame)); }

private:
    Time now_ = 0;
    std::deque<std::pair<Time, stack::OutgoingFrame>> planned_;
};

struct NamedHost {
    Mac mac;
    Gid ip;
    std::optional<std::uint16_t> vlan;
    std::size_t port = 0;
};

struct Tcp {
    PerSide<std::uint16_t> port;
    TcpChannel channel;
};
struct Pair {
    PerSide<std::uint32_t> qpn;
    PairChannel channel;
    builders::RoceVersion version;
};
struct Fc {
    fcvi::Version version;
};

struct Channel {
    PerSide<const NamedHost*> hosts;
    std::variant<Tcp, Pair, Fc> what;
    IpCounter ip{};
};

/// What one line says, before it is a frame.
struct MessageLine {
    const Statement& statement;
    Side from;
    MessageKind kind;
    Channel* channel = nullptr;
    std::vector<Assignment> transport, body;

    const NamedHost& source() const { return *channel->hosts[from]; }
    const NamedHost& destination() const { return *channel->hosts[other(from)]; }
};

/// "5..10": from the one to the other; "5?": 5, or anything else. The text loses what is not the value.
std::optional<Tolerance> extract_tolerance(const std::string& name, std::string& text) {
    const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        const bool hex = digits.starts_with("0x");
        if (hex) digits.remove_prefix(2);
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
        return error == std::errc() && stop == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
    };
    if (text.size() > 1 && text.ends_with('?')) {
        text.pop_back();
        return Tolerance{name, {}, {}};
    }
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) return std::nullopt;
    const auto low = number(std::string_view(text).substr(0, dots)),
               high = number(std::string_view(text).substr(dots + 2));
    if (!low || !high || *low > *high) return std::nullopt;
    text.resize(dots);
    return Tolerance{name, low, high};
}

/// What a line may say besides fields of its message.
const std::set<std::string>& line_words() {
    static const std::set<std::string> words{
        "after", "at",    "over",    "note", "within",     "length",   "hops",    "traffic-class",
        "ip-id", "flags", "seq",     "ack",  "window",     "checksum", "options", "mss",
        "smc",   "icrc",  "headers", "crc",  payload_word, "sof",      "eof",     "answers"};
    return words;
}

bool is_fc2(const Scenario& scenario) {
    return std::ranges::any_of(scenario.statements, [](const Statement& statement) {
        return statement.word() == "fc" && statement.text("over", "fibre") == "fibre";
    });
}

MessageNames names_for(bool fc2) {
    if (!fc2) return ethernet_messages();
    return fc_messages([](ByteView frame) { return fc_message_name(frame, capture::LinkType::fc2_with_delimiters); });
}

class Composer {
public:
    Composer(const Scenario& scenario, std::vector<Composed>* composed)
        : fc2_(is_fc2(scenario)),
          composed_(composed),
          world_(scenario, names_for(fc2_), [this](const Statement& statement) { read(statement); }) {}

    Recording run() {
        for (const auto& [name, host] : hosts_) names_[host.port] = name;
        for (const auto& [port, name] : names_) attach(name, hosts_.at(name));
        for (auto& [time, frame] : frames_) director_.plan(world_.start() + time, std::move(frame));
        return world_.run();
    }

private:
    void attach(const std::string& name, const NamedHost& host) {
        const PortNameText text{name, short_text(host.ip)};
        if (!fc2_) {
            world_.attach(
                director_, host.port, host.mac,
                {name, fmt::format("eth{}", host.port), text.first + ", " + text.second});
            return;
        }
        world_.attach(director_, host.port, capture::LinkType::fc2_with_delimiters, {name, "fc0", name});
        if (hosts_.size() > 2) throw ScenarioError("frames with their delimiters go between two hosts only");
        world_.fabric().set_routing(
            [](stack::PortId from, ByteView) { return std::optional<stack::PortId>(1 - from); });
    }
    using PortNameText = std::pair<std::string, std::string>;

    void read(const Statement& statement) {
        if (statement.word() == "host") read_host(statement);
        else if (statement.word() == "tcp") add(statement, read_tcp(statement));
        else if (statement.word() == "pair") add(statement, read_pair(statement));
        else if (statement.word() == "fc") add(statement, read_fc(statement));
        else if (statement.word() == "message") read_message(statement);
        else if (statement.word() == "wait") now_ += statement.time("time", 0);
        else statement.fail("this word is not known here");
    }

    // ---- hosts and channels ----

    static const std::string& name_of(const Statement& statement) {
        if (statement.words().size() != 1) statement.fail("one name is wanted behind it");
        return statement.words().front();
    }

    void read_host(const Statement& statement) {
        NamedHost host;
        const auto mac = replay::mac_from_text(statement.text("mac", "00:00:5e:00:53:00"));
        const auto ip = replay::gid_from_text(statement.text("ip", "0.0.0.0"));
        if (!mac) statement.fail("mac= is not a MAC address, as 00:00:5e:00:53:0a");
        if (!ip) statement.fail("ip= is not an IP address, as 192.0.2.10");
        host.mac = *mac;
        host.ip = *ip;
        if (statement.has("vlan")) host.vlan = static_cast<std::uint16_t>(statement.number("vlan", 0, last_vlan));
        host.port = hosts_.size();
        if (!hosts_.emplace(name_of(statement), host).second) statement.fail("another host has that name");
    }

    const NamedHost* host_of(const Statement& statement, Side side) const {
        const auto found = hosts_.find(statement.text(engine::name_of(side), engine::name_of(side)));
        if (found == hosts_.end())
            statement.fail(fmt::format(
                "no host has the name {}; a line \"host {}\" is wanted before",
                statement.text(engine::name_of(side), ""),
                statement.text(engine::name_of(side), engine::name_of(side))));
        return &found->second;
    }

    template <class T>
    static PerSide<T> numbers(
        const Statement& statement, const char* what, PerSide<std::uint64_t> otherwise, std::uint64_t most) {
        PerSide<T> result;
        for (const Side side : {Side::client, Side::server})
            result[side] = static_cast<T>(
                statement.number(fmt::format("{}-{}", engine::name_of(side), what), otherwise[side], most));
        return result;
    }

    static Tcp read_tcp(const Statement& statement) {
        return {
            numbers<std::uint16_t>(statement, "port", {40'000, 18'001}, 65'535),
            TcpChannel(numbers<std::uint32_t>(statement, "isn", {1'000, 2'000}, UINT32_MAX))};
    }

    static Pair read_pair(const Statement& statement) {
        constexpr std::array<std::uint32_t, 5> mtus{256, 512, 1024, 2048, 4096};
        const std::uint32_t mtu = mtus[statement.choice("mtu", 2, {"256", "512", "1024", "2048", "4096"})];
        return {
            numbers<std::uint32_t>(statement, "qpn", {1, 1}, 0xFF'FFFF),
            PairChannel(numbers<std::uint32_t>(statement, "psn", {0, 0}, 0xFF'FFFF), mtu),
            statement.choice("carrier", 1, {"roce-v1", "roce-v2"}) == 0 ? builders::RoceVersion::v1
                                                                        : builders::RoceVersion::v2};
    }

    static Fc read_fc(const Statement& statement) {
        statement.choice("over", 0, {"fibre", "fcoe"});
        return {statement.choice("fcvi", 0, {"iso", "1.0"}) == 0 ? fcvi::Version::iso : fcvi::Version::rev_1_0};
    }

    template <class T> void add(const Statement& statement, T what) {
        Channel channel{{host_of(statement, Side::client), host_of(statement, Side::server)}, std::move(what)};
        if (!channels_.emplace(name_of(statement), std::move(channel)).second)
            statement.fail("another connection, pair or link has that name");
    }

    // ---- messages ----

    void read_message(const Statement& statement) {
        MessageLine line = line_of(statement);
        if (statement.has("at")) {
            const Time at = statement.time("at", 0);
            if (at < now_) statement.fail("at= is before the message above");
            now_ = at;
        }
        now_ += statement.time("after", 0);
        try {
            switch (line.kind.carrier) {
                case MessageKind::Carrier::tcp: send_tcp(line); break;
                case MessageKind::Carrier::ib: send_ib(line); break;
                case MessageKind::Carrier::fc: send_fc(line); break;
            }
        } catch (const replay::FieldError& error) {
            statement.fail(error.what());
        }
    }

    MessageLine line_of(const Statement& statement) {
        if (statement.words().size() != 2 || (statement.words()[0] != "client" && statement.words()[0] != "server"))
            statement.fail("who says what? As in: message client \"CLC PROPOSAL\" over=tcp-1");
        std::optional<MessageKind> kind = message_kind(statement.words()[1]);
        if (!kind) statement.fail("no message has the name " + statement.words()[1]);
        MessageLine line{
            statement, statement.words()[0] == "client" ? Side::client : Side::server, std::move(*kind), {}, {}, {}};
        line.channel = &channel_of(statement, line.kind.carrier);
        Composed composed{line.from, 0, {}, {}};
        if (statement.has("within"))
            composed.tolerances.push_back(
                {replay::time_field, 0, static_cast<std::uint64_t>(statement.time("within", 0))});
        for (const auto& [name, value] : statement.values()) {
            if (line_words().contains(name) && (name != payload_word || !line.kind.fields)) continue;
            std::string text = value;
            if (auto tolerance = extract_tolerance(name, text)) composed.tolerances.push_back(std::move(*tolerance));
            (name.starts_with(transport_prefix) ? line.transport : line.body).push_back({name, std::move(text)});
        }
        if (composed_ != nullptr) composed_->push_back(std::move(composed));
        return line;
    }

    Channel& channel_of(const Statement& statement, MessageKind::Carrier carrier) {
        const std::string name = statement.text("over", "");
        const auto found = channels_.find(name);
        if (found == channels_.end())
            statement.fail(
                "over which connection? The name of a tcp, pair or fc line before it is wanted, as over=tcp-1");
        if (found->second.what.index() != static_cast<std::size_t>(carrier))
            statement.fail(statement.words()[1] + " does not go over " + name);
        return found->second;
    }

    /// The message itself: of fields, or the octets of payload=.
    static Octets body_of(const MessageLine& line, const replay::FieldsOf& fields, std::size_t otherwise) {
        const Statement& statement = line.statement;
        if (!fields) {
            const std::string text = statement.text("payload", "zeros:0");
            const auto octets = replay::octets_from_text(text);
            if (!octets)
                statement.fail("payload=" + text + " is not octets, as hex:00ff, text:hello, zeros:100, count:100");
            if (!line.body.empty()) statement.fail(line.body.front().name + " means nothing here");
            return *octets;
        }
        const std::size_t length = statement.number("length", otherwise, 65'535);
        if (length == 0) statement.fail("how long is it? length= is wanted");
        std::vector<Assignment> assignments;
        for (const Assignment& by_default : line.kind.defaults)
            if (std::ranges::find(line.body, by_default.name, &Assignment::name) == line.body.end())
                assignments.push_back(by_default);
        assignments.insert(assignments.end(), line.body.begin(), line.body.end());
        return replay::assemble(length, fields, assignments);
    }

    void send(const MessageLine& line, ByteView frame, const char* damage) {
        // Of IPv6, and of the GRH, the length is that of what follows.
        const std::size_t most = most_ip_octets + (line.source().ip.is_ipv4() ? 0 : layout::size_of<net::Ipv6Header>);
        const std::size_t octets = frame.size() - std::min(frame.size(), layout::size_of<net::Ethernet>);
        if (octets > most)
            line.statement.fail(
                fmt::format("it has {} octets with its headers, and a packet has {} at most", octets, most));
        stack::OutgoingFrame outgoing{
            line.source().port, {frame.begin(), frame.end()}, line.statement.text("note", "")};
        // What is behind the transport header is covered by its checksum, or is the ICRC or CRC itself.
        const bool wrong = line.statement.choice(damage, 0, {"right", "wrong"}) == 1;
        if (wrong)
            outgoing.octets[outgoing.octets.size() - (line.kind.carrier == MessageKind::Carrier::fc ? 5 : 1)] ^= 0xFF;
        if (line.source().vlan && !fc2_) insert_vlan_tag(outgoing.octets, *line.source().vlan);
        frames_.emplace_back(now_, std::move(outgoing));
        if (composed_ == nullptr) return;
        composed_->back().frame = frames_.size();
        if (wrong) composed_->back().damage = fmt::format("{}: {}=wrong", line.statement.place(), damage);
    }

    builders::FrameEnds ends_of(const MessageLine& line) {
        builders::FrameEnds ends;
        ends.source_mac = line.source().mac;
        ends.destination_mac = line.destination().mac;
        ends.source = line.source().ip;
        ends.destination = line.destination().ip;
        // Unlike each other if nothing is said, so that what is sent again is no copy.
        ends.identification = static_cast<std::uint16_t>(
            line.statement.number("ip-id", line.channel->ip.next(line.from), 65'535));
        line.channel->ip.sent(line.from, ends.identification);
        ends.hop_limit = static_cast<std::uint8_t>(line.statement.number("hops", 64, 255));
        ends.traffic_class = static_cast<std::uint8_t>(line.statement.number("traffic-class", 0, 255));
        if (ends.source.is_ipv4() != ends.destination.is_ipv4())
            line.statement.fail("its hosts have addresses of different versions of IP");
        return ends;
    }

    // ---- TCP ----

    Octets tcp_options(const Statement& statement) const {
        if (statement.has("options")) {
            const auto options = replay::octets_from_text(statement.text("options", ""));
            if (!options || options->size() % 4 != 0 || options->size() > 40)
                statement.fail("options= is not a multiple of 4 octets, 40 at most");
            return *options;
        }
        Octets options;
        if (statement.has("mss")) {
            const auto mss = static_cast<std::uint16_t>(statement.number("mss", most_segment, 65'535));
            options = {2, 4, static_cast<std::uint8_t>(mss >> 8), static_cast<std::uint8_t>(mss)};
        }
        if (!statement.flag("smc", false)) return options;
        const Octets smc = layout::octets_of(smcr::TcpOption{});
        options.insert(options.end(), smc.begin(), smc.end());
        options.resize((options.size() + 3) / 4 * 4, 1);  // no operation
        return options;
    }

    void send_tcp(const MessageLine& line) {
        Tcp& tcp = std::get<Tcp>(line.channel->what);
        const Statement& statement = line.statement;
        const Octets payload = body_of(line, line.kind.fields, 0);
        const Octets options = tcp_options(statement);
        const auto flags = static_cast<std::uint8_t>(statement.number("flags", line.kind.code, 255));
        const TcpNumbers usual = tcp.channel.next(line.from, flags);
        const TcpNumbers numbers{
            static_cast<std::uint32_t>(statement.number("seq", usual.sequence)),
            static_cast<std::uint32_t>(statement.number("ack", usual.acknowledgment)),
            static_cast<std::uint16_t>(statement.number("window", usual.window, 65'535))};
        const builders::TcpFields fields{
            tcp.port[line.from], tcp.port[other(line.from)], numbers.sequence, numbers.acknowledgment, flags,
            numbers.window};
        send(line, builder_.tcp(ends_of(line), fields, options, payload), "checksum");
        tcp.channel.sent(line.from, numbers, flags, payload.size());
    }

    // ---- queue pairs ----

    /// With the numbers that follow of themselves, unless the line has others.
    static Octets transport_headers(const MessageLine& line, Pair& pair) {
        std::uint8_t opcode = line.kind.code;
        for (const Assignment& given : line.transport)
            if (given.name == "infiniband.bth.opcode")
                if (const auto other_kind = message_kind(given.text)) opcode = other_kind->code;
        std::vector<Assignment> all = transport_defaults(pair.channel, pair.qpn, line.from, opcode);
        for (const Assignment& given : line.transport) {
            std::erase_if(all, [&](const Assignment& one) { return one.name == given.name; });
            all.push_back(given);
        }
        return replay::assemble(transport_length(opcode), transport_fields, all);
    }

    void send_ib(const MessageLine& line) {
        Pair& pair = std::get<Pair>(line.channel->what);
        const Octets headers = transport_headers(line, pair);
        ib::Bth bth{};
        layout::parse_into(bth, headers);
        const ib::OpcodeInfo& info = ib::opcode_info(bth.opcode);
        std::uint32_t read_length = 0;
        if (info.operation == ib::Operation::rdma_read_request && info.has(ib::reth)) {
            ib::Reth reth{};
            layout::parse_into(reth, ByteView(headers).last(layout::size_of<ib::Reth>));
            read_length = reth.dma_length;
        }
        Octets extended(headers.begin() + layout::size_of<ib::Bth>, headers.end());
        const auto more = replay::octets_from_text(line.statement.text("headers", "zeros:0"));
        if (!more) line.statement.fail("headers= is not octets, as hex:00ff");
        extended.insert(extended.end(), more->begin(), more->end());
        const Octets payload = body_of(line, line.kind.fields, line.kind.length);
        send(line, builder_.roce(ends_of(line), pair.version, bth, extended, payload), "icrc");
        pair.channel.sent(line.from, bth.opcode, bth.psn, read_length);
    }

    // ---- Fibre Channel ----

    void send_fc(const MessageLine& line) {
        const Statement& statement = line.statement;
        const auto answers = static_cast<std::uint8_t>(statement.number("answers", 0, 255));
        const Octets message = body_of(
            line, fc_fields({std::get<Fc>(line.channel->what).version, answers}), fc::frame_header_size);
        const fc::Frame frame = fc::parse_frame(message, message.size());
        builders::FcFrame built = builders::fc_frame(frame.header, frame.device_header(), frame.payload);
        const auto usual_sof = static_cast<std::size_t>(usual_sof_of(frame.header));
        const auto usual_eof = static_cast<std::size_t>(usual_eof_of(frame.header));
        built.sof = static_cast<fc::Sof>(statement.choice("sof", usual_sof, sof_words()));
        built.eof = static_cast<fc::Eof>(statement.choice("eof", usual_eof, eof_words()));
        if (fc2_) return send(line, builders::as_fc2_with_delimiters(built), "crc");
        Octets octets = builders::as_fcoe(built);
        layout::build_into(
            net::Ethernet{line.destination().mac, line.source().mac, fc::fcoe_ether_type}, std::span(octets));
        send(line, octets, "crc");
    }

    bool fc2_;
    std::vector<Composed>* composed_;
    std::map<std::string, NamedHost> hosts_;
    std::map<std::size_t, std::string> names_;  ///< of hosts, by their ports
    std::map<std::string, Channel> channels_;
    std::vector<std::pair<Time, stack::OutgoingFrame>> frames_;
    builders::FrameBuilder builder_;
    Time now_ = 0;
    Director director_;
    World world_;  ///< reads the statements: the last one
};

}  // namespace

Recording run_messages(const Scenario& scenario, std::vector<Composed>* composed) {
    return Composer(scenario, composed).run();
}

}  // namespace fabricscope::synth
