// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of Fibre Channel traffic: Exchanges, logins, and which port has which IP address.
//
// The namespace is not called fc: that would hide fabricscope::fc, the wire formats, from the whole engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/packed_list.h"
#include "analyzer/engine/sides.h"
#include "capture/fc_sequence.h"
#include "protocols/fc/els.h"

namespace fabricscope::engine::fibre_channel {

namespace wire = fabricscope::fc;

/// VSAN, VF_ID or VLAN of FCoE; nothing: the link does not tell. A frame of FCoE may be seen without its tag, so the
/// VLAN that comes first is the one of frames that have none, and nothing too.
using Fabric = std::optional<std::uint16_t>;

/// An Nx_Port of a fabric.
struct Port {
    std::uint16_t fabric = 0;  ///< its number; 0: the link does not tell
    std::uint32_t id = 0;      ///< 24-bit N_Port_ID
    bool operator==(const Port&) const = default;
};
/// "01.02.03"; "01.02.03 in fabric 7"
std::string to_string(const Port& port);

/// Who opened an Exchange, or asked for a login, and the other one.
enum class Party : std::uint8_t { originator = 0, responder = 1 };
constexpr Party other(Party party) { return party == Party::originator ? Party::responder : Party::originator; }
constexpr const char* name_of(Party party) { return party == Party::originator ? "originator" : "responder"; }

/// One T for each party.
template <class T> struct PerParty {
    std::array<T, 2> values{};
    T& operator[](Party party) { return values[static_cast<std::size_t>(party)]; }
    const T& operator[](Party party) const { return values[static_cast<std::size_t>(party)]; }
};

/// A refusal: LS_RJT, P_RJT, F_RJT or BA_RJT.
struct Refusal {
    std::uint8_t reason = 0;
    std::uint8_t explanation = 0;  ///< 0 where there is none
    std::uint8_t vendor = 0;
    FrameStamp step;
};

// ---- Exchanges -------------------------------------------------------------------------------------

enum class ExchangeState : std::uint8_t {
    open,     ///< neither its end nor an abort was seen
    closed,   ///< the end of its last Sequence was seen
    aborted,  ///< ABTS, and BA_ACC or no answer
};
/// "open", "closed", "aborted"
const char* name_of(ExchangeState state);

/// One Sequence of an Exchange.
struct SequenceSeen {
    Party from{};
    std::uint8_t seq_id = 0;
    std::uint8_t r_ctl = 0;
    std::uint64_t first_frame = 0, last_frame = 0;
    Time first_time = 0, last_time = 0;
    std::uint32_t frames = 0;    ///< distinct ones
    std::uint32_t missing = 0;   ///< between those that were seen
    std::uint32_t repeated = 0;  ///< seen again
    std::uint64_t octets = 0;    ///< payload
    bool complete = false;
    bool passes_initiative = false;
    bool last = false;  ///< Last_Sequence
};

/// ABTS and its answer.
struct AbortSeen {
    Party by{};
    FrameStamp step;
    bool sequence_only = false;  ///< Parameter's bit 0: not the whole Exchange
    std::optional<FrameStamp> accepted;
    std::optional<Refusal> refused;
};

/// What one party of an Exchange sent.
struct Sent {
    std::uint32_t sequences = 0;
    std::uint64_t frames = 0;  ///< data frames, repeated ones left out
    std::uint64_t octets = 0;  ///< payload of them
    std::uint64_t repeated = 0;
    std::uint32_t acks = 0;  ///< ACK_0, ACK_1
};

struct Exchange {
    std::uint32_t id = 0;  ///< n in "xchg-n", from 1
    Fabric fabric;
    std::uint32_t originator = 0;  ///< N_Port_IDs
    std::uint32_t responder = 0;
    /// The N_Port_ID that a FLOGI or FDISC gave the originator.
    std::optional<std::uint32_t> assigned_id;
    std::uint16_t ox_id = 0;
    std::optional<std::uint16_t> rx_id;  ///< once the Responder has assigned one
    std::optional<std::uint8_t> type;    ///< TYPE of its data; nothing: no data was seen
    std::optional<int> service_class;    ///< 1 to 4, where SOF was captured
    ExchangeState state = ExchangeState::open;
    bool beginning_seen = false;  ///< its first Sequence was
    /// A command seems to have been sent again, but too little of it was captured to tell it from another one.
    bool may_be_several = false;
    std::optional<Party> initiative;      ///< who holds the Sequence Initiative
    std::optional<std::uint8_t> els;      ///< command, of an Extended Link Service
    std::optional<std::uint16_t> ct;      ///< command, of a Common Transport request
    std::uint32_t question = 0;           ///< digest of that request; 0: not all of it was captured
    std::optional<bool> accepted;         ///< of these: LS_ACC or CT accept, or a reject
    std::uint32_t login = 0;              ///< id of the login that it asks for; 0: none
    std::optional<Refusal> rejected;      ///< LS_RJT, or the CT reject's reason
    std::optional<Refusal> link_reject;   ///< the first P_RJT or F_RJT
    std::optional<Party> link_reject_by;  ///< P_RJT: whose port; nothing: the fabric's F_RJT
    std::uint32_t busies = 0;             ///< P_BSY, F_BSY
    std::optional<AbortSeen> abort;       ///< the first ABTS
    PerParty<Sent> sent;
    std::vector<SequenceSeen> sequences;  ///< the first Limits::sequences of them, in order of their first frames
    std::uint32_t sequence_count = 0;
    std::uint32_t incomplete_sequences = 0;  ///< of `sequences`: that lack frames so far
    std::uint64_t first_frame = 0, last_frame = 0;
    Time first_time = 0, last_time = 0;

