// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/smcr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/smcr/link_life.h"
#include "analyzer/engine/smcr/llc_exchange.h"
#include "analyzer/engine/smcr/verdicts.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/smcr_words.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {

using namespace engine::smcr;

namespace {

namespace kinds {
constexpr Kind no_roce{
    "SMCR-O-no-roce",
    Severity::error,
    "RoCE does not get through",
    "The TCP handshake and the CLC messages ended well, but the first messages over the new link, CONFIRM LINK and ADD "
    "LINK, did not reach the other side, or their answers did not come back. Linux gives up after 2 s and falls back "
    "to TCP; what was sent over the link until then may be lost to the application. Retransmissions, failed links and "
    "unanswered requests that follow from it are counted here.",
    "Let UDP port 4791 (RoCEv2) pass both ways between the two GIDs: `nft list ruleset` or `iptables -L` on both "
    "hosts, ACLs and VLANs of switches, security groups; `rping -c -a ADDRESS` over the same devices; `rdma "
    "statistic show link DEV` of the side that waited.",
    "RoCE does not get through: SMC-R did not come up, and the connection fell back to TCP"};
constexpr Kind declined{
    "SMCR-O-declined",
    Severity::warning,
    "SMC-R was declined",
    "A side sent CLC DECLINE: the connection goes on over TCP, with the data intact, but without RDMA. The diagnosis "
    "code says why.",
    "`smcss -a` shows the fallback reason of sockets, `smcr -d stats` counts them.",
    "the connection fell back to TCP: the server declined with 0x03030002, no SMC-R device found"};
constexpr Kind set_up_failed{
    "SMCR-O-set-up-failed",
    Severity::error,
    "The set-up of SMC-R broke off",
    "The connection ended between SYN and the first data: neither SMC-R nor TCP carried any. It is told only where "
    "all of the connection's TCP was captured.",
    "Which side closed or reset TCP, and its log at that time: `dmesg`, `journalctl -k`, and the application's.",
    "the connection broke off during the set-up; the server reset TCP"};
constexpr Kind refused{
    "SMCR-O-refused",
    Severity::warning,
    "The connection was refused",
    "The answer to the SYN was a TCP reset, so that neither SMC nor TCP came up: nobody listens on that port, or a "
    "firewall answers for the server.",
    "On the server: `ss -ltn` and `smcss -l` list who listens, on which address and port; did the program start, or "
    "end? Then rules that reject with tcp-reset: `nft list ruleset`.",
    "the connection was refused: the server answered the SYN with a TCP reset"};
constexpr Kind no_answer{
    "SMCR-O-no-answer",
    Severity::note,
    "SYN was not answered",
    "The client sent its SYN again and again, and nothing else of the connection was captured: SYNs do not get to the "
    "server, or it drops them, or its answers took another path than the one that was captured.",
    "Capture at the server: does the SYN arrive, and does an answer leave? Then firewalls that drop (`nft list "
    "ruleset`, security groups), the address and its route, and a full listen queue (`ss -ltn`, `nstat "
    "TcpExtListenDrops`).",
    "the connection did not begin: the SYN was sent again for 7.13 s, and no answer was captured"};
constexpr Kind not_taken_up{
    "SMCR-O-not-taken-up",
    Severity::note,
    "The server did not take up SMC",
    "The client offered SMC in its SYN (experimental TCP option), the SYN-ACK has no such option: the server's "
    "socket is an ordinary one, its kernel lacks the module, or something on the way removes TCP options. A listener "
    "that takes up SMC at other times was busy: its listen queue was full, so that the kernel answered with a SYN "
    "cookie, which has no room for the option, or it limits SMC handshakes under load.",
    "On the server: is smc loaded, does the program listen with AF_SMC (`smc_run`, `smcss -l`)? If it does, capture "
    "there, too: firewalls and load balancers strip options.",
    "the connection stayed plain TCP: the client offered SMC in its SYN, the server did not answer"};
constexpr Kind option_lost{
    "SMCR-O-option-lost",
    Severity::error,
    "SMC's TCP option was lost on its way",
    "SYN or SYN-ACK was captured with SMC's experimental TCP option and, further on its way, without; or the SYN-ACK "
    "had it where it was captured, and the client went on as if there was none. Something between removes TCP options. "
    "The connection stays plain TCP, or the server, which waits for a CLC message, resets it.",
    "Capture at both hosts, and compare the options of SYN and SYN-ACK (kind 254): firewalls, load balancers and "
    "intrusion prevention between them that remove or normalise TCP options.",
    "the connection stayed plain TCP: the SMC option of the SYN was removed on its way to the server"};
constexpr Kind unclear{
    "SMCR-O-unclear",
    Severity::note,
    "What became of SMC-R is not known",
    "The capture does not hold the whole set-up, so that it shows neither that SMC-R came up nor that it did not.",
    "Begin the capture before the connection, with whole frames (snap length 0) and both directions.",
    "whether SMC-R came up is not known: the capture does not hold the whole set-up"};
constexpr Kind smc_d{
    "SMCR-O-smc-d",
    Severity::note,
    "SMC-D was chosen",
    "Both sides are on one machine and agreed on SMC-D: data goes through shared memory (ISM), and no capture of a "
    "network shows it.",
    "Nothing is wrong. `smcd -d linkgroup` shows such connections.",
    "the connection took SMC-D: its data goes through shared memory and cannot be captured on a network"};
constexpr Kind abnormal_close{
    "SMCR-O-abnormal-close",
    Severity::warning,
    "A connection was aborted",
    "A side ended the connection with the abort flag of a CDC message, or by a TCP reset: data on its way may be lost. "
    "Applications do so on purpose, with SO_LINGER 0 or by closing with unread data; a process that is killed does so, "
    "too.",
    "The application on the side that aborted, and its log at that time.",
    "the connection closed abnormally: the client aborted, the server followed"};
constexpr Kind urgent_stall{
    "SMCR-O-urgent-stall",
    Severity::error,
    "An urgent byte blocks its sender",
    "The receiver never said that it had consumed an urgent byte; until then the sender may write nothing more (RFC "
    "7609, 4.7.5), and waited for a second or longer. Linux's receiver forgets to say so if all bytes before the "
    "urgent one had been read when it came.",
    "Does the receiving application read urgent data (MSG_OOB), and on which kernel? Without need for it, let it set "
    "SO_OOBINLINE, or leave MSG_OOB out.",
    "an urgent byte of the client was never reported as consumed: its sender may not go on"};
constexpr Kind stall{
    "SMCR-O-stall",
    Severity::warning,
    "A sender waited for window",
    "The peer's RMB element was full, or the sender said that it was blocked: the receiver read more slowly than data "
    "came. Less than a second in all is a note.",
    "The receiving application (is it busy elsewhere?), then the size of its buffer: `sysctl net.smc.rmem` or "
    "SO_RCVBUF; `smcr -d stats` counts small and full RMBs. `fabricscope timeline FILE --connection ID` draws it.",
    "the client waited for window space 3 times, 3.05 s in total"};
constexpr Kind link_failed{
    "SMCR-O-link-failed",
    Severity::error,
    "A link failed",
    "A side went on sending and got no acknowledgment until it gave up, or a link was deleted for lost path. "
    "Retransmissions, unanswered requests and connections that were aborted with the link are counted here.",
    "The peer's host and port at that time: `rdma link`, `ip -s link`, `dmesg` (link removed, port down), switch port "
    "counters. A second link for each link group (two RNICs) keeps the connections.",
    "link 1 failed: the client retransmitted 288 packets and got no answer"};
constexpr Kind failover{
    "SMCR-O-failover",
    Severity::warning,
    "A connection moved to another link",
    "A link was lost or deleted, and the connection went on over another link of its group, after a CDC message with "
    "the failover validation flag.",
    "What became of the first link: its RNIC and port, `rdma link`, `dmesg`; `smcr -d linkgroup` says whether the "
    "group has two links again.",
    "the connection moved from link 1 to link 2, and nothing was written again"};
constexpr Kind llc_unanswered{
    "SMCR-O-llc-unanswered",
    Severity::note,
    "An LLC request was not answered",
    "A request that needs a reply got none that was captured, and the link went on. Where it is certain that none was "
    "sent, a rule is broken.",
    "The peer's kernel log at that time; Linux ends a link whose TEST LINK stays unanswered.",
    "TEST LINK of the client was not answered"};
constexpr Kind llc_refused{
    "SMCR-O-llc-refused",
    Severity::warning,
    "An LLC request was refused",
    "A CONFIRM RKEY, DELETE RKEY or CONFIRM LINK got a negative answer: the sides do not agree on RMBs or links.",
    "The kernel log of the side that refused; memory and RNIC limits there (`rdma res show`).",
    "CONFIRM RKEY of the server was refused"};
constexpr Kind add_link_refused{
    "SMCR-O-add-link-refused",
    Severity::note,
    "No second link",
    "ADD LINK was refused: the peer has no second RNIC in that network, or no other path. The link group goes on with "
    "one link, and without failover.",
    "Ordinary for hosts with one RNIC. For redundancy, give each host a second one with the same PNETID (`smc_pnet "
    "-s`).",
    "ADD LINK of the server was refused"};
constexpr Kind midstream{
    "SMCR-O-midstream",
    Severity::note,
    "A connection began before the capture",
    "Its set-up is not in the capture, which began later, or holds no TCP: bytes count from the first that was "
    "captured, and rules that need the beginning are undecided.",
    "Begin the capture earlier, if the set-up matters.",
    "the connection began before the capture did: bytes count from there"};
constexpr Kind halves{
    "SMCR-O-halves",
    Severity::note,
    "Halves of connections",
    "The set-up of several connections is not in the capture, and nothing tells which of the messages of the client "
    "belong to which of the server: each side has its own alert tokens, and the cursors of several connections are "
    "the same. Each half is listed as a connection of its own, so that there are fewer connections than are listed.",
    "Capture TCP as well, from the set-up on: its CLC messages name both tokens.",
    "halves of connections whose other half cannot be told: 2 by what the client sent, 2 by what the server did"};
constexpr Kind data_missing{
    "SMCR-O-data-not-captured",
    Severity::note,
    "Data is missing from the capture",
    "The cursors announce bytes that no captured RDMA WRITE brought: frames were lost by the capture, or took another "
    "path. Nothing says that the receiver lacks them.",
    "Drops of the capture (`tcpdump` prints them at its end, `ethtool -S` of a mirror port), and other links of the "
    "link group.",
    "512 bytes from the client were announced but not captured"};
}  // namespace kinds

constexpr std::array all_kinds{
    &kinds::no_roce,        &kinds::declined,  &kinds::set_up_failed,    &kinds::link_failed,    &kinds::urgent_stall,
    &kinds::abnormal_close, &kinds::stall,     &kinds::failover,         &kinds::llc_unanswered, &kinds::llc_refused,
    &kinds::refused,        &kinds::no_answer, &kinds::add_link_refused, &kinds::not_taken_up,   &kinds::option_lost,
    &kinds::unclear,        &kinds::smc_d,     &kinds::midstream,        &kinds::halves,         &kinds::data_missing};

constexpr Time second = capture::second;

std::string session_of(const Connection& connection) { return to_string(Subject::connection(connection.id)); }
std::string session_of(const LinkGroup& group) { return to_string(Subject::link_group(group.id)); }

/// The standard promises a direct reply; ADD LINK and DELETE LINK may be notifications.
bool is_unanswered(const LlcExchange& exchange) {
    switch (exchange.type) {
        case wire::LlcType::confirm_link:
        case wire::LlcType::confirm_rkey:
        case wire::LlcType::delete_rkey:
        case wire::LlcType::test_link:
            return exchange.request.frame != 0 && !exchange.reply && !exchange.refused && !exchange.reply_may_be_lost;
        default: return false;
    }
}

const LlcExchange* find_exchange(const LinkGroup& group, wire::LlcType type, std::optional<std::uint8_t> link) {
    const auto found = std::ranges::find_if(
        group.exchanges, [&](const LlcExchange& e) { return e.type == type && e.link == link; });
    return found != group.exchanges.end() ? &*found : nullptr;
}

class Sessions {
public:
    Sessions(const Evidence& evidence, Observations& observations)
        : evidence_(evidence), model_(*evidence.models.smcr), observations_(observations) {}

