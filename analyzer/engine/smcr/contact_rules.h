// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the links and RMBs that ACCEPT and CONFIRM name (RFC 7609, 3.5.2, 3.5.3, 4.4.2 and C.4).
#pragma once

#include <unordered_map>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/tcp_arrival.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

struct LinkRef {
    std::uint32_t group;
    std::uint32_t link;  ///< index in LinkGroup::links
    Side side;           ///< whose queue pair it is
};

class ContactRules {
public:
    ContactRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// ACCEPT or CONFIRM, before the link groups take it in. `named` is the link that has its queue pair by now.
    void on_contact(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named);

    /// The connection receives in an RMB element that `before` had, 0 = nobody; `link`: on which its peer writes there.
    void on_element(
        const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::uint32_t before, GroupHistory& history,
        std::uint32_t link);

    /// The connection's element is in `rmb`, which does not know of it yet.
    void on_rmb(const TcpArrival& a, const Rmb& rmb, std::uint64_t element_size);

    void on_decline(const TcpArrival& a, bool out_of_sync);

    /// The client agrees that the link is deleted, or the server deletes all.
    void on_link_left(const Arrival& a, std::uint32_t link);

    /// The server's CONFIRM LINK request is the first packet of its link: the link is new.
    void on_link_begun(const Arrival& a);

private:
    /// Whether a link group is still there, as far as a capture can tell.
    enum class Life : std::uint8_t { none, ended, unknown, sure };

    void judge_new_group(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named);
    void judge_known_link(const TcpArrival& a, std::optional<LinkRef> named);
    void judge_peer_id(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body, std::optional<LinkRef> named);
    void judge_server(const TcpArrival& a, std::optional<LinkRef> named);
    Life life_of(std::uint32_t id, Side side, const wire::PeerId& peer, Time now) const;

    /// Of a side's RMB, as its RNIC has it.
    struct Region {
        Gid gid;
        std::uint32_t rkey;
        std::uint64_t address;
        bool operator==(const Region&) const = default;
    };
    struct RegionHash {
        std::size_t operator()(const Region& region) const noexcept {
            return std::hash<Address>{}(Address::of(region.gid)) ^
                   (std::size_t{region.rkey} ^ region.address) * 0x9E3779B97F4A7C15u;
        }
    };
    static std::uint64_t key_of(std::uint32_t group, std::uint32_t link) { return std::uint64_t{group} << 32 | link; }

    const Model& model_;
    Verdicts& verdicts_;
    std::unordered_map<Region, std::uint32_t, RegionHash> regions_;  ///< the link group that used it last
    std::unordered_map<std::uint64_t, FrameStamp> left_;             ///< links that the client knows are gone
    std::unordered_map<std::uint32_t, FrameStamp> out_of_sync_;      ///< connections whose ACCEPT names such a link
};

}  // namespace fabricscope::engine::smcr