    Port port(Party party) const { return {fabric.value_or(0), party == Party::originator ? originator : responder}; }
};
/// For PackedList.
std::size_t pack(Exchange& exchange, std::vector<std::uint8_t>& room);
void unpack(Exchange& exchange, const std::uint8_t* from);
void unpack_without_details(Exchange& exchange, const std::uint8_t* from);  ///< its Sequences

/// "PLOGI", "GID_IPP", "FCP", "FC-VI", "TYPE 42h"; "?" if no data was seen
std::string kind_text(const Exchange& exchange);

// ---- logins ----------------------------------------------------------------------------------------

/// What one party said of itself in a login. Times in nanoseconds.
struct ServiceParameters {
    std::uint64_t port_name = 0;
    std::uint64_t node_name = 0;
    std::uint16_t bb_credit = 0;
    std::uint16_t receive_data_field_size = 0;             ///< buffer-to-buffer
    bool continuously_increasing_relative_offset = false;  ///< PLOGI
    bool random_relative_offset = false;                   ///< PLOGI
    bool continuously_increasing_seq_cnt = false;          ///< PLOGI
    std::uint16_t concurrent_sequences = 0;                ///< PLOGI
    std::uint16_t relative_offset_categories = 0;          ///< PLOGI; a bit for each information category
    std::optional<Time> e_d_tov;                           ///< PLOGI, and LS_ACC to FLOGI
    std::optional<Time> r_a_tov;                           ///< LS_ACC to FLOGI
    bool f_port = false;
    bool alternate_bb_credit = false;
    bool short_r_t_tov = false;                           ///< PLOGI, and LS_ACC to FLOGI
    bool extended = false;                                ///< more than 116 octets
    std::array<wire::ClassServiceParameters, 4> classes;  ///< 1 to 4
};

enum class LoginState : std::uint8_t {
    requested,   ///< not answered
    accepted,    ///< and in force, as far as it was seen
    rejected,    ///< LS_RJT
    logged_out,  ///< LOGO, or another login instead of it
    midstream,   ///< taken for granted: only what builds on it was captured
};
/// "requested", "accepted", "rejected", "logged-out", "midstream"
const char* name_of(LoginState state);

/// A PRLI and what became of it.
struct ProcessLogin {
    Party asked_by{};  ///< of the port login
    std::uint8_t type = 0;
    std::uint32_t asked = 0;                ///< service parameters of the request
    std::optional<std::uint32_t> answered;  ///< of the LS_ACC
    std::optional<std::uint8_t> response;   ///< of the LS_ACC, see fc::prli_response_names
    bool image_pair = false;                ///< established
    std::optional<Refusal> rejected;
    std::optional<FrameStamp> request, answer, logout;  ///< logout: PRLO
};

enum class LoginKind : std::uint8_t { port, fabric };

/// FLOGI, FDISC, PLOGI or PDISC between two ports, up to the LOGO.
struct Login {
    std::uint32_t id = 0;  ///< n in "login-n", from 1
    LoginKind kind = LoginKind::port;
    std::uint8_t command = wire::els_plogi;
    Fabric fabric;
    std::uint32_t originator = 0;  ///< who asked; of a fabric login the N_Port_ID it got, if it got one
    std::uint32_t responder = 0;
    LoginState state = LoginState::requested;
    std::optional<FrameStamp> request, answer, logout;
    std::optional<Party> logout_by;  ///< nothing: replaced by another login
    std::optional<Refusal> rejected;
    std::uint32_t requests = 0;  ///< how often it was asked for
    std::uint32_t exchange = 0;  ///< id of the Exchange that asked last
    std::uint16_t ox_id = 0;     ///< its OX_ID
    bool gave_address = false;   ///< the answer did, as `originator`
    std::uint32_t replaces = 0;  ///< id of the login that it ends by being accepted; 0 = none
    PerParty<std::optional<ServiceParameters>> parameters;
    std::optional<Time> r_a_tov, e_d_tov;  ///< as RTV told between the two
    std::vector<ProcessLogin> processes;   ///< the first Limits::processes of them
};

/// A virtual link of FCoE that its switch has given up (FIP Clear Virtual Links, FC-BB-5): the VN_Port is logged out.
struct ClearedLink {
    FrameStamp first;
    Mac by;                    ///< the switch
    Mac station;               ///< whom it told
    std::optional<Port> port;  ///< nothing: all links of the station
    std::uint32_t frames = 0;
    std::uint32_t login = 0;  ///< id of the login with the fabric that this ended; 0 = none that was captured
    std::optional<Time> last_keep_alive{};  ///< of the station, before that
};

// ---- addresses -------------------------------------------------------------------------------------

enum class ResolutionKind : std::uint8_t { farp, gid_ipp };

/// A question which port has an IP address, and the answer.
struct Resolution {
    ResolutionKind kind{};
    Fabric fabric;
    std::uint32_t asked_by = 0;  ///< N_Port_ID
    Address ip;                  ///< IPv4 or IPv6
    FrameStamp request;
    std::uint32_t requests = 0;  ///< how often it was asked before an answer came
    std::optional<FrameStamp> answer;
    std::vector<std::uint32_t> ports;  ///< the first Limits::ports of the answer
    std::optional<Refusal> rejected;
};

struct Model {
    /// The first Limits::exchanges, in order of ids; with Options::only_notable of their end.
    PackedList<Exchange> exchanges;
    std::vector<Login> logins;               ///< logins[id - 1]
    std::vector<ClearedLink> cleared_links;  ///< the first Logins::most_cleared
    std::vector<Resolution> resolutions;
    std::uint64_t frames = 0;              ///< Fibre Channel frames
    std::uint64_t damaged_frames = 0;      ///< of these, with a wrong CRC or an EOF that says invalid: not followed
    std::uint64_t unlisted_exchanges = 0;  ///< followed, but left out because a limit was reached
    std::uint64_t dropped_logins = 0;
    std::uint64_t dropped_resolutions = 0;
};

}  // namespace fabricscope::engine::fibre_channel
