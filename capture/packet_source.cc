// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/packet_source.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "capture/ring.h"

namespace fabricscope::capture {
namespace {

constexpr std::size_t batches = 8;
constexpr std::size_t ahead = 3;  // frames to prefetch

/// What another processor has written is fetched while the frames before are dealt with.
void prefetch(ByteView octets) {
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < octets.size(); at += line) __builtin_prefetch(octets.data() + at);
}

/// What is looked at of most: headers, and what stands at the end.
void prefetch(const Frame& frame) {
    constexpr std::size_t headers = 128, crc = 4;
    prefetch(frame.data.first(std::min(headers, frame.data.size())));
    prefetch(frame.data.last(std::min(crc, frame.data.size())));
}

class InPlace final : public PacketSource {
public:
    explicit InPlace(std::unique_ptr<Source> source) : source_(std::move(source)) {}

    const DecodedFrame* next() override {
        Frame frame;
        return source_->next(frame) ? &frame_.emplace(frame) : nullptr;
    }
    std::vector<Error> errors() const override { return source_->errors(); }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

private:
    std::unique_ptr<Source> source_;
    std::optional<DecodedFrame> frame_;
};

/// What the source said after a number of frames.
struct Reading {
    Batch batch;
    std::vector<DecodedFrame> decoded;  ///< of the batch, if that was worth it
    std::vector<Error> errors;
    std::uint32_t interface_count = 0;
    bool last = false;
};

/// Another thread reads.
class Ahead final : public PacketSource {
    using Readings = Ring<Reading, batches>;

public:
    explicit Ahead(std::unique_ptr<Source> source)
        : source_(std::move(source)), ring_([this](Readings& ring) { read(ring); }) {}

    const DecodedFrame* next() override {
        while (next_in_batch_ == taken_->batch.frames.size()) {
            if (taken_->last) return nullptr;
            taken_ = &ring_.take();
            next_in_batch_ = 0;
        }
        const std::size_t index = next_in_batch_++;
        const std::vector<Frame>& frames = taken_->batch.frames;
        const std::vector<DecodedFrame>& decoded = taken_->decoded;
        const std::size_t later = std::min(index + ahead, frames.size() - 1);
        prefetch(frames[later]);
        if (decoded.empty()) return &here_.emplace(frames[index]);
        prefetch({reinterpret_cast<const std::uint8_t*>(&decoded[later]), sizeof(DecodedFrame)});
        return &decoded[index];
    }

    std::vector<Error> errors() const override { return taken_->errors; }
    std::uint32_t interface_count() const override { return taken_->interface_count; }

private:
    /// A packet goes from one processor's caches to the other's, which takes longer than to decode a small frame. Of
    /// Fibre Channel frames all octets would go that way, for their CRC.
    static bool is_worth_decoding(const std::vector<Frame>& frames) {
        return !frames.empty() && decode(frames.front()).fc;
    }

    void fill(Reading& reading) {
        reading.last = !source_->next_batch(reading.batch);
        reading.decoded.clear();
        const std::vector<Frame>& frames = reading.batch.frames;
        if (is_worth_decoding(frames))
            for (const Frame& frame : frames) reading.decoded.emplace_back(frame);
        reading.interface_count = source_->interface_count();
        if (reading.last) reading.errors = source_->errors();
    }

    void read(Readings& ring) {
        for (bool last = false; !last;) {
            Reading* reading = ring.free_slot();
            if (reading == nullptr) return;
            fill(*reading);
            last = reading->last;
            ring.filled();
        }
    }

    std::unique_ptr<Source> source_;  ///< the ring's thread's
    const Reading before_first_{{}, {}, {}, source_->interface_count()};
    const Reading* taken_ = &before_first_;
    std::size_t next_in_batch_ = 0;
    std::optional<DecodedFrame> here_;  ///< decoded when it was asked for
    Readings ring_;
};

}  // namespace

std::unique_ptr<PacketSource> decoded(std::unique_ptr<Source> source) {
    return std::make_unique<InPlace>(std::move(source));
}

std::unique_ptr<PacketSource> read_ahead(std::unique_ptr<Source> source) {
    if (g_get_num_processors() == 1) return decoded(std::move(source));
    return std::make_unique<Ahead>(std::move(source));
}

}  // namespace fabricscope::capture
