// SPDX-License-Identifier: GPL-2.0-or-later
// Takes down the Information Units of a capture while the engine reads it.
#pragma once

#include <map>

#include "analyzer/engine/fc/observer.h"
#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/engine/fcvi/observer.h"
#include "replay/engine/fc/recording.h"

namespace fabricscope::replay::fibre_channel {

struct Unit {
    std::uint32_t exchange = 0;  ///< number that the engine gave it
    bool from_responder = false;
    SequenceSeen sequence;
    Time time = 0;
    std::uint64_t frame = 0;
};

/// What an Exchange is part of.
struct ExchangeSeen {
    std::uint32_t originator = 0, responder = 0;  ///< N_Port_IDs
    std::uint16_t fabric = 0;
    std::uint8_t type = 0;
    int service_class = 3;
    std::uint8_t els = 0;  ///< command of the request
    bool beginning_seen = false;
    bool damaged = false;            ///< frames of it are missing, or were cut off
    std::uint32_t connection = 0;    ///< of FC-VI; 0: none
    std::uint64_t rdma_message = 0;  ///< of FC-AE-RDMA; 0: none
    Side originator_side{};          ///< of the connection
    std::uint64_t first_frame = 0;
    capture::LinkType link{};
    Mac originator_mac, responder_mac;  ///< FCoE: who sends their frames on the captured link
    std::size_t data_field_size = 0;
    std::vector<std::size_t> units;  ///< positions in Collector::units()
};

class Collector final : public engine::fibre_channel::Observer,
                        public engine::fcvi::Observer,
                        public engine::fc_ae_rdma::Observer {
public:
    bool wants_data(const capture::Packet& packet) override;
    void on_frame(const engine::fibre_channel::FrameFacts& facts) override;
    void on_exchange_over(const engine::fibre_channel::Exchange& exchange) override;
    void on_facts(const engine::fcvi::FrameFacts& facts) override { fcvi_ = facts; }
    void on_facts(const engine::fc_ae_rdma::FrameFacts& facts) override { rdma_ = facts; }

    /// In the order in which they were complete.
    const std::vector<Unit>& units() const { return units_; }
    const std::map<std::uint32_t, ExchangeSeen>& exchanges() const { return exchanges_; }
    /// Not all could be kept.
    bool too_much() const { return too_much_; }

private:
    ExchangeSeen& note_exchange(const engine::fibre_channel::FrameFacts& facts);
    void keep(const engine::fibre_channel::FrameFacts& facts, SequenceSeen sequence);

    std::vector<Unit> units_;
    std::map<std::uint32_t, ExchangeSeen> exchanges_;
    engine::fcvi::FrameFacts fcvi_;
    engine::fc_ae_rdma::FrameFacts rdma_;
    std::size_t octets_ = 0;
    bool too_much_ = false;
};

}  // namespace fabricscope::replay::fibre_channel
