// SPDX-License-Identifier: GPL-2.0-or-later
// A NIC: an N_Port with a Provider, the wire that carries its frames, and the thread that works on the real clock. One
// for an interface, however often it has been opened.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "replay/stack/fc/host.h"
#include "replay/stack/fc/vi/provider.h"
#include "replay/vipl/device.h"
#include "replay/vipl/wire.h"

namespace fabricscope::vipl {

namespace vi = stack::vi;

/// Somebody who is told of asynchronous errors. Called while the NIC is locked.
class ErrorListener {
public:
    virtual ~ErrorListener() = default;
    virtual void on_error(const vi::ErrorDescriptor& error) = 0;
};

class Nic {
public:
    /// Throws DeviceError, capture::InterfaceError, synth::ScenarioError.
    Nic(const Device& device, ErrorListener& listener);
    /// Ends what is left of the connections with the other ports, and logs out.
    ~Nic();
    Nic(const Nic&) = delete;
    Nic& operator=(const Nic&) = delete;

    const Device& device() const { return device_; }

    using Lock = std::unique_lock<std::mutex>;
    Lock lock() { return Lock(mutex_); }

    // All that follows is for those who have locked it.

    vi::Provider& provider() { return port_->provider; }
    /// Behind calls of the Provider: frames are sent, and what has happened is told.
    void settle();
    /// Until it is `ready`, which is asked whenever something has happened.
    template <class Ready> void wait(Lock& locked, Ready ready) {
        settle();
        changed_.wait(locked, ready);
        settle();
    }
    /// The same; false if it takes longer than that.
    template <class Ready> bool wait_for(Lock& locked, Time most, Ready ready) {
        settle();
        const bool is_ready = changed_.wait_for(locked, std::chrono::nanoseconds(most), ready);
        settle();
        return is_ready;
    }
    using OnNotification = std::function<void(const vi::Notification&)>;
    /// The context of a wait or notify call; `told` is called once, with what comes of it.
    std::uint64_t expect(OnNotification told);
    void forget(std::uint64_t context) { expected_.erase(context); }
    /// A request, or the timeout, of a wait at this address; nothing so far.
    std::optional<vi::ConnectionRequest> take_request(const vi::NetAddress& local);

private:
    struct Port final : stack::fibre_channel::Host {
        Port(const stack::fibre_channel::HostConfig& config, const vi::ProviderConfig& of_provider)
            : Host(config), provider(of_provider, exchanges(), port()) {}
        void start(Time now) {
            port().start(now);
            work(now);
        }
        /// What the port was asked to do outside of its own calls.
        void go_on(Time now) { work(now); }

        vi::Provider provider;

    private:
        void on_port_event(Time now, const stack::fibre_channel::NPortEvent& event) override {
            provider.on_port_event(now, event);
        }
        void on_consumer_timer(Time now) override { provider.on_timer(now); }
        Time consumer_wakeup() const override { return provider.wakeup(); }
    };

    void open_on_interface();
    void open_emulated();
    void use(std::unique_ptr<Wire> wire);
    void begin(stack::fibre_channel::HostConfig host);
    void run();
    /// The next frame; waits in vain on a wire that has failed.
    ByteView receive(Time wait);
    void fail(const std::string& why);
    void send_frames();
    void tell();
    void log_out();

    Device device_;
    ErrorListener& listener_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unique_ptr<Wire> wire_;
    std::unique_ptr<Port> port_;
    std::vector<stack::OutgoingFrame> frames_;
    std::map<std::uint64_t, OnNotification> expected_;
    std::uint64_t last_context_ = 0;
    std::vector<vi::ConnectionRequest> requests_;
    Time sleeps_until_ = stack::never;  ///< the thread
    bool wire_failed_ = false, over_ = false;
    std::thread thread_;
};

}  // namespace fabricscope::vipl
