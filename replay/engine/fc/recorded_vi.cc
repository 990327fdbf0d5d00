// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/recorded_vi.h"

#include <algorithm>
#include <map>

#include "replay/engine/believable.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

using fcvi::IuType;

bool is_rdma(const FcviUnit& request) { return request.is(IuType::write_rqst) || request.is(IuType::read_rqst); }

/// The response reports that the request failed.
const fcvi::MessageResponseHead* failure_of(const FcviExchange& exchange) {
    const FcviUnit* response = exchange.response();
    if (response == nullptr) return nullptr;
    const auto* head = std::get_if<fcvi::MessageResponseHead>(&response->device_header.head);
    return head != nullptr && head->resp_err ? head : nullptr;
}

/// A side's Disconnect that gives one of these reasons; nullptr if there is none.
const FcviUnit* disconnect_for(
    const std::vector<FcviExchange>& exchanges, Side side, std::span<const fcvi::Reason> reasons) {
    for (const FcviExchange& exchange : exchanges) {
        const FcviUnit& unit = exchange.request();
        if (unit.from != side || !unit.is(IuType::disconnect_rqst)) continue;
        const auto reason = unit.reason();
        if (reason && std::ranges::find(reasons, *reason) != reasons.end()) return &unit;
    }
    return nullptr;
}

/// Whether what has no response failed: the Disconnect tells which Message was the last that was completed (6.12.2).
bool fails_silently(const FcviExchange& exchange, const FcviUnit* disconnect) {
    if (disconnect == nullptr || exchange.response() != nullptr) return false;
    const bool is_iso = disconnect->device_header.version == fcvi::Version::iso;
    return !is_iso || exchange.request().device_header.msg_id() > disconnect->device_header.msg_id();
}

// ---- memory --------------------------------------------------------------------------------------

/// A region as the accesses to it tell it.
struct Image {
    std::uint64_t begin = 0, end = 0;
    bool written = false, read = false;
    std::map<std::uint64_t, std::uint8_t> octets;  ///< that are known, as they were at first
};

struct Access {
    std::uint32_t handle = 0;
    std::uint64_t address = 0, length = 0;
    bool reads = false;
    ByteView data;
};

Access access_of(const FcviExchange& exchange) {
    const auto* target = std::get_if<fcvi::RdmaTarget>(&exchange.request().device_header.target);
    if (target == nullptr) return {};
    const FcviUnit* response = exchange.response();
    const bool reads = exchange.request().is(IuType::read_rqst);
    const ByteView data = !reads ? exchange.request().payload : response != nullptr ? response->payload : ByteView{};
    const std::uint64_t length = reads ? target->tot_len : data.size();
    // A response may hold more than it was asked for.
    const ByteView asked_for = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), length)));
    return {target->rmt_va_handle, target->rmt_va, length, reads, asked_for};
}

void note(std::map<std::uint32_t, Image>& images, const Access& access) {
    if (access.length == 0) return;
    if (access.address + access.length < access.address) throw NotPlayable("RDMA used addresses beyond 64 bits");
    Image& image = images[access.handle];
    if (image.end == 0) image.begin = access.address;
    image.begin = std::min(image.begin, access.address);
    image.end = std::max(image.end, access.address + access.length);
    (access.reads ? image.read : image.written) = true;
    for (std::size_t i = 0; i < access.data.size(); ++i)
        image.octets.try_emplace(access.address + i, access.reads ? access.data[i] : std::uint8_t{0});
}

std::vector<RecordedMemory> memory_of(const std::vector<FcviExchange>& exchanges, Side side, fcvi::Reliability level) {
    constexpr std::array refusals{
        fcvi::Reason::rdma_protection_error, fcvi::Reason::remote_write_protection_error,
        fcvi::Reason::remote_read_protection_error};
    const FcviUnit* disconnect = disconnect_for(exchanges, side, refusals);
    std::map<std::uint32_t, Image> images;
    for (const FcviExchange& exchange : exchanges) {
        const FcviUnit& request = exchange.request();
        if (exchange.originator == side || !is_rdma(request)) continue;
        const bool owes_response = request.is(IuType::read_rqst) || level == fcvi::Reliability::reliable_reception;
        const bool is_open = owes_response && exchange.response() == nullptr;
        const fcvi::MessageResponseHead* failure = failure_of(exchange);
        const bool lacks_receive = failure != nullptr && failure->desc_err;  // its memory is as it should be
        if (!is_open && (failure == nullptr || lacks_receive) && !fails_silently(exchange, disconnect))
            note(images, access_of(exchange));
    }
    std::vector<RecordedMemory> memory;
    std::uint64_t room = most_claimed;
    for (const auto& [handle, image] : images) {
        room += image.octets.size();
        if (image.end < image.begin || image.end - image.begin > room)
            throw NotPlayable("the memory that RDMA used is too large to be emulated");
        room -= image.end - image.begin;
        RecordedMemory& region = memory.emplace_back();
        region.handle = handle;
        region.address = image.begin;
        region.written = image.written;
        region.read = image.read;
        region.octets.resize(image.end - image.begin);
        for (const auto& [address, octet] : image.octets) region.octets[address - image.begin] = octet;
    }
    return memory;
}

