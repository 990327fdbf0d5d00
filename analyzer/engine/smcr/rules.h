// SPDX-License-Identifier: GPL-2.0-or-later
// What SMC-R traffic must keep to.
//
// The rules are decided in setup_rules (CLC and TCP), link_rules (LLC) and transfer_rules (WRITEs and
// CDC messages); verdicts.h takes down what they say.
#pragma once

#include <array>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::smcr {

namespace evidence {
inline constexpr Evidence message = messages("the message");
inline constexpr Evidence handshake = messages("the TCP handshake");
inline constexpr Evidence clc = messages("the CLC messages of both sides");
inline constexpr Evidence link = stretch("the link from its set-up on, without gaps");
inline constexpr Evidence group = stretch("the link group from its first contact on, without gaps");
inline constexpr Evidence exchange = stretch("the request and what follows until the peer's timeout, without gaps");
inline constexpr Evidence sender = stretch("what this side sent on the link before, without gaps");
inline constexpr Evidence both_sides = stretch("what both sides sent on the connection before, without gaps");
inline constexpr Evidence close = stretch("the end of the connection on RoCE and TCP, without gaps");
}  // namespace evidence

namespace rules {
inline constexpr Rule option_in_both_syns{
    "SMCR-R01", Severity::error, "RFC 7609, 3.5.1.1",
    "CLC messages follow only if SYN and SYN-ACK both carried the SMC-R option.", evidence::handshake};
inline constexpr Rule clc_format{
    "SMCR-R02", Severity::error, "RFC 7609, A.2",
    "A CLC message has the length of its type and an eye catcher at both ends.", evidence::message};
inline constexpr Rule clc_order{
    "SMCR-R03", Severity::error, "RFC 7609, 3.2",
    "The client sends PROPOSAL and CONFIRM, the server ACCEPT; only DECLINE may stand in their place.",
    evidence::message};
inline constexpr Rule reserved_is_zero{
    "SMCR-R04",
    Severity::note,
    "RFC 7609, A.2, A.3, A.4",
    "Reserved bits and octets are sent as zero.",
    evidence::message,
    "CONFIRM LINK says in two reserved bits that there are no eye catchers; version 1 CLC messages name the kind "
    "of SMC, and CONFIRM the first contact."};
inline constexpr Rule prefix_count{
    "SMCR-R05", Severity::error, "RFC 7609, A.2.2",
    "A PROPOSAL lists at most 8 IPv6 prefixes; on IPv4 it has none, and on IPv6 no IPv4 subnet.", evidence::message};
inline constexpr Rule coded_values{
    "SMCR-R06",
    Severity::error,
    "RFC 7609, A.2.3",
    "The coded MTU of a first contact is 1 to 5, the coded RMB element size 0 to 5; another MTU is declined.",
    evidence::clc,
    "RMB elements of up to 512 MiB, coded 6 to 15."};
inline constexpr Rule rmb_index{
    "SMCR-R07", Severity::error, "RFC 7609, 2.1", "RMB elements are counted from 1.", evidence::message};
inline constexpr Rule peer_id{
    "SMCR-R08", Severity::error, "RFC 7609, A.2.1", "A peer has one peer ID throughout a link group's life.",
    evidence::clc};
inline constexpr Rule known_link{
    "SMCR-R09", Severity::error, "RFC 7609, C.4",
    "A client that does not know the link of a subsequent contact declines as out of synchronization.",
    messages_or_stretch("the CLC messages and DELETE LINK; of a link that is known: the link group from its first "
                        "contact on, without gaps")};
inline constexpr Rule new_group_is_new{
    "SMCR-R10", Severity::error, "RFC 7609, 3.5.3",
    "A first contact names a queue pair and an RMB that belong to no other link group.", evidence::clc};
inline constexpr Rule no_chase{
    "SMCR-R11", Severity::error, "RFC 7609, C.1",
    "DECLINE does not chase the same side's CLC message, nor does it follow an agreed subsequent contact.",
    evidence::clc};
inline constexpr Rule decline_in_time{
    "SMCR-R12", Severity::error, "RFC 7609, C.3",
    "On first contact nobody declines once ADD LINK has been answered, or the own side has sent data.",
    messages_or_stretch(
        "DECLINE, and data before it; of ADD LINK: the link group from its first contact on, without gaps")};
inline constexpr Rule decline_ends_rdma{
    "SMCR-R13", Severity::error, "RFC 7609, C.1", "After DECLINE the connection carries no RDMA traffic.",
    evidence::message};
inline constexpr Rule confirm_link_follows{
    "SMCR-R14", Severity::error, "RFC 7609, 3.5.1.5",
    "After CONFIRM of a first contact the server begins on the new link, with CONFIRM LINK.", evidence::group};
inline constexpr Rule confirm_link_identity{
    "SMCR-R15", Severity::error, "RFC 7609, A.3.1",
    "CONFIRM LINK repeats the MAC, GID and queue pair of CLC or ADD LINK, and the reply the link's number.",
    messages("CONFIRM LINK, and the CLC message or ADD LINK that named the same end")};
inline constexpr Rule max_links{
    "SMCR-R16", Severity::error, "RFC 7609, 2.2.2",
    "The server allows 2 to 8 links (in version 2 from 1 on), the client at most as many.",
    messages("CONFIRM LINK; for the client's number also the server's")};
inline constexpr Rule second_link_first{
    "SMCR-R17",          Severity::error,
    "RFC 7609, 3.5.1.6", "On first contact data waits until the second link is up or has been given up.",
    evidence::group,     "A client that is sent no ADD LINK for 2 s goes on with one link."};
inline constexpr Rule data_after_confirm{
    "SMCR-R18", Severity::error, "RFC 7609, 3.5.2.4",
    "The client sends no data before its CONFIRM, the server none before CONFIRM has arrived.",
    messages("CLC messages and data on one interface")};
inline constexpr Rule announced_rtoken{
    "SMCR-R19", Severity::error, "RFC 7609, 3.5.5.2.1",
    "An RMB is used for a subsequent contact only after CONFIRM RKEY announced its RToken and was agreed to.",
    evidence::group};
inline constexpr Rule llc_format{
    "SMCR-R20",
    Severity::error,
    "RFC 7609, A.3",
    "An LLC message has a known type and the length of its payload; a reply has a request, on the same link.",
    messages_or_stretch("the message; of a reply: the link group from its first contact on, without gaps"),
    "When an accepted link does not come up, the client rejects ADD LINK afterwards, unasked."};
inline constexpr Rule serialized_exchanges{
    "SMCR-R21", Severity::error, "RFC 7609, 3.5.5.3",
    "Configuration exchanges are serialized: a side begins none while it takes part in another one.",
    stretch("both exchanges, without gaps; and that the awaited message came later")};
inline constexpr Rule negative_while_changing{
    "SMCR-R22", Severity::error, "RFC 7609, 3.5.5.3.1",
    "CONFIRM RKEY of the client is refused while the server adds or deletes a link.",
    stretch("both exchanges on one link, without gaps")};
inline constexpr Rule link_topology{
    "SMCR-R23", Severity::error, "RFC 7609, 2.2.1",
    "Links differ in an RNIC, at most one of them is asymmetric, and there are no more than agreed.", evidence::group};
inline constexpr Rule link_number_reuse{
    "SMCR-R24", Severity::error, "RFC 7609, 2.2.4", "A link number is used again only when all others have been used.",
    evidence::group};
inline constexpr Rule add_link_reject{
    "SMCR-R25",
    Severity::error,
    "RFC 7609, 3.5.1.6.1",
    "ADD LINK is rejected with a known reason, or accepted if the link is not parallel to another; a rejected link "
    "does not come up.",
    messages_or_stretch("the message; of parallel links: the link group from its first contact on, without gaps"),
    "Version 2: the reason is left 0."};
inline constexpr Rule add_link_tokens{
    "SMCR-R26", Severity::error, "RFC 7609, A.3.3",
    "ADD LINK CONTINUATION counts its RTokens down, names the new link and RKeys known on the carrying one.",
    messages_or_stretch("ADD LINK and what follows; of RKeys: the link group from its first contact on; without gaps")};
inline constexpr Rule confirm_rkey_tokens{
    "SMCR-R27", Severity::error, "RFC 7609, A.3.5",
    "CONFIRM RKEY lists an RToken for every other active link, and its reply is an echo.",
    messages_or_stretch("the message; of the other links: the link group from its first contact on, without gaps")};
inline constexpr Rule delete_link_answer{
    "SMCR-R28",
    Severity::error,
    "RFC 7609, 3.5.5.1.3",
    "DELETE LINK of the server is answered positively for the same link, and then nothing uses the link.",
    evidence::exchange,
    "A client that itself gives up adding the link does not answer."};
inline constexpr Rule disorderly_delete{
    "SMCR-R29", Severity::error, "RFC 7609, 3.5.5.1.4",
    "DELETE LINK of the client, if not orderly, is followed by the server's own; for a link that there is not, the "
    "server says so.",
    evidence::exchange};
inline constexpr Rule delete_rkey{
    "SMCR-R30",
    Severity::error,
    "RFC 7609, A.3.7",
    "DELETE RKEY lists 1 to 8 keys of RMBs that no connection uses, the reply repeats them, keys that are not known "
    "are refused and named, and a deleted key is not used any more.",
    messages_or_stretch("the message; of its use: the link group from its first contact on, without gaps"),
    "Version 2: the reply leaves the keys out."};
inline constexpr Rule test_link_echo{
    "SMCR-R31", Severity::error, "RFC 7609, A.3.8",
    "TEST LINK is answered, and the reply echoes the request's user data.", evidence::exchange};
inline constexpr Rule known_token{
    "SMCR-R32", Severity::error, "RFC 7609, A.4",
    "A CDC message has 44 octets and an alert token that the receiver assigned in this link group.",
    messages_or_stretch("the message; of its token: the link group from its first contact on, without gaps")};
inline constexpr Rule cdc_sequence{
    "SMCR-R33", Severity::error, "RFC 7609, A.4",
    "CDC messages of a connection and side are numbered from 1, one by one; failover validation is not counted.",
    evidence::sender};
inline constexpr Rule cursor_range{
    "SMCR-R34", Severity::error, "RFC 7609, 4.3",
    "Cursors lie within the RMB element, only move forward, and wrap by passing its end.",
    messages_or_stretch("the message, and the size of the RMB element; of motion: what this side sent on the link "
                        "before, without gaps")};
inline constexpr Rule window{
    "SMCR-R35", Severity::error, "RFC 7609, 4.3, A.4",
    "The producer does not pass the consumer: what is in flight fits into the RMB element.", evidence::both_sides};
inline constexpr Rule write_range{
    "SMCR-R36", Severity::error, "RFC 7609, 4.4.1",
    "A WRITE stays within the data area of its connection's RMB element, and uses the RToken of its link.",
    messages_or_stretch("the WRITE, and the size of the RMB element; of the RToken: the link group from its first "
                        "contact on, without gaps")};
inline constexpr Rule write_before_cdc{
    "SMCR-R37", Severity::error, "RFC 7609, 4.7",
    "The producer cursor covers only octets that earlier WRITEs have placed.", evidence::sender};
inline constexpr Rule immediate_data{
    "SMCR-R38", Severity::error, "RFC 7609, 4.7.1", "An RDMA WRITE carries no immediate data.", evidence::message};
inline constexpr Rule consumer_behind_producer{
    "SMCR-R39", Severity::error, "RFC 7609, 2.1", "The consumer cursor does not pass the producer's.",
    evidence::both_sides};
inline constexpr Rule small_updates{
    "SMCR-R40",
    Severity::warning,
    "RFC 7609, 4.5.1",
    "A message for the consumer cursor alone is sent only if the window is below half and grows by a tenth.",
    evidence::both_sides,
    "Thresholds of its own, and updates when the writer is blocked."};
inline constexpr Rule update_when_blocked{
    "SMCR-R41",           Severity::warning,
    "RFC 7609, 4.5.1",    "A writer says that it is blocked only while the window is full.",
    evidence::both_sides, "B stays set until the next WRITE."};
inline constexpr Rule urgent_order{
    "SMCR-R42", Severity::error, "RFC 7609, 4.7.5",
    "Nothing is written behind urgent data until they have been consumed.", evidence::both_sides};
inline constexpr Rule silence_after_close{
    "SMCR-R43",
    Severity::error,
    "RFC 7609, 4.8.1",
    "After it closed or aborted a side sends nothing more, after sending done no data; what it said stays said.",
    evidence::sender,
    "What its send buffer holds when it closes without waiting for that, or aborts, is still written and announced."};
inline constexpr Rule abort_answer{
    "SMCR-R44",        Severity::error,
    "RFC 7609, 4.8.2", "An abort is answered by an abort, and TCP is reset only along with one.",
    evidence::close,   "A side that is done sending does not answer an abort."};
inline constexpr Rule fin_after_close{"SMCR-R45",      Severity::note,
                                      "RFC 7609, 4.8", "FIN is sent on TCP only when both sides have closed on RoCE.",
                                      evidence::close, "The TCP socket is shut down right after closed was sent."};
inline constexpr Rule failover_validation{
    "SMCR-R46", Severity::error, "RFC 7609, 4.6.1",
    "A connection moves to another link with a failover validation that names a message which was sent.",
    evidence::sender};
inline constexpr Rule failover_replay{
    "SMCR-R47", Severity::error, "RFC 7609, 4.6.2",
    "After failover validation the unacknowledged messages are repeated unchanged and in order, or made one with a "
    "new number.",
    evidence::sender};
inline constexpr Rule tcp_after_switch{
    "SMCR-R48", Severity::error, "RFC 7609, 3.5.2.4, 4.5.3",
    "After the switch to SMC-R the TCP connection carries no application data.", evidence::clc};
inline constexpr Rule path_mtu{
    "SMCR-R49", Severity::error, "RFC 7609, A.2.3", "Packets carry no more than the smaller MTU of both sides.",
    messages("the packet, and the MTUs that both sides named")};
inline constexpr Rule element_reuse{
    "SMCR-R50", Severity::error, "RFC 7609, 4.4.2",
    "An RMB element is given to a new connection only when the old one is closed or being aborted.", evidence::group};
inline constexpr Rule llc_timeout{
    "SMCR-R51",         Severity::error,
    "RFC 7609, C.7",    "A request that is not answered in time is followed by DELETE LINK, DECLINE or a reset.",
    evidence::exchange, "DELETE RKEY that is not answered has no consequence."};
inline constexpr Rule silence_after_delete{
    "SMCR-R52", Severity::error, "RFC 7609, 3.5.4",
    "After DELETE LINK for all links no connection of the link group sends data.", evidence::link};
inline constexpr Rule common_version{
    "SMCR-R53", Severity::error, "RFC 7609, A.2",
    "ACCEPT has a version that the PROPOSAL offers, and CONFIRM has the ACCEPT's.", evidence::clc};
inline constexpr Rule add_link_mtu{
    "SMCR-R54", Severity::error, "RFC 7609, A.3.2, C.7.1",
    "The coded MTU of ADD LINK is 1 to 5; one that is not is rejected, with reason 2.", evidence::message};
inline constexpr Rule equal_elements{
    "SMCR-R55", Severity::error, "RFC 7609, 2.1", "All RMB elements of an RMB have the same size.", evidence::clc};
inline constexpr Rule one_server{
    "SMCR-R56", Severity::error, "RFC 7609, 2.2.3", "One peer is the server of all connections of a link group.",
    messages("CLC messages that name a link whose sides are known")};
inline constexpr Rule same_vlan{
    "SMCR-R57", Severity::error, "RFC 7609, 2.2, 5.1",
    "A link has the VLAN ID of its TCP connections. Version 2 is routed, and need not.",
    messages("the TCP connection and the link on one interface")};
inline constexpr Rule initial_psn{
    "SMCR-R70", Severity::error, "RFC 7609, A.2.3", "Packet sequence numbers of a link begin as announced.",
    evidence::link};
inline constexpr Rule urgent_flags{
    "SMCR-R71", Severity::note, "RFC 7609, 4.7.5", "Urgent data that are present are also pending.", evidence::message};

/// In the order in which they are listed.
inline constexpr std::array catalogue{
    &option_in_both_syns,
    &clc_format,
    &clc_order,
    &reserved_is_zero,
    &prefix_count,
    &coded_values,
    &rmb_index,
    &peer_id,
    &known_link,
    &new_group_is_new,
    &no_chase,
    &decline_in_time,
    &decline_ends_rdma,
    &confirm_link_follows,
    &confirm_link_identity,
    &max_links,
    &second_link_first,
    &data_after_confirm,
    &announced_rtoken,
    &llc_format,
    &serialized_exchanges,
    &negative_while_changing,
    &link_topology,
    &link_number_reuse,
    &add_link_reject,
    &add_link_tokens,
    &confirm_rkey_tokens,
    &delete_link_answer,
    &disorderly_delete,
    &delete_rkey,
    &test_link_echo,
    &known_token,
    &cdc_sequence,
    &cursor_range,
    &window,
    &write_range,
    &write_before_cdc,
    &immediate_data,
    &consumer_behind_producer,
    &small_updates,
    &update_when_blocked,
    &urgent_order,
    &silence_after_close,
    &abort_answer,
    &fin_after_close,
    &failover_validation,
    &failover_replay,
    &tcp_after_switch,
    &path_mtu,
    &element_reuse,
    &llc_timeout,
    &silence_after_delete,
    &common_version,
    &add_link_mtu,
    &equal_elements,
    &one_server,
    &same_vlan,
    &initial_psn,
    &urgent_flags};
}  // namespace rules

/// One of the rules above.
using RuleRef = RuleIn<rules::catalogue>;

}  // namespace fabricscope::engine::smcr
