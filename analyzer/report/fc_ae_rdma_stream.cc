// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/octet_image.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

constexpr std::size_t most_memory = std::size_t{1} << 30;  // octets of a region

/// Memory as messages wrote it, or as they read it.
class MemoryStream final : public Stream, public Observer {
public:
    /// Whose memory it is, and at which address it begins.
    enum class Origin : std::uint8_t { message, region };

    MemoryStream(Origin origin, const StreamChoice& choice, OctetSink& sink)
        : origin_(origin), choice_(choice), sink_(sink) {}

    void listen(engine::Observers& observers) override { observers.fc_ae_rdma = this; }

    void on_data(const DataPiece& piece) override {
        if (!is_chosen(piece.message)) return;
        if (full_ || image_.size() + piece.octets.size() > most_memory) {
            if (!full_) sink_.tell("the memory region is larger than 1 GiB; what came later is left out");
            full_ = true;
            return;
        }
        image_.put(piece.address - (origin_ == Origin::message ? piece.message.base_address : 0), piece.octets);
    }

    void finish() override {
        write_image(sink_, image_, [&](std::uint64_t begin, std::uint64_t octets, bool wide) {
            // Of a region's memory, what no message touched is not missing.
            if (wide || origin_ == Origin::message) sink_.tell_hole(begin, octets, consequence_of_hole(wide));
        });
    }

private:
    bool is_chosen(const Message& message) const {
        const bool reads = choice_.from == engine::Side::server;
        return message.is_read == reads && (origin_ == Origin::region ? message.region : message.id) == choice_.id;
    }

    Origin origin_;
    StreamChoice choice_;
    OctetSink& sink_;
    OctetImage image_;
    bool full_ = false;
};

}  // namespace

std::unique_ptr<Stream> message_stream(const StreamChoice& choice, OctetSink& sink) {
    return std::make_unique<MemoryStream>(MemoryStream::Origin::message, choice, sink);
}

std::unique_ptr<Stream> region_stream(const StreamChoice& choice, OctetSink& sink) {
    return std::make_unique<MemoryStream>(MemoryStream::Origin::region, choice, sink);
}

}  // namespace fabricscope::report
