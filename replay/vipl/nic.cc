// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/nic.h"

#include <algorithm>

#include "replay/vipl/emulated.h"

namespace fabricscope::vipl {
namespace {

namespace fibre_channel = stack::fibre_channel;

/// NAA 2 and 1 with the MAC behind them, as FCoE adapters make their names.
constexpr std::uint64_t port_name_base = 0x2000'0000'0000'0000, node_name_base = 0x1000'0000'0000'0000;
/// What stands around a frame's data field in an Ethernet frame: FCoE header and trailer, frame header, CRC.
constexpr std::size_t around_data_field = 14 + 4 + 24 + 4;
constexpr std::size_t most_data_field = 2048, least_data_field = 256;
constexpr std::size_t bits_of_octet = 8;
constexpr Time longest_goodbye = capture::second;  ///< for Disconnects of the other ends
constexpr Time longest_logout = capture::second / 2;
constexpr Time longest_sleep = capture::second;
constexpr Time least_part_of_r_a_tov = 5;  ///< E_D_TOV

std::uint64_t number_of(const Mac& mac) {
    std::uint64_t number = 0;
    for (const std::uint8_t octet : mac.octets) number = number << bits_of_octet | octet;
    return number;
}

}  // namespace

Nic::Nic(const Device& device, ErrorListener& listener) : device_(device), listener_(listener) {
    if (device.scenario.empty()) open_on_interface();
    else open_emulated();
    thread_ = std::thread([this] { run(); });
}

void Nic::open_on_interface() {
    const InterfaceFacts facts = facts_of(device_.interface);
    if (facts.mtu < around_data_field + least_data_field)
        throw DeviceError(device_.interface + " has too small an MTU");
    fibre_channel::HostConfig host;
    host.port.ip = facts.address;
    host.port.port_name = port_name_base | number_of(facts.mac);
    host.port.node_name = node_name_base | number_of(facts.mac);
    host.port.exchanges.data_field_size = std::min(most_data_field, (facts.mtu - around_data_field) / 4 * 4);
    use(open_interface(device_.interface));
    begin(host);
}

void Nic::open_emulated() {
    EmulatedServer server = emulated_server(device_.scenario, now());
    use(connect_emulated(std::move(server.host)));
    begin(server.client);
}

void Nic::use(std::unique_ptr<Wire> wire) {
    wire_ = device_.record.empty() ? std::move(wire) : recorded(std::move(wire), device_.record);
}

/// What the device says beats what is there.
void Nic::begin(fibre_channel::HostConfig host) {
    fibre_channel::NPortConfig& port = host.port;
    port.ip = device_.address.value_or(port.ip);
    port.port_name = device_.port_name.value_or(port.port_name);
    port.begins_anew_with_flogi = true;
    port.exchanges.link = fibre_channel::Link::fcoe;
    port.exchanges.vlan = device_.vlan;
    port.exchanges.r_a_tov = device_.r_a_tov;
    port.exchanges.e_d_tov = device_.r_a_tov / least_part_of_r_a_tov;
    host.seed = static_cast<std::uint64_t>(now());
    vi::ProviderConfig provider;
    provider.version = device_.version;
    provider.service_class = device_.service_class;
    provider.nic.thread_safe = true;
    provider.nic.native_mtu = static_cast<std::uint32_t>(port.exchanges.data_field_size);
    port_ = std::make_unique<Port>(host, provider);
    const Time time = now();
    if (device_.peer) {
        port_->port().assume(*device_.id, device_.peer->ip, device_.peer->id);
        port_->port().assume(fibre_channel::RemotePort{
            .id = device_.peer->id, .increasing_seq_cnt = true, .increasing_relative_offset = true});
    } else {
        port_->start(time);
    }
    send_frames();
}

Nic::~Nic() {
    log_out();
    {
        const Lock locked = lock();
        over_ = true;
    }
    wire_->wake();
    changed_.notify_all();
    thread_.join();
}

/// The other ends are given the time to end their connections, too (ISO/IEC 14165-331, D.2), and a LOGO.
void Nic::log_out() {
    Lock locked = lock();
    if (wire_failed_) return;
    wait_for(locked, longest_goodbye, [&] { return !provider().awaits_disconnects(); });
    if (device_.peer) return;
    port_->port().log_out_all(now());
    wait_for(locked, longest_logout, [&] { return !port_->port().is_logged_in(); });
}

// ---- the thread --------------------------------------------------------------------------------------

void Nic::run() {
    while (true) {
        Time wakeup = 0;
        {
            const Lock locked = lock();
            if (over_) return;
            wakeup = sleeps_until_ = port_->wakeup();
        }
        const ByteView frame = receive(std::clamp<Time>(wakeup - std::min(wakeup, now()), 0, longest_sleep));
        const Lock locked = lock();
        const Time time = now();
        if (!frame.empty()) port_->on_frame(time, 0, frame);
        if (port_->wakeup() <= time) port_->on_timer(time);
        sleeps_until_ = 0;  // nobody has to wake it
        settle();
    }
}

ByteView Nic::receive(Time wait) {
    bool failed = false;
    {
        const Lock locked = lock();
        failed = wire_failed_;
    }
    if (!failed) {
        try {
            return wire_->receive(wait);
        } catch (const std::exception& error) {
            const Lock locked = lock();
            fail(error.what());
        }
    }
    Lock locked = lock();
    if (!over_) changed_.wait_for(locked, std::chrono::nanoseconds(wait));
    return {};
}

/// VIP_ERROR_CATASTROPHIC of all that is connected.
void Nic::fail(const std::string& why) {
    if (std::exchange(wire_failed_, true)) return;
    log(why);
    provider().fail_all();
}

void Nic::send_frames() {
    port_->take_frames(frames_);
    if (wire_failed_) return;
    try {
        for (const stack::OutgoingFrame& frame : frames_) wire_->send(frame.octets);
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void Nic::settle() {
    port_->go_on(now());
    send_frames();
    tell();
    changed_.notify_all();
    if (port_->wakeup() < sleeps_until_) wire_->wake();
}

void Nic::tell() {
    while (auto request = provider().next_request()) requests_.push_back(std::move(*request));
    while (const auto notification = provider().next_notification()) {
        const auto expected = expected_.extract(notification->context);
        if (!expected.empty()) expected.mapped()(*notification);
    }
    while (const auto error = provider().next_error()) listener_.on_error(*error);
}

std::uint64_t Nic::expect(OnNotification told) {
    expected_.emplace(++last_context_, std::move(told));
    return last_context_;
}

std::optional<vi::ConnectionRequest> Nic::take_request(const vi::NetAddress& local) {
    const auto request = std::ranges::find_if(
        requests_, [&](const vi::ConnectionRequest& one) { return fcvi::same_discriminator(one.local, local); });
    if (request == requests_.end()) return std::nullopt;
    const vi::ConnectionRequest taken = *request;
    requests_.erase(request);
    return taken;
}

}  // namespace fabricscope::vipl