// ---- receives ------------------------------------------------------------------------------------

/// Descriptors were there for all that took one, up to the one that failed for want of it.
void add_receives(RecordedEnd& end, const std::vector<FcviExchange>& exchanges, Side side) {
    constexpr std::array refusals{fcvi::Reason::remote_descriptor_error};
    const FcviUnit* disconnect = disconnect_for(exchanges, side, refusals);
    std::size_t taken = 0;
    for (const FcviExchange& exchange : exchanges) {
        const FcviUnit& request = exchange.request();
        const bool is_send = request.is(IuType::send_rqst);
        const bool takes = is_send || (request.is(IuType::write_rqst) && request.device_header.immediate_data());
        if (exchange.originator == side || !takes) continue;
        const fcvi::MessageResponseHead* failure = failure_of(exchange);
        if ((failure != nullptr && failure->desc_err) || fails_silently(exchange, disconnect)) break;
        ++taken;
        if (is_send) end.receive_size = std::max(end.receive_size, request.payload.size());
    }
    end.receives = taken;
}

// ---- the setup -----------------------------------------------------------------------------------

void record_addresses(RecordedEnd& end, const FcviUnit& unit, bool own) {
    const auto payload = unit.connect();
    if (!payload || payload->error) throw NotPlayable("the connect payload cannot be understood");
    end.version = unit.device_header.version;
    end.local = own ? payload->local() : payload->remote();
    end.remote = own ? payload->remote() : payload->local();
    end.connect_info = end.connect_info || payload->info() != nullptr;
    end.attributes = payload->attributes();
    if (const auto level = payload->reliability()) end.reliability = *level;
    else throw NotPlayable("the Reliability Level is a reserved one");
}

bool as_peer(const FcviUnit& request) {
    if (!request.is(IuType::connect_rqst)) return false;
    const auto mode = static_cast<std::uint8_t>(fcvi::ConnectMode::peer_to_peer);
    if (const auto* head = std::get_if<fcvi::ConnectRequestHead>(&request.device_header.head))
        return head->mode == mode;
    const auto* draft = std::get_if<fcvi::ConnectRequestHeadRev10>(&request.device_header.head);
    return draft != nullptr && draft->mode == mode;
}

void record_own_request(RecordedEnd& end, const FcviExchange& exchange) {
    const FcviUnit* response2 = exchange.find(IuType::connect_resp2);
    end.asks = true;
    end.is_peer = as_peer(exchange.request());
    end.stops_waiting = response2 != nullptr && response2->reason() == fcvi::Reason::connect_timeout;
    record_addresses(end, exchange.request(), true);
}

void record_other_request(RecordedEnd& end, const FcviExchange& exchange) {
    const FcviUnit* response = exchange.find(IuType::connect_resp1);
    end.is_peer = end.is_peer || as_peer(exchange.request());
    if (!end.asks) record_addresses(end, exchange.request(), false);
    if (response == nullptr) return;
    if (const auto reason = response->reason()) {
        end.refusal = reason;
    } else {
        end.accepts = true;
        record_addresses(end, *response, true);
    }
}

}  // namespace

std::optional<fcvi::Reason> FcviUnit::reason() const {
    const fcvi::Status* status = device_header.status();
    if (status == nullptr) return std::nullopt;
    return fcvi::reason_of(device_header.version, status->reason);
}

bool FcviUnit::is_by_provider() const {
    if (const auto* head = std::get_if<fcvi::DisconnectHead>(&device_header.head)) return !head->vi_app_discon;
    const auto* draft = std::get_if<fcvi::ConnectRequestHeadRev10>(&device_header.head);
    return draft != nullptr && draft->mode == fcvi::rev_1_0_kernel_disconnect;
}

std::optional<fcvi::ConnectPayload> FcviUnit::connect() const {
    if (!is(IuType::connect_rqst) && !is(IuType::connect_resp1)) return std::nullopt;
    return fcvi::parse_connect(payload, payload.size(), device_header.version);
}

const FcviUnit* FcviExchange::find(IuType type) const {
    const auto found = std::ranges::find_if(units, [&](const FcviUnit& unit) { return unit.is(type); });
    return found == units.end() ? nullptr : &*found;
}

