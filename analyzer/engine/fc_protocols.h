// SPDX-License-Identifier: GPL-2.0-or-later
// What is built on Fibre Channel, and listens to its tracker.
#pragma once

#include "analyzer/engine/fc/tracker.h"
#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "analyzer/engine/fcvi/tracker.h"

namespace fabricscope::engine {

class FcProtocols {
public:
    struct Options {
        bool fcvi = false;  ///< whether to follow this protocol
        bool fc_ae_rdma = false;
        fcvi::Options fcvi_options{};
        fc_ae_rdma::Options fc_ae_rdma_options{};

        bool any() const { return fcvi || fc_ae_rdma; }
    };

    explicit FcProtocols(
        const Options& options, fcvi::Observer* fcvi_observer = nullptr,
        fc_ae_rdma::Observer* fc_ae_rdma_observer = nullptr)
        : options_(options),
          fcvi_(options.fcvi_options, fcvi_observer),
          fc_ae_rdma_(options.fc_ae_rdma_options, fc_ae_rdma_observer) {}

    /// Those that are followed, and `next` behind them.
    std::vector<fibre_channel::Observer*> listeners(fibre_channel::Observer* next = nullptr) {
        return {options_.fcvi ? &fcvi_ : nullptr, options_.fc_ae_rdma ? &fc_ae_rdma_ : nullptr, next};
    }

    Tracker& fcvi_tracker() { return fcvi_; }
    Tracker& fc_ae_rdma_tracker() { return fc_ae_rdma_; }
    const fcvi::Model& fcvi() const { return fcvi_.model(); }
    const fc_ae_rdma::Model& fc_ae_rdma() const { return fc_ae_rdma_.model(); }

private:
    Options options_;
    fcvi::Tracker fcvi_;
    fc_ae_rdma::Tracker fc_ae_rdma_;
};

}  // namespace fabricscope::engine
