// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/packet_source.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace fabricscope::capture {
namespace {

constexpr std::size_t batches = 8;
constexpr std::size_t refill_at = batches / 2;  // to wake a thread costs more than to read a batch

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
    std::exception_ptr failure;  ///< instead of a batch: for the reader to deal with
    bool last = false;
};

/// A ring of batches: the thread fills the one behind those that wait, the reader takes the first.
class Ahead final : public PacketSource {
public:
    explicit Ahead(std::unique_ptr<Source> source) : source_(std::move(source)) {
        before_first_.interface_count = source_->interface_count();
        thread_ = std::thread([this] { fill_batches(); });
    }
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    ~Ahead() override {
        {
            const std::lock_guard lock(mutex_);
            abandoned_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    const DecodedFrame* next() override {
        while (next_in_batch_ == taken_->batch.frames.size()) {
            if (taken_->last) return nullptr;
            take_batch();
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

    /// Gives back the batch at hand and waits for the next one.
    void take_batch() {
        std::unique_lock lock(mutex_);
        if (holding_) --waiting_, ++first_;
        holding_ = true;
        if (waiting_ == refill_at) changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_ != 0; });
        taken_ = &ring_[first_ % batches];
        next_in_batch_ = 0;
        if (taken_->failure) std::rethrow_exception(taken_->failure);
    }

    void fill(Reading& reading) {
        try {
            reading.last = !source_->next_batch(reading.batch);
            reading.decoded.clear();
            const std::vector<Frame>& frames = reading.batch.frames;
            if (is_worth_decoding(frames))
                for (const Frame& frame : frames) reading.decoded.emplace_back(frame);
            reading.interface_count = source_->interface_count();
            if (reading.last) reading.errors = source_->errors();
        } catch (...) {  // memory is short
            reading.failure = std::current_exception();
            reading.last = true;
        }
    }

    void fill_batches() {
        for (std::size_t index = 0;; ++index) {
            {
                std::unique_lock lock(mutex_);
                if (waiting_ == batches) changed_.wait(lock, [this] { return waiting_ <= refill_at || abandoned_; });
                if (abandoned_) return;
            }
            Reading& reading = ring_[index % batches];
            fill(reading);
            {
                const std::lock_guard lock(mutex_);
                ++waiting_;
            }
            changed_.notify_all();
            if (reading.last) return;
        }
    }

    std::unique_ptr<Source> source_;  ///< the thread's, once that runs
    std::array<Reading, batches> ring_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t first_ = 0;    ///< serial number of the batch that is taken, or will be next
    std::size_t waiting_ = 0;  ///< batches filled and not given back
    bool holding_ = false;
    bool abandoned_ = false;
    Reading before_first_;
    std::optional<DecodedFrame> here_;  ///< decoded when it was asked for
    const Reading* taken_ = &before_first_;
    std::size_t next_in_batch_ = 0;
    std::thread thread_;
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
