// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of an emulated FC-VI Provider share: VI endpoints and what happens to them.
#pragma once

#include <deque>
#include <map>

#include "protocols/fcvi/device_header.h"
#include "replay/stack/fc/n_port.h"
#include "replay/stack/fc/vi/memory.h"

namespace fabricscope::stack::vi {

using fibre_channel::ExchangeHandle;
using fibre_channel::Exchanges;
using fibre_channel::OutgoingIu;

struct ProviderConfig {
    fcvi::Version version = fcvi::Version::iso;
    int service_class = 3;
    bool in_order = true;        ///< of the Fabric: what comes out of order is an error at once
    std::uint32_t iu_size = 0;   ///< octets of a Message in one IU; 0: all of them
    std::size_t frame_data = 0;  ///< and in one frame, a multiple of 4; 0: as many as fit
    bool connect_info = false;   ///< RQST and RESP1 carry Connect Info
    bool any_qos = false;        ///< VIs may ask for bandwidths and delays; for faulty peers
    bool any_rdma_read = false;  ///< VIs may enable RDMA Read on Unreliable Delivery, too, as those of others do
    std::uint32_t first_handle = 0x100;
    std::uint32_t first_connection_id = 1;
    /// Tells this to peers whose requests cross its own, instead of what 5.3.4 asks for; for faulty peers.
    std::optional<fcvi::Reason> wrong_answer{};
    /// A completion queue that overruns may destroy data: its VIs are disconnected (VI-DG 6.3.2). Else entries are
    /// lost.
    bool overrun_is_harmful = false;
    NicAttributes nic{};            ///< what the application may have of everything
    std::vector<HostName> names{};  ///< what the name service knows
};

/// 8.2
enum class EndpointState : std::uint8_t { idle, pending_connect, pending_connect_retry, connected, error };

/// A posted Send, RDMA Write or RDMA Read.
struct SendWork {
    Descriptor descriptor;
    std::uint32_t msg_id = 0;
    ExchangeHandle exchange = 0;  ///< once its Message is open
    bool sent = false, finished = false;
    Time deadline = never;                    ///< of the response
    std::map<std::uint32_t, Octets> parts{};  ///< of a Read's answer, by Relative Offset
    std::optional<std::uint32_t> parts_end{};
};

/// A Message that is coming in.
struct InMessage {
    fcvi::IuType type{};
    ExchangeHandle exchange = 0;
    std::uint16_t next_seq_cnt = 0;           ///< SCexp
    std::map<std::uint32_t, Octets> parts{};  ///< by Relative Offset
    std::optional<std::uint32_t> end{};       ///< octets of the whole
    std::optional<std::uint32_t> immediate{};
    fcvi::RdmaTarget target{};
    bool complete = false;
    bool known = false;     ///< what it is
    bool corrupt = false;   ///< a frame of it came with a wrong CRC
    Time deadline = never;  ///< when it is given up
};

/// Somebody who wants to know of a completion: a handler, or a call that blocks until `until`.
struct Waiter {
    std::uint64_t context = 0;
    bool blocks = false;
    Time until = never;
};

/// A VI endpoint.
struct Vi {
    ViHandle id = 0;
    Attributes attributes;
    CqHandle send_cq = 0, receive_cq = 0;
    EndpointState state = EndpointState::idle;

    std::uint32_t handle = fcvi::unassigned_handle;  ///< FCVI_HANDLE, new for each connection
    std::uint32_t remote_handle = fcvi::unassigned_handle;
    std::uint32_t peer = 0;  ///< N_Port_ID
    bool may_send = false;
    bool may_complete = false;                    ///< of a client: once it has RESP3
    std::optional<std::uint32_t> failed_setup{};  ///< FCVI_CONNECTION_ID: the Disconnect is to abort it
    std::optional<fcvi::Reason> error{};          ///< why it is in Error, for the Disconnect

    std::deque<SendWork> sends;
    std::deque<Descriptor> receives;
    std::deque<Descriptor> done_sends, done_receives;

