// SPDX-License-Identifier: GPL-2.0-or-later
// Records, in order, what replay needs of an SMC-R capture while the engine reads its frames.
#pragma once

#include <map>
#include <vector>

#include "analyzer/engine/smcr/observer.h"
#include "capture/tcp_stream.h"
#include "replay/engine/conversation.h"

namespace fabricscope::replay::smcr {

namespace tracker = engine::smcr;

/// One message or segment. Positions are in the application data; of `tcp`: in the TCP stream.
struct Seen {
    enum class Kind : std::uint8_t { syn, syn_ack, tcp, clc, llc, cdc };
    Kind kind{};
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint32_t connection = 0;  ///< id; llc: 0
    std::uint32_t link_group = 0;
    std::uint8_t link = 0;  ///< llc, cdc: number
    Side from{};
    bool roles_known = true;          ///< llc: false: `from` is a guess, which LinkGroup::turned judges
    Octets octets{};                  ///< of the message; of SYN and SYN-ACK the SMC option, if there is one
    bool cut = false;                 ///< not all of the message was captured
    std::uint64_t request_frame = 0;  ///< clc, llc: what it answers; 0 = nothing
    std::uint64_t written = 0;        ///< cdc, tcp: by the sender, up to here
    std::uint64_t read = 0;           ///< cdc, tcp: by the sender of what the other side wrote (tcp: acknowledged)
    bool fin = false, reset = false;  ///< tcp
};

/// The data of a connection.
struct Collected {
    PerSide<Mac> mac;                  ///< of the TCP segments; zeros are not known
    PerSide<Octets> data;              ///< over RDMA
    PerSide<std::uint64_t> missing;    ///< octets of that
    PerSide<Octets> tcp;               ///< the TCP stream, CLC included
    PerSide<std::uint64_t> tcp_end{};  ///< where it ends as far as is known, holes included
    PerSide<std::uint64_t> clc{};      ///< octets at its begin that are CLC
    PerSide<bool> tcp_has_holes{};
    bool too_much = false;  ///< to be kept
};

class Collector final : public tracker::Observer {
public:
    void on_facts(const tracker::FrameFacts& facts) override;
    void on_clc(const tracker::ClcSeen& clc) override;
    bool wants_stream(const tracker::Connection&, Side) override { return true; }
    void on_stream(const tracker::StreamPiece& piece) override;

    /// In order of time.
    const std::vector<Seen>& seen() const;
    /// Never fails: nothing was collected of connections that are not known.
    const Collected& of(std::uint32_t connection) const;
    /// RoCE v1 or v2; nothing if no packet of the link group was seen.
    std::optional<capture::IbCarrier> carrier(std::uint32_t link_group) const;

private:
    struct Tcp {
        PerSide<std::optional<std::uint32_t>> start;
        PerSide<std::optional<capture::TcpStream>> stream;
    };

    void on_tcp(const tracker::FrameFacts& facts);
    void on_syn(const tracker::FrameFacts& facts, Tcp& tcp);
    void on_cdc(const tracker::FrameFacts& facts);
    bool reserve(std::uint64_t octets, std::uint64_t missing);

    mutable std::vector<Seen> seen_;
    mutable bool sorted_ = true;
    std::map<std::uint32_t, Collected> collected_;
    std::map<std::uint32_t, Tcp> tcp_;
    std::map<std::uint32_t, PerSide<std::uint64_t>> read_;
    std::map<std::uint32_t, capture::IbCarrier> carriers_;
    std::uint64_t kept_ = 0;     ///< octets
    std::uint64_t missing_ = 0;  ///< of these, octets that were not captured
    std::uint64_t cut_off_ = 0;  ///< octets that frames had on the wire, behind what was captured of them
};

}  // namespace fabricscope::replay::smcr
