// SPDX-License-Identifier: GPL-2.0-or-later
// Scripts of single VIPL calls: each line is one call of an application, or what it expects to have come of calls
// before.
#pragma once

#include <map>

#include "replay/stack/fc/host.h"
#include "replay/stack/fc/vi/provider.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// An application that does as its script says. What it gives a number (vi=1, mem=2) has that number in all later
/// lines.
class ViScriptHost final : public stack::fibre_channel::Host {
public:
    ViScriptHost(
        const stack::fibre_channel::HostConfig& config, const stack::vi::ProviderConfig& provider, const Gid& other)
        : Host(config), provider_(provider, exchanges(), port()), other_(other) {}

    void start(Time now) {
        port().start(now);
        work(now);
    }
    /// Looks for the other host, so that nothing but calls is left to do.
    void look(Time now) {
        port().reach(now, other_);
        work(now);
    }
    /// Makes the call and compares what it returns; throws ScenarioError if that is not what the line says.
    void call(Time now, const Statement& statement);
    /// Whether what the line says has come; throws ScenarioError, if not.
    void expect(Time now, const Statement& statement);
    /// Memory that the other host's RDMA may name.
    std::optional<stack::vi::AddressSegment> memory(std::uint64_t number) const;
    void set_peer(const ViScriptHost& peer) { peer_ = &peer; }
    std::string account() const;

protected:
    void on_port_event(Time now, const stack::fibre_channel::NPortEvent& event) override {
        provider_.on_port_event(now, event);
    }
    void on_consumer_timer(Time now) override { provider_.on_timer(now); }
    Time consumer_wakeup() const override { return provider_.wakeup(); }

private:
    using Return = stack::vi::Return;
    struct Region {
        std::uint64_t address = 0;
        std::uint32_t length = 0;
        stack::vi::MemHandle handle = 0;
    };
    using Handles = std::map<std::uint64_t, std::uint32_t>;

    std::optional<Return> call_nic(Time now, const std::string& name, const Statement& statement);
    std::optional<Return> call_names(const std::string& name, const Statement& statement);
    std::optional<Return> call_vi(Time now, const std::string& name, const Statement& statement);
    std::optional<Return> call_memory(const std::string& name, const Statement& statement);
    std::optional<Return> call_work(Time now, const std::string& name, const Statement& statement);
    std::optional<Return> call_queue(Time now, const std::string& name, const Statement& statement);
    stack::vi::Attributes attributes(const Statement& statement) const;
    stack::vi::MemoryAttributes memory_attributes(const Statement& statement) const;
    stack::vi::Descriptor descriptor(const Statement& statement, bool receives) const;
    stack::vi::DescriptorAddress put(const Statement& statement, const stack::vi::Descriptor& descriptor);
    stack::vi::NetAddress address(const Statement& statement, const Gid& host) const;
    void expect_completion(const Statement& statement);
    void expect_error(const Statement& statement);
    void log_errors();
    /// Its number in the script as a handle; one that nobody has, if the script has not made it.
    static std::uint32_t handle(const Handles& handles, const Statement& statement, const std::string& name);
    std::uint32_t vi(const Statement& statement) const { return handle(vis_, statement, "vi"); }
    /// Nothing in it may be without meaning.
    void end_line(const Statement& statement);
    static Time timeout(const Statement& statement);

    stack::vi::Provider provider_;
    Gid other_;
    const ViScriptHost* peer_ = nullptr;
    Handles vis_, ptags_, queues_, conns_;
    std::map<std::uint64_t, Region> regions_;
    std::uint64_t next_address_ = 0x10'0000;
    std::uint64_t done_ = 0;    ///< lines
    bool has_handler_ = true;   ///< for asynchronous errors
    std::uint64_t logged_ = 0;  ///< errors
};

}  // namespace fabricscope::synth
