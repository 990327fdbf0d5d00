// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "analyzer/report/notables.h"
#include "analyzer/report/rdma_cm_summary.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Kind = Rung::Kind;

std::string known(std::string text) { return text.empty() ? "?" : std::move(text); }

// ---- rungs ---------------------------------------------------------------------------------------

Side side_of_first_data(const Connection& connection) {
    const auto& from_server = connection.from[Side::server].first_data;
    return from_server && *from_server == connection.setup.first_data->time ? Side::server : Side::client;
}

std::string decline_text(const DeclineSeen& decline) {
    const char* name = decline.name();
    return fmt::format(
        "DECLINE {}{}{}", code_text(decline.code), name != nullptr ? ", " : "", name != nullptr ? name : "");
}

void add_setup(std::vector<Rung>& rungs, const Connection& connection, const std::string& prefix) {
    const Setup& setup = connection.setup;
    const auto add = [&](const std::optional<FrameStamp>& step, Side from, Kind kind, std::string_view text) {
        if (step) rungs.push_back({*step, from, kind, fmt::format("{}{}", prefix, text)});
    };
    const bool first = connection.first_contact.value_or(false);
    add(setup.syn, Side::client, Kind::tcp, "SYN");
    add(setup.syn_ack, Side::server, Kind::tcp, "SYN-ACK");
    add(setup.proposal, Side::client, Kind::clc, "PROPOSAL");
    add(setup.accept, Side::server, Kind::clc, first ? "ACCEPT, first contact" : "ACCEPT");
    add(setup.confirm, Side::client, Kind::clc, "CONFIRM");
    if (connection.decline)
        add(setup.decline, connection.decline->by, Kind::refusal, decline_text(*connection.decline));
    if (setup.first_data) add(setup.first_data, side_of_first_data(connection), Kind::data, "first data");
}

void add_exchange(std::vector<Rung>& rungs, const LlcExchange& exchange) {
    const std::string link = exchange.link ? fmt::format(", link {}", *exchange.link) : "";
    const bool asked = exchange.request.frame != 0;
    if (asked) rungs.push_back({exchange.request, exchange.from, Kind::llc, llc_name(exchange) + link});
    if (!exchange.reply) return;
    Rung reply{
        *exchange.reply, other(exchange.from), exchange.refused ? Kind::refusal : Kind::llc,
        fmt::format("{} {}{}", llc_name(exchange), exchange.refused ? "refused" : "reply", link)};
    if (asked) reply.latency = exchange.reply->time - exchange.request.time;
    rungs.push_back(std::move(reply));
}

void sort(std::vector<Rung>& rungs) {
    std::ranges::stable_sort(rungs, {}, [](const Rung& rung) { return std::pair(rung.step.time, rung.step.frame); });
}

/// A message after the set-up belongs to something else.
bool within(const LlcExchange& exchange, const std::vector<Rung>& setup) {
    const Time time = exchange.request.frame != 0 ? exchange.request.time : exchange.reply->time;
    const auto [first, last] = std::ranges::minmax(setup, {}, [](const Rung& rung) { return rung.step.time; });
    return time >= first.step.time && time <= last.step.time;
}

std::string name_of_side(const LinkGroup& group, Side side) {
    if (!group.hostname[side].empty()) return group.hostname[side];
    return group.peer_id[side] ? peer_id_text(*group.peer_id[side]) : "?";
}

// ---- rungs of RDMA CM ------------------------------------------------------------------------------

/// The message that this one answers, if it was captured.
std::optional<FrameStamp> request_of(
    const engine::rdma_cm::Connection& connection, const engine::rdma_cm::MessageSeen& message) {
    using enum ib::CmAttribute;
    switch (message.attribute) {
        case rep:
        case sidr_rep: return connection.req;
        case mra:
        case rej: return message.from == Side::server ? connection.req : connection.rep;
        case rtu: return connection.rep;
        case drep: return connection.dreq;
        case apr: return connection.lap;
        default: return std::nullopt;
    }
}

