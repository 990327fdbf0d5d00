// SPDX-License-Identifier: GPL-2.0-or-later
// An RDMA adapter on one port: queue pairs, memory and completions, between frames and consumers.
#pragma once

#include <map>
#include <memory>

#include "protocols/builders/frame_builder.h"
#include "replay/stack/ib/rc_queue_pair.h"

namespace fabricscope::stack {

/// Where datagrams go to, and whose they are.
struct IbAddress {
    Mac mac;
    Gid gid;
    bool operator==(const IbAddress&) const = default;
};

struct AdapterConfig {
    IbAddress address;
    capture::IbCarrier carrier = capture::IbCarrier::roce_v2;
    std::uint64_t guid = 0;
    std::uint32_t first_qpn = 0x11;  ///< of those that are handed out
    std::uint8_t hop_limit = 64;
    std::uint8_t ecn = 0;       ///< of its packets: 2 if switches may mark them
    Time cnp_interval = never;  ///< a queue pair whose peer's packets are marked is told so once in this time
};

class Adapter {
public:
    /// Its frames are for `port` of the endpoint; `frames` must live as long.
    Adapter(AdapterConfig config, std::size_t port, std::vector<OutgoingFrame>& frames, Random random);
    Adapter(const Adapter&) = delete;
    Adapter& operator=(const Adapter&) = delete;
    ~Adapter() = default;

    const AdapterConfig& config() const { return config_; }
    /// Nothing goes in or out while it is down.
    void set_up(bool up) { up_ = up; }
    bool up() const { return up_; }
    MemoryTable& memory() { return memory_; }

    /// A queue pair in state INIT.
    std::uint32_t create_rc();
    /// The same, of this number, which no queue pair may have.
    void create_rc(std::uint32_t qpn);
    /// nullptr if there is none of that number.
    RcQueuePair* rc(std::uint32_t qpn);
    /// Makes it ready to receive from, and later to send to, the queue pair `config.remote_qpn` of `peer`.
    void connect_rc(std::uint32_t qpn, const IbAddress& peer, const RcConfig& config);
    void destroy_rc(std::uint32_t qpn);
    /// Packets that all queue pairs have sent again so far, those that are no more included.
    std::uint64_t retransmissions() const;

    /// Unreliable datagrams; any number of them is received.
    std::uint32_t create_ud(std::uint32_t q_key);
    void create_ud(std::uint32_t q_key, std::uint32_t qpn);
    void send_datagram(
        std::uint32_t qpn, const IbAddress& to, std::uint32_t remote_qpn, std::uint32_t q_key, Octets octets,
        std::string note = {}, std::optional<std::uint32_t> immediate = std::nullopt);

    /// Takes a decoded packet if it is for this adapter and its ICRC is right.
    void on_packet(Time now, const capture::Packet& packet);
    void on_timer(Time now);
    /// Frames that have been sent: their memory is used again.
    void take_back(std::vector<OutgoingFrame>& frames);
    /// Of queue pairs that acknowledge jointly, what is due.
    void send_due_acks();
    Time wakeup() const;
    /// Asks the device on the other end of the cable to send nothing of a priority for so long (IEEE 802.1Qbb).
    void pause(std::uint8_t priority, std::uint16_t quanta);
    struct Congestion {
        std::uint64_t marked = 0, cnps_sent = 0, cnps_received = 0;
    };
    const Congestion& congestion() const { return congestion_; }
    /// In order of what happened; the consumer takes them away.
    std::deque<Completion>& completions() { return completions_; }

private:
    /// A queue pair, and the way of its packets.
    class Reliable final : public PacketSink {
    public:
        Reliable(Adapter& adapter, std::uint32_t qpn)
            : queue_pair(qpn, *this, adapter.completions_, adapter.memory_), adapter_(adapter) {}
        void send(const IbPacketOut& packet) override { adapter_.emit(peer, packet); }

        RcQueuePair queue_pair;
        IbAddress peer;
        Time next_cnp = 0;  ///< none is sent before

    private:
        Adapter& adapter_;
    };
    struct Datagram {
        std::uint32_t q_key = 0;
        std::uint32_t psn = 0;
    };

    void on_datagram(const capture::Packet& packet);
    void notify(Time now, Reliable& reliable);
    void emit(const IbAddress& to, const IbPacketOut& packet);

    AdapterConfig config_;
    std::size_t port_;
    std::vector<OutgoingFrame>& frames_;
    std::vector<Octets> spare_;  ///< of frames that have been sent
    MemoryTable memory_;
    std::map<std::uint32_t, std::unique_ptr<Reliable>> reliable_;
    std::map<std::uint32_t, Datagram> datagram_;
    std::vector<std::uint32_t> due_acks_;  ///< queue pairs that may have one to send
    std::deque<Completion> completions_;
    Congestion congestion_;
    std::uint64_t retransmissions_ = 0;  ///< of queue pairs that were destroyed
    bool up_ = true;
    std::uint32_t next_qpn_;
    std::uint16_t identification_;
    builders::FrameBuilder builder_;
};

}  // namespace fabricscope::stack
