// SPDX-License-Identifier: GPL-2.0-or-later
// A minimal Fabric: an F_Port for each N_Port, a login server at FFFFFEh and a Name Server at FFFFFCh. Frames between
// N_Ports are the network's business; this endpoint has what is addressed to the Fabric, and frames of class 2 that the
// network cannot deliver at the moment.
#pragma once

#include "protocols/builders/fc_login_payloads.h"
#include "replay/stack/fc/exchanges.h"

namespace fabricscope::stack::fibre_channel {

/// A port that the Fabric knows.
struct FabricMember {
    std::uint64_t port_name = 0, node_name = 0;
    std::uint32_t id = 0;  ///< the N_Port_ID that it gets
    Gid ip;                ///< registered with the Name Server
};

class FabricServices final : public Endpoint, public ExchangeUser {
public:
    FabricServices(
        const ExchangeConfig& config, const builders::FcLoginFields& fields, std::vector<FabricMember> members,
        Random random);

    /// What is for an N_Port gets F_BSY in class 2.
    void on_frame(Time now, std::size_t port, ByteView frame) override;
    /// Tells the N_Ports of a loop, after its initialisation, who the Fabric is (FAN).
    void announce(Time now);
    void on_timer(Time now) override { exchanges_.on_timer(now); }
    Time wakeup() const override { return exchanges_.wakeup(); }
    void take_frames(std::vector<OutgoingFrame>& frames) override;

    void on_iu(Time now, const IncomingIu& iu) override;
    void on_failure(Time /*now*/, ExchangeHandle /*exchange*/, Failure /*failure*/) override {}

private:
    void on_els(Time now, const IncomingIu& iu);
    void on_query(Time now, const IncomingIu& iu);
    void answer(Time now, const IncomingIu& iu, std::uint8_t r_ctl, Octets payload, std::string note);

    bool send_busy(ByteView frame);

    Link link_;
    std::optional<std::uint16_t> vlan_;
    builders::FcLoginFields fields_;
    std::vector<FabricMember> members_;
    std::vector<OutgoingFrame> frames_;
    Exchanges exchanges_;
};

}  // namespace fabricscope::stack::fibre_channel
