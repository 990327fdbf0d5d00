// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>

#include "analyzer/engine/fc_ae_rdma/observer.h"
#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/octet_image.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

constexpr std::size_t most_memory = std::size_t{1} << 30;  // octets of a region

/// What a message moved, or a region's memory as messages wrote it, or as they read it.
class MemoryStream final : public Stream, public Observer {
public:
    /// Whose memory it is, and at which address it begins.
    enum class Origin : std::uint8_t { message, region };

    MemoryStream(Origin origin, const StreamChoice& choice, OctetSink& sink)
        : origin_(origin), choice_(choice), sink_(sink) {}

    void listen(engine::Observers& observers) override { observers.fc_ae_rdma = this; }

    void on_data(const DataPiece& piece) override {
        if (!is_chosen(piece.message)) return;
        if (origin_ == Origin::message) return put(piece.address - piece.message.base_address, piece.octets);
        const ByteView octets = piece.octets_within_length();
        if (piece.message.reads() || piece.message.state == MessageState::complete) return put(piece.address, octets);
        if (!has_room_for(octets.size())) return;
        waiting_octets_ += octets.size();
        waiting_[piece.message.id].push_back({piece.address, {octets.begin(), octets.end()}});
    }

    void on_stored(const Message& message) override {
        const auto waited = waiting_.extract(message.id);
        if (waited.empty()) return;
        for (const Waiting& piece : waited.mapped()) {
            waiting_octets_ -= piece.octets.size();
            put(piece.address, piece.octets);
        }
    }

    void finish() override {
        if (!waiting_.empty()) sink_.tell("data of writes that have no answer, or another than GOOD, are left out");
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

    /// Data of a write, until the Target says that it has them.
    struct Waiting {
        std::uint64_t address;
        std::vector<std::uint8_t> octets;
    };

    bool has_room_for(std::size_t octets) {
        const bool room = !full_ && image_.size() + waiting_octets_ + octets <= most_memory;
        if (!room && !full_) sink_.tell("the memory region is larger than 1 GiB; what came later is left out");
        full_ = !room;
        return room;
    }

    void put(std::uint64_t position, ByteView octets) {
        if (has_room_for(octets.size())) image_.put(position, octets);
    }

    Origin origin_;
    StreamChoice choice_;
    OctetSink& sink_;
    OctetImage image_;
    std::map<std::uint64_t, std::vector<Waiting>> waiting_;  ///< by message
    std::size_t waiting_octets_ = 0;
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