    void observe() {
        for (const Connection& connection : model_.connections) {
            if (waited_in_vain(connection)) blocked_.insert(connection.link_group);
            if (connection.server && (connection.setup.accept || connection.outcome == Outcome::smc_r))
                smc_listeners_.insert(to_string(*connection.server));
        }
        if (evidence_.models.rdma != nullptr) note_not_ready(*evidence_.models.rdma);
        for (const LinkGroup& group : model_.link_groups) observe(group);
        for (const Connection& connection : model_.connections)
            if (!connection.merged) observe(connection);
    }

private:
    void observe(const LinkGroup& group);
    void observe(const LinkGroup& group, const Link& link);
    /// How often a side of a link had no receive posted, and what came again for that.
    struct NotReady {
        std::uint64_t naks = 0, repeated = 0;
        std::vector<std::uint64_t> frames;
    };
    void note_not_ready(const engine::rdma::Model& rdma);
    bool was_declined(const LinkGroup& group, const Link& link) const;
    void failed(const LinkGroup& group, const Link& link, const LlcExchange* lost);
    void observe_exchanges(const LinkGroup& group);
    void observe_halves(const LinkGroup& group);
    Time longest_wait(const LinkGroup& group) const;
    void observe(const Connection& connection);
    void outcome(const Connection& connection);
    const LlcExchange* unconfirmed_rkey_of(const Connection& connection) const;
    static void explain_unconfirmed(const Connection& connection, const LlcExchange& request, Observation& o);
    void explain_plain(const Connection& connection, Observation& o) const;
    void refused(const Connection& connection);
    void no_roce(const Connection& connection);
    void ending(const Connection& connection);
    static void explain_ending(const LinkGroup& group, Observation& o);
    void failover(const Connection& connection);
    static void explain_failover(Observation& o, const LinkGroup& group, std::uint8_t left);
    void data(const Connection& connection, Side from);
    bool urgent_stall(const Connection& connection, Side from);

