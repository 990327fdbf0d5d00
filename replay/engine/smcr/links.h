// SPDX-License-Identifier: GPL-2.0-or-later
// The RDMA side of a player: queue pairs, RMBs and RTokens, created and removed as the CLC and LLC messages of both
// sides demand. Its own identifiers are those of the recording.
#pragma once

#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/recorded.h"
#include "replay/stack/smcr/link_group.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

using stack::Adapter;
using stack::IbAddress;
using stack::Octets;
using stack::smcr::LinkEnd;
using stack::smcr::RToken;

class PlayedLinks {
public:
    /// An adapter for each address that the played side's messages name. Frames go to `frames`, which must live as
    /// long.
    PlayedLinks(const Recorded& recorded, Side played, std::vector<stack::OutgoingFrame>& frames);

    const std::vector<std::unique_ptr<Adapter>>& adapters() const { return adapters_; }
    /// Of the adapters, as the recording has them.
    const std::vector<IbAddress>& recorded_addresses() const { return recorded_addresses_; }
    /// The adapters with the addresses of this run.
    void create_adapters(const std::vector<IbAddress>& addresses);

    // ---- contents of messages ----
    /// ACCEPT or CONFIRM, of first contact: half of the first link.
    void on_first_contact(Time now, const wire::SmcrAcceptConfirmBody& body, bool own);
    void on_llc(Time now, std::size_t link, const wire::LlcMessage& message, bool own);
    /// The link that CLC names; the first one if it names none of this group.
    std::size_t link_named(const wire::SmcrAcceptConfirmBody& body, bool own) const;
    /// An own CONFIRM as it has to be if the connection is on that link: its end of it, and its name of the RMB.
    wire::SmcrAcceptConfirmBody on_link(std::size_t link, const wire::SmcrAcceptConfirmBody& confirm) const;

    // ---- links ----
    std::optional<std::size_t> link_of(std::size_t adapter, std::uint32_t qpn) const;
    /// In adapters(): where the link ends.
    std::size_t adapter_index(std::size_t link) const { return links_.empty() ? 0 : links_[link].adapter; }
    /// "link 1": numbered as they are first used for LLC.
    std::string channel_of(std::size_t link);
    /// A link that can carry messages; nothing if there is none for that channel yet.
    std::optional<std::size_t> link_for(const std::string& channel);
    bool all_deleted() const { return all_deleted_; }
    /// Tells the peer that all links go, if there is one and it does not know.
    void end_group(Time now);
    /// Neither deleted nor lost.
    bool usable(std::size_t link) const;
    std::optional<std::size_t> usable_link() const;
    /// This side's queue pair is destroyed: nothing is sent or acknowledged on the link any more.
    void lose(std::size_t link);
    /// The completion has `id`.
    void send(Time now, std::size_t link, Octets octets, std::string note, std::uint64_t id = 0);

    // ---- memory ----
    /// CLC names an RMB; other links' names of it may follow.
    void on_rmb(std::size_t link, const wire::SmcrAcceptConfirmBody& body, bool own);
    /// The octets of one of the own elements.
    std::span<std::uint8_t> element(std::size_t link, const wire::SmcrAcceptConfirmBody& body);
    std::size_t peer_rmb(std::size_t link, RToken token);
    void write(Time now, std::size_t link, std::size_t peer_rmb, std::uint64_t offset, Octets octets, std::uint64_t id);

private:
    struct Link {
        std::size_t adapter = 0;
        std::uint8_t number = 0;
        std::optional<LinkEnd> own, peer;
        bool connected = false, deleted = false, lost = false;
        std::size_t channel = 0;  ///< 0: none yet
    };
    struct Rmb {
        Octets octets;
        std::vector<RToken> tokens;  ///< by link
    };

    /// RMBs by link and key, in the order in which they were named so; they may have other names by now.
    using Names = std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::size_t>>;

    std::size_t adapter_of(const IbAddress& address) const;
    void set_end(Time now, Link& link, const LinkEnd& end, bool own);
    void connect(Time now, Link& link);
    std::size_t new_link();
    std::optional<std::size_t> numbered(std::uint8_t number) const;
    void on_add_link(Time now, std::size_t link, const wire::AddLinkMessage& message, bool own);
    void on_pairs(std::size_t link, const layout::List<wire::RkeyPair>& pairs, std::size_t count, bool own);
    void on_confirm_rkey(std::size_t link, const wire::ConfirmRkeyMessage& message, bool own);
    void on_rkey_continuation(const wire::ConfirmRkeyContinuationMessage& message, bool own);
    void name_on_links(std::size_t rmb, const layout::List<wire::LinkRtoken>& slots, std::size_t count, bool own);
    void on_delete_link(const wire::DeleteLink& message);
    std::uint64_t size_of(RToken token) const;
    std::size_t own_rmb(std::size_t link, RToken token, std::uint64_t size);
    void name_own(std::size_t rmb, std::size_t link, RToken token);
    void name_peers(std::size_t rmb, std::size_t link, RToken token);
    void collect_sizes(const Message& message);

    Side played_;
    capture::IbCarrier carrier_;
    bool retries_for_ever_;  ///< what the peer does not hear is repeated until the end
    std::vector<stack::OutgoingFrame>& frames_;
    std::vector<IbAddress> recorded_addresses_;
    std::vector<std::unique_ptr<Adapter>> adapters_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> element_sizes_;  ///< own, by key and address
    std::uint64_t elements_ = 1;  ///< of an RMB: the highest index of all
    std::vector<Link> links_;
    std::vector<std::unique_ptr<Rmb>> own_;
    std::vector<std::vector<RToken>> peers_;  ///< RMBs, by link
    Names own_names_, peers_names_;
    std::optional<std::size_t> offered_;                  ///< the link that an ADD LINK exchange is about
    std::array<std::optional<std::size_t>, 2> told_rmb_;  ///< of the latest CONFIRM RKEY: the peer's, the own one
    std::size_t channels_ = 0;
    bool all_deleted_ = false;
    std::optional<decltype(wire::LlcMessage::header)> own_header_;  ///< of a CONFIRM LINK of this side
};

}  // namespace fabricscope::replay::smcr
