// SPDX-License-Identifier: GPL-2.0-or-later
// FC-2 of an emulated port: Exchanges and the Sequences in them, class 2 with ACK_1 or ACK_0, busy and rejected frames,
// and class 3, ABTS (FC-PH 18 to 24; FC-FS, Exchange and Sequence management).
//
// SEQ_CNT increases continuously over the Exchange in each direction. It is a number of 16 bits: an Exchange with
// more than 65536 frames in a direction is not supported.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "protocols/fc/basic_links.h"
#include "replay/stack/core/random.h"
#include "replay/stack/fc/link.h"

namespace fabricscope::stack::fibre_channel {

/// An Exchange of this port; 0 is none. Not used again.
using ExchangeHandle = std::uint64_t;

/// An Information Unit, to be sent as one Sequence.
struct OutgoingIu {
    std::uint8_t r_ctl = 0;
    Octets device_header{};
    Octets payload{};
    std::size_t payload_of_frame = 0;  ///< octets at most, a multiple of 4; 0: as many as fit
    bool last_sequence = false;
    bool passes_initiative = false;
    std::optional<std::uint32_t> relative_offset{};  ///< of the first octet; present in all frames, or in none
    std::uint32_t parameter = 0;                     ///< without Relative Offset
    std::optional<std::uint16_t> rx_id{};            ///< instead of the Exchange's own
    /// All frames are like this one in what FC-2 does not have to number: TYPE, CS_CTL, F_CTL.
    std::optional<fc::FrameHeader> like{};
    std::string note{};
};

struct IncomingIu {
    ExchangeHandle exchange = 0;
    fc::FrameHeader first, last;  ///< of its first and of its last frame
    Octets device_header, payload;
};

enum class Failure : std::uint8_t {
    ack_timeout,      ///< class 2: no ACK within E_D_TOV
    rejected,         ///< P_RJT, F_RJT
    busy,             ///< P_BSY, F_BSY
    abort_requested,  ///< an ACK asks for ABTS
    aborted,          ///< the other port has sent ABTS
};

/// What becomes of a frame that has come.
enum class Disposition : std::uint8_t {
    take,
    discard,
    discard_and_abort,  ///< class 2: the ACK asks for ABTS
};

/// Why a frame of class 2 gets P_RJT (FC-PH 20.3.3).
enum class Rejection : std::uint8_t { type_not_supported = 0x07, protocol_error = 0x12, login_required = 0x16 };

/// What Exchanges of a TYPE are for.
class ExchangeUser {
public:
    ExchangeUser() = default;
    ExchangeUser(const ExchangeUser&) = delete;
    ExchangeUser& operator=(const ExchangeUser&) = delete;
    virtual ~ExchangeUser() = default;

    /// Each frame in the order in which they come; the same frame may come twice.
    virtual Disposition on_frame(Time /*now*/, ExchangeHandle /*exchange*/, const fc::Frame& /*frame*/) {
        return Disposition::take;
    }
    /// A data frame whose CRC is wrong: nothing in it can be relied on, and no Exchange gets it.
    virtual void on_bad_frame(Time /*now*/, const fc::Frame& /*frame*/) {}
    /// Class 2: whether a frame that got BSY may be sent again, behind others of its Sequence.
    virtual bool repeats_busy() const { return true; }
    /// A Sequence is complete.
    virtual void on_iu(Time now, const IncomingIu& iu) = 0;
    /// Class 2: all that was sent has been acknowledged.
    virtual void on_acknowledged(Time /*now*/, ExchangeHandle /*exchange*/) {}
    /// ABTS has come from the other port, whether or not the Exchange was open.
    virtual void on_abts(Time /*now*/, ExchangeHandle /*exchange*/) {}
    /// But for Failure::aborted the Exchange is there until it is closed or aborted.
    virtual void on_failure(Time now, ExchangeHandle exchange, Failure failure) = 0;
};

/// Of Ethernet, between two ports.
struct FcoeAddresses {
    Mac own, peer;
};

struct ExchangeConfig {
    Link link = Link::fibre;
    std::optional<std::uint16_t> vlan{};       ///< of FCoE
    std::optional<FcoeAddresses> addresses{};  ///< of FCoE, instead of those made of the port ids
    std::size_t data_field_size = 2048;        ///< octets, Device_Header included; a multiple of 4
    unsigned end_to_end_credit = 8;            ///< class 2: frames to a port that have no ACK
    bool ack_0 = false;                        ///< class 2: the port can do with ACK_0, which is for a whole Sequence
    unsigned busy_every = 0;            ///< class 2: for each so-manyth data frame there is no buffer; 0: for all
    unsigned busy_times = UINT32_MAX;   ///< and no more often than this
    unsigned reject_every = 0;          ///< class 2: each so-manyth data frame gets P_RJT; 0: none
    Time busy_wait = 10 * millisecond;  ///< until a frame that got BSY is sent again
    Time e_d_tov = 2 * second;
    Time r_a_tov = 10 * second;
};

class Exchanges {
public:
    Exchanges(const ExchangeConfig& config, std::size_t port, std::vector<OutgoingFrame>& out, Random random)
        : config_(config), port_(port), out_(out), next_x_id_(static_cast<std::uint16_t>(random.bits(15))) {}

