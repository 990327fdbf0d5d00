// SPDX-License-Identifier: GPL-2.0-or-later
// A host whose applications use an FC-VI Provider: servers that wait for connections, clients and peers that ask for
// them, and what they send. Each Message begins with its number, so that whoever gets it can tell what should be in it.
#pragma once

#include "replay/stack/fc/host.h"
#include "replay/stack/fc/vi/provider.h"

namespace fabricscope::stack {

enum class ViRole : std::uint8_t { server, client, peer };
enum class ViAnswer : std::uint8_t { accept, reject, none };
enum class ViTransfer : std::uint8_t { send, write, read };
enum class ViEnd : std::uint8_t { disconnect, leave, log_out, close };
/// How an application learns that descriptors are done: it asks, handlers of the VI's queues are called, or that of a
/// completion queue.
enum class ViNotify : std::uint8_t { asks, queues, completion_queue };

/// A Message by itself.
struct ViMessage {
    Time at = 0;  ///< after the endpoint is connected
    ViTransfer transfer = ViTransfer::send;
    std::uint32_t octets = 100;  ///< at least 4
    bool immediate = false;
    std::uint64_t beyond = 0;  ///< octets behind the start of the other one's memory
};

/// An application.
struct ViPlan {
    ViRole role = ViRole::client;
    Time at = 0;                                     ///< after the beginning
    std::string discriminator = "fabricscope/echo";  ///< of the server, or that both peers ask for
    Gid remote;                                      ///< client, peer
    std::string remote_name{};                       ///< asked of the name service instead, if it is said
    vi::Attributes attributes;                       ///< but for the protection tag
    Time timeout = 60 * second;                      ///< T0 or T1
    // server
    ViAnswer answer = ViAnswer::accept;
    Time think = 0;                          ///< before the answer
    std::uint32_t count = 1;                 ///< connections, one after the other
    bool echo = false;                       ///< Messages are sent back
    std::optional<Time> disconnect_after{};  ///< its own Disconnect, after it is connected
    bool names_memory = false;               ///< tells the client where its memory is
    std::uint32_t memory = 65'536;
    bool memory_writable = true, memory_readable = true;
    // all
    std::uint32_t receives = 64;  ///< posted, and with `repost` again as they are used
    bool repost = true;
    std::uint32_t receive_size = 0;  ///< octets; 0: as long as the longest Message
    std::vector<ViMessage> further;  ///< Messages besides `messages`
    ViNotify notify = ViNotify::asks;
    std::uint32_t queue = 0;  ///< entries of a completion queue for receives at which nobody looks; 0: there is none
    // client, peer
    ViTransfer transfer = ViTransfer::send;
    std::uint32_t messages = 0;
    std::uint32_t octets = 100;         ///< of each, at least 4
    std::uint32_t immediate_every = 0;  ///< each n-th Message has Immediate Data
    Time pause = 0;                     ///< between Messages
    std::uint64_t beyond = 0;           ///< octets behind the start of the other one's memory
    bool echoed = false;                ///< Messages are awaited back
    bool looks_early = false;           ///< for the other one's port, before `at`
    Time hold = 0;                      ///< before the end
    ViEnd end = ViEnd::disconnect;
    // ends of others
    Time linger = 1 * millisecond;  ///< between the loss of the connection and this side's own Disconnect
};

/// What an application has to say about a VI.
struct ViAccount {
    ViRole role = ViRole::client;
    vi::Return connect = vi::Return::not_done;
    std::optional<vi::Return> disconnect;
    vi::State state = vi::State::idle;
    vi::ViCounters counters;
    std::uint32_t succeeded = 0;  ///< Messages that are done without an error
    std::vector<vi::AsyncError> errors;
    std::string asked_by;                 ///< server: name of the client's host, if it has one
    std::uint32_t notifications = 0;      ///< calls of handlers
    std::vector<std::uint32_t> failures;  ///< status of descriptors that are done with an error, flushed ones left out
    bool data_right = true;               ///< all that was received is what was sent
    bool in_order = true;                 ///< and came in order, none missing
};

struct ViPeerConfig {
    fibre_channel::HostConfig host;
    vi::ProviderConfig provider;
};

class ViPeer final : public fibre_channel::Host {
public:
    ViPeer(const ViPeerConfig& config, std::vector<ViPlan> plans);