Rung rung_of(const engine::rdma_cm::Connection& connection, const engine::rdma_cm::MessageSeen& message) {
    const auto& reject = connection.reject;
    const bool refuses = reject && reject->frame == message.frame;
    const char* name = layout::name_of(ib::cm_attribute_names, static_cast<std::uint16_t>(message.attribute));
    std::string text = name != nullptr ? name : "?";
    if (refuses) text += ", " + reason_text(*reject);
    if (message.repeated) text += ", retransmitted";
    Rung rung{{message.time, message.frame}, message.from, refuses ? Kind::refusal : Kind::cm, std::move(text)};
    const auto request = request_of(connection, message);
    if (request && !message.repeated && request->time <= message.time) rung.latency = message.time - request->time;
    return rung;
}

void add_data(std::vector<Rung>& rungs, const engine::rdma_cm::Connection& connection, Side from) {
    const engine::rdma_cm::Traffic& traffic = connection.from[from];
    if (!traffic.first) return;
    rungs.push_back(
        {{*traffic.first, traffic.first_frame},
         from,
         Kind::data,
         fmt::format("first of {}, {}", counted(traffic.packets, "packet"), counted(traffic.bytes, "byte"))});
}

std::string about_text(const engine::rdma_cm::Connection& connection) {
    const std::string protocol = protocol_text(connection), reason = why_not(connection);
    std::string text = reason.empty() ? name_of(connection.outcome) : "The connection was " + reason;
    text += fmt::format(
        "; {}{}{}, service id {}", name_of(connection.service), protocol.empty() ? "" : " ", protocol,
        hex_text(connection.service_id));
    if (connection.message_count > connection.messages.size())
        text += fmt::format(
            "; the first {} of {} messages", grouped(connection.messages.size()), grouped(connection.message_count));
    return text;
}

// ---- text ----------------------------------------------------------------------------------------

constexpr std::size_t arrow_width = 61;  // between the two sides; with the columns before it, 100 in all

struct Glyphs {
    std::string_view side, line, to_right, to_left;
};
constexpr Glyphs unicode_glyphs{"│", "─", "▶", "◀"};
constexpr Glyphs ascii_glyphs{"|", "-", ">", "<"};

std::string repeated(std::string_view glyph, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += glyph;
    return text;
}

std::string shortened(const std::string& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

Ink ink_of(Kind kind) {
    switch (kind) {
        case Kind::tcp: return Ink::faint;
        case Kind::data: return Ink::green;
        case Kind::refusal: return Ink::red;
        default: return Ink::plain;
    }
}

std::string text_of(const Rung& rung, bool unicode) {
    return rung.latency ? fmt::format("{} ({})", rung.text, duration_text(*rung.latency, unicode)) : rung.text;
}

/// "|------- PROPOSAL ------->|"
std::string arrow_text(const Rung& rung, const Style& style) {
    const Glyphs& glyphs = style.unicode ? unicode_glyphs : ascii_glyphs;
    const std::string text = " " + shortened(text_of(rung, style.unicode), arrow_width - 8) + " ";
    const std::size_t dashes = arrow_width - 1 - width_of(text);
    const bool to_server = rung.from == Side::client;
    std::string arrow = to_server ? "" : std::string(glyphs.to_left);
    arrow += repeated(glyphs.line, dashes / 2) + text + repeated(glyphs.line, dashes - dashes / 2);
    if (to_server) arrow += glyphs.to_right;
    return std::string(glyphs.side) + style.paint(ink_of(rung.kind), arrow) + std::string(glyphs.side);
}

std::string after(const std::vector<Rung>& rungs, std::size_t i, bool unicode) {
    return i == 0 ? "" : duration_text(rungs[i].step.time - rungs[i - 1].step.time, unicode);
}

// ---- picture -------------------------------------------------------------------------------------

constexpr double width = 900, client_x = 214, server_x = 800, time_right = 112, after_right = 186, frame_right = 884;
constexpr double rung_height = 25, arrow_head = 9;

Colour colour_of(Kind kind) {
    switch (kind) {
        case Kind::tcp: return palette::faint;
        case Kind::clc:
        case Kind::cm:
        case Kind::control: return palette::blue;
        case Kind::llc: return palette::green;
        case Kind::data: return palette::purple;
        case Kind::refusal: return palette::vermilion;
    }
    return palette::text;
}

class Picture {
public:
    Drawing draw(const std::vector<Ladder>& ladders, const std::string& source) {
        drawing_.width = width;
        drawing_.title = ladders.size() == 1 ? ladders.front().title : fmt::format("{} ladders", ladders.size());
        for (const Ladder& ladder : ladders) add(ladder, source);
        legend(ladders);
        drawing_.height = y_;
        return std::move(drawing_);
    }

private:
    void add(const Ladder& ladder, const std::string& source);
    void sides(const Ladder& ladder, double bottom);
    void rung(const Ladder& ladder, std::size_t i);
    void legend(const std::vector<Ladder>& ladders);
    void write(Layer& layer, double x, double y, std::string text, double size, Anchor anchor, Colour colour) {
        layer.add(Text{.at = {x, y}, .text = std::move(text), .size = size, .anchor = anchor, .colour = colour});
    }

    Drawing drawing_;
    double y_ = 0;
};

void Picture::add(const Ladder& ladder, const std::string& source) {
    Layer& head = drawing_.add("title");
    head.add(Text{.at = {16, y_ + 24}, .text = ladder.title, .size = 15, .bold = true});
    write(head, 16, y_ + 41, ladder.about, 10.5, Anchor::start, palette::faint);
    write(head, 16, y_ + 56, source + ", from " + timestamp_text(ladder.start), 10.5, Anchor::start, palette::faint);
    y_ += 100;
    sides(ladder, y_ + rung_height * static_cast<double>(ladder.rungs.size()) + 10);
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) rung(ladder, i);
    y_ += 22;
}

