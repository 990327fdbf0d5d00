// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/notables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "analyzer/report/units.h"

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
    using Ids = std::vector<std::uint32_t>;

    void say(Ink ink, std::string text) { notables_.push_back({ink, std::move(text)}); }

    template <class Visit> void for_each(const Visit& visit) const {
        for (const Connection& connection : model_.connections)
            if (!connection.merged) visit(connection);
    }

    template <class Condition> Ids ids_where(const Condition& condition) const {
        Ids ids;
        for_each([&](const Connection& connection) {
            if (condition(connection)) ids.push_back(connection.id);
        });
        return ids;
    }

    /// "smcr-1, smcr-4 and 3 more"
    std::string names(const Ids& ids) const {
        std::string text;
        for (std::size_t i = 0; i < std::min(ids.size(), most_); ++i)
            text += (i == 0 ? "" : ", ") + connection_name(ids[i]);
        if (ids.size() > most_) text += fmt::format(" and {} more", grouped(ids.size() - most_));
        return text;
    }

    void setups_that_failed();
    void abnormal_closes();
    void missing_data();
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
    const char* name = decline.name();
    return fmt::format(
        "the {} declined with {}, {}", name_of(decline.by), code_text(decline.code),
        name != nullptr ? name : "a code whose meaning is not published");
}

void Observations::setups_that_failed() {
    std::map<std::string, Ids> by_reason;
    for_each([&](const Connection& connection) {
        if (std::string reason = why_not(connection); !reason.empty()) by_reason[reason].push_back(connection.id);
    });
    for (const auto& [reason, ids] : by_reason)
        say(Ink::red, fmt::format("{} {} ({})", counted(ids.size(), "connection"), reason, names(ids)));
}

void Observations::abnormal_closes() {
    std::map<std::string, Ids> by_cause;
    for_each([&](const Connection& connection) {
        if (connection.close != Close::abnormal || connection.outcome != Outcome::smc_r) return;
        std::string cause;
        for (const Side side : {Side::client, Side::server})
            if (connection.from[side].aborted)
                cause += fmt::format("{} the {} aborted", cause.empty() ? "" : " and", name_of(side));
        if (connection.reset_by)
            cause += fmt::format("{} the {} reset TCP", cause.empty() ? "" : " and", name_of(*connection.reset_by));
        by_cause[cause].push_back(connection.id);
    });
    for (const auto& [cause, ids] : by_cause)
        say(Ink::red, fmt::format(
                          "{} closed abnormally{}{} ({})", counted(ids.size(), "connection"), cause.empty() ? "" : ":",
                          cause, names(ids)));
}

void Observations::missing_data() {
    for_each([&](const Connection& connection) {
        for (const Side side : {Side::client, Side::server}) {
            const Direction& direction = connection.from[side];
            if (!direction.from_start || !direction.positions_known) continue;
            if (direction.bytes_written >= direction.bytes_announced) continue;
            say(Ink::yellow,
                fmt::format(
                    "{}: {} of {} octets that the {} announced were not captured", connection_name(connection.id),
                    grouped(direction.bytes_announced - direction.bytes_written), grouped(direction.bytes_announced),
                    name_of(side)));
        }
    });
}

std::string times_text(const Intervals& intervals, const Style& style) {
    if (intervals.count == 1) return "once, for " + duration_text(intervals.longest, style.unicode);
    return fmt::format(
        "{} times, for {} in all and {} at the longest", grouped(intervals.count),
        duration_text(intervals.total, style.unicode), duration_text(intervals.longest, style.unicode));
}