    /// The link comes up. Plans count their time from `origin`.
    void start(Time now, Time origin);

    /// The memory for RDMA of a plan, by its number.
    vi::AddressSegment memory_of(std::size_t plan);
    /// The application knows where the other one's memory is; else a Message tells it.
    void know_memory(std::size_t plan, const vi::AddressSegment& memory) { sessions_[plan].target = memory; }

    vi::Provider& provider() { return provider_; }
    std::vector<ViAccount> accounts() const;

protected:
    void on_port_event(Time now, const fibre_channel::NPortEvent& event) override;
    bool consume(Time now) override;
    void on_consumer_timer(Time now) override;
    Time consumer_wakeup() const override;

private:
    enum class Due : std::uint8_t { begin, answer, next_message, further_message, end, follow };
    struct Timer {
        Time at = never;
        Due what{};
        std::size_t session = 0;
        std::size_t message = 0;  ///< of the further ones
    };
    /// A Message that is to be sent, or memory that is to be read.
    struct Outgoing {
        Octets octets;
        vi::Descriptor descriptor;
    };
    struct Session {
        ViPlan plan;
        vi::ViHandle vi = 0;
        vi::ConnHandle conn = 0;
        std::uint32_t left = 0;  ///< connections that a server still waits for
        vi::CqHandle queue = 0;
        bool watches_sends = false, watches_receives = false;  ///< a handler waits
        std::uint64_t buffer = 0;
        vi::MemHandle buffer_handle = 0;
        std::uint32_t slot = 0;  ///< octets between two buffers
        std::uint64_t region = 0;
        vi::MemHandle region_handle = 0;
        std::optional<vi::AddressSegment> target;  ///< the other one's memory
        std::deque<Outgoing> outbox;               ///< waits for a buffer to be sent from
        std::uint32_t posted = 0, done = 0, came_back = 0, begun = 0;
        std::size_t further_begun = 0;
        std::uint32_t sends = 0, transfers = 0;  ///< numbers of Messages: Sends, RDMA
        bool started = false, ending = false;
        bool following = false;      ///< the connection is lost, the own Disconnect will come
        bool disconnecting = false;  ///< it has been asked for
        unsigned in_vain = 0;        ///< Disconnects that nobody answered
        ViAccount account;
    };

    void set_timer(Time at, Due what, std::size_t session, std::size_t message = 0) {
        timers_.push_back({at, what, session, message});
    }
    void begin_all(Time now);
    void begin(Time now, std::size_t index);
    void wait_for_client(Time now, Session& session);
    void make_vi(Session& session);
    void answer(Time now, std::size_t index);
    void connected(Time now, std::size_t index);
    void post_receive(Session& session, std::uint64_t slot);
    void send_message(Time now, std::size_t index);
    void send_further(Time now, std::size_t index, std::size_t message);
    void transfer(Time now, Session& session, const ViMessage& message);
    bool is_connected(const Session& session) const;
    void send(Time now, Session& session, Octets octets, vi::Descriptor descriptor = {});
    void post_outbox(Time now, Session& session);
    void on_received(Time now, std::size_t index, const vi::Descriptor& descriptor);
    void on_sent(Time now, std::size_t index, const vi::Descriptor& descriptor);
    void check(Session& session, ByteView data);
    void maybe_end(Time now, std::size_t index);
    void end(Time now, std::size_t index);
    bool work_on(Time now, std::size_t index);
    bool reap_descriptors(Time now, std::size_t index);
    bool process_notifications(Time now);
    void watch(std::size_t index);
    void note_errors(Time now);
    vi::NetAddress own_address(const std::string& discriminator) const;
    std::uint32_t longest(const Session& session) const;

    std::vector<Session> sessions_;
    std::vector<Timer> timers_;
    Time started_ = 0;
    vi::Provider provider_;
};

/// What Message `number` holds at `offset`: its number in the first four octets, then something that depends on it.
std::uint8_t vi_octet(std::uint32_t number, std::size_t offset);

/// 16 octets at least, padded with zeros.
vi::NetAddress vi_address(const Gid& host, const std::string& discriminator);

}  // namespace fabricscope::stack
