// SPDX-License-Identifier: GPL-2.0-or-later
// What Messages carry over Fibre Channel, as streams of octets: FC-VI's Messages, FC-AE-RDMA's memory.
#pragma once

#include <functional>

#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/engine/fcvi/observer.h"
#include "program/octet_file.h"
#include "program/octet_image.h"

namespace fabricscope::cli {

/// The data that one end of a connection sent, Message by Message, in the order in which these began. Frames may come
/// in any order, and several Messages side by side: what has to wait is held, up to a limit.
class FcviStream final : public engine::fcvi::Observer {
public:
    FcviStream(std::uint32_t connection, engine::Side from, OctetFile& file)
        : connection_(connection), from_(from), file_(file) {}

    void on_data(const engine::fcvi::DataPiece& piece) override;
    /// What is left.
    void finish();

private:
    struct Waiting {
        const engine::fcvi::Message* message = nullptr;  ///< stays where it is while the tracker lives
        OctetImage image;
    };

    bool has_ended() const;
    void write_first();

    std::uint32_t connection_;
    engine::Side from_;
    OctetFile& file_;
    std::map<std::uint64_t, Waiting> waiting_;  ///< by id
    std::size_t held_ = 0;                      ///< octets of memory
    std::uint64_t written_ = 0;                 ///< octets of data
};

/// Memory as messages wrote it, or as they read it.
class MemoryStream final : public engine::fc_ae_rdma::Observer {
public:
    /// Whether a message's data belong to it, and at which address it begins.
    using Choose = std::function<bool(const engine::fc_ae_rdma::Message&)>;
    enum class Origin : std::uint8_t { message, region };

    MemoryStream(Choose choose, Origin origin, OctetFile& file)
        : choose_(std::move(choose)), origin_(origin), file_(file) {}

    void on_data(const engine::fc_ae_rdma::DataPiece& piece) override;
    void finish();

private:
    Choose choose_;
    Origin origin_;
    OctetFile& file_;
    OctetImage image_;
    bool full_ = false;
};

}  // namespace fabricscope::cli
