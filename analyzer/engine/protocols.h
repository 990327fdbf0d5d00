// SPDX-License-Identifier: GPL-2.0-or-later
// The protocols that the engine follows. Whatever it has to know of each stands in this file.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/engine/fc_ae_rdma/generated_fields.h"
#include "analyzer/engine/fc_protocols.h"
#include "analyzer/engine/fcvi/generated_fields.h"
#include "analyzer/engine/rdma/generated_fields.h"
#include "analyzer/engine/rdma/tracker.h"
#include "analyzer/engine/rdma_cm/generated_fields.h"
#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/smcr/generated_fields.h"
#include "analyzer/engine/smcr/tracker.h"
#include "protocols/fc_ae_rdma/registry.h"
#include "protocols/fcvi/registry.h"
#include "protocols/rdma_cm/registry.h"
#include "protocols/smcr/registry.h"

namespace fabricscope::engine {

struct Options {
    bool smcr = true;  ///< whether to follow this protocol
    bool rdma_cm = false;
    bool fc = false;
    bool rdma = false;
    smcr::Options smcr_options{};
    rdma_cm::Options rdma_cm_options{};
    fibre_channel::Options fc_options{};
    rdma::Options rdma_options{};
    FcProtocols::Options fc_protocols{};   ///< FC-VI and FC-AE-RDMA
    std::uint32_t interfaces = 1;          ///< of the capture; with more than one, copies are recognised
    std::vector<std::uint64_t> damaged{};  ///< frames, sorted, of which their receivers take no notice
};

/// Who listens to the trackers; nullptr: nobody.
struct Observers {
    smcr::Observer* smcr = nullptr;
    rdma_cm::Observer* rdma_cm = nullptr;
    fibre_channel::Observer* fc = nullptr;
    fcvi::Observer* fcvi = nullptr;
    fc_ae_rdma::Observer* fc_ae_rdma = nullptr;
    rdma::Observer* rdma = nullptr;

    bool operator==(const Observers&) const = default;
};

/// What the trackers know; nullptr: the protocol is not followed.
struct Models {
    const smcr::Model* smcr = nullptr;
    const rdma_cm::Model* rdma_cm = nullptr;
    const fibre_channel::Model* fc = nullptr;
    const fcvi::Model* fcvi = nullptr;
    const fc_ae_rdma::Model* fc_ae_rdma = nullptr;
    const rdma::Model* rdma = nullptr;
};

/// Of what there may be so much that memory would run out, and how much of it is kept.
struct Limit {
    const char* name;  ///< as options call it, behind the protocol's token: "connections"
    std::size_t& (*of)(Options&);
};

struct Protocol {
    const char* token;                              ///< as options call it: "rdma-cm"
    const char* filter;                             ///< as display filters call it: "rdma_ip_cm"
    const char* title;                              ///< for people: "RDMA CM"
    bool& (*followed)(Options&);                    ///< whether to follow it
    void (*judge_by)(Options&, Profile) = nullptr;  ///< nullptr: there is but one way to judge it
    std::span<const Limit> limits{};                ///< that a user can set
    std::span<const Rule* const> rules{};
    std::span<const GeneratedField> generated_fields{};
    std::span<const layout::LayoutInfo> (*layouts)() = nullptr;  ///< nullptr: Wireshark has the fields
    std::span<const layout::OctetsInfo> (*octets)() = nullptr;
};

/// Annex A of FC-AE-RDMA says nothing of what others have to do, or of what Linux does.
constexpr Profile outside_avionics(Profile profile) { return profile == Profile::avionics ? Profile::linux_ : profile; }

inline constexpr std::array smcr_limits{
    Limit{"connections", [](Options& o) -> std::size_t& { return o.smcr_options.limits.connections; }},
    Limit{"link-groups", [](Options& o) -> std::size_t& { return o.smcr_options.limits.link_groups; }}};
inline constexpr std::array rdma_cm_limits{
    Limit{"connections", [](Options& o) -> std::size_t& { return o.rdma_cm_options.limits.connections; }}};
inline constexpr std::array fc_limits{
    Limit{"exchanges", [](Options& o) -> std::size_t& { return o.fc_options.limits.exchanges; }},
    Limit{"logins", [](Options& o) -> std::size_t& { return o.fc_options.limits.logins; }}};
inline constexpr std::array fcvi_limits{
    Limit{"connections", [](Options& o) -> std::size_t& { return o.fc_protocols.fcvi_options.limits.connections; }},
    Limit{"messages", [](Options& o) -> std::size_t& { return o.fc_protocols.fcvi_options.limits.messages; }}};
inline constexpr std::array fc_ae_rdma_limits{
    Limit{"messages", [](Options& o) -> std::size_t& { return o.fc_protocols.fc_ae_rdma_options.limits.messages; }}};
inline constexpr std::array rdma_limits{
    Limit{"streams", [](Options& o) -> std::size_t& { return o.rdma_options.limits.streams; }},
    Limit{"operations", [](Options& o) -> std::size_t& { return o.rdma_options.limits.operations; }}};

/// In the order in which all is listed.
inline constexpr std::array protocols{
    Protocol{
        .token = "smcr",
        .filter = "smcr",
        .title = "SMC-R",
        .followed = [](Options& o) -> bool& { return o.smcr; },
        .judge_by = [](Options& o, Profile profile) { o.smcr_options.profile = outside_avionics(profile); },
        .limits = smcr_limits,
        .rules = smcr::rules::catalogue,
        .generated_fields = smcr::generated_fields,
        .layouts = fabricscope::smcr::layouts},
    Protocol{
        .token = "rdma-cm",
        .filter = "rdma_ip_cm",
        .title = "RDMA CM",
        .followed = [](Options& o) -> bool& { return o.rdma_cm; },
        .judge_by = [](Options& o, Profile profile) { o.rdma_cm_options.profile = outside_avionics(profile); },
        .limits = rdma_cm_limits,
        .rules = rdma_cm::rules::catalogue,
        .generated_fields = rdma_cm::generated_fields,
        .layouts = fabricscope::rdma_cm::layouts,
        .octets = fabricscope::rdma_cm::octets},
    Protocol{
        .token = "fc",
        .filter = "fc",
        .title = "Fibre Channel",
        .followed = [](Options& o) -> bool& { return o.fc; },
        .limits = fc_limits},
    Protocol{
        .token = "fcvi",
        .filter = "fcvi",
        .title = "FC-VI",
        .followed = [](Options& o) -> bool& { return o.fc_protocols.fcvi; },
        .limits = fcvi_limits,
        .rules = fcvi::rules::catalogue,
        .generated_fields = fcvi::generated_fields,
        .layouts = fabricscope::fcvi::layouts},
    Protocol{
        .token = "fc-ae-rdma",
        .filter = "fcaerdma",
        .title = "FC-AE-RDMA",
        .followed = [](Options& o) -> bool& { return o.fc_protocols.fc_ae_rdma; },
        .judge_by = [](Options& o, Profile profile) { o.fc_protocols.fc_ae_rdma_options.profile = profile; },
        .limits = fc_ae_rdma_limits,
        .rules = fc_ae_rdma::rules::catalogue,
        .generated_fields = fc_ae_rdma::generated_fields,
        .layouts = fabricscope::fc_ae_rdma::layouts},
    Protocol{
        .token = "rdma",
        .filter = "rdma",
        .title = "RDMA",
        .followed = [](Options& o) -> bool& { return o.rdma; },
        .judge_by = [](Options& o, Profile profile) { o.rdma_options.profile = outside_avionics(profile); },
        .limits = rdma_limits,
        .rules = rdma::rules::catalogue,
        .generated_fields = rdma::generated_fields},
};

/// What traffic is judged by, whatever its protocol.
inline void judge_by(Options& options, Profile profile) {
    for (const Protocol& protocol : protocols)
        if (protocol.judge_by != nullptr) protocol.judge_by(options, profile);
}

/// To follow all of them, on a capture of so many interfaces.
inline Options following_all(std::uint32_t interfaces = 1) {
    Options options{.interfaces = interfaces};
    for (const Protocol& protocol : protocols) protocol.followed(options) = true;
    return options;
}

/// By its token. One that is not listed does not compile.
consteval const Protocol& protocol(std::string_view token) {
    return *std::ranges::find(protocols, token, [](const Protocol& one) { return std::string_view(one.token); });
}

/// Their trackers, and what they know.
class Trackers {
public:
    Trackers(Options options, const Observers& observers)
        : options_(std::move(options)),
          smcr_(options_.smcr_options, observers.smcr),
          rdma_cm_(options_.rdma_cm_options, observers.rdma_cm),
          fc_protocols_(options_.fc_protocols, observers.fcvi, observers.fc_ae_rdma),
          fc_(options_.fc_options, fc_protocols_.listeners(observers.fc)),
          rdma_(options_.rdma_options, {rdma_cm_.model(), smcr_.model()}, observers.rdma) {}