    const LinkGroup* group_of(const Connection& connection) const {
        const std::size_t index = connection.link_group - std::size_t{1};
        return index < model_.link_groups.size() ? &model_.link_groups[index] : nullptr;
    }

    const Evidence& evidence_;
    const Model& model_;
    Observations& observations_;
    std::map<const Link*, NotReady> not_ready_;
    std::set<std::uint32_t> blocked_;      ///< link groups that never came up because RoCE does not get through
    std::set<std::uint32_t> broken_;       ///< ... with a link that failed: what else went wrong there follows from it
    std::set<std::uint32_t> lossy_;        ///< ... with many retransmissions
    std::set<std::string> smc_listeners_;  ///< addresses of servers that took up SMC
};

// ---- link groups ---------------------------------------------------------------------------------

void Sessions::observe(const LinkGroup& group) {
    if (!blocked_.contains(group.id))
        for (const Link& link : group.links) observe(group, link);
    observe_exchanges(group);
    observe_halves(group);
}

void Sessions::observe_halves(const LinkGroup& group) {
    const PerSide<std::uint64_t> halves = halves_of(model_, group);
    if (pairs_of(halves) == 0) return;
    Observation& o = observations_.add(
        kinds::halves, session_of(group), {},
        fmt::format(
            "halves of connections whose other half cannot be told: {} by what the client sent, {} by what the server "
            "did",
            grouped(halves[Side::client]), grouped(halves[Side::server])));
    o.count = halves[Side::client] + halves[Side::server];
}

/// "the client", unless it may be the server.
std::string who(const LinkGroup& group, Side side) {
    return group.roles_known ? std::string("the ") + engine::name_of(side) : "one side";
}

std::string link_text(const Link& link) { return link.number ? fmt::format("link {}", *link.number) : "a link"; }

std::string silence_of(const Link& link, Side sender) {
    const auto& heard = link.heard[engine::other(sender)];
    const std::string who = name_of(engine::other(sender));
    if (!heard) return fmt::format("Nothing of the {} was captured on the link.", who);
    return fmt::format(
        "The {} was silent on the link from {} before the last repetition on.", who,
        duration_text(link.repeated[sender].last.time - *heard));
}

/// The first DELETE LINK of such a change; nullptr if there is none.
template <class Predicate> const LlcExchange* find_deletion(const LinkGroup& group, Predicate&& is_it) {
    const auto found = std::ranges::find_if(group.exchanges, [&](const LlcExchange& exchange) {
        return exchange.type == wire::LlcType::delete_link && is_it(exchange.change);
    });
    return found != group.exchanges.end() ? &*found : nullptr;
}

/// The DELETE LINK that says that the path of the link was lost; nullptr if there is none.
const LlcExchange* lost_path(const LinkGroup& group, const Link& link) {
    constexpr std::uint32_t reason = 0x00010000;
    if (!link.number || link_numbered(group, *link.number) != &link) return nullptr;
    if (link.state != LinkState::deleted && link.state != LinkState::failed) return nullptr;
    return find_deletion(group, [&](const LinkChange& change) {
        return (change.all || change.link == link.number) && change.reason == reason;
    });
}

/// The client can only ask for it (RFC 7609, 3.5.4).
bool deletes(const LinkGroup& group, const LlcExchange& deletion) {
    return deletion.from == Side::server && group.roles_known;
}

/// The DELETE LINK of all links, if there is one.
const LlcExchange* deletion_of_all(const LinkGroup& group) {
    return find_deletion(group, [](const LinkChange& change) { return change.all; });
}

constexpr const char* look_at_deletion =
    "What took the links down there: an administrator, an RDMA device or the SMC module that was removed (`dmesg`, the "
    "log of that time); a side that runs out of links says so, too.";

/// Whether all that was repeated was so when the other side's queue pair was gone.
bool repeats_only_behind(const LlcExchange& deletion, const Link& link) {
    return std::ranges::all_of(link.repeated.values, [&](const Repetitions& repeated) {
        return repeated.count == 0 || repeated.first.time > deletion.request.time;
    });
}

/// The link went because the set-up was declined.
bool Sessions::was_declined(const LinkGroup& group, const Link& link) const {
    return !repeats_in_vain(link) && link.retransmissions == 0 &&
           std::ranges::all_of(group.connections, [&](std::uint32_t id) {
               return model_.connections[id - 1].outcome != Outcome::smc_r;
           });
}

/// As `rdma` counts it, if it is followed.
void Sessions::note_not_ready(const engine::rdma::Model& rdma) {
    constexpr std::size_t most_frames = 4;
    std::unordered_map<std::uint32_t, NotReady*> of_stream;
    for (const engine::rdma::Stream& stream : rdma.streams) {
        if (stream.merged || stream.link_group == 0) continue;
        for (const engine::rdma::Direction& direction : stream.from) {
            if (direction.rnr_naks == 0) continue;
            NotReady& found = not_ready_[&model_.link_groups[stream.link_group - 1].links[stream.link]];
            found.naks += direction.rnr_naks;
            found.repeated += direction.retransmitted.rnr;
            of_stream[stream.id] = &found;
        }
    }
    for (const engine::rdma::Event& event : rdma.events) {
        if (event.kind != engine::rdma::Event::Kind::rnr_nak) continue;
        const auto found = of_stream.find(event.stream);
        if (found != of_stream.end() && found->second->frames.size() < most_frames)
            found->second->frames.push_back(event.frame);
    }
}

void Sessions::observe(const LinkGroup& group, const Link& link) {
    const LlcExchange* lost = lost_path(group, link);
    if (lost == nullptr && (link.packets == 0 || was_declined(group, link))) return;
    if (link.state == LinkState::failed || lost != nullptr) {
        const bool goes_on = std::ranges::count(group.links, LinkState::active, &Link::state) != 0;
        if (!goes_on || lost == nullptr) broken_.insert(group.id);
        return failed(group, link, lost);
    }
    const std::optional<Side> in_vain = repeats_in_vain(link);
    const auto& [client, server] = link.repeated.values;
    const NotReady& not_ready = not_ready_[&link];
    Observation* o = observe_packets(
        observations_, session_of(group),
        {.packets = link.packets,
         .repeated = link.retransmissions,
         .naks = link.naks,
         .rnr_naks = not_ready.naks,
         .repeated_for_rnr = not_ready.repeated},
        frames_of({client.first.frame, server.first.frame, client.last.frame, server.last.frame}), not_ready.frames);
    if (o == nullptr) return;
    if (const LlcExchange* deletion = deletion_of_all(group);
        deletion != nullptr && repeats_only_behind(*deletion, link)) {
        o->severity = Severity::note;
        o->cause = fmt::format(
            "They came behind DELETE LINK of all links (frame {}): the queue pairs were gone.",
            deletion->request.frame);
        o->look = look_at_deletion;
        return;
    }
    if (o->severity == Severity::note) return;
    lossy_.insert(group.id);
    if (in_vain) o->cause = silence_of(link, *in_vain);
    if (const Time longest = longest_wait(group); longest != 0)
        o->text += fmt::format("; meanwhile a sender waited {} for window", duration_text(longest));
}

/// `lost`: the DELETE LINK that says so, if one does. The link group may go on without the link.
void Sessions::failed(const LinkGroup& group, const Link& link, const LlcExchange* lost) {
    const std::optional<Side> in_vain = repeats_in_vain(link);
    const Repetitions repeated = in_vain ? link.repeated[*in_vain] : Repetitions{};
    std::vector<std::string> how;
    if (in_vain)
        how.push_back(fmt::format(
            "the {} retransmitted {} and got no answer", name_of(*in_vain), counted(repeated.count, "packet")));
    else if (link.retransmissions != 0)
        how.push_back(fmt::format("{} retransmitted", counted(link.retransmissions, "packet")));
    if (lost != nullptr)
        how.push_back(fmt::format(
            "{} {}{}", who(group, lost->from), deletes(group, *lost) ? "deleted it" : "asked to delete it",
            link.state == LinkState::deleted ? "" : ": lost path"));
    Observation& o = observations_.add(
        kinds::link_failed, session_of(group),
        frames_of(
            {link.first_frame, repeated.first.frame, repeated.last.frame, lost != nullptr ? lost->request.frame : 0}),
        fmt::format(
            "{} {}{}{}", link_text(link), link.state == LinkState::deleted ? "lost its path" : "failed",
            how.empty() ? "" : ": ", fmt::join(how, "; ")));
    o.count = std::max<std::uint64_t>(link.retransmissions, 1);
    if (in_vain) o.cause = silence_of(link, *in_vain);
    if (link.retransmissions != 0) lossy_.insert(group.id);
}

Time Sessions::longest_wait(const LinkGroup& group) const {
    Time longest = 0;
    for (const std::uint32_t id : group.connections)
        for (const Direction& direction : model_.connections[id - 1].from.values)
            longest = std::max({longest, direction.blocked.longest, direction.stalls.longest});
    return longest;
}

void Sessions::observe_exchanges(const LinkGroup& group) {
    if (blocked_.contains(group.id) || broken_.contains(group.id)) return;
    struct Trouble {
        const Kind* kind;
        std::string text;
        std::vector<std::uint64_t> frames;
    };
    std::set<std::uint8_t> lost;  // links
    for (const Link& link : group.links)
        if (lost_path(group, link) != nullptr) lost.insert(*link.number);
    std::vector<Trouble> troubles;
    for (const LlcExchange& exchange : group.exchanges) {
        if (exchange.link && lost.contains(*exchange.link)) continue;
        const Kind* kind = nullptr;
        // A link that is gone already need not be deleted.
        const bool refused = exchange.refused && exchange.type != wire::LlcType::delete_link;
        if (refused) kind = exchange.type == wire::LlcType::add_link ? &kinds::add_link_refused : &kinds::llc_refused;
        else if (
            is_unanswered(exchange) && is_heard(group, engine::other(exchange.from)) &&
            evidence_.end_of_capture() - exchange.request.time > second)
            kind = &kinds::llc_unanswered;
        if (kind == nullptr) continue;
        const std::string why = refused ? reason_text(exchange.type, exchange.change) : "";
        std::string text = fmt::format(
            "{} of {} was {}{}{}", llc_name(exchange), who(group, exchange.from), refused ? "refused" : "not answered",
            why.empty() ? "" : ": ", why);
        auto same = std::ranges::find_if(
            troubles, [&](const Trouble& trouble) { return trouble.kind == kind && trouble.text == text; });
        if (same == troubles.end()) same = troubles.insert(same, {kind, std::move(text), {}});
        same->frames.push_back(exchange.refused && exchange.reply ? exchange.reply->frame : exchange.request.frame);
    }
    for (Trouble& trouble : troubles) {
        const std::uint64_t count = trouble.frames.size();
        if (count > 1) trouble.text += fmt::format(", {} times", grouped(count));
        Observation& o = observations_.add(
            *trouble.kind, session_of(group), std::move(trouble.frames), std::move(trouble.text));
        o.count = count;
    }
}

// ---- connections ---------------------------------------------------------------------------------

/// Whether the bytes of both directions count from the first on.
bool is_whole(const Connection& connection) {
    return std::ranges::all_of(connection.from.values, &Direction::from_start);
}

void Sessions::observe(const Connection& connection) {
    outcome(connection);
    if (connection.midstream)
        observations_.add(
            kinds::midstream, session_of(connection), frames_of({connection.first_frame}),
            is_whole(connection) ? "the set-up of the connection was not captured, but all of its data"
            : evidence_.capture.truncated_frames != 0
                ? "the set-up of the connection was cut by the snap length, or came before the capture: bytes count "
                  "from there"
                : "the connection began before the capture did: bytes count from there");
    failover(connection);
    bool stuck = false;
    for (const Side side : {Side::client, Side::server}) {
        stuck |= urgent_stall(connection, side);
        data(connection, side);
    }
    if (!stuck) ending(connection);
}

void Sessions::outcome(const Connection& connection) {
    const Setup& setup = connection.setup;
    const auto add = [&](const Kind& kind, std::initializer_list<std::uint64_t> frames) -> Observation& {
        return observations_.add(
            kind, session_of(connection), frames_of(frames), "the connection " + why_not(connection));
    };
    if (waited_in_vain(connection)) return no_roce(connection);
    switch (connection.outcome) {
        case Outcome::smc_r: return;
        case Outcome::smc_d: add(kinds::smc_d, {frame_of(setup.confirm)}); return;
        case Outcome::fallback: {
            Observation& o = add(
                kinds::declined, {frame_of(setup.proposal), connection.decline ? connection.decline->frame : 0});
            if (std::string look = where_to_look(connection); !look.empty()) o.look = std::move(look);
            if (connection.decline && connection.decline->name() != nullptr)
                o.cause = fmt::format("The {} says: {}.", name_of(connection.decline->by), connection.decline->name());
            if (const LlcExchange* request = unconfirmed_rkey_of(connection))
                explain_unconfirmed(connection, *request, o);
            return;
        }
        case Outcome::failed:
            if (was_refused(connection)) return refused(connection);
            add(setup.plain[Side::client] ? kinds::option_lost : kinds::set_up_failed,
                {frame_of(setup.syn), frame_of(setup.proposal), frame_of(setup.decline), connection.reset_frame});
            return;
        case Outcome::plain_tcp:
            if (!option_lost_text(connection).empty()) {
                add(kinds::option_lost, {frame_of(setup.syn), frame_of(setup.syn_ack)}).severity = Severity::warning;
                return;
            }
            explain_plain(connection, add(kinds::not_taken_up, {frame_of(setup.syn), frame_of(setup.syn_ack)}));
            return;
        case Outcome::unknown:
            add(repeated_syn(connection) != 0 ? kinds::no_answer : kinds::unclear, {connection.first_frame});
            return;
    }
}

/// Whether the two connections are of the same two hosts.
bool same_hosts(const Connection& a, const Connection& b) {
    return a.client && b.client && a.server && b.server && a.client->address == b.client->address &&
           a.server->address == b.server->address;
}

/// Whether this side repeated what it sent at `since`, without being heard before `until`.
bool repeats(const LinkGroup& group, Side side, Time since, Time until) {
    return std::ranges::any_of(group.links, [&](const Link& link) {
        const Repetitions& repeated = link.repeated[side];
        return repeated.count != 0 && repeated.first.time < until && repeated.last.time > since;
    });
}

/// Whether a connection goes on with the RMB that this CONFIRM RKEY announced: its sender has had the answer.
bool is_in_use(const Model& model, const LinkGroup& group, const LlcExchange& exchange) {
    return std::ranges::any_of(group.connections, [&](std::uint32_t id) {
        const auto& element = model.connections[id - 1].element[exchange.from];
        return element && group.rmbs[element->rmb].first_frame == exchange.request.frame;
    });
}

/// The CONFIRM RKEY whose answer the side that declined waited for in vain: there was none, or it was sent again and
/// again; nullptr if the group has none.
const LlcExchange* unconfirmed_rkey(const Model& model, const LinkGroup& group, const Connection& declined) {
    constexpr Time shortest_wait = second;  // Linux waits for 2 s
    const Side by = declined.decline->by;
    const Time end = declined.setup.decline->time;
    const auto found = std::ranges::find_if(group.exchanges, [&](const LlcExchange& exchange) {
        const Time asked = exchange.request.time;
        const bool in_time = asked > declined.setup.proposal->time && end - asked > shortest_wait;
        if (exchange.type != wire::LlcType::confirm_rkey || exchange.from != by || !in_time) return false;
        return !exchange.reply ||
               (repeats(group, engine::other(by), exchange.reply->time, end) && !is_in_use(model, group, exchange));
    });
    return found != group.exchanges.end() ? &*found : nullptr;
}

/// The same, if the connection was declined for want of it. Over which link group it was to go was not captured: it is
/// one of the same hosts.
const LlcExchange* Sessions::unconfirmed_rkey_of(const Connection& connection) const {
    constexpr std::uint32_t not_registered = 0x09990003;
    const Setup& setup = connection.setup;
    const bool is_declined = connection.decline && connection.decline->code == not_registered;
    if (!is_declined || !setup.proposal || !setup.decline) return nullptr;
    const auto is_of_them = [&](std::uint32_t id) { return same_hosts(model_.connections[id - 1], connection); };
    for (const LinkGroup& group : model_.link_groups) {
        if (std::ranges::none_of(group.connections, is_of_them)) continue;
        if (const LlcExchange* request = unconfirmed_rkey(model_, group, connection)) return request;
    }
    return nullptr;
}

void Sessions::explain_unconfirmed(const Connection& connection, const LlcExchange& request, Observation& o) {
    const std::string by = name_of(request.from), peer = name_of(engine::other(request.from));
    o.cause = fmt::format(
        "The {} waited {} for the answer to CONFIRM RKEY (frame {}). ", by,
        duration_text(connection.setup.decline->time - request.request.time), request.request.frame);
    if (request.reply)
        o.cause += fmt::format(
            "The {0}'s answer is in frame {1} and was sent again and again: RoCE packets from the {0} are lost between "
            "where this was captured and the {2}, or the acknowledgments on their way back.",
            peer, request.reply->frame, by);
    else o.cause += fmt::format("RoCE packets are lost on the way to the {}, or it does not answer.", peer);
    o.frames = frames_of({frame_of(connection.setup.proposal), request.request.frame, connection.decline->frame});
    o.look = kinds::no_roce.look;
}

/// A listener that can do SMC, and did not this time, has its reasons.
void Sessions::explain_plain(const Connection& connection, Observation& o) const {
    if (!connection.server || !smc_listeners_.contains(to_string(*connection.server))) return;
    o.text += ", but it did for other connections: listen queue full?";
    o.cause = fmt::format(
        "{} took up SMC for other connections in this capture: probably its listen queue was full and the kernel "
        "answered with a SYN cookie, which has no room for the option, or SMC handshakes are limited under load.",
        to_string(*connection.server));
    o.look =
        "On the server: `ss -ltn` (Recv-Q against the backlog in Send-Q), `nstat -az TcpExtSyncookiesSent "
        "TcpExtListenOverflows`; a larger backlog in listen() and `sysctl net.core.somaxconn`; `sysctl "
        "net.smc.limit_smc_hs`.";
}

void Sessions::refused(const Connection& connection) {
    Observation& o = observations_.add(
        kinds::refused, session_of(connection), frames_of({frame_of(connection.setup.syn), connection.reset_frame}),
        "the connection " + why_not(connection));
    o.cause = fmt::format("Nobody listens on {}, or a firewall rejects it.", to_string(*connection.server));
}

/// Where a message was lost, the capture shows if it holds what was waited for.
std::string lost_where(const LinkGroup& group, const DeclineSeen& decline, wire::LlcType awaited) {
    const char* const name = awaited == wire::LlcType::add_link ? "ADD LINK" : "CONFIRM LINK";
    const LlcExchange* request = find_exchange(group, awaited, std::nullopt);
    for (const Link& link : group.links)
        if (request == nullptr) request = find_exchange(group, awaited, link.number);
    const bool any = std::ranges::any_of(group.links, [](const Link& link) { return link.packets != 0; });
    if (!any || request == nullptr)
        return fmt::format("The capture holds no {}: it was lost before it came here, or never sent.", name);
    if (request->reply && decline.by == request->from)
        return fmt::format(
            "The {0} says that it waited for {3} in vain, but the {1}'s answer is in frame {2}: RoCE packets "
            "from the {1} are lost between where this was captured and the {0}.",
            name_of(decline.by), name_of(engine::other(decline.by)), request->reply->frame, name);
    if (!request->reply)
        return fmt::format(
            "{} of the {} (frame {}) got no answer in this capture: RoCE packets are lost on the way to the "
            "{}, or it does not answer.",
            name, name_of(request->from), request->request.frame, name_of(engine::other(request->from)));
    return "";
}

void Sessions::no_roce(const Connection& connection) {
    const LinkGroup* group = group_of(connection);
    const wire::LlcType awaited = *waited_in_vain(connection);
    std::uint64_t repeated = 0, first = 0, request = 0, reply = 0;
    if (group != nullptr)
        for (const Link& link : group->links) {
            repeated += link.retransmissions;
            for (const Side side : {Side::client, Side::server})
                if (const std::uint64_t frame = link.repeated[side].first.frame; frame != 0)
                    first = first == 0 ? frame : std::min(first, frame);
            if (const LlcExchange* e = find_exchange(*group, awaited, link.number)) {
                request = e->request.frame;
                reply = frame_of(e->reply);
            }
        }
    Observation& o = observations_.add(
        kinds::no_roce, session_of(connection), frames_of({request, reply, first, connection.decline->frame}),
        fmt::format(
            "RoCE does not get through: SMC-R did not come up, and the connection {}",
            connection.outcome == Outcome::fallback ? "fell back to TCP" : "broke off"));
    if (repeated != 0)
        o.text += fmt::format("; {} {} retransmitted", counted(repeated, "packet"), repeated == 1 ? "was" : "were");
    o.count = std::max<std::uint64_t>(repeated, 1);
    if (group != nullptr) o.cause = lost_where(*group, *connection.decline, awaited);
}

/// "the client aborted, the server followed": who did what to end the connection, the first one first.
std::string end_text(const Connection& connection, std::vector<std::uint64_t>& frames) {
    struct Step {
        std::uint64_t frame;
        Side by;
        const char* what;
    };
    std::vector<Step> steps;
    for (const Side side : {Side::client, Side::server})
        if (connection.from[side].aborted) steps.push_back({connection.from[side].abort_frame, side, "aborted"});
    std::ranges::sort(steps, {}, &Step::frame);
    if (steps.size() > 1) steps.back().what = "followed";
    if (connection.reset_by) steps.push_back({connection.reset_frame, *connection.reset_by, "reset TCP"});
    std::ranges::stable_sort(steps, {}, &Step::frame);
    std::string text;
    for (const Step& step : steps) {
        text += fmt::format("{}the {} {}", text.empty() ? "" : ", ", name_of(step.by), step.what);
        frames.push_back(step.frame);
    }
    return text;
}

void Sessions::ending(const Connection& connection) {
    if (connection.close != Close::abnormal || connection.outcome != Outcome::smc_r) return;
    if (broken_.contains(connection.link_group)) return;
    std::vector<std::uint64_t> frames;
    const std::string how = end_text(connection, frames);
    Observation& o = observations_.add(
        kinds::abnormal_close, session_of(connection), std::move(frames),
        fmt::format("the connection closed abnormally{}{}", how.empty() ? "" : ": ", how));
    if (const LinkGroup* group = group_of(connection)) explain_ending(*group, o);
}

/// A link group that was deleted takes its connections with it (RFC 7609, 3.5.4).
void Sessions::explain_ending(const LinkGroup& group, Observation& o) {
    const LlcExchange* deletion = deletion_of_all(group);
    if (deletion == nullptr || (!o.frames.empty() && o.frames.front() < deletion->request.frame)) return;
    const std::string why = reason_text(deletion->type, deletion->change);
    std::string by = who(group, deletion->from);
    by.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(by.front())));
    o.cause = fmt::format(
        "{} {} all links of the link group (DELETE LINK, frame {}{}{}).", by,
        deletes(group, *deletion) ? "deleted" : "asked to delete", deletion->request.frame, why.empty() ? "" : ": ",
        why);
    o.frames.insert(o.frames.begin(), deletion->request.frame);
    o.look = look_at_deletion;
}

