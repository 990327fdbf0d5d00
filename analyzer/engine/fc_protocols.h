// SPDX-License-Identifier: GPL-2.0-or-later
// What is built on Fibre Channel: each frame, once its Exchange is known, goes to FC-VI and to FC-AE-RDMA, together
// with what they have to know of logins.
#pragma once

#include <map>
#include <optional>

#include "analyzer/engine/fc/tracker.h"
#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "analyzer/engine/fcvi/tracker.h"

namespace fabricscope::engine {

class FcProtocols final : public fibre_channel::Observer {
public:
    struct Options {
        bool fcvi = false;  ///< whether to follow this protocol
        bool fc_ae_rdma = false;
        fcvi::Options fcvi_options{};
        fc_ae_rdma::Options fc_ae_rdma_options{};

        bool any() const { return fcvi || fc_ae_rdma; }
    };

    /// `next` is told of all that this one is told of.
    explicit FcProtocols(
        const Options& options, fcvi::Observer* fcvi_observer = nullptr,
        fc_ae_rdma::Observer* fc_ae_rdma_observer = nullptr, fibre_channel::Observer* next = nullptr);

    /// The tracker that this one observes; before the first frame.
    void ask(const fibre_channel::Tracker& tracker) { tracker_ = &tracker; }

    void on_frame(const fibre_channel::FrameFacts& facts) override;
    void on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) override;
    // What concerns `next` only.
    bool wants_data(const capture::Packet& packet) override { return next_.wants_data(packet); }
    void on_logout(const fibre_channel::Login& login) override { next_.on_logout(login); }
    void on_timeouts(const fibre_channel::Login& login) override { next_.on_timeouts(login); }
    void on_process_login(const fibre_channel::Login& login, const fibre_channel::ProcessLogin& process) override {
        next_.on_process_login(login, process);
    }
    void on_exchange_over(const fibre_channel::Exchange& exchange) override { next_.on_exchange_over(exchange); }
    void finish() { fcvi_.finish(); }

    const fcvi::Model& fcvi() const { return fcvi_.model(); }
    const fc_ae_rdma::Model& fc_ae_rdma() const { return fc_ae_rdma_.model(); }

private:
    void on_rdma_frame(const fibre_channel::FrameFacts& facts);
    void on_els(const fibre_channel::FrameFacts& facts);
    void tell_login(const fibre_channel::FrameFacts& facts);
    void tell_logout(const fibre_channel::FrameFacts& facts);
    void tell_process_login(const fibre_channel::FrameFacts& facts);
    void tell_process_logout(const fibre_channel::FrameFacts& facts);
    void tell_validation(const fibre_channel::FrameFacts& facts);
    void tell_fabric(const fibre_channel::FrameFacts& facts);
    void note_address(const fibre_channel::Login& login);
    bool keeps_to_annex_a() const { return options_.fc_ae_rdma_options.profile == Profile::avionics; }
    void tell_r_a_tov(const fibre_channel::FrameFacts& facts);

    /// What the Fabric has told a port that logged in.
    struct FabricAddress {
        std::uint32_t id = 0;
        std::uint64_t port_name = 0, fabric_name = 0;  ///< of the Fabric
        bool operator==(const FabricAddress&) const = default;
    };
    static constexpr std::size_t most_addresses = 65'536;

    Options options_;
    fibre_channel::Observer nobody_;
    fibre_channel::Observer& next_;
    const fibre_channel::Tracker* tracker_ = nullptr;
    fcvi::Tracker fcvi_;
    fc_ae_rdma::Tracker fc_ae_rdma_;
    std::map<std::pair<std::uint16_t, std::uint64_t>, FabricAddress> addresses_;  ///< by fabric and Port_Name
};

}  // namespace fabricscope::engine
