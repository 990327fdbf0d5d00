// SPDX-License-Identifier: GPL-2.0-or-later
// Which addresses have to be looked at together, found out without following sessions: what is in different components
// can be analysed apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/engine/disjoint_sets.h"
#include "analyzer/engine/flat_map.h"
#include "capture/fcoe_vlan.h"
#include "capture/packet.h"

namespace fabricscope::engine {

/// Neither missing nor unspecified, and no multicast. An N_Port_ID of 0 is that of a port that logs in.
bool says_who(const capture::Address& address);

/// What a map holds of the packet's source, or of its destination if that is not known; nullptr if it has neither.
template <class Map> auto find_either(const Map& map, const capture::Packet& packet) {
    auto found = says_who(packet.source) ? map.find(packet.source) : nullptr;
    if (found == nullptr && says_who(packet.destination)) found = map.find(packet.destination);
    return found;
}

/// Addresses of one component have exchanged packets, other than plain UDP, or have been named in a message that one of
/// them sent or received: the GIDs and peer IDs of CLC and LLC, the GIDs of CM. All of native InfiniBand is one
/// component; so is all of Fibre Channel once some of it comes through FCIP, or FCoE in more than one VLAN.
class Components {
public:
    static constexpr std::size_t most_addresses = 4'194'304;  ///< some 300 MB

    /// Of a frame of so many captured octets.
    void add(const capture::Packet& packet, std::uint64_t octets);
    /// More addresses have come than the table takes: nothing it says is true.
    bool full() const { return full_; }
    /// All frames have been added.
    void finish();

    /// The component that a packet belongs to; nothing if it has no address. finish() has been called.
    std::optional<std::uint32_t> of(const capture::Packet& packet) const;

    /// visit(address, component) for each address that turned up, in no order. finish() has been called.
    template <class Visit> void for_each_address(Visit&& visit) const {
        index_.for_each(
            [&](const capture::Address& address, std::uint32_t place) { visit(address, sets_.root_of(place - 1)); });
    }

    struct Component {
        std::uint32_t id = 0;      ///< as of() returns it
        std::uint64_t octets = 0;  ///< captured, of its frames
    };
    /// In the order in which they turned up. finish() has been called.
    std::vector<Component> list() const;

private:
    struct Node {
        bool smcr = false;  ///< SMC-R has named it
        bool fc_port = false;
        std::uint64_t octets = 0;  ///< of the frames that it decides for
    };

    /// Nothing if the table is full.
    std::optional<std::uint32_t> node_of(const capture::Address& address);
    void unite(const capture::Address& one, const capture::Address& other);
    void read_messages(const capture::Packet& packet);
    void join_fc(const capture::Packet& packet);
    void read_tcp(const capture::Packet& packet);
    void read_ib(const capture::Packet& packet);
    template <class Message> void name_smcr(const capture::Packet& packet, const Message& message);

    FlatMap<capture::Address, std::uint32_t> index_;  ///< into nodes_, from 1
    std::vector<Node> nodes_;
    DisjointSets sets_;  ///< of nodes; the component that turned up first keeps its name
    capture::FcoeVlans fcoe_vlans_;
    bool fc_is_one_ = false;
    bool full_ = false;
};

}  // namespace fabricscope::engine