/// What both sides wrote again, as the end of a sentence.
std::string replayed_text(const Connection& connection) {
    std::uint64_t octets = 0;
    for (const Direction& direction : connection.from.values) {
        const auto replayed = direction.replayed();
        if (!replayed) return "what was written again is not known";
        octets += *replayed;
    }
    return octets != 0 ? counted(octets, "byte") + " were written again" : "nothing was written again";
}

/// The links between which the connection moved, as far as the capture shows it.
LinkMove move_of(const Connection& connection) {
    const auto& [client, server] = connection.from.values;
    return client.move.from ? client.move : server.move;
}

void Sessions::failover(const Connection& connection) {
    const auto& [client, server] = connection.from.values;
    const std::uint64_t validations = client.failover_cdcs + server.failover_cdcs;
    const std::uint64_t moves = std::max(client.failover_cdcs, server.failover_cdcs);
    if (validations == 0) return;
    const LinkMove move = move_of(connection);
    const std::string links = move.from && move.to ? fmt::format("from link {} to link {}", *move.from, *move.to)
                                                   : "to another link";
    Observation& o = observations_.add(
        kinds::failover, session_of(connection), frames_of({move.frame}),
        fmt::format(
            "the connection moved {}{}, and {}", moves > 1 ? fmt::format("{} times, at last ", grouped(moves)) : "",
            links, replayed_text(connection)));
    o.count = validations;
    const LinkGroup* group = group_of(connection);
    if (group != nullptr && move.from) explain_failover(o, *group, *move.from);
}