void Observations::waits() {
    struct Wait {
        std::uint32_t id;
        Side side;
        const Direction* direction;
        Time longest() const { return std::max(direction->blocked.total, direction->stalls.total); }
    };
    std::vector<Wait> waits;
    for_each([&](const Connection& connection) {
        for (const Side side : {Side::client, Side::server})
            if (const Direction& direction = connection.from[side];
                direction.blocked.count + direction.stalls.count != 0)
                waits.push_back({connection.id, side, &direction});
    });
    std::ranges::stable_sort(waits, std::ranges::greater(), &Wait::longest);

    for (const Wait& wait : waits | std::views::take(most_)) {
        const Intervals& blocked = wait.direction->blocked;
        const Intervals& full = wait.direction->stalls;
        std::string text = fmt::format("{}: ", connection_name(wait.id));
        if (blocked.count != 0)
            text += fmt::format("the {} was blocked {}", name_of(wait.side), times_text(blocked, style_));
        if (full.count != 0)
            text += fmt::format(
                "{}the window of the {} was full {}", blocked.count != 0 ? "; " : "", name_of(wait.side),
                times_text(full, style_));
        say(Ink::yellow, std::move(text));
    }
    if (waits.size() > most_)
        say(Ink::yellow, fmt::format("{} more waited for window", counted(waits.size() - most_, "direction")));
}

void Observations::failovers() {
    std::uint64_t replayed = 0;
    const Ids ids = ids_where([&](const Connection& connection) {
        std::uint64_t validations = 0;
        for (const Direction& direction : connection.from.values) {
            replayed += direction.bytes_replayed;
            validations += direction.failover_cdcs;
        }
        return validations != 0;
    });
    if (!ids.empty())
        say(Ink::yellow, fmt::format(
                             "{} moved to another link, {} written again ({})", counted(ids.size(), "connection"),
                             counted(replayed, "octet"), names(ids)));
}

void Observations::lost_links() {
    for (const LinkGroup& group : model_.link_groups)
        for (const Link& link : group.links)
            if (link.state == LinkState::failed)
                say(Ink::red, fmt::format(
                                  "{}: link {} failed", link_group_name(group.id),
                                  link.number ? std::to_string(*link.number) : "?"));
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
                             "{} of {} were sent again, {}", grouped(repeated), counted(packets, "RoCE packet"),
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

void Observations::requests_without_success() {
    std::map<std::tuple<std::uint32_t, std::string, bool>, std::uint64_t> counts;
    for (const LinkGroup& group : model_.link_groups)
        for (const LlcExchange& exchange : group.exchanges)
            if (exchange.refused || must_be_answered(exchange))
                ++counts[{
                    group.id, fmt::format("{} of the {}", llc_name(exchange), name_of(exchange.from)),
                    exchange.refused}];
    for (const auto& [key, count] : counts) {
        const auto& [group, request, refused] = key;
        say(Ink::yellow,
            fmt::format(
                "{}: {} {}{}", link_group_name(group), request, refused ? "was refused" : "was not answered",
                count == 1 ? "" : fmt::format(" {} times", grouped(count))));
    }
}

void Observations::midstream() {
    const Ids ids = ids_where([](const Connection& connection) { return connection.midstream; });
    if (!ids.empty())
        say(Ink::plain, fmt::format(
                            "{} began before the capture did; octets count from there ({})",
                            counted(ids.size(), "connection"), names(ids)));
}

void Observations::dropped_state() {
    if (model_.dropped_connections + model_.dropped_link_groups != 0)
        say(Ink::red,
            fmt::format(
                "limits were reached: {} and {} are left out", counted(model_.dropped_connections, "connection"),
                counted(model_.dropped_link_groups, "link group")));
}

void about_capture(const Results& results, std::vector<Notable>& notables) {
    for (const std::string& problem : results.problems)
        notables.push_back({Ink::red, "not read to the end: " + problem});
    if (results.capture.undecoded_frames != 0)
        notables.push_back({Ink::plain, counted(results.capture.undecoded_frames, "frame") + " could not be decoded"});
    if (results.capture.truncated_frames != 0)
        notables.push_back(
            {Ink::plain, counted(results.capture.truncated_frames, "frame") + " cut by the snap length"});
}

}  // namespace

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
    if (results.smcr != nullptr) notables = Observations(*results.smcr, style, most).all();
    about_capture(results, notables);
    return notables;
}

}  // namespace fabricscope::report
