// SPDX-License-Identifier: GPL-2.0-or-later
// An emulated FC-VI Provider with the VI Architecture's interface (VI-DG 5): calls that would block say at once what
// is wrong with them; what comes of them is asked for later.
#pragma once

#include "replay/stack/fc/vi/connections.h"
#include "replay/stack/fc/vi/messages.h"
#include "replay/stack/fc/vi/name_service.h"

namespace fabricscope::stack::vi {

/// What VipQueryVi tells.
struct ViQuery {
    State state = State::idle;
    Attributes attributes;
    bool send_queue_empty = true, receive_queue_empty = true;
};

/// VIP_AUTODISCOVERY_LIST
struct AutodiscoveryList {
    std::uint32_t hops = 0;  ///< links that hosts of interest may be away
    std::size_t count = 0;   ///< in: how many addresses there is room for; out: how many there are
    std::vector<NetAddress> addresses{};
};

class Provider final : public fibre_channel::ExchangeUser {
public:
    Provider(const ProviderConfig& config, Exchanges& exchanges, fibre_channel::NPort& port);

    // The NIC: the Provider is opened with its construction.
    NicAttributes query_nic() const;
    Return close_nic(Time now);
    /// VIP_SMI_AUTODISCOVERY: the hosts that the port has got to know.
    Return query_system_management_info(AutodiscoveryList& list) const;

    // VIs
    Return create_vi(const Attributes& attributes, CqHandle send_cq, CqHandle receive_cq, ViHandle& vi);
    Return destroy_vi(ViHandle vi);
    Return query_vi(ViHandle vi, ViQuery& query) const;
    Return set_vi_attributes(ViHandle vi, const Attributes& attributes);

    // Connections
    Return connect_wait(Time now, const NetAddress& local, Time timeout);
    /// Of a wait, in which the request or VIP_TIMEOUT has come, once.
    std::optional<ConnectionRequest> next_request() { return connections_.next_request(); }
    Return connect_accept(Time now, ConnHandle conn, ViHandle vi);
    Return connect_reject(Time now, ConnHandle conn);
    Return connect_request(Time now, ViHandle vi, const NetAddress& local, const NetAddress& remote, Time timeout);
    Return connect_peer_request(Time now, ViHandle vi, const NetAddress& local, const NetAddress& remote, Time timeout);
    /// Of the latest accept, request or peer request: not_done, or once how it ended.
    Return connect_done(ViHandle vi, Attributes* remote = nullptr);
    /// The same of a peer request, and invalid_state if there is none.
    Return connect_peer_done(ViHandle vi, Attributes* remote = nullptr);
    Return disconnect(Time now, ViHandle vi);
    Return disconnect_done(ViHandle vi);
    /// VipCloseNic, for one VI: the application is gone, and the Provider itself disconnects.
    Return close(Time now, ViHandle vi);
    /// Behind close(): all that is left of the VI is taken away, in whatever state it is. not_done as long as its
    /// Disconnect is under way.
    Return abandon(ViHandle vi);
    /// Connections that have been ended here are still to be ended at their other ends: the port should stay for that.
    bool awaits_disconnects() const { return connections_.awaits_disconnects(); }
    /// Something has gone wrong that no frame tells: a connected VI goes to Error.
    Return fail(ViHandle vi, fcvi::Reason why);
    /// The hardware has failed: all connected VIs go to Error. If there is none, the NIC's handler is told alone.
    void fail_all();

    // Memory
    Ptag create_ptag() { return shared_.memory.create_ptag(); }
    Return destroy_ptag(Ptag ptag);
    Memory& memory() { return shared_.memory; }
    const Memory& memory() const { return shared_.memory; }

    // Work
    Return post_send(Time now, ViHandle vi, Descriptor descriptor);
    Return post_receive(ViHandle vi, Descriptor descriptor);
    // Descriptors that lie in registered memory; what comes back has their address as cookie.
    Return post_send_at(Time now, ViHandle vi, const DescriptorAddress& descriptor);
    Return post_receive_at(ViHandle vi, const DescriptorAddress& descriptor);
    Return send_done(ViHandle vi, Descriptor& descriptor);
    Return receive_done(ViHandle vi, Descriptor& descriptor);
    /// With room for so many entries; 0: the NIC has no more.
    CqHandle create_cq(std::size_t entries = 1024);
    Return resize_cq(CqHandle cq, std::size_t entries);
    /// The queue becomes inaccessible to the hardware; for faults.
    Return lose_cq(CqHandle cq);
    Return destroy_cq(CqHandle cq);
    Return cq_done(CqHandle cq, CqEntry& entry);
    /// Entries that there was no room for.
    std::uint64_t cq_lost(CqHandle cq) const;
    /// VipSendNotify, VipRecvNotify, VipCQNotify: next_notification() has what the handler is called with.
    Return send_notify(ViHandle vi, std::uint64_t context);
    Return receive_notify(ViHandle vi, std::uint64_t context);
    Return cq_notify(CqHandle cq, std::uint64_t context);
    /// VipSendWait, VipRecvWait, VipCQWait: what is wrong at once, else next_notification() has what the call returns.
    Return send_wait(Time now, ViHandle vi, Time timeout, std::uint64_t context);
    Return receive_wait(Time now, ViHandle vi, Time timeout, std::uint64_t context);
    Return cq_wait(Time now, CqHandle cq, Time timeout, std::uint64_t context);
    std::optional<Notification> next_notification();

    NameService& names() { return names_; }

    /// The next asynchronous error.
    std::optional<ErrorDescriptor> next_error();
    ViCounters counters(ViHandle vi) const;
    /// The N_Port_ID of the other end's port; 0 if there is none.
    std::uint32_t peer_of(ViHandle vi) const;

    /// What the N_Port has to tell.
    void on_port_event(Time now, const fibre_channel::NPortEvent& event);
    Time wakeup() const { return std::min({connections_.wakeup(), messages_.wakeup(), shared_.waiters_wakeup()}); }
    void on_timer(Time now);

    fibre_channel::Disposition on_frame(Time now, ExchangeHandle exchange, const fc::Frame& frame) override;
    void on_bad_frame(Time now, const fc::Frame& frame) override;
    /// Where order is kept, a frame that comes behind others would be an error (annex B.2.6.1, rules 8a and 8b).
    bool repeats_busy() const override { return !shared_.config.in_order; }
    void on_iu(Time now, const fibre_channel::IncomingIu& iu) override;
    void on_acknowledged(Time now, ExchangeHandle exchange) override {
        messages_.on_acknowledged(now, exchange);
        end_trouble(now);
    }
    void on_failure(Time now, ExchangeHandle exchange, fibre_channel::Failure failure) override;

private:
    Return check(const Attributes& attributes) const;
    /// Errors that end connections whatever their level.
    void end_trouble(Time now);
    void wait_for_entry(CqHandle cq, const Waiter& waiter);

    Shared shared_;
    Connections connections_;
    Messages messages_;
    NameService names_;
    ViHandle last_vi_ = 0;
    CqHandle last_cq_ = 0;
};

}  // namespace fabricscope::stack::vi
