// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/notables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/report/lists.h"
#include "analyzer/report/units.h"
#include "analyzer/report/waits.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// Says what stands out, kind by kind.
class Observations {
public:
    Observations(const Model& model, const Style& style, std::size_t most)
        : model_(model), style_(style), most_(most) {}

    std::vector<Notable> all() {
        setups_that_failed();
        abnormal_closes();
        missing_data();
        urgent_data_left();
        waits();
        failovers();
        lost_links();
        retransmissions();
        requests_without_success();
        midstream();
        dropped_state();
        return std::move(notables_);
    }

private:
    using Names = std::vector<std::string>;

    void say(Ink ink, std::string text) { notables_.push_back({ink, std::move(text)}); }

    template <class Visit> void for_each(const Visit& visit) const {
        for (const Connection& connection : model_.connections)
            if (!connection.merged) visit(connection);
    }

    template <class Condition> Names connections_where(const Condition& condition) const {
        Names found;
        for_each([&](const Connection& connection) {
            if (condition(connection)) found.push_back(connection_name(connection.id));
        });
        return found;
    }

    std::string names(const std::vector<std::string>& all) const { return names_text(all, most_); }

    void setups_that_failed();
    void abnormal_closes();
    void missing_data();
    void urgent_data_left();
    void waits();
    void failovers();
    void lost_links();
    void retransmissions();
    void requests_without_success();
    void midstream();
    void dropped_state();

    const Model& model_;
    Style style_;
    std::size_t most_;
    std::vector<Notable> notables_;
};

std::string decline_text(const DeclineSeen& decline) {
    if (!decline.code) return fmt::format("the {} declined, with a code that was not captured", name_of(decline.by));
    const char* name = decline.name();
    return fmt::format(
        "the {} declined with {}, {}", name_of(decline.by), code_text(*decline.code),
        name != nullptr ? name : "a code whose meaning is not published");
}

void Observations::setups_that_failed() {
    std::map<std::string, Names> by_reason;
    for_each([&](const Connection& connection) {
        if (std::string reason = why_not(connection); !reason.empty())
            by_reason[reason].push_back(connection_name(connection.id));
    });
    for (const auto& [reason, found] : by_reason)
        say(Ink::red, fmt::format("{} {} ({})", counted(found.size(), "connection"), reason, names(found)));
}

void Observations::abnormal_closes() {
    std::map<std::string, Names> by_cause;
    for_each([&](const Connection& connection) {
        if (connection.close != Close::abnormal || connection.outcome != Outcome::smc_r) return;
        std::string cause;
        for (const Side side : {Side::client, Side::server})
            if (connection.from[side].aborted)
                cause += fmt::format("{} the {} aborted", cause.empty() ? "" : " and", name_of(side));
        if (connection.reset_by)
            cause += fmt::format("{} the {} reset TCP", cause.empty() ? "" : " and", name_of(*connection.reset_by));
        by_cause[cause].push_back(connection_name(connection.id));
    });
    for (const auto& [cause, found] : by_cause)
        say(Ink::red, fmt::format(
                          "{} closed abnormally{}{} ({})", counted(found.size(), "connection"),
                          cause.empty() ? "" : ":", cause, names(found)));
}

void Observations::missing_data() {
    Names found;
    std::uint64_t octets = 0;
    for_each([&](const Connection& connection) {
        for (const Side side : {Side::client, Side::server}) {
            const Direction& direction = connection.from[side];
            const bool countable = direction.from_start && direction.positions_known;
            if (!countable || direction.bytes_written >= direction.bytes_announced) continue;
            octets += direction.bytes_announced - direction.bytes_written;
            found.push_back(fmt::format("{} from the {}", connection_name(connection.id), name_of(side)));
        }
    });
    if (octets != 0)
        say(Ink::yellow, fmt::format("{} were announced but not captured ({})", counted(octets, "byte"), names(found)));
}

