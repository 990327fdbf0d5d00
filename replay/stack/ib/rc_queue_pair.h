// SPDX-License-Identifier: GPL-2.0-or-later
// One side of a connection (InfiniBand Architecture Specification Volume 1, 9.7; unreliable: 9.8): requester and
// responder.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "capture/rc_message_assembler.h"
#include "replay/stack/ib/memory.h"
#include "replay/stack/ib/packet.h"

namespace fabricscope::stack {

struct RcConfig {
    std::uint32_t local_qpn = 0;
    std::uint32_t remote_qpn = 0;
    std::uint32_t send_psn = 0;     ///< of the first request that is sent
    std::uint32_t receive_psn = 0;  ///< of the first request that arrives
    std::uint32_t mtu = 1024;       ///< octets of payload in a packet
    std::uint8_t timeout = 15;      ///< coded, see coded_timeout(); without an answer for so long, all is retransmitted
    std::uint8_t retry_count = 7;   ///< how often
    bool retries_for_ever = false;  ///< whatever the count: 7 means that to soft-RoCE
    std::uint8_t rnr_retry_count = 7;       ///< 7 = for ever
    std::uint8_t min_rnr_timer = 12;        ///< coded (IBA table 45): how long the peer shall wait for a receive buffer
    bool adaptive_retransmission = false;   ///< the first timeouts are shorter, later ones longer
    std::uint32_t window = 128;             ///< packets sent and not yet acknowledged, at most
    bool joint_acks = false;                ///< one for all that came at once, see send_due_ack()
    ib::Service service = ib::Service::rc;  ///< or UC, without answers: what is lost is lost; or XRC
    std::uint32_t peer_srq = 0;             ///< XRC: the peer's shared receive queue
    std::optional<std::uint8_t> refusal{};  ///< code of the NAK that the responder says to a message ...
    unsigned refused_message = 0;           ///< ... this one, from 0
};

enum class WorkType : std::uint8_t { send, rdma_write, rdma_read, compare_and_swap, fetch_and_add };
inline constexpr std::size_t work_types = 5;
constexpr bool is_atomic(WorkType type) {
    return type == WorkType::compare_and_swap || type == WorkType::fetch_and_add;
}
/// Whether its responses bring something: an acknowledgment of what came later does not stand for them.
constexpr bool has_response(WorkType type) { return type == WorkType::rdma_read || is_atomic(type); }

/// What a requester is asked to do.
struct WorkRequest {
    std::uint64_t id = 0;  ///< the consumer's own
    WorkType type = WorkType::send;
    Octets octets{};                      ///< SEND, WRITE: what is sent
    std::uint64_t remote_address = 0;     ///< WRITE, READ, atomics
    std::uint32_t rkey = 0;               ///< WRITE, READ, atomics
    std::span<std::uint8_t> read_into{};  ///< READ: must live until completion
    std::optional<std::uint32_t> immediate{};
    std::optional<std::uint32_t> invalidate{};   ///< SEND, without immediate: an RKey that the peer shall forget
    std::uint64_t swap_or_add = 0, compare = 0;  ///< atomics
    bool solicited = false;                      ///< SEND
    std::optional<std::uint32_t> peer_srq{};     ///< XRC: another one than the queue pair's
    std::string note{};
};

/// What a requester did, as it knows itself.
struct RequesterAccount {
    enum class Cause : std::uint8_t { nak, timeout, rnr, implied };
    struct Count {
        std::uint64_t count = 0, octets = 0;
    };
    std::array<Count, work_types> operations{};  ///< by WorkType; begun
    std::array<std::uint64_t, 4> repeated{};     ///< packets retransmitted, by Cause
    std::uint64_t packets = 0;                   ///< requests, those retransmitted included
    Time longest = 0;                            ///< from an operation's first packet to its completion
    std::uint64_t completed = 0;

    std::uint64_t all_repeated() const { return repeated[0] + repeated[1] + repeated[2] + repeated[3]; }
};

enum class CompletionStatus : std::uint8_t {
    success,
    retry_exceeded,      ///< no answer
    rnr_retry_exceeded,  ///< the peer never had a receive buffer
    remote_access_error,
    remote_invalid_request,
    remote_operational_error,
    flushed,  ///< the queue pair failed before it was this one's turn
};
/// "success", "retry exceeded", ...
const char* name_of(CompletionStatus status);

struct Completion {
    enum class Kind : std::uint8_t { work, receive };
    Kind kind = Kind::work;
    std::uint32_t qpn = 0;  ///< the local queue pair
    std::uint64_t id = 0;   ///< of the work request
    WorkType type = WorkType::send;
    CompletionStatus status = CompletionStatus::success;
    std::size_t length = 0;                      ///< work: octets sent or read
    std::uint64_t original = 0;                  ///< work: what an atomic operation found
    std::optional<std::uint32_t> invalidated{};  ///< receive: the RKey that the message took away
    Octets octets{};                             ///< receive: the message
    std::optional<std::uint32_t> immediate{};
    std::uint32_t source_qpn = 0;  ///< receive of a datagram
    Gid source{};                  ///< receive of a datagram
    Mac source_mac{};              ///< receive of a datagram
};

class RcQueuePair {
public:
    /// Of a SEND or READ, in bytes.
    static constexpr std::size_t longest_message = std::size_t{1} << 24;

    enum class State : std::uint8_t { init, ready_to_receive, ready_to_send, error };

    /// Sends through `sink`, reports to `completions`, lets the peer use `memory`; all must live as long.
    RcQueuePair(std::uint32_t local_qpn, PacketSink& sink, std::deque<Completion>& completions, MemoryTable& memory);

