// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/profiles.h"

#include <algorithm>

#include "protocols/smcr/llc.h"
#include "replay/engine/player.h"
#include "replay/stack/smcr/clc_constants.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using stack::smcr::PeerConfig;
using stack::smcr::Profile;
using enum stack::smcr::DeclineCode;
using enum stack::smcr::SmcType;

/// Octets; Linux has 512 KiB at most.
constexpr std::uint64_t most_element = std::uint64_t{1} << 23;
constexpr std::size_t most_prefixes = 8;  // RFC 7609, A.2.2
constexpr const char* another_eid = "NONE IN COMMON";
constexpr std::uint8_t another_subnet = 31;  // bits

std::string text_of(ByteView octets) {
    std::string text(octets.begin(), octets.end());
    const std::size_t end = text.find_last_not_of(std::string_view(" \0", 2));
    return text.substr(0, end == std::string::npos ? 0 : end + 1);
}

/// Whether a host of the stack declines so because of what it is or has.
bool comes_of_config(Side side, bool proposed, std::uint32_t code) {
    if (side == Side::client) return !proposed && code == no_device;
    return code == no_device || code == no_smcr_device || code == prefix_differs || code == version_mismatch;
}

/// Reads the messages of one side, and the other's PROPOSAL.
class ConfigReader {
public:
    /// `habits`: what an implementation chooses, too; otherwise only what the host is and has.
    ConfigReader(PeerConfig& config, Side side, bool habits) : config_(config), side_(side), habits_(habits) {}

    void read(const Message& message) {
        if (message.name.starts_with("CLC")) read_clc(message);
        else if (message.name.starts_with("LLC") && message.from == side_) read_llc(message);
    }

private:
    void read_clc(const Message& message) {
        const wire::ClcMessage parsed = wire::parse_clc(message.octets);
        if (const auto* proposal = std::get_if<wire::Proposal>(&parsed.body)) read(*proposal, message.from == side_);
        if (message.from != side_) return;
        if (const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&parsed.body))
            read(*body, parsed.header.type == wire::ClcType::confirm);
        if (const auto* decline = std::get_if<wire::Decline>(&parsed.body)) read(decline->body);
    }

    void read(const wire::Proposal& proposal, bool own) {
        const auto* v2 = std::get_if<wire::ProposalVersion2>(&proposal.version);
        const bool offers_v2 = v2 != nullptr && (v2->type_v2 == smc_r || v2->type_v2 == both);
        proposed_ = true;
        if (proposal.ip) config_.subnet_bits = proposal.ip->mask_length;
        for (std::size_t i = 0; own && i < proposal.prefixes.size() && config_.prefixes.size() < most_prefixes; ++i)
            config_.prefixes.push_back(proposal.prefixes[i]);
        if (proposal.eids.size() != 0) config_.eid = text_of(proposal.eids[0].text.octets);
        // A server that does both versions answers the one that is offered.
        if (!own && !offers_v2) config_.profile.version = 1;
        if (!habits_) return;
        config_.profile.version = offers_v2 ? 2 : 1;
        if (!own) return;
        config_.profile.proposal_grown = proposal.smcd.has_value();
        if (proposal.v2) config_.profile.release = proposal.v2->release;
    }

    void read(const wire::SmcrAcceptConfirm& message, bool confirm) {
        if (message.v2) config_.eid = text_of(message.v2->eid.text.octets);
        if (!habits_) return;
        config_.profile.version = message.body.version;
        config_.buffer_size = message.body.buffer_size;
        if (wire::buffer_size(config_.buffer_size) > most_element)
            throw NotPlayable("RMB elements of that size are more than is emulated");
        if (!message.first_contact) return;
        config_.profile.release = message.first_contact->release;
        config_.hostname = text_of(message.first_contact->hostname.octets);
        if (confirm) config_.profile.confirm_repeats_first_contact = message.body.first_contact;
    }

    void read(const wire::DeclineBody& decline) {
        if (!comes_of_config(side_, proposed_, decline.diagnosis)) return;
        if (!proposed_ || decline.diagnosis == no_smcr_device) config_.rdma = false;
        else if (decline.diagnosis == no_device) config_.eid = another_eid;
        else if (decline.diagnosis == prefix_differs) config_.subnet_bits = another_subnet;
        else if (decline.diagnosis == version_mismatch && habits_)
            config_.profile.version = config_.profile.version == 1 ? 2 : 1;
    }

    void read_llc(const Message& message) {
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        if (habits_ && std::holds_alternative<wire::LlcHeaderV2Big>(parsed.header))
            config_.profile.host_order_lengths = false;
        if (const auto* confirm = std::get_if<wire::ConfirmLink>(&parsed.body);
            confirm && confirm->max_links != 0 && habits_)
            config_.profile.max_links = confirm->max_links;
        const auto* add = std::get_if<wire::AddLinkMessage>(&parsed.body);
        if (add == nullptr || add->common().reject || add->common().qpn == 0) return;
        const Mac& mac = add->common().mac;
        auto& more = config_.more_devices;
        const bool known = mac == config_.mac || std::ranges::find(more, mac, &stack::smcr::Device::mac) != more.end();
        if (!known && more.size() + 1 < stack::smcr::most_links) more.push_back({mac, add->common().gid});
    }

    PeerConfig& config_;
    Side side_;
    bool habits_;
    bool proposed_ = false;
};

}  // namespace

Profile profile_of(const Recorded& recorded, Side side) {
    const bool eye_catchers = recorded.group && recorded.group->cursor_base == 4;
    PeerConfig config;
    config.profile = eye_catchers ? stack::smcr::rfc7609_profile() : stack::smcr::linux_profile();
    ConfigReader reader(config, side, true);
    for (const Message& message : recorded.conversation.messages) reader.read(message);
    return config.profile;
}

std::optional<stack::smcr::Refusal> refusal_of(const RecordedConnection& connection, Side side) {
    const auto& decline = connection.model.decline;
    if (!decline || decline->by != side || !decline->code) return std::nullopt;
    const bool proposed = connection.model.setup.proposal.has_value();
    const bool comes_of_protocol = *decline->code == timeout_confirm_link || *decline->code == out_of_synchronization;
    if (comes_of_protocol || comes_of_config(side, proposed, *decline->code)) return std::nullopt;
    return stack::smcr::Refusal{*decline->code, !proposed};
}

PeerConfig config_of(const Recorded& recorded, Side side, const std::string& profile) {
    PeerConfig config;
    const RecordedConnection& first = recorded.connections.front();
    config.profile = profile == "linux" ? stack::smcr::linux_profile()
                     : profile.empty()  ? profile_of(recorded, side)
                                        : stack::smcr::rfc7609_profile();
    config.profile.retries_for_ever = recorded.deaf.has_value();
    config.mac = first.mac[side];
    config.ip = address_of(first, side);
    config.smc = std::ranges::any_of(recorded.connections, [&](const auto& one) { return one.option[side]; });
    config.seed = 7919;  // its own names; not those of the recording
    config.first_qpn = recorded.earlier_link ? (*recorded.earlier_link)[side].qpn : 0x21;
    ConfigReader reader(config, side, profile.empty());
    for (const Message& message : recorded.conversation.messages) reader.read(message);
    return config;
}

}  // namespace fabricscope::replay::smcr