/// Says what became of the link that was left.
void Sessions::explain_failover(Observation& o, const LinkGroup& group, std::uint8_t left) {
    const Link* link = link_numbered(group, left);
    if (link != nullptr && (link->state == LinkState::failed || link->state == LinkState::deleted))
        o.cause = fmt::format("Link {} was {}.", left, link->state == LinkState::failed ? "lost" : "deleted");
    const LlcExchange* deletion = find_deletion(group, [&](const LinkChange& change) { return change.link == left; });
    if (deletion == nullptr) return;
    o.frames = frames_of({deletion->request.frame, frame_of(deletion->reply)});
    if (const std::string why = reason_text(deletion->type, deletion->change); !why.empty())
        o.cause = fmt::format("DELETE LINK says of link {}: {}.", left, why);
}

bool Sessions::urgent_stall(const Connection& connection, Side from) {
    const Direction& direction = connection.from[from];
    const bool consumer_known = direction.from_start || direction.consumer;
    const bool unreported = direction.urgent != 0 && direction.positions_known && consumer_known &&
                            direction.bytes_acknowledged + 1 == direction.bytes_announced;
    const bool for_long = direction.last_data && connection.last_time - *direction.last_data > second;
    if (!unreported || !(for_long || direction.aborted)) return false;
    Observation& o = observations_.add(
        kinds::urgent_stall, session_of(connection), frames_of({direction.abort_frame}),
        fmt::format(
            "an urgent byte of the {} was never reported as consumed: its sender may not go on", name_of(from)));
    o.cause = fmt::format(
        "The {}'s consumer cursor stopped one byte before the end of what was announced.",
        name_of(engine::other(from)));
    if (direction.aborted) o.text += ", and aborted";
    return true;
}

