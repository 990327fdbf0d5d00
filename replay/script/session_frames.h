// SPDX-License-Identifier: GPL-2.0-or-later
// Which frames of a capture belong to a session, and who sent them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/engine.h"

namespace fabricscope::replay {

using engine::PerSide;
using engine::Side;

/// Two queue pairs that are connected.
struct ConnectedPair {
    PerSide<capture::Address> address;
    PerSide<std::uint32_t> qpn;
};

struct SessionFrames {
    std::map<std::uint64_t, std::optional<Side>> frames;  ///< by number; nothing: whose it is was not known then
    std::vector<ConnectedPair> pairs;                     ///< that are known, whether they belong to it or not
};

/// Takes down what frames are part of, while the engine reads them.
class FrameCollector final : public engine::smcr::Observer,
                             public engine::rdma_cm::Observer,
                             public engine::rdma::Observer,
                             public engine::fibre_channel::Observer,
                             public engine::fcvi::Observer,
                             public engine::fc_ae_rdma::Observer {
public:
    void prepare(engine::Options& options, engine::Observers& observers);
    /// "smcr-1", "lg-1", "cm-1", "rdma-1", "fcvi-1", "fc-ae-rdma-1", "fc-pair-1", "xchg-1". No frames: there
    /// is no such session. The engine has finished.
    SessionFrames of(const engine::Engine& engine, std::string_view session) const;

    void on_facts(const engine::smcr::FrameFacts& facts) override;
    void on_facts(const engine::rdma_cm::FrameFacts& facts) override;
    void on_facts(const engine::rdma::FrameFacts& facts) override;
    void on_facts(const engine::fcvi::FrameFacts& facts) override;
    void on_facts(const engine::fc_ae_rdma::FrameFacts& facts) override;
    void on_frame(const engine::fibre_channel::FrameFacts& facts) override;

private:
    struct Frame {
        std::uint64_t number = 0;
        std::uint32_t session = 0, group = 0;  ///< SMC-R: connection and link group
        std::optional<Side> from{};
    };
    struct FcFrame {
        std::uint64_t number = 0;
        std::uint32_t exchange = 0;
        std::uint32_t source = 0;  ///< N_Port_ID
    };
    using PortPair = std::pair<std::uint32_t, std::uint32_t>;  ///< the smaller one first
    struct FcExchange {
        std::uint32_t originator = 0, responder = 0;  ///< N_Port_IDs
        bool is_login = false;                        ///< an Extended Link Service
        std::uint64_t fcvi = 0, fc_ae_rdma = 0;       ///< connection, message that it is part of; 0: none

        PortPair ports() const { return std::minmax(originator, responder); }
    };

    void add_smcr(const engine::Engine& engine, std::uint32_t connection, SessionFrames& session) const;
    /// With the logins of the ports, if `which` says yes to one of their Exchanges.
    void add_fc(const std::function<bool(std::uint32_t, const FcExchange&)>& which, SessionFrames& session) const;
    std::vector<PortPair> port_pairs() const;

    std::vector<Frame> smcr_, cm_, rdma_;
    std::vector<FcFrame> fc_;
    std::map<std::uint32_t, FcExchange> exchanges_;
    engine::fcvi::FrameFacts fcvi_;  ///< of the frame that on_frame() may tell next
    engine::fc_ae_rdma::FrameFacts fc_ae_rdma_;
};

}  // namespace fabricscope::replay
