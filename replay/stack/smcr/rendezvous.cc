// SPDX-License-Identifier: GPL-2.0-or-later
// CLC: who proposes what, who accepts or declines it (RFC 7609, 3.5.1 and 3.5.2, A.2, C.1 to C.4).
#include <algorithm>

#include "replay/stack/smcr/clc_constants.h"
#include "replay/stack/smcr/peer.h"
#include "replay/stack/smcr/peer_state.h"

namespace fabricscope::stack::smcr {
namespace {

using wire::ClcType;

constexpr std::uint8_t linux_os = 2;
constexpr std::uint16_t smcd_area = 40;            // octets of the growth area, as Linux has it
constexpr std::uint16_t v2_extension_offset = 28;  // right behind that area
constexpr std::uint16_t features = 1;

wire::Eid eid_of(const std::string& text) {
    wire::Eid eid;
    eid.text.octets.fill(' ');
    std::copy_n(text.begin(), std::min(text.size(), eid.text.octets.size()), eid.text.octets.begin());
    return eid;
}

/// The first bits of an address.
Gid prefix_of(const Gid& ip, unsigned bits) {
    Gid prefix = ip;
    for (unsigned i = 0; i < prefix.octets.size(); ++i) {
        const unsigned kept = std::min(bits - std::min(bits, i * 8), 8U);
        prefix.octets[i] &= static_cast<std::uint8_t>(0xFF00U >> kept);
    }
    return prefix;
}

/// Of an IPv4 address, whose octets are the last ones.
Ipv4 subnet_of(const Gid& ip, unsigned bits) {
    constexpr unsigned mapped_bits = 96;
    const Gid prefix = prefix_of(ip, mapped_bits + bits);
    Ipv4 subnet;
    std::copy_n(prefix.octets.begin() + mapped_bits / 8, subnet.octets.size(), subnet.octets.begin());
    return subnet;
}

/// Whether the PROPOSAL offers SMC-R in that version.
bool offers(const wire::Proposal& proposal, std::uint8_t version) {
    const auto* v2 = std::get_if<wire::ProposalVersion2>(&proposal.version);
    if (v2 == nullptr) return version == 1 && std::get<wire::ProposalVersion1>(proposal.version).path != nothing;
    const std::uint8_t type = version == 1 ? v2->type_v1 : v2->type_v2;
    return type == smc_r || type == both;
}

}  // namespace

// ---- one at a time -------------------------------------------------------------------------------

/// A link group is set up, or joined, by one connection after the other.
bool Peer::acquire_lock(Connection& connection) {
    if (std::ranges::find(lock_queue_, &connection) == lock_queue_.end()) lock_queue_.push_back(&connection);
    if (lock_queue_.front() == &connection) return true;
    enter(connection, Phase::queued, never);
    return false;
}

void Peer::release_lock(Connection& connection) {
    const auto found = std::ranges::find(lock_queue_, &connection);
    if (found == lock_queue_.end()) return;
    const bool held = found == lock_queue_.begin();
    lock_queue_.erase(found);
    if (!held || lock_queue_.empty()) return;
    Connection& next = *lock_queue_.front();
    const Time now = connection.now;
    touch(now, next);
    if (next.client) answer_accept(now, next);
    else answer_proposal(now, next);
    flush(next);
}

// ---- sending -------------------------------------------------------------------------------------

void Peer::send_clc(Time now, Connection& connection, ClcType type, wire::ClcMessage message) {
    message.header.type = type;
    message.trailer = wire::ClcTrailer{};
    message.header.length = static_cast<std::uint16_t>(wire::build(message).size());
    connection.tcp.write(now, wire::build(message));
}

void Peer::send_proposal(Time now, Connection& connection) {
    if (!config_.rdma) {  // Linux tells so at once (RFC 7609, C.1)
        return decline(now, connection, no_device);
    }
    if (connection.refusal && connection.refusal->unasked) return decline(now, connection, connection.refusal->code);
    const bool v2 = config_.profile.version >= 2;
    wire::ClcMessage message;
    wire::Proposal proposal;
    proposal.body.peer_id = v2 ? wire::PeerId{} : peer_id();
    const Octets eid = layout::octets_of(eid_of(config_.eid));
    Octets prefixes;
    if (v2) {
        proposal.version = wire::ProposalVersion2{.version = 2, .type_v2 = smc_r, .type_v1 = nothing};
        proposal.smcd.emplace().v2_extension_offset = v2_extension_offset;
        wire::ProposalV2Extension& extension = proposal.v2.emplace();
        extension.eid_count = 1;
        extension.release = config_.profile.release;
        extension.roce_gid = adapters_[0]->config().address.gid;
        extension.max_connections = advertised_connections;
        extension.max_links = config_.profile.max_links;
        extension.features = features;
        proposal.eids.octets = eid;
    } else {
        const bool growth = config_.profile.proposal_grown;
        if (growth) proposal.version = wire::ProposalVersion2{.version = 2, .type_v2 = nothing, .type_v1 = smc_r};
        else proposal.version = wire::ProposalVersion1{};
        proposal.body.gid = adapters_[0]->config().address.gid;
        proposal.body.mac = config_.mac;
        proposal.body.ip_area_offset = growth ? smcd_area : 0;
        if (growth) proposal.smcd.emplace();
        wire::IpArea& area = proposal.ip.emplace();
        if (config_.ip.is_ipv4()) {
            area.subnet = subnet_of(config_.ip, config_.subnet_bits);
            area.mask_length = config_.subnet_bits;
        }
        for (const wire::Ipv6Prefix& prefix : config_.prefixes) append(prefixes, prefix);
        area.prefix_count = static_cast<std::uint8_t>(config_.prefixes.size());
        proposal.prefixes.octets = prefixes;
    }
    message.body = proposal;
    send_clc(now, connection, ClcType::proposal, message);
    enter(connection, Phase::accept, now + config_.profile.clc_wait);
}

void Peer::send_accept_or_confirm(Time now, Connection& connection, ClcType type) {
    const LinkGroup& links = connection.group->links;
    const Link& link = links.link(connection.link);
    const Rmb& rmb = links.rmbs()[connection.element->rmb];
    const bool confirm = type == ClcType::confirm;
    wire::ClcMessage message;
    wire::SmcrAcceptConfirm body;
    body.body.version = connection.version;
    body.body.first_contact = connection.first_contact && (!confirm || config_.profile.confirm_repeats_first_contact);
    body.body.peer_id = peer_id();
    body.body.gid = link.own.address.gid;
    body.body.mac = link.own.address.mac;
    body.body.qpn = link.own.qpn;
    body.body.rkey = rmb.rkeys[connection.link];
    body.body.rmb_index = connection.element->index;
    body.body.alert_token = connection.token;
    body.body.buffer_size = config_.buffer_size;
    body.body.mtu = link.own.mtu;
    body.body.rmb_address = rmb.address;
    body.body.initial_psn = link.own.psn;
    Octets gids;
    for (const Gid& gid : links.gids(link.adapter)) append(gids, wire::GidEntry{gid});
    if (connection.version >= 2) {
        body.v2.emplace().eid = eid_of(config_.eid);
        if (connection.first_contact) {
            wire::FirstContactExtension& extension = body.first_contact.emplace();
            extension.direct = true;
            extension.os_type = linux_os;
            extension.release = config_.profile.release;
            extension.hostname.octets = eid_of(config_.hostname).text.octets;
            wire::FirstContactExtensionV2x& more = body.first_contact_v2x.emplace();
            more.max_connections = advertised_connections;
            more.max_links = config_.profile.max_links;
            more.features = features;
            if (confirm) {
                body.gid_list.emplace().count = static_cast<std::uint8_t>(
                    gids.size() / layout::size_of<wire::GidEntry>);
                body.gids.octets = gids;
            }
        }
    }
    connection.group->links.mark_told(*connection.element);
    message.body = body;
    send_clc(now, connection, type, message);
}

void Peer::decline(Time now, Connection& connection, std::uint32_t code, bool out_of_sync) {
    wire::ClcMessage message;
    wire::Decline body;
    body.body.version = std::max<std::uint8_t>(connection.version, 1);
    body.body.out_of_sync = out_of_sync;
    body.body.peer_id = config_.rdma ? peer_id() : wire::PeerId{};
    body.body.diagnosis = code;
    if (body.body.version >= 2) {
        body.body.os_type = linux_os;
        body.v2.emplace();
    }
    message.body = body;
    send_clc(now, connection, ClcType::decline, message);
    connection.decline_code = code;
    connection.declined_by_me = true;
    if (connection.group != nullptr && !connection.group->links.ready()) connection.group->links.end();
    if (connection.group != nullptr && !connection.released) leave_group(now, connection);
    become_plain(connection, "fallback");
    release_lock(connection);
}

// ---- receiving -----------------------------------------------------------------------------------

/// One message, if it is there in full. Anything else is a protocol error (RFC 7609, C.1).
void Peer::on_clc(Time now, Connection& connection) {
    Octets& arrived = connection.tcp.received();
    if (arrived.empty()) {
        if (connection.tcp.peer_closed()) fail(now, connection, "failed");
        return;
    }
    const std::size_t length = wire::clc_length(arrived);
    if (length == 0) return fail(now, connection, "failed");
    if (arrived.size() < length || arrived.size() < wire::clc_header_size) return;
    const Octets octets(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
    const wire::ClcMessage message = wire::parse_clc(octets);
    if (message.error) return fail(now, connection, "failed");
    arrived.erase(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(length));
    on_clc_message(now, connection, message);
}

void Peer::on_clc_message(Time now, Connection& connection, const wire::ClcMessage& message) {
    if (const auto* declined = std::get_if<wire::Decline>(&message.body)) return on_decline(now, connection, *declined);
    const auto* proposal = std::get_if<wire::Proposal>(&message.body);
    const auto* other = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    if (proposal != nullptr && connection.phase == Phase::proposal) on_proposal(now, connection, *proposal);
    else if (other != nullptr && connection.phase == Phase::accept && message.header.type == ClcType::accept)
        on_accept(now, connection, *other);
    else if (other != nullptr && connection.phase == Phase::confirm && message.header.type == ClcType::confirm)
        on_confirm(now, connection, *other);
    else fail(now, connection, "failed");
}

void Peer::on_decline(Time now, Connection& connection, const wire::Decline& declined) {
    connection.decline_code = declined.body.diagnosis;
    if (connection.group != nullptr && (connection.first_contact || declined.body.out_of_sync))
        connection.group->links.end();
    if (connection.group != nullptr) leave_group(now, connection);
    become_plain(connection, "fallback");
    release_lock(connection);
}

bool Peer::is_local_subnet(const wire::Proposal& proposal) const {
    if (config_.ip.is_ipv4())
        return proposal.ip->mask_length == config_.subnet_bits &&
               proposal.ip->subnet == subnet_of(config_.ip, config_.subnet_bits);
    for (std::size_t i = 0; i < proposal.prefixes.size(); ++i)
        if (prefix_of(config_.ip, proposal.prefixes[i].length) == proposal.prefixes[i].prefix) return true;
    return false;
}

/// Which version, or why none.
void Peer::on_proposal(Time now, Connection& connection, const wire::Proposal& proposal) {
    const auto* v2 = std::get_if<wire::ProposalVersion2>(&proposal.version);
    connection.version = v2 != nullptr && config_.profile.version >= 2 ? 2 : 1;
    if (!config_.rdma) return decline(now, connection, no_smcr_device);
    if (connection.version == 2 && offers(proposal, 2)) {
        const wire::Eid mine = eid_of(config_.eid);
        bool common = false;
        for (std::size_t i = 0; i < proposal.eids.size(); ++i) common = common || proposal.eids[i].text == mine.text;
        if (!common) return decline(now, connection, no_device);
    } else if (config_.profile.version == 1 && offers(proposal, 1)) {
        if (!proposal.ip || !is_local_subnet(proposal)) return decline(now, connection, prefix_differs);
    } else {
        return decline(now, connection, version_mismatch);
    }
    if (connection.refusal) return decline(now, connection, connection.refusal->code);
    // Views into the message do not outlive it; what is needed later are the fixed parts.
    connection.proposal = proposal;
    connection.proposal->prefixes = {};
    connection.proposal->eids = {};
    connection.proposal->ism_gids = {};
    answer_proposal(now, connection);
}

void Peer::answer_proposal(Time now, Connection& connection) {
    if (!acquire_lock(connection)) return;
    const wire::Proposal& proposal = *connection.proposal;
    const Gid client_gid = connection.version == 2 ? proposal.v2->roce_gid : proposal.body.gid;
    const auto known = std::ranges::find_if(groups_, [&](const auto& group) {
        return group->links.role() == Role::server && group->links.version() == connection.version &&
               group->links.alive() && group->links.ready() && group->links.link(0).peer.address.gid == client_gid &&
               (connection.version == 2 || group->peer == proposal.body.peer_id);
    });
    connection.first_contact = known == groups_.end();
    connection.group = connection.first_contact ? &new_group(Role::server, connection.version) : known->get();
    give_token(connection);
    if (!connection.first_contact) {
        connection.link = connection.group->links.enter_link();
        enter(connection, Phase::key, now + config_.profile.clc_wait);
        return connection.group->links.tell_rkey(now, *connection.element, connection.link);
    }
    connection.group->links.enter_link(0);
    send_accept_or_confirm(now, connection, ClcType::accept);
    enter(connection, Phase::confirm, now + config_.profile.clc_wait);
}

void Peer::give_token(Connection& connection) {
    connection.token = next_token_++;
    by_token_[connection.token] = &connection;
    connection.element = connection.group->links.allocate_element();
}

Peer::Group& Peer::new_group(Role role, std::uint8_t version) {
    groups_.push_back(std::make_unique<Group>(
        role, config_.profile, version, adapters_, wire::buffer_size(config_.buffer_size), random_.split()));
    groups_.back()->links.create_first_link();
    return *groups_.back();
}

void Peer::resume_group(
    Time now, Role role, const wire::SmcrAcceptConfirmBody& own, const wire::SmcrAcceptConfirmBody& peer) {
    Group& group = new_group(role, own.version);
    group.peer = peer.peer_id;
    group.links.resume_first_link(now, own.initial_psn, {{peer.mac, peer.gid}, peer.qpn, peer.initial_psn, peer.mtu});
}

/// `link`: that the message names.
void Peer::remember_peer(Connection& connection, std::size_t link, const wire::SmcrAcceptConfirm& message) {
    const wire::SmcrAcceptConfirmBody& body = message.body;
    connection.group->peer = body.peer_id;
    connection.remote.rmb = connection.group->links.remote_rmb(link, {body.rkey, body.rmb_address});
    connection.remote.size = wire::buffer_size(body.buffer_size);
    connection.remote.offset = (body.rmb_index - 1U) * connection.remote.size;
    connection.remote.token = body.alert_token;
}

void Peer::on_accept(Time now, Connection& connection, const wire::SmcrAcceptConfirm& accept) {
    connection.version = accept.body.version;
    if (connection.refusal) return decline(now, connection, connection.refusal->code);
    connection.accepted = accept;
    connection.accepted->gids = {};
    connection.accepted->before_trailer = {};
    answer_accept(now, connection);
}

void Peer::answer_accept(Time now, Connection& connection) {
    if (!acquire_lock(connection)) return;
    const wire::SmcrAcceptConfirmBody& body = connection.accepted->body;
    const LinkEnd server{{body.mac, body.gid}, body.qpn, body.initial_psn, body.mtu};
    connection.first_contact = body.first_contact;
    std::size_t named = 0;
    if (connection.first_contact) {
        connection.group = &new_group(Role::client, connection.version);
        connection.group->links.enter_link(0);
    } else {
        const auto known = std::ranges::find_if(groups_, [&](const auto& group) {
            return group->links.role() == Role::client && group->links.alive() &&
                   group->links.link_to(server.address, server.qpn);
        });
        if (known == groups_.end()) return decline(now, connection, out_of_synchronization, true);
        connection.group = known->get();
        named = *connection.group->links.link_to(server.address, server.qpn);
        // The server may not know yet that the link is lost.
        const bool works = connection.group->links.link(named).state == Link::State::active;
        connection.link = works ? named : connection.group->links.enter_link();
        if (works) connection.group->links.enter_link(named);
    }
    give_token(connection);
    remember_peer(connection, named, *connection.accepted);
    if (!connection.first_contact) {
        enter(connection, Phase::key, now + config_.profile.clc_wait);
        return connection.group->links.tell_rkey(now, *connection.element, connection.link);
    }
    connection.group->links.connect_first_link(now, server);
    send_accept_or_confirm(now, connection, ClcType::confirm);
    enter(connection, Phase::link, never);
}

void Peer::on_confirm(Time now, Connection& connection, const wire::SmcrAcceptConfirm& confirm) {
    const wire::SmcrAcceptConfirmBody& body = confirm.body;
    const LinkEnd client{{body.mac, body.gid}, body.qpn, body.initial_psn, body.mtu};
    if (!connection.first_contact) {
        const auto named = connection.group->links.link_to(client.address, client.qpn);
        if (!named) return fail(now, connection, "failed");
        remember_peer(connection, *named, confirm);
        return become_active(now, connection);
    }
    remember_peer(connection, 0, confirm);
    enter(connection, Phase::link, never);
    connection.group->links.connect_first_link(now, client);
}

}  // namespace fabricscope::stack::smcr