void Sessions::data(const Connection& connection, Side from) {
    const Direction& direction = connection.from[from];
    const bool countable = direction.from_start && direction.positions_known;
    if (countable && direction.bytes_written < direction.bytes_announced) {
        const std::uint64_t missing = direction.bytes_announced - direction.bytes_written;
        Observation& o = observations_.add(
            kinds::data_missing, session_of(connection), {},
            fmt::format(
                "{} from the {} {} announced but not captured", counted(missing, "byte"), name_of(from),
                missing == 1 ? "was" : "were"));
        o.count = missing;
    }
    const auto extent = [](const Intervals& intervals) { return std::pair(intervals.total, intervals.count); };
    const Intervals& waited = std::ranges::max(direction.stalls, direction.blocked, {}, extent);
    if (waited.count == 0 || lossy_.contains(connection.link_group) || broken_.contains(connection.link_group)) return;
    Observation& o = observations_.add(
        kinds::stall, session_of(connection), frames_of({waited.longest_frame}),
        fmt::format(
            "the {} waited for window space {}, {} in total{}", name_of(from), counted(waited.count, "time"),
            duration_text(waited.total), direction.waits_at_end ? ", and still did when the capture ended" : ""));
    o.count = waited.count;
    if (waited.total < second) o.severity = Severity::note;
    if (direction.rmbe_size)
        o.cause = fmt::format(
            "The {}'s RMB element of {} was full: its application had not read the data.", name_of(engine::other(from)),
            counted(*direction.rmbe_size, "byte"));
}

}  // namespace

constinit const Source smcr_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        if (evidence.models.smcr == nullptr) return;
        const Model& model = *evidence.models.smcr;
        Sessions(evidence, observations).observe();
        observe_limits(
            observations, {{model.dropped_connections, "SMC-R connection", "smcr.connections"},
                           {model.dropped_link_groups, "link group", "smcr.link-groups"},
                           {model.dropped_details, "detail of links and RMBs"},
                           {model.lost_findings(), "SMC-R finding"}});
    }};

}  // namespace fabricscope::observations