void Picture::sides(const Ladder& ladder, double bottom) {
    Layer& layer = drawing_.add("sides");
    for (const auto& [x, role, name] :
         {std::tuple{client_x, ladder.client_role, ladder.client}, {server_x, ladder.server_role, ladder.server}}) {
        layer.add(straight({x, y_ - 12}, {x, bottom}, palette::text, 1.2));
        write(layer, x, y_ - 19, fmt::format("{} {}", role, name), 10.5, Anchor::middle, palette::text);
    }
    write(layer, time_right, y_ - 4, "time, s", 10, Anchor::end, palette::faint);
    write(layer, after_right, y_ - 4, "after", 10, Anchor::end, palette::faint);
    write(layer, frame_right, y_ - 4, "frame", 10, Anchor::end, palette::faint);
}

void Picture::rung(const Ladder& ladder, std::size_t i) {
    const Rung& rung = ladder.rungs[i];
    y_ += rung_height;
    Layer& layer = drawing_.add("rung");
    const Colour colour = colour_of(rung.kind);
    const Colour words = rung.kind == Kind::refusal ? colour : palette::text;
    const bool to_server = rung.from == Side::client;
    const double tip = to_server ? server_x - 1 : client_x + 1, tail = to_server ? client_x : server_x;
    const double back = to_server ? tip - arrow_head : tip + arrow_head;
    layer.add(straight({tail, y_}, {back, y_}, colour, 1.6));
    layer.add(Area{{{tip, y_}, {back, y_ - 4}, {back, y_ + 4}}, colour, 1});
    write(layer, (client_x + server_x) / 2, y_ - 5, text_of(rung, true), 10.5, Anchor::middle, words);
    write(layer, time_right, y_ + 3.5, seconds_text(rung.step.time - ladder.start), 10, Anchor::end, palette::text);
    write(layer, after_right, y_ + 3.5, after(ladder.rungs, i, true), 10, Anchor::end, palette::faint);
    write(layer, frame_right, y_ + 3.5, std::to_string(rung.step.frame), 10, Anchor::end, palette::text);
}

void Picture::legend(const std::vector<Ladder>& ladders) {
    using Entry = std::pair<Kind, const char*>;
    constexpr std::array kinds{
        Entry{Kind::tcp, "TCP"},
        Entry{Kind::clc, "CLC"},
        Entry{Kind::llc, "LLC"},
        Entry{Kind::cm, "CM"},
        Entry{Kind::control, "control"},
        Entry{Kind::data, "data"},
        Entry{Kind::refusal, "declined, refused, failed or aborted"}};
    Layer& layer = drawing_.add("legend");
    double x = client_x;
    for (const Entry& entry : kinds) {
        const auto& [kind, name] = entry;
        const auto has_kind = [&](const Ladder& ladder) {
            return std::ranges::find(ladder.rungs, entry.first, &Rung::kind) != ladder.rungs.end();
        };
        if (std::ranges::none_of(ladders, has_kind)) continue;
        layer.add(straight({x, y_ - 2}, {x + 18, y_ - 2}, colour_of(kind), 2));
        write(layer, x + 24, y_ + 2, name, 10.5, Anchor::start, palette::text);
        x += 24 + width_of(name, 10.5) + 14;
    }
    y_ += 20;
}

}  // namespace

