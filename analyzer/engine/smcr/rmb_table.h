// SPDX-License-Identifier: GPL-2.0-or-later
// RMBs of a link group, their RTokens on each link, and whose their elements are: from there a WRITE finds its
// connection by RKey and address, and a CDC message by alert token (RFC 7609, 2.1, 4.2 and A.4).
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/tracker.h"

namespace fabricscope::engine::smcr {

/// RmbBudget is how many RMBs and RTokens all link groups together may still have.
struct RmbBudget {
    RmbBudget(const Limits& limits, std::uint64_t& refused)
        : rmbs(limits.rmbs), rmbs_per_group(limits.rmbs_per_group), rtokens(limits.rtokens), dropped(refused) {}

    std::size_t rmbs;
    std::size_t rmbs_per_group;
    std::size_t rtokens;
    std::uint64_t& dropped;  ///< counts what was refused
};

/// RmbTable fills LinkGroup::rmbs of one link group and answers where WRITEs and CDC messages go.
class RmbTable {
public:
    /// The arguments outlive the table.
    RmbTable(LinkGroup& group, GroupHistory& history, RmbBudget& budget)
        : group_(group), history_(history), budget_(budget) {}

    /// announce() makes an RMB of `owner` known, which has `rtoken` on one link; `frame` told it. An RMB that is known
    /// by this RToken and was not deleted stays the same. Returns its index in LinkGroup::rmbs; nullopt if there are
    /// too many.
    std::optional<std::size_t> announce(Side owner, const Rtoken& rtoken, std::uint64_t frame);

    /// add() gives the RMB of index `rmb` its RToken on a further link, instead of the one it may have there.
    void add(std::size_t rmb, const Rtoken& rtoken);

    /// add_by_reference() does so for an RMB of `owner` that is named by its RKey on link `carrier` (A.3.2, A.3.3).
    /// An RKey that is not known there says nothing.
    void add_by_reference(Side owner, std::uint32_t carrier, std::uint32_t link, const wire::RkeyPair& pair);

    /// remove() marks the RMB of `owner` that has this RKey on `link`, if there is one (A.3.7); `frame` told it.
    void remove(Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t frame);

    /// Where a WRITE goes.
    struct Target {
        enum class Place : std::uint8_t { unknown_rkey, below_rmb, in_rmb };
        Place place = Place::unknown_rkey;
        std::uint64_t offset = 0;              ///< in the RMB element
        std::uint32_t connection = 0;          ///< whose element it is; 0 = not known
        std::optional<std::size_t> deleted{};  ///< the RMB, if DELETE RKEY has named it
    };
    /// target_of() returns where a WRITE to one of the RMBs of `owner` goes.
    Target target_of(Side owner, std::uint32_t link, std::uint32_t rkey, std::uint64_t address) const;

    /// element_at() returns the RMB element that begins at `place`, of an RMB that perhaps nothing has announced, or
    /// whose announcement `frame` makes up for, since it comes behind the end of the one that was there. nullopt: no
    /// element can begin there, or it is somebody's, or there are too many RMBs.
    std::optional<RmbElement> element_at(Side owner, const Rtoken& place, std::uint64_t frame);

    /// place_of() returns where the element begins on `link`; nullopt if that is not known.
    std::optional<Rtoken> place_of(const RmbElement& element, std::uint32_t link) const;

    /// assign() gives a connection the element of an RMB. Returns the connection that had it before; 0 = none.
    std::uint32_t assign(const RmbElement& element, std::uint32_t connection);

    /// assign_token() says that `side` receives CDC messages of a connection under this alert token.
    void assign_token(Side side, std::uint32_t token, std::uint32_t connection) { tokens_[side][token] = connection; }

    /// connection_of() returns the connection that has the alert token at the `receiver`; 0 = not known.
    std::uint32_t connection_of(Side receiver, std::uint32_t token) const {
        const std::uint32_t* connection = tokens_[receiver].find(token);
        return connection == nullptr ? 0 : *connection;
    }

    /// replace() hands over to connection `by` the elements of `connection`, and its tokens at `receiver`.
    void replace(std::uint32_t connection, std::uint32_t by, Side receiver);

    /// swap_sides() exchanges client and server, but for what stands in LinkGroup and GroupHistory.
    void swap_sides() { tokens_.swap_sides(); }

private:
    LinkGroup& group_;
    GroupHistory& history_;
    RmbBudget& budget_;
    PerSide<FlatMap<std::uint32_t, std::uint32_t>> tokens_;  ///< connection by the token that this side assigned
};

}  // namespace fabricscope::engine::smcr
