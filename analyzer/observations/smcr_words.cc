// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/smcr_words.h"

#include <fmt/format.h>

#include "analyzer/observations/words.h"

namespace fabricscope::observations {

using namespace engine::smcr;

namespace {

/// "the server declined with 0x03030002, no SMC-R device found"
std::string decline_text(const DeclineSeen& decline) {
    if (!decline.code) return fmt::format("the {} declined, with a code that was not captured", name_of(decline.by));
    const char* name = decline.name();
    return fmt::format(
        "the {} declined with 0x{:08X}, {}", name_of(decline.by), *decline.code,
        name != nullptr ? name : "a code whose meaning is not published");
}

/// What became of the PROPOSAL if there was no ACCEPT.
std::string proposal_text(const Connection& connection) {
    const Setup& setup = connection.setup;
    if (!setup.proposal || !connection.end) return "";
    const auto came = [&](const std::optional<FrameStamp>& answer) { return answer && answer->time < *connection.end; };
    if (came(setup.accept) || came(setup.decline)) return "";
    const Time waited = *connection.end - setup.proposal->time;
    if (!setup.proposal_acknowledged)
        return fmt::format(
            ": the PROPOSAL was sent {}, and the server's TCP never acknowledged it", counted(setup.proposals, "time"));
    return fmt::format(": the server acknowledged the PROPOSAL, but sent no ACCEPT for {}", duration_text(waited));
}

/// Whether the DECLINE came when TCP had been ended.
bool declined_late(const Connection& connection) {
    const auto& decline = connection.setup.decline;
    return decline && connection.end && decline->time > *connection.end;
}

/// Who ended TCP, and how.
std::string end_of_set_up(const Connection& connection) {
    if (!connection.end) return "";
    const bool reset = connection.reset_by == connection.ended_by && !connection.fin[connection.ended_by];
    return fmt::format(
        "; the {} {} TCP{}", name_of(connection.ended_by), reset ? "reset" : "closed",
        declined_late(connection) ? ", and then " + decline_text(*connection.decline) : "");
}

}  // namespace

std::string where_to_look(const Connection& connection) {
    const std::string who = connection.decline ? engine::name_of(connection.decline->by) : "peer";
    switch (connection.decline && connection.decline->code ? *connection.decline->code : 0) {
        case 0x01010000:
            return "Memory on the " + who + ": RMBs need contiguous memory (`sysctl net.smc.smcr_buf_type`).";
        case 0x03010000:
            return "The SYN or SYN-ACK came to the " + who +
                   " without SMC's option: does the peer use AF_SMC, or does something on the way strip TCP options?";
        case 0x03020000: return "IPsec on that connection: SMC-R does not go with it (`ip xfrm policy`).";
        case 0x03030000:
        case 0x03030002:
            return "On the " + who +
                   ": is there an RDMA device, active (`rdma link`, `smcr device`), with the PNETID of the network "
                   "interface (`smc_pnet -s`), with a GID in the subnet of the connection, and an EID that the peer "
                   "also has (`smcr ueid show`)?";
        case 0x03030006:
        case 0x03030008: return "EIDs of both hosts: `smcr ueid show`, `smcr seid show`; they need one in common.";
        case 0x03030004:
        case 0x03030009: return "Kernel versions of both hosts: they do not have a version of SMC in common.";
        case 0x03060000:
            return "Socket options of the application, such as TCP_ULP or TCP_FASTOPEN, that SMC cannot do.";
        case 0x03070000:
            return "Both hosts' addresses: SMC version 1 needs one IP subnet (`ip addr`); with EIDs, version 2 does "
                   "not.";
        case 0x03080000:
        case 0x03090000: return "The VLAN of the connection on the RDMA device of the " + who + " (`ip -d link`).";
        default: return "";
    }
}

std::optional<wire::LlcType> waited_in_vain(const Connection& connection) {
    constexpr std::uint32_t confirm_link_timeout = 0x02010000, add_link_timeout = 0x02020000;
    if (connection.outcome == Outcome::smc_r || !connection.decline) return std::nullopt;
    if (connection.decline->code == confirm_link_timeout) return wire::LlcType::confirm_link;
    if (connection.decline->code == add_link_timeout) return wire::LlcType::add_link;
    return std::nullopt;
}

bool was_refused(const Connection& connection) {
    return connection.outcome == Outcome::failed && connection.reset_by == Side::server && !connection.setup.syn_ack &&
           !connection.setup.proposal && !connection.setup.accept;
}

Time repeated_syn(const Connection& connection) {
    constexpr Time shortest = capture::second / 2;  // TCP waits for a second at first
    const Time repeated = connection.last_time - connection.first_time;
    return connection.setup.syn && !connection.setup.beyond_syn && repeated >= shortest ? repeated : 0;
}

std::string option_lost_text(const Connection& connection) {
    const Setup& setup = connection.setup;
    if (setup.option_removed[Side::client]) return ": the SMC option of the SYN was removed on its way to the server";
    if (setup.option_removed[Side::server])
        return ": the SMC option of the SYN-ACK was removed on its way to the client";
    if (!setup.plain[Side::client]) return "";
    return ": the client went on without SMC, as if the SYN-ACK had lost its SMC option on the way to it";
}

std::string why_not(const Connection& connection) {
    const std::string decline = connection.decline ? ": " + decline_text(*connection.decline) : "";
    switch (connection.outcome) {
        case Outcome::smc_r: return {};
        case Outcome::smc_d:
            return "took SMC-D: its data goes through shared memory and cannot be captured on a network";
        case Outcome::fallback: return "fell back to TCP" + (decline.empty() ? ", no DECLINE was captured" : decline);
        case Outcome::failed:
            if (was_refused(connection)) return "was refused: the server answered the SYN with a TCP reset";
            return "broke off during the set-up" + (declined_late(connection) ? "" : decline) +
                   option_lost_text(connection) + proposal_text(connection) + end_of_set_up(connection);
        case Outcome::plain_tcp:
            if (const std::string lost = option_lost_text(connection); !lost.empty()) return "stayed plain TCP" + lost;
            return "stayed plain TCP: the client offered SMC in its SYN, the server did not answer";
        case Outcome::unknown:
            if (const Time repeated = repeated_syn(connection); repeated != 0)
                return fmt::format(
                    "did not begin: the SYN was sent again for {}, and no answer was captured",
                    duration_text(repeated));
            return "may or may not have come up over SMC: the capture does not hold the whole set-up";
    }
    return {};
}

std::string llc_name(const LlcExchange& exchange) {
    const auto type = static_cast<std::uint32_t>(exchange.type) | (exchange.version == 2 ? 0x20U : 0U);
    const char* name = layout::name_of(wire::llc_type_names, type);
    return name != nullptr ? name : fmt::format("LLC type 0x{:02x}", type);
}

}  // namespace fabricscope::observations