Ladder ladder_of(const Connection& connection, const Model& model, Time start) {
    Ladder ladder{
        .title = "Set-up of " + connection_name(connection.id),
        .about = {},
        .client = known(end_text(connection.client)),
        .server = known(end_text(connection.server)),
        .start = start,
        .rungs = {}};
    const std::string reason = why_not(connection);
    ladder.about = reason.empty() ? version_text(connection.version, connection.release) : "The connection " + reason;
    if (reason.empty() && connection.link_group != 0)
        ladder.about += ", link group " + link_group_name(connection.link_group);
    add_setup(ladder.rungs, connection, "");
    if (connection.link_group != 0 && !ladder.rungs.empty()) {
        const std::vector<Rung> setup = ladder.rungs;
        for (const LlcExchange& exchange : model.link_groups[connection.link_group - 1].exchanges)
            if (within(exchange, setup)) add_exchange(ladder.rungs, exchange);
    }
    sort(ladder.rungs);
    return ladder;
}

Ladder ladder_of(const LinkGroup& group, const Model& model, Time start) {
    Ladder ladder{
        .title = "Link group " + link_group_name(group.id),
        .about = fmt::format(
            "{}, {}, {}", version_text(group.version, group.release), counted(group.links.size(), "link"),
            counted(group.connections.size(), "connection")),
        .client = name_of_side(group, Side::client),
        .server = name_of_side(group, Side::server),
        .start = start,
        .rungs = {}};
    if (group.exchange_count > group.exchanges.size())
        ladder.about += fmt::format(
            "; the first {} of {} LLC exchanges", grouped(group.exchanges.size()), grouped(group.exchange_count));
    for (const std::uint32_t id : group.connections)
        if (const Connection& connection = model.connections[id - 1]; !connection.merged)
            add_setup(ladder.rungs, connection, connection_name(id) + " ");
    for (const LlcExchange& exchange : group.exchanges) add_exchange(ladder.rungs, exchange);
    sort(ladder.rungs);
    return ladder;
}

Ladder ladder_of(const engine::rdma_cm::Connection& connection, Time start) {
    Ladder ladder{
        .title = "RDMA CM connection " + cm_connection_name(connection.id),
        .about = about_text(connection),
        .client = end_text(connection, Side::client),
        .server = end_text(connection, Side::server),
        .start = start,
        .rungs = {}};
    for (const engine::rdma_cm::MessageSeen& message : connection.messages)
        ladder.rungs.push_back(rung_of(connection, message));
    for (const Side side : {Side::client, Side::server}) add_data(ladder.rungs, connection, side);
    sort(ladder.rungs);
    return ladder;
}

void write_ladder(std::ostream& out, const Ladder& ladder, const Style& style) {
    out << style.paint(Ink::bold, ladder.title) << '\n' << ladder.about << "\n\n";
    if (ladder.rungs.empty()) {
        out << "No message of it was captured.\n";
        return;
    }
    const auto side = [](const char* role, const std::string& name) {
        return shortened(fmt::format("{} {}", role, name), arrow_width / 2);
    };
    const std::string client = side(ladder.client_role, ladder.client);
    const std::string server = side(ladder.server_role, ladder.server);
    out << fmt::format(
        "{:>15}  {:>8}  {:>8}  {}{:>{}}\n", "Time, s", "After", "Frame", client, server,
        arrow_width + 2 - client.size());
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        const std::string elapsed = after(ladder.rungs, i, style.unicode);
        out << fmt::format("{:>15}  ", seconds_text(rung.step.time - ladder.start))
            << std::string(8 - std::min<std::size_t>(8, width_of(elapsed)), ' ') << elapsed
            << fmt::format("  {:>8}  ", rung.step.frame) << arrow_text(rung, style) << '\n';
    }
}

Drawing picture_of(const std::vector<Ladder>& ladders, const std::string& source) {
    return Picture().draw(ladders, source);
}

}  // namespace fabricscope::report
