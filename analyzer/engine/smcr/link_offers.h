// SPDX-License-Identifier: GPL-2.0-or-later
// Links that ADD LINK requests have proposed and no response has accepted yet (RFC 7609, 3.5.5.1 and A.3.2).
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

/// LinkOffer is one side's half of a link that is to be added.
struct LinkOffer {
    std::uint8_t number;
    Side from;
    LinkEndpoint end;
    std::uint32_t mtu;      ///< octets; 0 = not understood
    std::uint32_t carrier;  ///< link on which it was made, and on which reference RKeys are known
    std::vector<wire::RkeyPair> rkeys;
    std::uint32_t gaps = 0;  ///< GroupHistory::all_gaps() when it was made
};

/// RefusedLink is an offer that was rejected, and the reply, which names a queue pair of the other side nevertheless.
struct RefusedLink {
    LinkOffer offer;
    LinkOffer refusal;
    FrameStamp step;              ///< of the reply
    PerSide<std::uint32_t> gaps;  ///< GroupHistory::gaps when it was sent
};

/// LinkOffers holds the open offers of a link group, at most one for each link number.
class LinkOffers {
public:
    static constexpr std::size_t most = 8;

    /// make() adds an offer. It takes the place of an earlier one with its number, or of the oldest of too many.
    void make(LinkOffer offer) {
        withdraw(offer.number);
        keep_youngest(offers_, most, std::move(offer));
    }

    /// withdraw() forgets the offer of this number, which was accepted or rejected.
    void withdraw(std::uint8_t number) {
        std::erase_if(offers_, [&](const LinkOffer& offer) { return offer.number == number; });
    }

    /// find() returns the offer that a response of `accepting` accepts; nullptr if the other side made none of this
    /// number. Valid until the offers change.
    const LinkOffer* find(std::uint8_t number, Side accepting) const {
        for (const LinkOffer& offer : offers_)
            if (offer.number == number && offer.from != accepting) return &offer;
        return nullptr;
    }

    /// only() returns the other side's offer, if there is just one, and neither a later one nor its answer is missing
    /// since, as `gaps` tell; else nullptr. As find().
    const LinkOffer* only(Side accepting, std::uint32_t gaps) const {
        const auto is_its = [&](const LinkOffer& offer) { return offer.from != accepting; };
        if (std::ranges::count_if(offers_, is_its) != 1) return nullptr;
        const LinkOffer& offer = *std::ranges::find_if(offers_, is_its);
        return offer.gaps == gaps ? &offer : nullptr;
    }

    /// The latest link that was refused although it has two ends.
    std::optional<RefusedLink> refused;

    void swap_sides() {
        refused.reset();
        for (LinkOffer& offer : offers_) offer.from = other(offer.from);
    }

private:
    std::vector<LinkOffer> offers_;
};

}  // namespace fabricscope::engine::smcr
