// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine knows about FC-VI in a capture: connections from the first Connect Request to the last
// Disconnect, and the VI Messages that were sent on them.
//
// Plain data. Times are nanoseconds since the epoch, frames are numbered from 1. What a capture does
// not tell is nullopt, never a guess. Clauses without a document are ISO/IEC 14165-331's.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/fcvi/rules.h"
#include "analyzer/engine/sides.h"
#include "protocols/fc/frame.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fabricscope::engine::fcvi {

/// The wire formats; this namespace is about what they add up to.
namespace wire = fabricscope::fcvi;
/// Frames below FC-VI; not the engine's part of the same name.
namespace fc = fabricscope::fc;

using engine::FrameStamp;
using engine::name_of;
using engine::other;
using engine::PerSide;
using engine::Side;  // the client is who sent the first Connect Request; midway, the first frame
using engine::Time;
using fibre_channel::Port;

enum class Outcome : std::uint8_t {
    connected,
    rejected,  ///< a Connect Response or the client said no
    aborted,   ///< ABTS, or a Disconnect Request that aborts the setup
    unknown,   ///< the capture does not tell
};
/// "connected", "rejected", "aborted", "unknown"
const char* name_of(Outcome outcome);

/// What a capture tells of an endpoint's state (8.2).
enum class State : std::uint8_t { unknown, idle, pending_connect, pending_connect_retry, connected, error };
/// "unknown", "idle", "pending connect", "pending connect retry", "connected", "error"
const char* name_of(State state);

struct StateChange {
    FrameStamp step;
    State state{};
};

/// What an endpoint says of itself in a Connect Request or Response.
struct Announcement {
    std::optional<std::uint32_t> handle;      ///< or as its peer used it
    std::optional<wire::NetAddress> address;  ///< of its Connectionpoint
    std::optional<wire::CommonAttributes> attributes;
    std::optional<wire::Reliability> reliability;  ///< nullopt also for a reserved code
};

/// One endpoint of a connection.
struct End : Announcement {
    Port port;
    std::optional<std::uint64_t> port_name;  ///< from a login
    State state{};
    std::vector<StateChange> states;  ///< the first of them
};

/// A reason that an IU gave.
struct StatusSeen {
    Side by{};
    wire::IuType iu{};
    std::uint8_t reason = 0;
    std::uint8_t explanation = 0;
    std::uint8_t vendor_unique = 0;
    FrameStamp step;
};

/// One Exchange of a connection setup (5.3).
struct Setup {
    Side from{};
    std::uint16_t ox_id = 0;
    std::optional<std::uint32_t> connection_id{};  ///< ISO only
    bool retry = false;
    std::optional<FrameStamp> rqst{}, resp1{}, resp2{}, resp3{};
    std::optional<FrameStamp> abts{};
    std::optional<StatusSeen> status{};              ///< the first that was not good
    std::optional<std::uint32_t> request_handle{};   ///< that RQST gave
    std::optional<std::uint32_t> response_handle{};  ///< that RESP1 gave; FFFFFFFFh: none
    std::optional<std::uint32_t> resp2_handle{};     ///< to which RESP2 went

    bool accepted() const { return resp1 && !status; }
    /// When the IU of a setup came; nothing if it was not seen.
    const std::optional<FrameStamp>& step_of(wire::IuType iu) const {
        switch (iu) {
            case wire::IuType::connect_rqst: return rqst;
            case wire::IuType::connect_resp1: return resp1;
            case wire::IuType::connect_resp2: return resp2;
            default: return resp3;
        }
    }
    /// It went on behind an answer that was not seen, and that may have refused.
    bool has_gaps() const { return (resp2 && !resp1) || (resp3 && !(resp1 && resp2)); }
};

/// One Exchange of a Disconnect operation (5.3.5).
struct Disconnect {
    Side from{};
    std::uint16_t ox_id = 0;
    std::optional<FrameStamp> rqst{}, resp{};
    bool by_application = false;  ///< VI_APP_DISCON
    bool aborts_setup = false;    ///< CONN_SETUP_ABORT
    std::uint32_t msg_id = 0;     ///< last Message that its sender completed
    std::optional<std::uint32_t> resp_msg_id{};
    std::optional<StatusSeen> status{}, resp_status{};
};

enum class Operation : std::uint8_t { send, write, read };
/// "send", "rdma write", "rdma read"
const char* name_of(Operation operation);
/// That an IU of a Message takes part in.
Operation operation_of(wire::IuType type);

enum class MessageState : std::uint8_t {
    open,        ///< the capture ends before the Message does
    complete,    ///< all frames were seen, and the good response where one is due
    incomplete,  ///< it ended, but frames of it were not seen
    failed,      ///< its response says so
    aborted,     ///< by ABTS
};
/// "open", "complete", "incomplete", "failed", "aborted"
const char* name_of(MessageState state);