    /// The port's own N_Port_ID; while it is 0, all frames are taken.
    std::uint32_t port_id() const { return port_id_; }
    void set_port_id(std::uint32_t id) { port_id_ = id; }
    /// Another address under which the port is reached.
    void serve(std::uint32_t address) { served_.insert(address); }
    void set_user(std::uint8_t type, ExchangeUser& user) { users_[type] = &user; }
    /// Class 2: what needs a login is rejected from ports that `knows` does not.
    void set_login_check(std::function<bool(std::uint32_t port)> knows) { knows_ = std::move(knows); }
    /// Class 2: is told when the other port says that it has no login with this one.
    void set_login_lost(std::function<void(Time now, std::uint32_t port)> lost) { login_lost_ = std::move(lost); }
    /// Class 2: the other port can do with ACK_0, too. There is no credit then.
    void use_ack_0(std::uint32_t peer) { ports_[peer].ack_0 = config_.ack_0; }
    void set_timeouts(Time e_d_tov, Time r_a_tov) { config_.e_d_tov = e_d_tov, config_.r_a_tov = r_a_tov; }
    Time r_a_tov() const { return config_.r_a_tov; }

    /// 0 if all identifiers belong to Exchanges that are open, or were aborted less than R_A_TOV ago.
    ExchangeHandle open(std::uint8_t type, std::uint32_t peer, int service_class = 3, bool preference = false);
    void send(Time now, ExchangeHandle handle, OutgoingIu iu);
    /// Class 2: some of its frames have been sent, and others wait for credit.
    bool is_partly_sent(ExchangeHandle handle) const;
    /// ABTS. Nothing more is heard of the Exchange.
    void abort(Time now, ExchangeHandle handle, std::string note = "");
    /// All Exchanges with a port end, without a word to it.
    void drop_all(Time now, std::uint32_t peer);

    /// A FLOGI comes from address 0 and is answered to the assigned one.
    void answer_to(ExchangeHandle handle, std::uint32_t address);

    void on_frame(Time now, ByteView octets);
    /// From now on, what the port sends to itself does not leave it.
    void loop_back() { loops_back_ = true; }
    /// Takes one frame of that; false if there is none.
    bool deliver_to_itself(Time now);
    void on_timer(Time now);
    Time wakeup() const;

private:
    struct Key {
        std::uint32_t peer = 0;
        std::uint16_t ox_id = 0;
        bool own = false;  ///< this port is the Originator
        auto operator<=>(const Key&) const = default;
    };
    struct Assembly {
        std::map<std::uint16_t, Octets> payloads;  ///< by SEQ_CNT
        std::optional<fc::FrameHeader> first, last;
        Octets device_header;
        bool complete = false;
    };
    /// Class 2: a frame that has to wait for credit, which a port has as a whole.
    struct Waiting {
        ExchangeHandle exchange = 0;
        builders::FcFrame frame;
        fc::FrameHeader header;
        std::string note;
        unsigned times_busy = 0;
    };
    struct Exchange {
        Key key;
        std::uint8_t type = 0;
        int service_class = 3;
        bool preference = false;
        std::uint32_t local = 0, remote = 0;  ///< S_ID and D_ID of what is sent
        std::uint16_t rx_id = fc::unassigned_x_id;
        std::uint8_t next_seq_id = 0;
        std::uint16_t next_seq_cnt = 0;
        std::uint16_t sent_frames = 0;  ///< class 2: that had credit
        bool anything_sent = false, last_sequence_sent = false, ended = false;
        std::map<std::uint8_t, Assembly> assemblies;  ///< by SEQ_ID
        std::size_t frames_received = 0;              ///< distinct ones
        std::optional<std::uint16_t> last_received;   ///< SEQ_CNT of the Exchange's last frame
        fc::FrameHeader first_seen;                   ///< of the other side
        Octets first_device_header;
        std::map<std::uint16_t, Waiting> unacknowledged;  ///< by SEQ_CNT
        Time ack_deadline = never;
        bool aborting = false, aborted = false;  ///< by this port, by the other one
    };

