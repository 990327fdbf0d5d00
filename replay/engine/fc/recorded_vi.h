// SPDX-License-Identifier: GPL-2.0-or-later
// What the application on one side of a recorded FC-VI connection did, deduced from its Information Units.
#pragma once

#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"
#include "replay/engine/fc/recording.h"

namespace fabricscope::replay::fibre_channel {

/// A parsed FC-VI message. Views point into the recording.
struct FcviUnit {
    std::size_t index = 0;  ///< of the message
    Side from{};
    fcvi::DeviceHeader device_header;
    ByteView payload;

    bool is(fcvi::IuType type) const { return device_header.iu() != nullptr && device_header.iu()->type == type; }
    /// Nothing if the IU has no status.
    std::optional<fcvi::Reason> reason() const;
    /// Of a DISCONNECT_RQST: the Provider disconnects, or the kernel (ISO 6.12.2; revision 1.0, 5.7.2).
    bool is_by_provider() const;
    std::optional<fcvi::ConnectPayload> connect() const;
};

/// An Exchange with its Originator.
struct FcviExchange {
    Side originator{};
    std::vector<FcviUnit> units;  ///< at least one

    const FcviUnit& request() const { return units.front(); }
    const FcviUnit* find(fcvi::IuType type) const;
    /// The response to a Message's request; nullptr if there is none.
    const FcviUnit* response() const;
};

/// Octets of a side's memory that the other side's RDMA used.
struct RecordedMemory {
    std::uint32_t handle = 0;
    std::uint64_t address = 0;
    Octets octets;  ///< as they were at first, as far as it was read; else 0
    bool written = false, read = false;
};

/// The end of a connection on one side.
struct RecordedEnd {
    fcvi::Version version{};
    bool asks = false;  ///< with a Connect Request of its own
    bool is_peer = false;
    fcvi::NetAddress local, remote;
    fcvi::CommonAttributes attributes;
    fcvi::Reliability reliability{};
    std::optional<fcvi::Reason> refusal;  ///< that it gave the other side's request
    bool accepts = false;
    bool connect_info = false;
    bool stops_waiting = false;    ///< its Connect Request had timed out when the answer came
    bool crossing = false;         ///< both have asked
    std::size_t receives = 0;      ///< that it has posted
    std::size_t receive_size = 0;  ///< octets
    std::vector<RecordedMemory> memory;
};

std::vector<FcviExchange> fcvi_exchanges(const Recording& recording);
/// The Exchanges of each connection, told apart by the handles in them.
std::vector<std::vector<FcviExchange>> connections_of(std::vector<FcviExchange> exchanges);
/// Throws NotPlayable if the setup does not tell it.
RecordedEnd recorded_end(const std::vector<FcviExchange>& exchanges, Side side);

}  // namespace fabricscope::replay::fibre_channel