/// A VI Message: one Exchange.
struct Message {
    std::uint64_t id = 0;  ///< n in "fcvi-message-n", from 1
    std::uint32_t connection = 0;
    Side from{};  ///< who began it; the data of a Read come from the other side
    Operation operation{};
    MessageState state{};
    std::uint32_t msg_id = 0;
    std::uint16_t ox_id = 0;
    std::optional<std::uint32_t> total_length;  ///< octets, as announced; revision 1.0 does not announce them
    std::optional<std::uint32_t> immediate_data;
    std::optional<std::uint64_t> rmt_va;  ///< RDMA
    std::optional<std::uint32_t> rmt_va_handle;
    std::uint64_t bytes = 0;      ///< of data, each octet once
    std::uint64_t frames = 0;     ///< of data and requests, each once
    std::uint64_t sequences = 0;  ///< Information Units of data and requests
    std::uint64_t repeated_frames = 0;
    std::uint64_t missing_frames = 0;  ///< that SEQ_CNT tells of
    FrameStamp first;                  ///< that was captured
    Time last = 0;
    std::optional<FrameStamp> request_begin, request_end;  ///< the frames that begin and end the request
    std::optional<FrameStamp> response;                    ///< first frame that was captured
    std::optional<FrameStamp> response_begin, response_end;
    bool trans_err = false, prot_err = false, desc_err = false;  ///< why it failed

    bool reads() const { return operation == Operation::read; }
};
/// For PackedList.
std::size_t pack(Message& message, std::vector<std::uint8_t>& room);
void unpack(Message& message, const std::uint8_t* from);

/// Annex B's bookkeeping of what one end receives, as the capture shows it.
struct Reception {
    std::optional<std::uint32_t> expected_message;  ///< Mexp
    std::uint16_t expected_seq_cnt = 0;             ///< SCexp of that Message
    std::uint64_t missing_messages = 0;             ///< MSG_IDs that were skipped and did not come later
    std::uint64_t late_messages = 0;                ///< that came after a higher MSG_ID
    std::uint64_t missing_frames = 0;
    std::uint64_t late_frames = 0;           ///< that came after a higher SEQ_CNT
    std::uint64_t message_errors = 0;        ///< Merr: Messages that an in-order fabric would have spoilt
    std::optional<FrameStamp> handle_error;  ///< Herr: where a reliable level has to enter Error
};

/// What one side sent.
struct Traffic {
    std::uint64_t messages = 0, sends = 0, writes = 0, reads = 0;
    std::uint64_t bytes = 0;  ///< of Sends, Writes and answers to Reads, each octet once
    std::uint64_t frames = 0;
    std::uint64_t responses = 0, failed_responses = 0;
    std::uint64_t repeated_frames = 0;
    std::optional<Time> first, last;
    Reception at_peer;
};

/// One IU, for ladders.
struct IuSeen {
    FrameStamp step;  ///< of its first frame
    Side from{};
    wire::IuType type{};
    std::uint8_t seq_id = 0;
    std::uint32_t msg_id = 0;
    std::uint64_t octets = 0;  ///< of data, each once
    std::uint64_t frames = 0;
    std::optional<std::uint8_t> reason{};
    bool failed = false;            ///< RESP_ERR
    std::optional<Time> answers{};  ///< when what it answers was sent
};

/// ABTS of one of the connection's Exchanges.
struct AbortSeen {
    FrameStamp step;
    Side by{};
    std::uint16_t ox_id = 0;
};

struct Connection {
    std::uint32_t id = 0;  ///< n in "fcvi-n", from 1
    wire::Version version{};
    bool version_known = true;  ///< false: met midway, and so far each IU could be of both
    std::optional<wire::ConnectMode> mode;
    bool from_start = false;  ///< its first Connect Request was captured
    PerSide<End> end;
    Outcome outcome = Outcome::unknown;
    std::optional<StatusSeen> reject;
    std::vector<Setup> setups;  ///< of concurrent peers, and retried ones
    std::vector<Disconnect> disconnects;
    PerSide<Traffic> from;
    std::vector<IuSeen> ius;        ///< the first Limits::ius of them
    std::vector<AbortSeen> aborts;  ///< the first Limits::setups of them
    std::uint64_t iu_count = 0;
    std::uint64_t first_frame = 0;
    Time first_time = 0;
    Time last_time = 0;

    /// The level that both ends have, as far as they say.
    std::optional<wire::Reliability> reliability() const;
    bool is_iso() const { return version == wire::Version::iso; }
};

/// Its Disconnect Request was answered.
bool has_disconnected(const Connection& connection, Side side);

/// "open", "half" (one end has left), "closed", or nullptr if it never was connected. Who logs out leaves, too (7.7).
const char* close_of(const Connection& connection);

struct Model : RuleRecord<rules::catalogue> {
    std::deque<Connection> connections;  ///< connections[id - 1]
    PackedList<Message> messages;        ///< messages[id - 1]
    /// How often a limit kept something from being followed; 0 in any ordinary capture.
    std::uint64_t dropped_connections = 0;
    std::uint64_t dropped_messages = 0;
    std::uint64_t dropped_exchanges = 0;
    std::uint64_t dropped_details = 0;  ///< frames of which it is not remembered which data of a Message they had
};

}  // namespace fabricscope::engine::fcvi