    bool is_ours(std::uint32_t d_id) const;
    Exchange* find(ExchangeHandle handle);
    ExchangeHandle handle_of(const Key& key) const;
    ExchangeHandle exchange_for(Time now, const fc::Frame& frame, int service_class);
    static bool is_first_again(const Exchange& exchange, const fc::Frame& frame);
    std::optional<Key> free_key(std::uint32_t peer);
    ExchangeHandle create(Exchange exchange);
    void end(Time now, Exchange& exchange);
    void erase(ExchangeHandle handle);
    /// `until` never: nothing is waited for.
    void wait_for_ack(ExchangeHandle handle, Exchange& exchange, Time until);
    void forget_old(Time now);

    fc::FrameHeader header_of(const Exchange& exchange) const;
    struct Port {
        std::deque<Waiting> waiting;  ///< in the order in which they were to be sent
        std::size_t unacknowledged = 0;
        bool ack_0 = false;
    };
    Waiting frame_of(
        const Exchange& exchange, const fc::FrameHeader& header, ByteView device_header, ByteView payload,
        bool first) const;
    void pump(Time now, std::uint32_t peer);
    void emit(std::uint32_t to, const builders::FcFrame& frame, std::string note);
    void send_basic(Time now, Exchange& exchange, std::uint8_t r_ctl, Octets payload, std::string note);
    void answer(const fc::FrameHeader& header, std::uint8_t r_ctl, std::uint32_t parameter, std::string note = "");
    void acknowledge(const Exchange& exchange, const fc::FrameHeader& header, bool ask_for_abort);
    /// Class 2: whether the frame gets P_RJT or P_BSY.
    bool refuses(const fc::FrameHeader& header);
    std::optional<Rejection> why_not(const fc::FrameHeader& header);

    void on_bad_frame(Time now, ByteView octets);
    void on_data(Time now, const fc::Frame& frame, fc::Sof sof);
    static std::optional<IncomingIu> assemble(Exchange& exchange, const fc::Frame& frame, bool initiates);
    void on_link_control(Time now, const fc::FrameHeader& header);
    void on_ack(Time now, ExchangeHandle handle, const fc::FrameHeader& header);
    void on_busy(Time now, ExchangeHandle handle, std::uint16_t seq_cnt);
    void send_again(Time now);
    void on_basic(Time now, const fc::Frame& frame, int service_class);
    void on_abts(Time now, const fc::Frame& frame, int service_class);
    void fail(Time now, ExchangeHandle handle, Failure failure);

    ExchangeConfig config_;
    std::size_t port_;
    std::vector<OutgoingFrame>& out_;
    bool loops_back_ = false;
    std::deque<Octets> to_itself_;
    std::uint32_t port_id_ = 0;
    std::set<std::uint32_t> served_;
    std::map<std::uint8_t, ExchangeUser*> users_;
    std::map<ExchangeHandle, Exchange> exchanges_;
    std::set<std::pair<Time, ExchangeHandle>> ack_deadlines_;  ///< of those that have one
    std::map<Key, ExchangeHandle> index_;
    std::map<std::uint32_t, Port> ports_;                             ///< class 2
    std::set<std::tuple<Time, ExchangeHandle, std::uint16_t>> busy_;  ///< frames that are sent again, and when
    std::function<bool(std::uint32_t)> knows_;
    std::function<void(Time, std::uint32_t)> login_lost_;
    std::uint64_t class_2_frames_ = 0;  ///< that have come
    std::deque<std::pair<ExchangeHandle, Time>>
        endings_;  ///< of Exchanges that are over, and until when they are remembered
    ExchangeHandle last_handle_ = 0;
    std::uint16_t next_x_id_;
};

}  // namespace fabricscope::stack::fibre_channel
