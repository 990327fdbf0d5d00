// SPDX-License-Identifier: GPL-2.0-or-later
// The octet streams of a connection that may use SMC-R: over TCP until its data path is there, over that from then on.
#pragma once

#include "replay/stack/net/tcp.h"
#include "replay/stack/smcr/application.h"
#include "replay/stack/smcr/data_path.h"

namespace fabricscope::stack::smcr {

class ConnectionStream : public ByteStream {
public:
    explicit ConnectionStream(TcpConfig config) : tcp(std::move(config)) {}

    std::size_t write(ByteView octets) override;
    bool write_urgent(std::uint8_t octet) override;
    std::uint64_t readable() const override { return data ? data->readable() : tcp.received().size(); }
    Octets read(std::uint64_t most) override;
    bool peer_ended() const override { return data ? data->peer_ended() : tcp.peer_closed(); }
    void shutdown_write() override { data ? data->shutdown_write() : tcp.close(now); }
    void close() override { data ? data->close() : tcp.close(now); }
    void abort() override { data ? data->abort() : tcp.abort(now); }

    /// TCP follows the end on RDMA (RFC 7609, 4.8). There has to be a data path. `all_arrived`: the peer has all that
    /// was sent over it; TCP may be faster.
    void settle_tcp(bool all_arrived = true);

    TcpConnection tcp;
    std::optional<DataPath> data;
    Time now = 0;  ///< of the input that is being handled

protected:
    ~ConnectionStream() = default;
};

}  // namespace fabricscope::stack::smcr