/// The sender may write nothing until its urgent octet has been consumed (RFC 7609, 4.7.5): if the
/// receiver never says so, the connection hangs.
void Observations::urgent_data_left() {
    Names found;
    for_each([&](const Connection& connection) {
        for (const Side side : {Side::client, Side::server}) {
            const Direction& direction = connection.from[side];
            const bool hangs = direction.urgent != 0 && direction.positions_known &&
                               direction.bytes_acknowledged + 1 == direction.bytes_announced;
            if (hangs) found.push_back(fmt::format("{} from the {}", connection_name(connection.id), name_of(side)));
        }
    });
    if (!found.empty())
        say(Ink::red,
            fmt::format(
                "an urgent byte was not reported as consumed; until then its sender may not go on ({})", names(found)));
}

void Observations::waits() {
    const std::vector<Wait> list = waits_of(model_);
    if (list.empty()) return;
    const Wait& worst = list.front();
    const std::string who = fmt::format("the {} of {}", name_of(worst.side), connection_name(worst.connection));
    const std::string how_long = duration_text(worst.longest(), style_.unicode);
    say(Ink::yellow, list.size() == 1 ? fmt::format("{} had to wait for window, {} in all", who, how_long)
                                      : fmt::format(
                                            "{} senders had to wait for window, at the worst {}, {} in all",
                                            grouped(list.size()), who, how_long));
}

void Observations::failovers() {
    std::uint64_t replayed = 0;
    const Names found = connections_where([&](const Connection& connection) {
        std::uint64_t validations = 0;
        for (const Direction& direction : connection.from.values) {
            replayed += direction.bytes_replayed;
            validations += direction.failover_cdcs;
        }
        return validations != 0;
    });
    if (!found.empty())
        say(Ink::yellow,
            fmt::format(
                "{} moved to another link, {} ({})", counted(found.size(), "connection"),
                replayed != 0 ? counted(replayed, "byte") + " were written again" : "nothing was written again",
                names(found)));
}

void Observations::lost_links() {
    Names found;
    for (const LinkGroup& group : model_.link_groups)
        for (const Link& link : group.links)
            if (link.state == LinkState::failed && link.packets != 0)
                found.push_back(fmt::format(
                    "link {} of {}", link.number ? std::to_string(*link.number) : "?", link_group_name(group.id)));
    if (!found.empty()) say(Ink::red, fmt::format("{} failed ({})", counted(found.size(), "link"), names(found)));
}

void Observations::retransmissions() {
    std::uint64_t packets = 0, repeated = 0, naks = 0;
    for (const LinkGroup& group : model_.link_groups)
        for (const Link& link : group.links) {
            packets += link.packets;
            repeated += link.retransmissions;
            naks += link.naks;
        }
    if (repeated + naks != 0)
        say(Ink::yellow, fmt::format(
                             "{} of {} were retransmitted, {}", grouped(repeated), counted(packets, "RoCE packet"),
                             counted(naks, "NAK")));
}

/// Whether the standard promises a direct reply; ADD LINK and DELETE LINK may be notifications.
bool must_be_answered(const LlcExchange& exchange) {
    switch (exchange.type) {
        case wire::LlcType::confirm_link:
        case wire::LlcType::confirm_rkey:
        case wire::LlcType::delete_rkey:
        case wire::LlcType::test_link: return exchange.request.frame != 0 && !exchange.reply;
        default: return false;
    }
}

/// What went wrong with an LLC request; empty if nothing did.
std::string failure_of(const LlcExchange& exchange) {
    const std::string request = fmt::format("{} of the {}", llc_name(exchange), name_of(exchange.from));
    if (exchange.refused) return request + " was refused";
    return must_be_answered(exchange) ? request + " was not answered" : "";
}