    void make_ready_to_receive(const RcConfig& config);
    void make_ready_to_send(Time now);
    void post_receive(unsigned count = 1) { receive_buffers_ += count; }
    void post_send(Time now, WorkRequest request);
    /// From now on nothing is sent or received, and what is under way is flushed.
    void fail();

    void on_packet(Time now, const capture::IbPacket& packet);
    void on_timer(Time now);
    /// What was acknowledged jointly so far (IBA 9.7.5.1.2).
    void send_due_ack();
    bool ack_is_due() const { return ack_due_; }
    Time wakeup() const { return std::min(deadline_, resume_at_); }

    State state() const { return state_; }
    const RcConfig& config() const { return config_; }
    /// Work requests without a completion.
    std::size_t outstanding() const { return work_.size(); }
    const RequesterAccount& account() const { return account_; }
    std::uint64_t retransmissions() const { return account_.all_repeated(); }

private:
    struct Work {
        WorkRequest request;
        std::uint32_t first_psn = 0;
        std::uint32_t packets = 0;   ///< PSNs that it takes: request packets, or response packets of a READ
        std::uint32_t answered = 0;  ///< READ: response packets that have arrived
        std::uint64_t original = 0;  ///< atomics: what the response said
        Time begun = 0;              ///< when its first packet was sent
    };

    // requester
    std::uint32_t packets_for(std::size_t bytes) const;
    Work& work_at(std::uint32_t psn);
    void pump(Time now);
    void count_packet(Time now, Work& work);
    void send_packet(const Work& work, std::uint32_t index);
    void send_read_request(const Work& work);
    void send_atomic_request(const Work& work);
    void on_response(Time now, const capture::IbPacket& packet);
    void on_read_response(Time now, const capture::IbPacket& packet);
    void on_atomic_response(Time now, const capture::IbPacket& packet);
    void on_acknowledge(Time now, const capture::IbPacket& packet);
    void on_nak(Time now, std::uint32_t psn, std::uint8_t code);
    void on_rnr_nak(Time now, std::uint8_t code);
    void acknowledge_before(Time now, std::uint32_t psn);
    void progress(Time now, std::uint32_t acknowledged);
    bool count_retry();
    void go_back(Time now, RequesterAccount::Cause cause);
    void finish_front(CompletionStatus status, Time now);
    void fail_with(CompletionStatus status);
    void complete_what_was_sent(Time now);
    Time timeout() const;
    void rearm(Time now);

    // responder
    void on_request(const capture::IbPacket& packet);
    void on_duplicate(const capture::IbPacket& packet);
    void on_unreliable_request(const capture::IbPacket& packet);
    bool execute(const capture::IbPacket& packet);
    bool fits_the_message(const capture::IbPacket& packet) const;
    bool has_receive_buffer(const capture::IbPacket& packet);
    bool execute_send(const capture::IbPacket& packet);
    bool execute_write(const capture::IbPacket& packet);
    bool execute_read(const capture::IbPacket& packet);
    bool answer_read(const capture::IbPacket& packet);
    bool execute_atomic(const capture::IbPacket& packet);
    void answer_atomic(std::uint32_t psn, std::uint64_t original);
    bool invalidate(const capture::IbPacket& packet);
    void report_received(const capture::IbPacket& packet, ByteView message);
    void count_message() { message_number_ = ib::psn_after(message_number_); }
    void send_ack(std::uint32_t psn, std::uint8_t syndrome);
    void refuse(std::uint32_t psn, std::uint8_t code);
    bool is_reliable() const { return config_.service != ib::Service::uc; }
    ib::Bth header(std::uint8_t opcode, std::uint32_t psn) const;
    IbPacketOut request_packet(const WorkRequest& request, std::uint8_t opcode, std::uint32_t psn) const;

    PacketSink& sink_;
    std::deque<Completion>& completions_;
    MemoryTable& memory_;
    RcConfig config_;
    State state_ = State::init;

    // requester
    std::deque<Work> work_;          ///< without a completion, in order of PSN
    std::uint32_t assign_psn_ = 0;   ///< for the next work request
    std::uint32_t next_psn_ = 0;     ///< of the next packet to send
    std::uint32_t oldest_psn_ = 0;   ///< the oldest one that is not acknowledged
    std::uint32_t highest_psn_ = 0;  ///< behind the last one that was ever sent
    bool gap_repeated_ = false;      ///< a missing READ response has been asked for again
    Time deadline_ = never;
    Time resume_at_ = never;  ///< after an RNR NAK
    unsigned retries_ = 0;
    unsigned rnr_retries_ = 0;
    RequesterAccount account_;
    RequesterAccount::Cause again_for_{};  ///< why what was sent before is retransmitted

    // responder
    std::uint32_t expected_psn_ = 0;
    std::uint32_t message_number_ = 0;  ///< MSN: messages completed
    unsigned receive_buffers_ = 0;
    unsigned begun_messages_ = 0;
    bool ack_due_ = false;
    bool nak_sent_ = false;  ///< nothing is refused again until the expected packet comes
    static capture::MessageAssembler unstarted() { return capture::MessageAssembler({.bytes = longest_message}); }
    capture::MessageAssembler messages_ = unstarted();  ///< WRITEs go straight to memory
    std::span<std::uint8_t> write_into_;                ///< WRITE: what is left to be written
    /// What the latest atomic operations found: they are not executed again (IBA 9.4.5).
    struct AtomicResult {
        std::uint32_t psn = 0;
        std::uint64_t original = 0;
    };
    std::deque<AtomicResult> atomic_results_;
};

}  // namespace fabricscope::stack