    std::uint32_t next_msg_id = 1;
    std::uint32_t expected = 1;           ///< Mexp
    std::uint32_t highest_completed = 0;  ///< MSG_ID of the peer
    std::map<std::uint32_t, InMessage> incoming;
    std::map<std::uint32_t, Time> discarded;  ///< Merr: until when frames of a Message are thrown away
    bool discards_all = false;                ///< Herr

    std::deque<Waiter> send_waiters, receive_waiters;  ///< for a descriptor each
    /// Asynchronous errors of Idle, which are told when the application asks for a connection (VI Architecture 5.1).
    std::vector<ErrorDescriptor> held_errors;

    // What the application gets.
    bool asked_as_peer = false;
    std::optional<Return> connect_result, disconnect_result;
    std::optional<Attributes> remote_attributes;

    bool connected() const { return state == EndpointState::connected; }
    bool reliable() const { return attributes.level != Reliability::unreliable_delivery; }
    bool pending() const {
        return state == EndpointState::pending_connect || state == EndpointState::pending_connect_retry;
    }
    bool received() const { return attributes.level == Reliability::reliable_reception; }
};

/// Counted for a VI's whole life, for accounts.
struct ViCounters {
    std::uint64_t messages_sent = 0, octets_sent = 0;          ///< opened
    std::uint64_t messages_received = 0, octets_received = 0;  ///< delivered to memory
    std::uint64_t failed = 0;   ///< descriptors done with an error, flushed ones left out
    std::uint64_t flushed = 0;  ///< descriptors that came back because the connection ended
};

struct CompletionQueue {
    std::size_t capacity = 0;
    std::deque<CqEntry> entries;
    std::deque<Waiter> waiters;  ///< for an entry each
    std::uint64_t lost = 0;      ///< entries that it had no place for
};

/// What the parts use together.
struct Shared {
    ProviderConfig config;
    Exchanges& exchanges;
    fibre_channel::NPort& port;
    Memory memory;
    std::map<ViHandle, Vi> vis;
    std::map<ViHandle, ViCounters> counters;
    std::map<CqHandle, CompletionQueue> queues;
    std::deque<ErrorDescriptor> errors;
    std::deque<Notification> notifications;
    std::set<CqHandle> overrun{};                 ///< whose VIs have to be disconnected
    std::vector<ErrorDescriptor> catastrophes{};  ///< that are still to be dealt with (VI-DG 6.3.1)

    bool iso() const { return config.version == fcvi::Version::iso; }
    std::uint32_t first_msg_id() const { return iso() ? 1 : 0; }
    Time ulp_timeout() const { return exchanges.r_a_tov(); }  ///< FCVI_ULP_TIMEOUT (8.3)
    Vi* find(ViHandle vi);
    Vi* by_handle(std::uint32_t handle);

    /// Counts, and puts it where the application looks for it.
    void complete_send(Vi& vi, Descriptor descriptor);
    void complete_receive(Vi& vi, Descriptor descriptor);
    /// Waiters get what is done, or learn that nothing is there any more.
    void serve_waiters(Vi& vi);
    /// Calls that have blocked for long enough.
    void expire_waiters(Time now);
    Time waiters_wakeup() const;
    /// An asynchronous error; of an Idle VI it is told later.
    void report(const ErrorDescriptor& error);
    void add_entry(CqHandle cq, CqEntry entry);
    /// All that is posted comes back flushed.
    void flush(Vi& vi);
    /// The endpoint goes to Error: nothing is sent or taken any more (8.2, 8.4.2).
    void fail(Vi& vi, std::optional<fcvi::Reason> why, std::optional<AsyncError> tell = std::nullopt);
    /// VIs in trouble go to Error, on all Reliability Levels.
    void end_catastrophes();
    /// What is posted stays (VI Architecture 5.2).
    void stop_asking(Vi& vi);
    /// And comes back flushed.
    void go_idle(Vi& vi);
    /// Ends a descriptor: writes to its memory, if it has any, and says whether it failed.
    void finish(Vi& vi, Descriptor& descriptor);

    /// Sends an IU of one frame or, with a payload that needs them, of several.
    void send(
        Time now, ExchangeHandle exchange, const fcvi::DeviceHeader& header, Octets payload, bool last,
        std::string note);
};

}  // namespace fabricscope::stack::vi