const FcviUnit* FcviExchange::response() const {
    for (const IuType type : {IuType::send_resp, IuType::write_resp, IuType::read_resp})
        if (const FcviUnit* unit = find(type)) return unit;
    return nullptr;
}

std::vector<FcviExchange> fcvi_exchanges(const Recording& recording) {
    std::vector<FcviExchange> exchanges(recording.exchanges.size());
    for (std::size_t i = 0; i < recording.cuts.size(); ++i) {
        const Message& message = recording.conversation.messages[i];
        const RecordedExchange& recorded = recording.exchange_of(i);
        if (recorded.type != fcvi::fc_type || message.name == "ABTS") continue;
        const fc::Frame frame = frame_of(message.octets);
        const ByteView octets = frame.device_header();
        FcviExchange& exchange = exchanges[recording.cuts[i].exchange];
        exchange.originator = recorded.originator;
        exchange.units.push_back(
            {i, message.from, fcvi::parse_device_header(octets, octets.size(), recorded.context.version),
             frame.payload});
    }
    std::erase_if(exchanges, [](const FcviExchange& exchange) { return exchange.units.empty(); });
    return exchanges;
}

namespace {

/// Handles of a connection in an Exchange, with their owners.
using Handle = std::pair<Side, std::uint32_t>;

std::vector<Handle> handles_in(const FcviExchange& exchange) {
    std::vector<Handle> handles;
    for (const FcviUnit& unit : exchange.units) {
        if (const auto payload = unit.connect(); payload && !payload->error)
            handles.emplace_back(unit.from, payload->handle());
        handles.emplace_back(other(unit.from), unit.device_header.handle());
    }
    std::erase_if(handles, [](const Handle& handle) { return handle.second == fcvi::unassigned_handle; });
    return handles;
}

/// Two peers ask for each other (VI-DG 6.7).
bool crosses(const FcviExchange& a, const FcviExchange& b) {
    if (a.originator == b.originator || !as_peer(a.request()) || !as_peer(b.request())) return false;
    const auto one = a.request().connect(), another = b.request().connect();
    return one && another && one->local().host == another->remote().host &&
           one->remote().host == another->local().host && fcvi::same_discriminator(one->remote(), another->remote());
}

/// A handle may be used again for another connection: its owner asks anew, not once more.
bool begins_anew(const std::vector<FcviExchange>& connection, const FcviExchange& exchange) {
    const FcviUnit& request = exchange.request();
    if (!request.is(IuType::connect_rqst) || request.device_header.retry()) return false;
    return std::ranges::any_of(connection, [&](const FcviExchange& earlier) {
        return earlier.originator == exchange.originator && earlier.request().is(IuType::connect_rqst);
    });
}

}  // namespace

std::vector<std::vector<FcviExchange>> connections_of(std::vector<FcviExchange> exchanges) {
    std::vector<std::vector<FcviExchange>> connections;
    std::map<Handle, std::size_t> owners;
    for (FcviExchange& exchange : exchanges) {
        const std::vector<Handle> handles = handles_in(exchange);
        const auto known = std::ranges::find_if(handles, [&](const Handle& handle) { return owners.contains(handle); });
        std::size_t connection = known != handles.end() ? owners[*known] : connections.size() - 1;
        const auto crossed = known != handles.end() || !as_peer(exchange.request())
                                 ? connections.end()
                                 : std::ranges::find_if(connections, [&](const auto& one) {
                                       return std::ranges::any_of(
                                           one, [&](const FcviExchange& other) { return crosses(other, exchange); });
                                   });
        if (crossed != connections.end()) connection = static_cast<std::size_t>(crossed - connections.begin());
        const bool is_new = connections.empty() ||
                            (known == handles.end() && crossed == connections.end() &&
                             exchange.request().is(IuType::connect_rqst)) ||
                            begins_anew(connections[connection], exchange);
        if (is_new) {
            connection = connections.size();
            connections.emplace_back();
        }
        for (const Handle& handle : handles) owners[handle] = connection;
        connections[connection].push_back(std::move(exchange));
    }
    return connections;
}

RecordedEnd recorded_end(const std::vector<FcviExchange>& exchanges, Side side) {
    RecordedEnd end;
    bool other_asks = false, known = false;
    for (const FcviExchange& exchange : exchanges) {
        if (!exchange.request().is(IuType::connect_rqst)) continue;
        known = true;
        if (exchange.originator == side) {
            record_own_request(end, exchange);
        } else {
            other_asks = true;
            record_other_request(end, exchange);
        }
    }
    if (!known) throw NotPlayable("the setup of the connection was not captured");
    end.crossing = end.asks && other_asks;
    end.memory = memory_of(exchanges, side, end.reliability);
    add_receives(end, exchanges, side);
    return end;
}

}  // namespace fabricscope::replay::fibre_channel