void Observations::requests_without_success() {
    struct Kind {
        std::uint64_t count = 0;
        bool ordinary = true;
        Names groups;
    };
    std::map<std::string, Kind> kinds;
    for (const LinkGroup& group : model_.link_groups)
        for (const LlcExchange& exchange : group.exchanges) {
            const std::string failure = failure_of(exchange);
            if (failure.empty()) continue;
            Kind& kind = kinds[failure];
            ++kind.count;
            // A peer with one RNIC refuses a second link, as it should.
            kind.ordinary = exchange.refused && exchange.type == wire::LlcType::add_link;
            const std::string name = link_group_name(group.id);
            if (kind.groups.empty() || kind.groups.back() != name) kind.groups.push_back(name);
        }
    for (const auto& [failure, kind] : kinds)
        say(kind.ordinary ? Ink::plain : Ink::yellow,
            fmt::format(
                "{}{} ({})", failure, kind.count == 1 ? "" : fmt::format(" {} times", grouped(kind.count)),
                names(kind.groups)));
}

void Observations::midstream() {
    const Names found = connections_where([](const Connection& connection) { return connection.midstream; });
    if (!found.empty())
        say(Ink::plain, fmt::format(
                            "{} began before the capture did; bytes count from there ({})",
                            counted(found.size(), "connection"), names(found)));
}

void Observations::dropped_state() {
    if (model_.dropped_connections + model_.dropped_link_groups + model_.dropped_findings + model_.dropped_details != 0)
        say(Ink::red,
            fmt::format(
                "limits were reached: {}, {}, {} and {} of links and RMBs are left out",
                counted(model_.dropped_connections, "connection"), counted(model_.dropped_link_groups, "link group"),
                counted(model_.dropped_findings, "finding"), counted(model_.dropped_details, "detail")));
}

void about_capture(const Results& results, std::vector<Notable>& notables) {
    for (const std::string& problem : results.problems)
        notables.push_back({Ink::red, "not read to the end: " + problem});
    for (const std::string& warning : results.warnings) notables.push_back({Ink::red, warning});
    if (results.capture.undecoded_frames != 0)
        notables.push_back({Ink::plain, counted(results.capture.undecoded_frames, "frame") + " could not be decoded"});
    if (results.capture.truncated_frames != 0)
        notables.push_back(
            {Ink::plain, counted(results.capture.truncated_frames, "frame") + " cut by the snap length"});
}

}  // namespace

std::vector<std::string> missing_transports(const Results& results) {
    const Model* model = results.models.smcr;
    if (model == nullptr) return {};
    std::vector<std::string> missing;
    const bool offered = std::ranges::any_of(
        model->connections, [](const Connection& connection) { return connection.outcome != Outcome::plain_tcp; });
    if (results.capture.rdma_frames == 0 && offered)
        missing.push_back(
            "No RoCE in this capture: data, LLC and CDC messages are not known. "
            "RDMA adapters hide RoCE from tcpdump on the host; mirror the switch port, or capture on the RDMA device.");
    if (results.capture.tcp_frames == 0 && !model->link_groups.empty())
        missing.push_back("No TCP in this capture: ports and CLC messages are not known.");
    return missing;
}

std::string why_not(const Connection& connection) {
    const std::string decline = connection.decline ? ": " + decline_text(*connection.decline) : "";
    switch (connection.outcome) {
        case Outcome::smc_r: return {};
        case Outcome::smc_d: return "took SMC-D: its data goes through shared memory and is not to be seen here";
        case Outcome::fallback: return "fell back to TCP" + (decline.empty() ? ", no DECLINE was captured" : decline);
        case Outcome::failed:
            return "broke off during the set-up" + decline +
                   (connection.reset_by ? fmt::format("; the {} reset TCP", name_of(*connection.reset_by)) : "");
        case Outcome::plain_tcp:
            return "stayed plain TCP: the client offered SMC in its SYN, the server did not answer";
        case Outcome::unknown: return "left open whether SMC came up: the capture does not hold the whole set-up";
    }
    return {};
}

std::vector<Notable> notables(const Results& results, const Style& style, std::size_t most) {
    std::vector<Notable> notables;
    if (results.models.smcr != nullptr) notables = Observations(*results.models.smcr, style, most).all();
    about_capture(results, notables);
    return notables;
}

}  // namespace fabricscope::report
