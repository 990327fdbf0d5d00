// SPDX-License-Identifier: GPL-2.0-or-later
// One connection of the played side: its streams, and its state as CLC and CDC messages have announced it.
#pragma once

#include "replay/engine/smcr/formats.h"
#include "replay/engine/smcr/links.h"
#include "replay/stack/smcr/connection_stream.h"
#include "replay/stack/smcr/data_sender.h"

namespace fabricscope::replay::smcr {

/// One connection of the played side.
struct PlayedConnection final : stack::smcr::ConnectionStream, stack::smcr::DataSender {
    /// `identity`: of its work requests; not 0.
    PlayedConnection(
        const RecordedConnection& what, PlayedLinks& over, stack::TcpConfig config, const stack::smcr::AppPlan& plan,
        std::uint64_t identity)
        : ConnectionStream(std::move(config)), recorded(what), links(over), application(plan, 0), id(identity) {}
    using ConnectionStream::write;
    using DataSender::write;

    // DataSender
    void send(const wire::Cdc& message, const char* note) override;
    void transmit(std::uint64_t offset, const Octets& octets) override;
    void transmit(const wire::Cdc& message, const char* note, bool kept) override;

    /// Failover: goes on over another link.
    void move_to(std::size_t other);

    /// Everything that was recorded has been sent and received, or nothing more can be.
    bool finished(Side played) const;
    /// Its SYN is sent, or has come.
    void begin(Time at) { now = at, phase = Phase::negotiating; }

    enum class Phase : std::uint8_t {
        waiting,      ///< it has not begun
        negotiating,  ///< from the SYN to the end of CLC, and of the first link's set-up
        active,       ///< data over RDMA
        plain,        ///< data over TCP
        over,
    };

    const RecordedConnection& recorded;
    PlayedLinks& links;
    stack::smcr::Application application;
    std::uint64_t id;
    Phase phase = Phase::waiting;
    bool established = false, proposed = false;
    IbAddress peer_port;
    std::uint16_t peer_tcp_port = 0;

    std::optional<wire::SmcrAcceptConfirmBody> own, peer;  ///< ACCEPT and CONFIRM
    std::size_t link = 0;
    std::size_t peer_rmb = 0;
    std::uint64_t peer_offset = 0;
    std::vector<wire::Cdc> early;  ///< came before data may flow
    CdcState sent_state, received_state;
    std::vector<std::string> milestones;  ///< sent, and not yet noted
};

}  // namespace fabricscope::replay::smcr