    const smcr::Model& smcr() const { return smcr_.model(); }
    const rdma_cm::Model& rdma_cm() const { return rdma_cm_.model(); }
    const fibre_channel::Model& fc() const { return fc_.model(); }
    const fcvi::Model& fcvi() const { return fc_protocols_.fcvi(); }
    const fc_ae_rdma::Model& fc_ae_rdma() const { return fc_protocols_.fc_ae_rdma(); }
    const rdma::Model& rdma() const { return rdma_.model(); }
    Models models() const {
        return {
            .smcr = options_.smcr ? &smcr() : nullptr,
            .rdma_cm = options_.rdma_cm ? &rdma_cm() : nullptr,
            .fc = options_.fc ? &fc() : nullptr,
            .fcvi = options_.fc_protocols.fcvi ? &fcvi() : nullptr,
            .fc_ae_rdma = options_.fc_protocols.fc_ae_rdma ? &fc_ae_rdma() : nullptr,
            .rdma = options_.rdma ? &rdma() : nullptr};
    }

    /// Hands out what is left of a connection's streams: the capture holds nothing more of it.
    void end_stream(std::uint32_t smcr_connection) { smcr_.end_stream(smcr_connection); }

protected:
    /// What the account of queue pairs tells of CM connections and links: to be called when all trackers have finished.
    void share_account() {
        if (!options_.rdma) return;
        rdma_cm_.take_retransmissions(rdma());
        smcr_.take_retransmissions(rdma());
    }

    /// A protocol's tracker, and whether it gets the packets themselves.
    struct Follower {
        Tracker& tracker;
        bool fed;
        bool asked_for = true;  ///< otherwise another tracker wants to know what it finds out
    };
    /// In the order of `protocols`.
    const std::array<Follower, protocols.size()>& followers() const { return followers_; }

private:
    Options options_;
    smcr::Tracker smcr_;
    rdma_cm::Tracker rdma_cm_;
    FcProtocols fc_protocols_;
    fibre_channel::Tracker fc_;
    rdma::Tracker rdma_;
    const std::array<Follower, protocols.size()> followers_{{
        {smcr_, options_.smcr},
        {rdma_cm_, options_.rdma_cm || options_.rdma, options_.rdma_cm},
        {fc_, options_.fc || options_.fc_protocols.any()},
        {fc_protocols_.fcvi_tracker(), false},
        {fc_protocols_.fc_ae_rdma_tracker(), false},
        {rdma_, options_.rdma},
    }};
};

}  // namespace fabricscope::engine
